"""Divergence of the code distances of pairs from their label distances, and its gradient.

Pairs are visited in tiles on and above the diagonal, so that each unordered pair is visited once.
A panel is a row of tiles. Computations have the type of the codes, float32 or float64; sums over
many rows are float64. Inner products, and forces times codes, are products of the BLAS library; all
else is done row by row, in loops that compile to vector instructions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._kernels.label_distances import partial_distances
from dlst._kernels.label_rows import label_row, mark_labels

Floats = NDArray[Any]
Ints = NDArray[np.int64]

VECTORISED = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}
"""Sums in any order and no test for division by zero let numba vectorise over pairs."""

SCALE = 12_252_240.0
"""Multiplied by this, 1/(1+d) is an integer below 2^24 for all integers d below 18, and many above;
else rounding to float32 would be biased in all pairs with the same distance."""


class Pairs(NamedTuple):
    """What stays constant while codes are optimised.

    The weight of a pair is p_a w_b + w_a p_b, with w of ``weights`` and p of ``shares``. With
    p = w/2 that is the number of instance pairs. Sets from ``n_rows`` on have p = 0: their panels
    are skipped, as are the pairs among the first ``skipped`` sets, a whole number of blocks.
    ``counter`` is an empty array of a type that holds the size of any set.
    """

    weights: Floats
    shares: Floats
    indptr: Ints
    indices: Ints
    sizes: Floats
    ones: NDArray[np.uint64]
    unknown: NDArray[np.uint64]
    complete: bool
    kind: int
    n_labels: int
    stranger: float
    root: bool
    block: int
    n_rows: int
    skipped: int
    counter: NDArray[Any]


@compiled(fastmath={"contract"}, error_model="numpy")  # in this order: ln 2 has two parts
def logarithms(x: Floats, out: Floats) -> None:
    """Fill ``out`` with the logarithms of positive numbers, to the last digits of their type.

    x is 2^e f with f between the roots of 1/2 and 2, and log f = 2 artanh((f-1)/(f+1)).
    """
    if x.itemsize == 4:
        single = np.float32
        for j in range(x.size):
            bits = np.float32(x[j]).view(np.int32)
            power = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23))
            f = np.int32(bits - np.int32(power << np.int32(23))).view(np.float32)
            s = (f - single(1)) / (f + single(1))
            z = s * s
            series = z * single(2 / 11) + single(2 / 9)
            series = series * z + single(2 / 7)
            series = series * z + single(2 / 5)
            series = series * z + single(2 / 3)
            e = single(power)
            # The logarithm of 2 in two parts, the first of which has few digits.
            small = s * z * series + e * single(-2.12194440e-4)
            out[j] = (single(2) * s + small) + e * single(0.693359375)
    else:
        for j in range(x.size):
            wide = np.float64(x[j]).view(np.int64)
            exponent = (wide - 0x3FE6A09E667F3BCD) >> 52
            f64 = np.int64(wide - (exponent << 52)).view(np.float64)
            s64 = (f64 - 1.0) / (f64 + 1.0)
            z64 = s64 * s64
            sum64 = z64 * (2 / 23) + 2 / 21
            sum64 = sum64 * z64 + 2 / 19
            sum64 = sum64 * z64 + 2 / 17
            sum64 = sum64 * z64 + 2 / 15
            sum64 = sum64 * z64 + 2 / 13
            sum64 = sum64 * z64 + 2 / 11
            sum64 = sum64 * z64 + 2 / 9
            sum64 = sum64 * z64 + 2 / 7
            sum64 = sum64 * z64 + 2 / 5
            sum64 = sum64 * z64 + 2 / 3
            small64 = s64 * z64 * sum64 + exponent * 1.90821492927058770002e-10
            out[j] = (2.0 * s64 + small64) + exponent * 6.93147180369123816490e-01


@compiled(**VECTORISED)
def code_row(inner: Floats, square: Any, squares: Floats, root: bool) -> None:
    """Overwrite inner products of a code with 1 + d, d being its distance from each other code.

    Parameters
    ----------
    inner : ndarray of shape (b,)
    square : float
        Squared norm of the code, in the type of ``inner``.
    squares : ndarray of shape (b,)
        Squared norms of the others.
    root : bool
        The distance is the Euclidean one, not its square.
    """
    number = inner.dtype.type
    for j in range(inner.size):
        inner[j] = max(square + squares[j] - number(2) * inner[j], number(0)) + number(1)
    if root:
        for j in range(inner.size):
            inner[j] = np.sqrt(inner[j] - number(1)) + number(1)


@compiled(**VECTORISED)
def row_mass(x: Floats, weight: Any, share: Any, weights: Floats, shares: Floats) -> Any:
    """Sum of v / x over a row of pairs, v = share weights + weight shares."""
    total = x.dtype.type(0)
    for j in range(x.size):
        total += (share * weights[j] + weight * shares[j]) / x[j]
    return total


@compiled(**VECTORISED)
def row_pull(
    x_label: Floats, log_x: Floats, weight: Any, share: Any, weights: Floats, shares: Floats
) -> Any:
    """Overwrite 1 + d' with v k' SCALE, and return its sum times ``log_x``; k' = 1/(1+d')."""
    number = x_label.dtype.type
    total = number(0)
    for j in range(x_label.size):
        pull = (share * weights[j] + weight * shares[j]) * (number(SCALE) / x_label[j])
        x_label[j] = pull
        total += pull * log_x[j]
    return total


@compiled(**VECTORISED)
def row_force(
    x: Floats,
    pull: Floats,
    weight: Any,
    share: Any,
    weights: Floats,
    shares: Floats,
    label_mass: Any,
    code_mass: Any,
    root: bool,
    columns: Floats,
) -> Any:
    """Overwrite 1 + d with the force between codes, v k d'(s) (k'/label_mass - k/code_mass).

    d'(s) is the slope of the distance in the squared Euclidean distance s, k = 1/(1+d), and
    ``pull`` is v k' SCALE. The forces are added to ``columns``, and their sum is returned.
    """
    number = x.dtype.type
    attraction, repulsion = number(1.0 / (label_mass * SCALE)), number(1.0 / code_mass)
    total = number(0)
    for j in range(x.size):
        k = number(1) / x[j]
        slope = number(1)
        if root:
            # 1/(2d); coincident codes have no direction in which to part.
            distance = x[j] - number(1)
            slope = number(0.5) / distance if distance > number(0) else number(0)
        push = (share * weights[j] + weight * shares[j]) * k * repulsion
        force = slope * k * (pull[j] * attraction - push)
        x[j] = force
        columns[j] += force
        total += force
    return total


@compiled()
def panel_labels(pairs: Pairs, first: int, masses: NDArray[np.float64]) -> float:
    """Return the sum of v k' log(1+d') over the pairs of a panel; add each v k' to both ends.

    Parameters
    ----------
    pairs : Pairs
    first : int
        Index of the panel's first row.
    masses : ndarray of shape (m,)
    """
    last = min(first + pairs.block, pairs.n_rows)
    log_sum = 0.0
    for start in range(max(first, pairs.skipped), len(pairs.weights), pairs.block):
        stop = min(start + pairs.block, len(pairs.weights))
        wanted = label_tile(pairs, first, last, start, stop)
        logs = np.empty(stop - start, wanted.dtype)
        for i in range(first, last):
            skipped = max(i + 1 - start, 0)
            x, log_x = wanted[i - first, skipped:], logs[skipped:]
            w, p = pairs.weights[start + skipped : stop], pairs.shares[start + skipped : stop]
            logarithms(x, log_x)
            log_sum += row_pull(x, log_x, pairs.weights[i], pairs.shares[i], w, p)
            masses[i] += x.sum() / SCALE
            masses[start + skipped : stop] += x / SCALE
    return log_sum / SCALE


@compiled()
def panel_mass(codes: Floats, squares: Floats, pairs: Pairs, first: int) -> float:
    """Return the sum of v k over the pairs of a panel.

    Parameters
    ----------
    codes : ndarray of shape (m, r)
    squares : ndarray of shape (m,)
        Their squared norms.
    pairs, first
        As in :func:`panel_labels`.
    """
    last = min(first + pairs.block, pairs.n_rows)
    mass = 0.0
    for start in range(max(first, pairs.skipped), len(codes), pairs.block):
        stop = min(start + pairs.block, len(codes))
        tile = np.dot(codes[first:last], codes[start:stop].T)
        for i in range(first, last):
            skipped = max(i + 1 - start, 0)
            x = tile[i - first, skipped:]
            w, p = pairs.weights[start + skipped : stop], pairs.shares[start + skipped : stop]
            code_row(x, squares[i], squares[start + skipped : stop], pairs.root)
            mass += row_mass(x, pairs.weights[i], pairs.shares[i], w, p)
    return mass


@compiled()
def panel_forces(
    codes: Floats,
    squares: Floats,
    pairs: Pairs,
    first: int,
    label_mass: float,
    code_mass: float,
    forces: Floats,
    sums: Floats,
) -> float:
    """Return the sum of v k' log(1+d) over the pairs of a panel, and accumulate the forces.

    Parameters
    ----------
    codes, squares, pairs, first
        As in :func:`panel_mass`.
    label_mass, code_mass : float
        Sums of v k' and v k over all pairs.
    forces, sums : ndarray of shapes (m, r) and (m,)
        For each code, the sum of the other ends' codes times their forces is added to the one, and
        the sum of the forces to the other.
    """
    last = min(first + pairs.block, pairs.n_rows)
    log_sum = 0.0
    for start in range(max(first, pairs.skipped), len(codes), pairs.block):
        stop = min(start + pairs.block, len(codes))
        tile = np.dot(codes[first:last], codes[start:stop].T)
        wanted = label_tile(pairs, first, last, start, stop)
        logs = np.empty(stop - start, codes.dtype)
        for i in range(first, last):
            skipped = max(i + 1 - start, 0)
            tile[i - first, :skipped] = 0.0
            x, pull, log_x = tile[i - first, skipped:], wanted[i - first, skipped:], logs[skipped:]
            w, p = pairs.weights[start + skipped : stop], pairs.shares[start + skipped : stop]
            code_row(x, squares[i], squares[start + skipped : stop], pairs.root)
            logarithms(x, log_x)
            log_sum += row_pull(pull, log_x, pairs.weights[i], pairs.shares[i], w, p)
            sums[i] += row_force(
                x,
                pull,
                pairs.weights[i],
                pairs.shares[i],
                w,
                p,
                label_mass,
                code_mass,
                pairs.root,
                sums[start + skipped : stop],
            )
        forces[first:last] += np.dot(tile, codes[start:stop])
        forces[start:stop] += np.dot(tile.T, codes[first:last])
    return log_sum / SCALE


@compiled()
def label_tile(pairs: Pairs, first: int, last: int, start: int, stop: int) -> Floats:
    """Return one plus the label distances of two runs of sets, in the type of the weights."""
    tile = np.empty((last - first, stop - start), pairs.weights.dtype)
    if not pairs.complete:
        tile[:] = 1.0 + partial_distances(
            pairs.ones[first:last],
            pairs.unknown[first:last],
            pairs.ones[start:stop],
            pairs.unknown[start:stop],
            pairs.kind,
            pairs.n_labels,
            pairs.stranger,
        )
        return tile
    table = np.zeros((pairs.n_labels, stop - start), pairs.counter.dtype)
    shared = np.empty(stop - start, pairs.counter.dtype)
    mark_labels(table, pairs.indptr, pairs.indices, start, stop)
    for i in range(first, last):
        labels = pairs.indices[pairs.indptr[i] : pairs.indptr[i + 1]]
        label_row(table, labels, pairs.sizes[start:stop], pairs.kind, shared, tile[i - first])
    return tile


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
