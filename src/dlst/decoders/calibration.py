"""Logistic combination of evidences: slopes shared by all labels, an intercept for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlst._kernels.pooled_logistic import Sums, logistic_sums
from dlst._matrices import BoolArray, FloatArray
from dlst._weights import Weights

LEAST_TOTAL = 1e-12
"""Total weight where no entry counts."""

MOST_ITERATIONS = 200
_PRECISION = 1e-12
_FIRST_PRECISION = 1e-4
_FIRST_SHARE, _FEWEST_FIRST = 8, 500
"""A fit to every eighth row, if these are at least 500, is the starting point for all rows."""

_SUFFICIENT = 1e-4
"""Share of the predicted decrease that a step must achieve."""

_NEAR_ZERO = 1e-3
"""A slope below this may be about to reach zero."""


def fit_logistic(
    evidence: FloatArray,
    present: FloatArray,
    known: BoolArray | None = None,
    weights: Weights | None = None,
    *,
    start: tuple[FloatArray, FloatArray] | None = None,
    precision: float = _PRECISION,
) -> tuple[FloatArray, FloatArray]:
    """Fit logit p_ij = a_j + Σ_m b_m e_mij with b >= 0 by penalised maximum likelihood.

    Parameters
    ----------
    evidence : ndarray of shape (m, n, K)
    present : ndarray of shape (n, K)
        Labels, 0 or 1.
    known : ndarray of bool, shape (n, K), optional
        Entries that count; all by default.
    weights : Weights, optional
        How often rows and labels count.
    start : intercepts and slopes, optional
        Starting point; by default, with many rows, a fit to a subset of them.
    precision : float
        Relative predicted decrease below which the iteration stops.

    Returns
    -------
    intercepts : ndarray of shape (K,)
    slopes : ndarray of shape (m,)

    Notes
    -----
    The penalty is Σ a_j²/2 + Σ (b_m - 1/m)²/2, added to the *sum* of the log-losses: it dominates
    with few rows and vanishes with many. For a label of weight 2, a_j² counts twice.

    Newton's method, projected on b >= 0. Intercepts interact only through the few slopes, so that
    a step costs O(K m²) besides the pass over the entries; about ten passes suffice.

    Examples
    --------
    >>> evidence = np.array([[[-2.0], [-1.0], [1.0], [2.0]]])
    >>> intercepts, slopes = fit_logistic(evidence, np.array([[0.0], [1.0], [0.0], [1.0]]))
    >>> bool(abs(intercepts[0]) < 1e-6), bool(0 < slopes[0] < 1)
    (True, True)
    """
    m, n, K = evidence.shape
    if start is None and n >= _FIRST_SHARE * _FEWEST_FIRST:
        some = slice(None, None, _FIRST_SHARE)
        start = fit_logistic(
            evidence[:, some],
            present[some],
            None if known is None else known[some],
            None if weights is None else weights.of_rows(some),
            precision=_FIRST_PRECISION,
        )
    intercepts, slopes = start or (np.zeros(K), np.full(m, 1.0 / m))
    here = penalised_loss(intercepts, slopes, evidence, present, known, weights)
    for _ in range(MOST_ITERATIONS):
        intercept_step, slope_step, promised = here.newton_step()
        length = 1.0
        while True:
            intercepts = here.intercepts + length * intercept_step
            slopes = np.maximum(here.slopes + length * slope_step, 0.0)
            if promised <= precision * here.value:
                # Too near the minimum for a measurable decrease; the step is still valid.
                return intercepts, slopes
            there = penalised_loss(intercepts, slopes, evidence, present, known, weights)
            if there.value <= here.value - _SUFFICIENT * length * promised:
                break
            length /= 2.0
        here = there
    return here.intercepts, here.slopes


def mean_log_loss(
    intercepts: FloatArray,
    slopes: FloatArray,
    evidence: FloatArray,
    present: FloatArray,
    known: BoolArray | None = None,
    weights: Weights | None = None,
) -> float:
    """Return the mean log-loss of the known entries; see :func:`fit_logistic`."""
    loss = _sums(intercepts, slopes, evidence, present, known, weights)[0]
    return loss / max(counted((len(present), present.shape[1]), known, weights), LEAST_TOTAL)


def penalised_loss(
    intercepts: FloatArray,
    slopes: FloatArray,
    evidence: FloatArray,
    present: FloatArray,
    known: BoolArray | None,
    weights: Weights | None = None,
) -> PenalisedLoss:
    """Evaluate the penalised log-loss with its derivatives."""
    loss, by_intercept, by_slope, curvature, cross, square = _sums(
        intercepts, slopes, evidence, present, known, weights
    )
    counts = np.ones_like(intercepts) if weights is None else weights.labels
    pull = slopes - 1.0 / len(slopes)
    return PenalisedLoss(
        intercepts,
        slopes,
        value=loss + 0.5 * float(counts @ intercepts**2) + 0.5 * float(pull @ pull),
        by_intercept=by_intercept + counts * intercepts,
        by_slope=by_slope + pull,
        curvature=curvature + counts,
        cross=cross,
        square=square + np.eye(len(slopes)),
    )


def _sums(
    intercepts: FloatArray,
    slopes: FloatArray,
    evidence: FloatArray,
    present: FloatArray,
    known: BoolArray | None,
    weights: Weights | None,
) -> Sums:
    mask = np.empty((0, 0), dtype=np.bool_) if known is None else np.ascontiguousarray(known)
    n, K = present.shape
    of_rows, of_labels = (np.ones(n), np.ones(K)) if weights is None else weights
    sums: Sums = logistic_sums(
        np.ascontiguousarray(evidence),
        np.ascontiguousarray(present),
        mask,
        of_rows,
        of_labels,
        intercepts,
        slopes,
    )
    return sums


def counted(shape: tuple[int, int], known: BoolArray | None, weights: Weights | None) -> float:
    """Count the known entries, by weight."""
    if weights is None:
        return float(shape[0] * shape[1] if known is None else known.sum())
    if known is None:
        return float(weights.rows.sum() * weights.labels.sum())
    return float(weights.rows @ known @ weights.labels)


class PenalisedLoss(NamedTuple):
    """The loss at a point, its gradient, and its Hessian in blocks (see ``logistic_sums``)."""

    intercepts: FloatArray
    slopes: FloatArray
    value: float
    by_intercept: FloatArray
    by_slope: FloatArray
    curvature: FloatArray
    cross: FloatArray
    square: FloatArray

    def newton_step(self) -> tuple[FloatArray, FloatArray, float]:
        """Return the step of the intercepts, that of the slopes, and the predicted decrease.

        Intercepts are eliminated, which leaves a system of the slopes. Slopes that are about to
        reach zero take a separate step (Bertsekas, 1982): clipped at zero, they could otherwise
        turn the joint step into an ascent.
        """
        slope_step = -self.by_slope / np.diagonal(self.square)
        lowered = np.maximum(self.slopes + slope_step, 0.0) - self.slopes
        reach = float(np.linalg.norm(lowered))
        free = (self.slopes > min(reach, _NEAR_ZERO)) | (self.by_slope <= 0.0)
        cross = self.cross[free]
        flattened = cross / self.curvature
        system = self.square[np.ix_(free, free)] - flattened @ cross.T
        downhill = flattened @ self.by_intercept - self.by_slope[free]
        slope_step[free] = np.linalg.solve(system, downhill)
        intercept_step = -(self.by_intercept + slope_step[free] @ cross) / self.curvature
        change = self.by_intercept @ intercept_step + self.by_slope @ np.where(
            free, slope_step, lowered
        )
        return intercept_step, slope_step, float(-change)
