"""How far the code distances of pairs are from their label distances, and who pulls whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Floats = NDArray[np.float64]


@compiled()
def code_kernels(inner: Floats, squares: Floats, other_squares: Floats, root: bool) -> None:
    """Overwrite inner products of codes with k = 1/(1+d), d being their distance.

    Parameters
    ----------
    inner : ndarray of shape (a, b)
    squares, other_squares : ndarray of shapes (a,) and (b,)
        Squared norms of the codes.
    root : bool
        The distance is the Euclidean one, not its square.
    """
    for i in range(inner.shape[0]):
        for j in range(inner.shape[1]):
            distance = max(squares[i] + other_squares[j] - 2.0 * inner[i, j], 0.0)
            if root:
                distance = np.sqrt(distance)
            inner[i, j] = 1.0 / (1.0 + distance)


@compiled()
def pair_sums(
    kernel: Floats, label_distance: Floats, weights: Floats, other_weights: Floats, same: bool
) -> tuple[float, float]:
    """Sum up what a block of pairs adds to the objective.

    With k of the codes, k' = 1/(1+d') of the labels and v the product of the two weights.

    Parameters
    ----------
    kernel : ndarray of shape (a, b)
        k.
    label_distance : ndarray of shape (a, b)
        d'.
    weights, other_weights : ndarray of shapes (a,) and (b,)
        How many instances share each code.
    same : bool
        The rows are the columns: the diagonal is no pair.

    Returns
    -------
    log_ratio : float
        Sum of v k' log(k'/k).
    gap : float
        Sum of v (k - k').
    """
    log_ratio, gap = 0.0, 0.0
    for i in range(kernel.shape[0]):
        # Sums by row first: one long sum of many small numbers would lose digits.
        row_log_ratio, row_gap = 0.0, 0.0
        for j in range(kernel.shape[1]):
            if same and i == j:
                continue
            k_label = 1.0 / (1.0 + label_distance[i, j])
            weight = other_weights[j]
            row_log_ratio += weight * k_label * np.log(k_label / kernel[i, j])
            row_gap += weight * (kernel[i, j] - k_label)
        log_ratio += weights[i] * row_log_ratio
        gap += weights[i] * row_gap
    return log_ratio, gap


@compiled()
def pair_forces(
    kernel: Floats,
    label_distance: Floats,
    weights: Floats,
    other_weights: Floats,
    label_mass: float,
    code_mass: float,
    same: bool,
    root: bool,
) -> None:
    """Overwrite k with the force between two codes, v k d'(s) (k'/label_mass - k/code_mass).

    d'(s) is the slope of the distance as a function of the squared Euclidean distance s. Other
    parameters are those of :func:`pair_sums` and :func:`code_kernels`.
    """
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            k = kernel[i, j]
            surplus = 1.0 / ((1.0 + label_distance[i, j]) * label_mass) - k / code_mass
            slope = 1.0
            if root:
                # 1/(2d); coincident codes have no direction in which to part.
                slope = 0.5 * k / (1.0 - k) if k < 1.0 else 0.0
            kernel[i, j] = weights[i] * other_weights[j] * k * slope * surplus
        if same:
            kernel[i, i] = 0.0


@compiled()
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
        As in :func:`pair_forces`, the new codes weighing one. ``inner``, of inner products, is
        overwritten with the repulsion w k² d'(s), ``label_distance`` with the attraction
        w k' k d'(s).

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
