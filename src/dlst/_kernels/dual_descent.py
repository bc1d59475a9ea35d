"""Dual coordinate descent for the linear machines of a block of labels at once.

    min_w ½‖w‖² + Σ_i (1/2u_i) loss(w·x_i, t_i),   w = Σ_i a_i x_i at the optimum of the dual

    max_a Σ_i a_i t_i − ½‖w‖² − ½ Σ_i u_i a_i²     (a_i t_i ≥ 0 for the squared hinge)

A row is read once for all labels of the block: the inner loops run over labels that are adjacent
in memory. Rows have a constant feature 1, whose weight is the last row of ``W``. A row with a NaN
target is left out of that label's problem.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

MOST_LANES = 64
"""Maximum number of labels in a block: a row of the block's weights is then four cache lines.

Loops run to the width of the arrays: with a constant width the compiler unrolls them, which made
them twice as slow."""

Ints = NDArray[np.int32]
Singles = NDArray[np.float32]
Floats = NDArray[np.float64]


@compiled(fastmath={"contract"})
def descend(
    indptr: Ints,
    indices: Ints,
    data: NDArray[np.floating],
    targets: NDArray[np.floating],
    ridge: NDArray[np.floating],
    curvature: NDArray[np.floating],
    order: Ints,
    hinge: bool,
    duals: NDArray[np.floating],
    W: NDArray[np.floating],
    idle: NDArray[np.bool_],
) -> None:
    """Make one pass over the rows, and change ``duals``, ``W`` and ``idle`` in place.

    Parameters
    ----------
    indptr, indices, data : CSR rows of shape (n, d)
    targets : ndarray of shape (n, width)
        NaN: left out. ±1 for the hinge.
    ridge, curvature : ndarray of shape (n,)
        u_i, and ‖x_i‖² + 1 + u_i with the constant feature.
    order : ndarray of shape (n,)
        The rows in the order of their visits.
    hinge : bool
        Squared hinge, else squared loss.
    duals : ndarray of shape (n, width)
    W : ndarray of shape (d + 1, width)
    idle : ndarray of shape (n,)
        Rows that are skipped; a row becomes idle when the hinge leaves all its duals at 0.
    """
    last, width = W.shape[0] - 1, W.shape[1]
    score = np.empty(width, data.dtype)
    step = np.empty(width, data.dtype)
    zero = data.dtype.type(0)
    for i in order:
        if idle[i]:
            continue
        first, stop = indptr[i], indptr[i + 1]
        for j in range(width):
            score[j] = W[last, j]
        for p in range(first, stop):
            f, x = indices[p], data[p]
            for j in range(width):
                score[j] += x * W[f, j]
        u, inverse = ridge[i], data.dtype.type(1) / curvature[i]
        moved = False
        for j in range(width):
            t, a = targets[i, j], duals[i, j]
            change = (t - score[j] - u * a) * inverse
            if hinge and (a + change) * t < zero:
                change = -a
            if t != t:
                change = zero
            step[j] = change
            duals[i, j] = a + change
            moved |= change != zero
        if not moved:
            idle[i] = hinge
            continue
        for j in range(width):
            W[last, j] += step[j]
        for p in range(first, stop):
            f, x = indices[p], data[p]
            for j in range(width):
                W[f, j] += x * step[j]


@compiled(fastmath={"contract"})
def primal_weights(
    indptr: Ints,
    indices: Ints,
    data: NDArray[np.floating],
    duals: NDArray[np.floating],
    n_features: int,
) -> Floats:
    """Return Σ_i a_i x_i of each label in double precision, shape (d + 1, width)."""
    width = duals.shape[1]
    W = np.zeros((n_features + 1, width))
    for i in range(len(indptr) - 1):
        for j in range(width):
            W[n_features, j] += duals[i, j]
        for p in range(indptr[i], indptr[i + 1]):
            f, x = indices[p], data[p]
            for j in range(width):
                W[f, j] += x * duals[i, j]
    return W


@compiled(fastmath={"contract"})
def objectives(
    indptr: Ints,
    indices: Ints,
    data: NDArray[np.floating],
    targets: NDArray[np.floating],
    ridge: NDArray[np.floating],
    hinge: bool,
    duals: NDArray[np.floating],
    W: NDArray[np.floating],
) -> tuple[Floats, Floats]:
    """Return the primal objective of ``W`` and the dual one of ``duals``, for each label.

    ``W`` must be Σ_i a_i x_i.
    """
    last, width = W.shape[0] - 1, W.shape[1]
    primal, dual = np.zeros(width), np.zeros(width)
    for f in range(last + 1):
        for j in range(width):
            primal[j] += 0.5 * np.float64(W[f, j]) ** 2
    for j in range(width):
        dual[j] = -primal[j]
    score = np.empty(width, data.dtype)
    for i in range(len(indptr) - 1):
        for j in range(width):
            score[j] = W[last, j]
        for p in range(indptr[i], indptr[i + 1]):
            f, x = indices[p], data[p]
            for j in range(width):
                score[j] += x * W[f, j]
        u = np.float64(ridge[i])
        for j in range(width):
            t, a = np.float64(targets[i, j]), np.float64(duals[i, j])
            if t != t:
                continue
            error = float(t) - float(score[j])
            if hinge and error * t < 0.0:
                error = 0.0
            primal[j] += error * error / (2.0 * u)
            dual[j] += a * t - 0.5 * u * a * a
    return primal, dual
