"""Thresholds with a proven bound on a risk: conformal risk control, and learn then test."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from dlst._matrices import FloatArray

Risk: TypeAlias = Literal["recall", "precision", "hamming"]

GRID = np.linspace(0.0, 1.0, 401)
"""Thresholds that are tested one after another; fixed before any data are seen."""

SPARE = 0.1
"""Share of alpha kept for the event that a test errs, where the bound is to hold in expectation."""


def row_losses(P: FloatArray, Y: FloatArray, risk: Risk, threshold: float) -> FloatArray:
    """Return the loss of each row, shape (n,), from 0 to 1; NaN is not judged.

    recall: share of the row's labels that are not found. precision: share of the labels found that
    are wrong, 0 where none is found. hamming: share of wrong entries.
    """
    known = ~np.isnan(Y)
    present = known & (Y == 1)
    found = known & (threshold <= P)
    if risk == "recall":
        wrong, of = (present & ~found).sum(axis=1), present.sum(axis=1)
    elif risk == "precision":
        wrong, of = (found & ~present).sum(axis=1), found.sum(axis=1)
    else:
        wrong, of = (found ^ present).sum(axis=1), known.sum(axis=1)
    return np.asarray(wrong / np.maximum(of, 1))


def conformal_recall_threshold(P: FloatArray, Y: FloatArray, alpha: float) -> float:
    """Return the highest threshold with (n R̂ + 1)/(n + 1) ≤ α, R̂ the mean share of labels missed.

    The loss of a row falls when the threshold does, and is at most 1. Of n + 1 exchangeable rows
    the new one is as likely to be any of them, so its expected loss is at most α (Angelopoulos
    et al. 2022). With too few rows the threshold is 0: all labels.
    """
    present = Y == 1
    share = np.broadcast_to(1.0 / present.sum(axis=1, keepdims=True), P.shape)[present]
    order = np.argsort(P[present], kind="stable")
    values, missed = P[present][order], np.cumsum(share[order])
    affordable = alpha * (len(P) + 1) - 1.0
    if affordable < 0:
        return 0.0
    # At the threshold values[m] the labels with values below it are missed; rounding is not.
    place = int(np.searchsorted(missed, affordable * (1 + 1e-12) + 1e-12, side="right"))
    return float(values[min(place, len(values) - 1)])


def p_value(losses: FloatArray, alpha: float, delta: float) -> float:
    """Return a p-value of "the expected loss is above α" for losses in [0, 1] of independent rows.

    A gambler stakes a share ν_i of the capital on row i, known before the row is:
    Π_i (1 − ν_i (L_i − α)). If E[L] > α the capital shrinks on average, and exceeds 1/p at any time
    with probability at most p (Ville). The stake is optimal for the variance seen so far
    (Waudby-Smith, Ramdas 2024); ``delta`` only affects the stake.

    Examples
    --------
    >>> p_value(np.full(60, 0.02), 0.1, 0.05) < 0.05, p_value(np.full(60, 0.2), 0.1, 0.05)
    (True, 1.0)
    """
    places = np.arange(2, len(losses) + 2)
    means = (0.5 + np.cumsum(losses)) / places
    variances = (0.25 + np.cumsum((losses - means) ** 2)) / places
    before = np.concatenate([[0.25], variances[:-1]])
    stakes = np.minimum(1.0, np.sqrt(2.0 * np.log(1.0 / delta) / (len(losses) * before)))
    capital = np.cumsum(np.log1p(-stakes * (losses - alpha)))
    return float(np.exp(-max(0.0, capital.max())))


def tested_threshold(
    P: FloatArray, Y: FloatArray, risk: Risk, alpha: float, delta: float
) -> float | None:
    """Return a threshold whose risk is at most α with probability 1 − δ, or None.

    Thresholds are tested in an order fixed beforehand, each at level δ, until one fails; all that
    passed are right together with probability 1 − δ (Angelopoulos et al. 2021, fixed sequence).
    Of these the last finds most labels, or, for recall, fewest.
    """
    # Losses cost O(n K) each, and most thresholds lie beyond the first that fails.
    passed: float | None = None
    for threshold in safest_first(risk):
        losses = row_losses(P, Y, risk, threshold)
        if p_value(losses, alpha, delta) > delta:
            break
        passed = float(threshold)
    return passed


def safest_first(risk: Risk) -> FloatArray:
    """Return the thresholds, safest first: low for recall, high for precision, ½ for Hamming."""
    if risk == "recall":
        return GRID
    from_the_top = GRID[::-1] if risk == "precision" else GRID[GRID <= 0.5][::-1]
    return np.asarray(from_the_top[:-1])
