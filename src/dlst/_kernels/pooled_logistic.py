"""Loss, slope and curvature of a logistic regression whose slopes all labels share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Floats = NDArray[np.float64]
Sums = tuple[float, Floats, Floats, Floats, Floats, Floats]

TOGETHER = 512
"""Factors from 1 to 2 that are multiplied before their logarithm is taken; 1024 would overflow."""


@compiled()
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
        How often rows and labels count.
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
    loss = 0.0
    by_intercept, by_slope = np.zeros(K), np.zeros(m)
    curvature, cross, square = np.zeros(K), np.zeros((m, K)), np.zeros((m, m))
    errors, weights = np.empty(K), np.empty(K)
    for i in range(n):
        row_loss, product, factors = 0.0, 1.0, 0
        for j in range(K):
            if partial and not known[i, j]:
                errors[j], weights[j] = 0.0, 0.0
                continue
            logit = intercepts[j]
            for k in range(m):
                logit += slopes[k] * evidence[k, i, j]
            small = math.exp(-abs(logit))
            share = 1.0 / (1.0 + small)
            y = present[i, j]
            count = of_rows[i] * of_labels[j]
            row_loss += count * (max(logit, 0.0) - y * logit)
            # The loss only says how far to go: its rounding, 1e-16 an entry, moves no step.
            if count == 1.0:
                product *= 1.0 + small
                factors += 1
            else:
                row_loss += count * math.log1p(small)
            if factors == TOGETHER:
                row_loss += math.log(product)
                product, factors = 1.0, 0
            errors[j] = count * ((share if logit >= 0.0 else small * share) - y)
            weights[j] = count * small * share * share
        loss += row_loss + math.log(product)
        by_intercept += errors
        curvature += weights
        for k in range(m):
            here = evidence[k, i]
            for j in range(K):
                by_slope[k] += errors[j] * here[j]
                cross[k, j] += weights[j] * here[j]
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
