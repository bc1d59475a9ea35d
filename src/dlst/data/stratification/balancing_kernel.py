"""Folds evened out, compiled: moves and swaps of units after the first spreading.

Units, counts and targets are those of :mod:`dlst.data.stratification.spreading_kernel`.
"""

from __future__ import annotations

import numpy as np

from dlst._compiled import compiled
from dlst._matrices import FloatArray, IntArray

Matrix = tuple[IntArray, IntArray, IntArray, IntArray]
"""indptr, indices, counts and the rows of each unit."""

# Not zero: rounding must not make two moves undo each other for ever.
_LEAST_GAIN = 1e-9


@compiled()
def even_out(
    indptr: IntArray,
    indices: IntArray,
    counts: IntArray,
    sizes: IntArray,
    targets: FloatArray,
    weights: FloatArray,
    order: IntArray,
    folds: IntArray,
    max_passes: int,
    n_partners: int,
) -> None:
    """Move and swap units, in place, while that brings the folds nearer to their targets.

    The objective is the sum over folds and labels of ``weights[l] · (held − target)²``, in which
    the fold sizes take part as the last label. First single units move where that lowers it, in
    at most ``max_passes`` passes. Then, if all units have one row, rows leave the overfull folds,
    the least harmful first, until every size is its target. Last each unit is compared with the
    ``n_partners`` units that follow in ``order`` and swapped where that lowers the objective.
    Neither moves nor swaps for the labels' sake take a fold's last positive of a label.
    """
    held = _held(indptr, indices, counts, sizes, folds, targets.shape)
    matrix = (indptr, indices, counts, sizes)
    gains = np.empty(targets.shape[1])
    for _ in range(max_passes):
        moved = False
        for unit in order:
            _move_gains(unit, matrix, targets, weights, folds, held, gains)
            fold = np.argmax(gains)
            if gains[fold] > _LEAST_GAIN:
                _move(unit, fold, matrix, folds, held)
                moved = True
        if not moved:
            break
    if sizes.max() == 1:
        _settle_sizes(matrix, targets, weights, order, folds, held)
    for stride in range(1, min(n_partners, order.size - 1) + 1):
        for position in range(order.size):
            unit, other = order[position], order[(position + stride) % order.size]
            home, away = folds[unit], folds[other]
            if home != away and (
                _swap_gain(unit, other, matrix, targets, weights, folds, held) > _LEAST_GAIN
            ):
                _move(unit, away, matrix, folds, held)
                _move(other, home, matrix, folds, held)


@compiled()
def _settle_sizes(
    matrix: Matrix,
    targets: FloatArray,
    weights: FloatArray,
    order: IntArray,
    folds: IntArray,
    held: IntArray,
) -> None:
    size_line = targets.shape[0] - 1
    gains = np.empty(targets.shape[1])
    while True:
        excess = held[size_line] - targets[size_line]
        crowded, wanting = np.argmax(excess), np.argmin(excess)
        if excess[crowded] < 0.5:
            return
        best_unit, best_gain = -1, -np.inf
        for unit in order:
            if folds[unit] == crowded:
                _move_gains(unit, matrix, targets, weights, folds, held, gains)
                if best_unit < 0 or gains[wanting] > best_gain:
                    best_unit, best_gain = unit, gains[wanting]
        _move(best_unit, wanting, matrix, folds, held)


@compiled()
def _held(
    indptr: IntArray,
    indices: IntArray,
    counts: IntArray,
    sizes: IntArray,
    folds: IntArray,
    shape: tuple[int, int],
) -> IntArray:
    """Count what each fold holds: positives of each label, and rows in the last line."""
    held = np.zeros(shape, np.int64)
    for unit in range(sizes.size):
        held[shape[0] - 1, folds[unit]] += sizes[unit]
        for entry in range(indptr[unit], indptr[unit + 1]):
            held[indices[entry], folds[unit]] += counts[entry]
    return held


@compiled()
def _move_gains(
    unit: int,
    matrix: Matrix,
    targets: FloatArray,
    weights: FloatArray,
    folds: IntArray,
    held: IntArray,
    gains: FloatArray,
) -> None:
    """Write half the fall of the objective if the unit moved to each fold.

    For a line with count c and excesses e = held − target the squares change by
    ``(e_f − c)² − e_f² + (e_g + c)² − e_g² = −2 c (e_f − e_g − c)``.
    """
    indptr, indices, counts, sizes = matrix
    n_folds, size_line, home = targets.shape[1], targets.shape[0] - 1, folds[unit]
    size = sizes[unit]
    home_excess = held[size_line, home] - targets[size_line, home] - size
    for fold in range(n_folds):
        excess = held[size_line, fold] - targets[size_line, fold]
        gains[fold] = weights[size_line] * size * (home_excess - excess)
    for entry in range(indptr[unit], indptr[unit + 1]):
        label, count = indices[entry], counts[entry]
        if held[label, home] == count:
            gains[:] = -np.inf
            return
        home_excess = held[label, home] - targets[label, home] - count
        for fold in range(n_folds):
            excess = held[label, fold] - targets[label, fold]
            gains[fold] += weights[label] * count * (home_excess - excess)
    gains[home] = -np.inf


@compiled()
def _swap_gain(
    unit: int,
    other: int,
    matrix: Matrix,
    targets: FloatArray,
    weights: FloatArray,
    folds: IntArray,
    held: IntArray,
) -> float:
    """Return half the fall of the objective if two units changed places.

    As for a move, with the difference of the two units' counts in the place of c; the entries of
    a unit are sorted by label, so the two lists are merged.
    """
    indptr, indices, counts, sizes = matrix
    size_line, home, away = targets.shape[0] - 1, folds[unit], folds[other]
    gain = _line_gain(size_line, home, away, sizes[unit] - sizes[other], targets, weights, held)
    ours, our_end = indptr[unit], indptr[unit + 1]
    theirs, their_end = indptr[other], indptr[other + 1]
    while ours < our_end or theirs < their_end:
        our_label = indices[ours] if ours < our_end else size_line
        their_label = indices[theirs] if theirs < their_end else size_line
        label = min(our_label, their_label)
        difference = 0
        if our_label == label:
            difference += counts[ours]
            ours += 1
        if their_label == label:
            difference -= counts[theirs]
            theirs += 1
        if held[label, home] == difference or held[label, away] == -difference:
            return -np.inf
        gain += _line_gain(label, home, away, difference, targets, weights, held)
    return float(gain)


@compiled()
def _line_gain(
    line: int,
    home: int,
    away: int,
    count: int,
    targets: FloatArray,
    weights: FloatArray,
    held: IntArray,
) -> float:
    home_excess = held[line, home] - targets[line, home]
    away_excess = held[line, away] - targets[line, away]
    return float(weights[line] * count * (home_excess - away_excess - count))


@compiled()
def _move(unit: int, fold: int, matrix: Matrix, folds: IntArray, held: IntArray) -> None:
    indptr, indices, counts, sizes = matrix
    home, size_line = folds[unit], held.shape[0] - 1
    folds[unit] = fold
    held[size_line, home] -= sizes[unit]
    held[size_line, fold] += sizes[unit]
    for entry in range(indptr[unit], indptr[unit + 1]):
        held[indices[entry], home] -= counts[entry]
        held[indices[entry], fold] += counts[entry]
