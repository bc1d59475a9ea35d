"""All pairs of few label sets, held at once: code distances are computed once for value and force.

The pairs above the diagonal lie behind each other in one long row, on which the loops of
:mod:`dlst._kernels.alignment` run in float64 without the ends of many short ones.
"""

from __future__ import annotations

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
    row_pull,
)


@compiled()
def label_pulls(pairs: Pairs) -> tuple[Floats, Floats]:
    """Return v k' SCALE and v of all pairs, row after row above the diagonal."""
    m = len(pairs.weights)
    tile: Floats = label_tile(pairs, 0, m, 0, m)
    pulls, weights = np.empty(m * (m - 1) // 2), np.empty(m * (m - 1) // 2)
    start = 0
    for i in range(m):
        pull, w, p = tile[i, i + 1 :], pairs.weights[i + 1 :], pairs.shares[i + 1 :]
        row_pull(pull, pull, pairs.weights[i], pairs.shares[i], w, p)
        stop = start + len(pull)
        pulls[start:stop] = pull
        weights[start:stop] = pairs.shares[i] * w + pairs.weights[i] * p
        start = stop
    return pulls, weights


@compiled()
def held_forces(
    codes: Floats,
    pulls: Floats,
    weights: Floats,
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
    pulls, weights : ndarray of shape (m (m - 1) / 2,)
        As :func:`label_pulls` gives them.
    root
        As in :class:`Pairs`.
    label_mass : float
        Sum of v k' over all ordered pairs of instances.
    same_mass : float
        Ordered pairs of instances with one set, which are at distance zero.
    tile : ndarray of shape (m, m)
        Room for inner products and forces.
    """
    m, r = codes.shape
    squares, x, logs = (codes * codes).sum(axis=1), np.empty_like(pulls), np.empty_like(pulls)
    np.dot(codes, codes.T, tile)
    start = 0
    for i in range(m):
        row = x[start : start + m - 1 - i]
        row[:] = tile[i, i + 1 :]
        code_row(row, squares[i], squares[i + 1 :], root)
        start += len(row)
    logarithms(x, logs)
    log_sum, code_mass = _sums(x, logs, pulls, weights)
    code_mass = same_mass + 2.0 * code_mass
    _forces(x, pulls, weights, 1.0 / (label_mass * SCALE), 1.0 / code_mass, root)
    start = 0
    for i in range(m):
        tile[i, : i + 1] = 0.0
        tile[i, i + 1 :] = x[start : start + m - 1 - i]
        start += m - 1 - i
    # With ones beside the codes, the products hold the sums of the forces too.
    beside = np.ones((m, r + 1))
    beside[:, :r] = codes
    forces = np.dot(tile, beside) + np.dot(tile.T, beside)
    return 2.0 * log_sum / SCALE, code_mass, 4.0 * (forces[:, r:] * codes - forces[:, :r])


@compiled(**VECTORISED)
def _sums(x: Floats, logs: Floats, pulls: Floats, weights: Floats) -> tuple[float, float]:
    """Return the sums of v k' log(1+d) SCALE and of v k."""
    log_sum, mass = 0.0, 0.0
    for j in range(x.size):
        log_sum += pulls[j] * logs[j]
        mass += weights[j] / x[j]
    return log_sum, mass


@compiled(**VECTORISED)
def _forces(
    x: Floats, pulls: Floats, weights: Floats, attraction: float, repulsion: float, root: bool
) -> None:
    """Overwrite 1 + d with forces, as :func:`dlst._kernels.alignment.row_force` does."""
    if root:
        for j in range(x.size):
            k, distance = 1.0 / x[j], x[j] - 1.0
            # 1/(2d); coincident codes have no direction in which to part.
            slope = 0.5 / distance if distance > 0.0 else 0.0
            x[j] = slope * k * (pulls[j] * attraction - weights[j] * k * repulsion)
    else:
        for j in range(x.size):
            k = 1.0 / x[j]
            x[j] = k * (pulls[j] * attraction - weights[j] * k * repulsion)
