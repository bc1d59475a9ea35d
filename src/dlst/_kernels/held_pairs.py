"""All pairs of few label sets, held at once: code distances are computed once for value and force.

The pairs above the diagonal lie behind each other in one long row, in float64, on which loops run
without the ends of many short ones. Codes have few columns, for which products of the BLAS library
would take longer than all the rest.
"""

from __future__ import annotations

import numpy as np

from dlst._compiled import compiled
from dlst._kernels.alignment import (
    SCALE,
    VECTORISED,
    Floats,
    Pairs,
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
    """
    columns, x, logs = codes.T.copy(), np.ones_like(pulls), np.empty_like(pulls)
    _add_distances(x, columns, root)
    logarithms(x, logs)
    log_sum, code_mass = _sums(x, logs, pulls, weights)
    code_mass = same_mass + 2.0 * code_mass
    _forces(x, pulls, weights, 1.0 / (label_mass * SCALE), 1.0 / code_mass, root)
    return 2.0 * log_sum / SCALE, code_mass, 4.0 * _moved(x, columns).T


@compiled(**VECTORISED)
def _add_distances(x: Floats, columns: Floats, root: bool) -> None:
    """Add to each pair the distance of its codes, whose numbers lie column by column, (r, m)."""
    start, m = 0, columns.shape[1]
    for i in range(m):
        row = x[start : start + m - 1 - i]
        for c in range(len(columns)):
            own, others = columns[c, i], columns[c, i + 1 :]
            for j in range(row.size):
                gap = own - others[j]
                row[j] += gap * gap
        start += row.size
    if root:
        for j in range(x.size):
            x[j] = 1.0 + np.sqrt(max(x[j] - 1.0, 0.0))


@compiled(**VECTORISED)
def _moved(forces: Floats, columns: Floats) -> Floats:
    """Return for each code the sum of its forces times what parts it from the others, (r, m)."""
    start, m = 0, columns.shape[1]
    sums = np.zeros_like(columns)
    for i in range(m):
        row = forces[start : start + m - 1 - i]
        for c in range(len(columns)):
            own, others, pulled = columns[c, i], columns[c, i + 1 :], sums[c, i + 1 :]
            total = 0.0
            for j in range(row.size):
                pull = row[j] * (own - others[j])
                total += pull
                pulled[j] -= pull
            sums[c, i] += total
        start += row.size
    return sums


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
