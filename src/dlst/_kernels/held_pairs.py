"""All pairs of few label sets, held at once: code distances are computed once for value and force.

Rows of pairs are worked on as in :mod:`dlst._kernels.alignment`, in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlst._compiled import compiled
from dlst._kernels.alignment import (
    SCALE,
    VECTORISED,
    Floats,
    Pairs,
    code_row,
    label_tile,
    logarithms,
    row_force,
    row_mass,
    row_pull,
)


@compiled(**VECTORISED)
def weighted_sum(values: Floats, weights: Floats) -> Any:
    """Sum of products, for rows that are too short for the BLAS library."""
    total = values.dtype.type(0)
    for j in range(values.size):
        total += values[j] * weights[j]
    return total


@compiled()
def label_pulls(pairs: Pairs) -> Floats:
    """Return v k' SCALE of all pairs, shape (m, m); what is below the diagonal has no meaning."""
    m = len(pairs.weights)
    pulls: Floats = label_tile(pairs, 0, m, 0, m)
    for i in range(m):
        pull, w, p = pulls[i, i + 1 :], pairs.weights[i + 1 :], pairs.shares[i + 1 :]
        row_pull(pull, pull, pairs.weights[i], pairs.shares[i], w, p)
    return pulls


@compiled()
def held_forces(
    codes: Floats,
    pulls: Floats,
    weights: Floats,
    shares: Floats,
    root: bool,
    label_mass: float,
    same_mass: float,
    tile: Floats,
) -> tuple[float, float, Floats]:
    """Return the sum of v k' log(1+d) over all pairs, the sum of v k, and the gradient.

    For few sets, of which all pairs are held: code distances are computed once, and labels are not
    looked at again.

    Parameters
    ----------
    codes : ndarray of shape (m, r)
    pulls : ndarray of shape (m, m)
        As :func:`label_pulls` gives them.
    weights, shares, root
        As in :class:`Pairs`.
    label_mass : float
        Sum of v k' over all ordered pairs of instances.
    same_mass : float
        Ordered pairs of instances with one set, which are at distance zero.
    tile : ndarray of shape (m, m)
        Room for distances and forces.
    """
    m = len(codes)
    squares, logs, sums = (codes * codes).sum(axis=1), np.empty(m), np.zeros(m)
    np.dot(codes, codes.T, tile)
    log_sum, code_mass = 0.0, 0.0
    for i in range(m):
        x, log_x = tile[i, i + 1 :], logs[i + 1 :]
        code_row(x, squares[i], squares[i + 1 :], root)
        logarithms(x, log_x)
        log_sum += weighted_sum(pulls[i, i + 1 :], log_x)
        code_mass += row_mass(x, weights[i], shares[i], weights[i + 1 :], shares[i + 1 :])
    code_mass = same_mass + 2.0 * code_mass
    for i in range(m):
        tile[i, : i + 1] = 0.0
        sums[i] += row_force(
            tile[i, i + 1 :],
            pulls[i, i + 1 :],
            weights[i],
            shares[i],
            weights[i + 1 :],
            shares[i + 1 :],
            label_mass,
            code_mass,
            root,
            sums[i + 1 :],
        )
    forces = np.dot(tile, codes) + np.dot(tile.T, codes)
    return 2.0 * log_sum / SCALE, code_mass, 4.0 * (sums.reshape(-1, 1) * codes - forces)
