"""How far the code distances of pairs are from their label distances, and who pulls whom."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def pair_terms(
    inner: Floats,
    label_distance: Floats,
    squares: Floats,
    other_squares: Floats,
    weights: Floats,
    other_weights: Floats,
    same: bool,
    root: bool,
) -> tuple[float, float]:
    """Turn a block of pairs into its share of the objective and of its gradient.

    With d the distance of the codes, d' that of the labels, k = 1/(1+d), k' = 1/(1+d') and v the
    product of the two weights.

    Parameters
    ----------
    inner : ndarray of shape (a, b)
        Inner products of the codes; overwritten with the repulsion v k² d'(s), where d'(s) is the
        slope of the distance as a function of the squared Euclidean distance s.
    label_distance : ndarray of shape (a, b)
        Overwritten with the attraction v k' k d'(s).
    squares, other_squares : ndarray of shapes (a,) and (b,)
        Squared norms of the codes.
    weights, other_weights : ndarray of shapes (a,) and (b,)
        How many instances share each code.
    same : bool
        The rows are the columns: the diagonal is no pair.
    root : bool
        The distance of codes is the Euclidean one, not its square.

    Returns
    -------
    log_ratio : float
        Sum of v k' log(k'/k).
    gap : float
        Sum of v (k - k').
    """
    log_ratio, gap = 0.0, 0.0
    for i in range(inner.shape[0]):
        # Sums by row first: one long sum of many small numbers would lose digits.
        row_log_ratio, row_gap = 0.0, 0.0
        for j in range(inner.shape[1]):
            if same and i == j:
                inner[i, j] = 0.0
                label_distance[i, j] = 0.0
                continue
            squared = max(squares[i] + other_squares[j] - 2.0 * inner[i, j], 0.0)
            distance, slope = squared, 1.0
            if root:
                distance = np.sqrt(squared)
                # Coincident codes have no direction in which to part.
                slope = 0.5 / distance if distance > 0.0 else 0.0
            wanted = label_distance[i, j]
            weight = weights[i] * other_weights[j]
            k = 1.0 / (1.0 + distance)
            k_label = 1.0 / (1.0 + wanted)
            row_log_ratio += weight * k_label * np.log((1.0 + distance) * k_label)
            row_gap += weight * (wanted - distance) * k * k_label
            pull = weight * k * slope
            inner[i, j] = pull * k
            label_distance[i, j] = pull * k_label
        log_ratio += row_log_ratio
        gap += row_gap
    return log_ratio, gap


@njit(cache=True, nogil=True)
def placement_terms(
    inner: Floats,
    label_distance: Floats,
    squares: Floats,
    other_squares: Floats,
    other_weights: Floats,
    root: bool,
) -> tuple[Floats, Floats, Floats]:
    """Turn the pairs of new codes (rows) and fixed codes (columns) into sums of each new code.

    Parameters
    ----------
    inner, label_distance, squares, other_squares, other_weights, root
        As in :func:`pair_terms`; the new codes weigh one, both blocks are overwritten likewise.

    Returns
    -------
    log_sum, mass, label_mass : ndarray of shape (a,)
        Sums over the columns of w k' log(1+d), w k and w k'.
    """
    n_rows = inner.shape[0]
    log_sum, mass, label_mass = np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
    for i in range(n_rows):
        for j in range(inner.shape[1]):
            squared = max(squares[i] + other_squares[j] - 2.0 * inner[i, j], 0.0)
            distance, slope = squared, 1.0
            if root:
                distance = np.sqrt(squared)
                slope = 0.5 / max(distance, 1e-12)
            weight = other_weights[j]
            k = 1.0 / (1.0 + distance)
            k_label = 1.0 / (1.0 + label_distance[i, j])
            log_sum[i] += weight * k_label * np.log(1.0 + distance)
            mass[i] += weight * k
            label_mass[i] += weight * k_label
            pull = weight * k * slope
            inner[i, j] = pull * k
            label_distance[i, j] = pull * k_label
    return log_sum, mass, label_mass
