"""Loss and derivatives of a logistic regression with slopes shared by all labels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Floats = NDArray[np.float64]
Sums = tuple[float, Floats, Floats, Floats, Floats, Floats]

TOGETHER = 512
"""Factors from 1 to 2 multiplied before taking their logarithm; 1024 would overflow."""


LARGE = 40.0
"""Logits are clipped here, where 1 - p is below rounding."""


# Loops without branches and calls, and with sums in any order, are vectorised over labels.
@compiled(error_model="numpy", fastmath={"contract", "reassoc"})
def logistic_sums(
    evidence: Floats,
    present: Floats,
    known: NDArray[np.bool_],
    of_rows: Floats,
    of_labels: Floats,
    intercepts: Floats,
    slopes: Floats,
) -> Sums:
    """Sum the log-losses of logit p_ij = a_j + Σ_m b_m e_mij, and their derivatives.

    Parameters
    ----------
    evidence : ndarray of shape (m, n, K)
    present : ndarray of shape (n, K)
        Labels, 0 or 1.
    known : ndarray of bool, shape (n, K) or (0, 0)
        Entries that count; an empty array for all.
    of_rows, of_labels : ndarray of shape (n,) and (K,)
        Weights of rows and labels.
    intercepts : ndarray of shape (K,)
    slopes : ndarray of shape (m,)

    Returns
    -------
    loss : float
    by_intercept : ndarray of shape (K,)
    by_slope : ndarray of shape (m,)
        The gradient.
    curvature : ndarray of shape (K,)
        Diagonal of the Hessian in the intercepts, which has no other entries.
    cross : ndarray of shape (m, K)
    square : ndarray of shape (m, m)
        The Hessian's other blocks.
    """
    m, n, K = evidence.shape
    partial = known.size > 0
    alike = np.all(of_rows == 1.0) and np.all(of_labels == 1.0)
    loss = 0.0
    by_intercept, by_slope = np.zeros(K), np.zeros(m)
    curvature, cross, square = np.zeros(K), np.zeros((m, K)), np.zeros((m, m))
    logits, small, counts = np.empty(K), np.empty(K), np.empty(K)
    errors, weights = np.empty(K), np.empty(K)
    for i in range(n):
        for j in range(K):
            logits[j] = intercepts[j]
            counts[j] = of_rows[i] * of_labels[j]
        for k in range(m):
            for j in range(K):
                logits[j] += slopes[k] * evidence[k, i, j]
        if partial:
            for j in range(K):
                counts[j] *= known[i, j]
        for j in range(K):
            small[j] = _exponential(-min(abs(logits[j]), LARGE))
        for j in range(K):
            share = 1.0 / (1.0 + small[j])
            present_share = share if logits[j] >= 0.0 else small[j] * share
            errors[j] = counts[j] * (present_share - present[i, j])
            weights[j] = counts[j] * small[j] * share * share
        for j in range(K):
            loss += counts[j] * (max(logits[j], 0.0) - present[i, j] * logits[j])
        # The loss only serves the line search, so that its rounding, 1e-16 per entry, does no harm.
        if alike:
            for first in range(0, K, TOGETHER):
                product = 1.0
                for j in range(first, min(first + TOGETHER, K)):
                    product *= 1.0 + counts[j] * small[j]
                loss += math.log(product)
        else:
            for j in range(K):
                loss += counts[j] * math.log1p(small[j])
        for j in range(K):
            by_intercept[j] += errors[j]
            curvature[j] += weights[j]
        for k in range(m):
            here = evidence[k, i]
            total = 0.0
            for j in range(K):
                total += errors[j] * here[j]
                cross[k, j] += weights[j] * here[j]
            by_slope[k] += total
            for other in range(k + 1):
                there = evidence[other, i]
                total = 0.0
                for j in range(K):
                    total += weights[j] * here[j] * there[j]
                square[k, other] += total
    for k in range(m):
        for other in range(k):
            square[other, k] = square[k, other]
    return loss, by_intercept, by_slope, curvature, cross, square


@compiled(fastmath={"contract"}, inline="always")
def _exponential(x: float) -> float:
    """Return exp(x) for x from -40 to 0: the series of exp(x / 256), squared eight times.

    To 1e-13 where it matters, and to 1e-10 where it is 1e-17.
    """
    y = x / 256.0
    value = 1.0 + y / 8.0
    for order in (7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0):
        value = 1.0 + y / order * value
    for _ in range(8):
        value *= value
    return value
