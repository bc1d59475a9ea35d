"""Iterative stratification, compiled: spread units over folds, the rarest label first.

A *unit* is what moves as a whole: a row, or all rows of a group. Units and labels form a CSR
matrix ``(indptr, indices, counts)`` of positives per unit and label; ``targets[l, f]`` is how many
positives of label ``l`` fold ``f`` should hold, and the last line of ``targets`` how many rows.
"""

from __future__ import annotations

import numpy as np

from dlst._compiled import compiled
from dlst._matrices import FloatArray, IntArray


@compiled()
def spread_units(
    indptr: IntArray,
    indices: IntArray,
    counts: IntArray,
    sizes: IntArray,
    targets: FloatArray,
    order: IntArray,
    ties: FloatArray,
) -> IntArray:
    """Assign each unit to a fold, the rarest remaining label first (Sechidis et al. 2011).

    ``order`` (n_units,) is the order in which units of one label are served, ``ties`` (n_units,)
    in [0, 1) decides between folds that want a unit equally. Labels wait in a bucket queue keyed
    by their remaining units, so all picks together cost O(nnz + n_units + K).
    """
    n_units, n_labels = sizes.size, targets.shape[0] - 1
    remaining = np.zeros(n_labels, np.int64)
    for entry in range(indices.size):
        remaining[indices[entry]] += 1
    starts, members = _units_of_labels(indptr, indices, order, remaining)
    first, following, preceding = _fill_buckets(remaining, n_units)
    held = np.zeros(targets.shape, np.int64)
    folds = np.full(n_units, -1)
    fewest = 1
    while fewest <= n_units:
        label = first[fewest]
        if label < 0:
            fewest += 1
            continue
        for position in range(starts[label], starts[label + 1]):
            unit = members[position]
            if folds[unit] >= 0:
                continue
            fold = _neediest_fold(label, held, targets, ties[unit])
            folds[unit] = fold
            held[n_labels, fold] += sizes[unit]
            for entry in range(indptr[unit], indptr[unit + 1]):
                other = indices[entry]
                held[other, fold] += counts[entry]
                _remove(other, remaining[other], first, following, preceding)
                remaining[other] -= 1
                if remaining[other] > 0:
                    _insert(other, remaining[other], first, following, preceding)
                    fewest = min(fewest, remaining[other])
    for unit in order:
        if folds[unit] < 0:
            folds[unit] = _neediest_fold(n_labels, held, targets, ties[unit])
            held[n_labels, folds[unit]] += sizes[unit]
    return folds


@compiled()
def _neediest_fold(line: int, held: IntArray, targets: FloatArray, tie: float) -> int:
    """Find the fold that lacks most of this line, then most rows, then by lot."""
    size_line = targets.shape[0] - 1
    best, n_equal = 0, 1
    for fold in range(1, targets.shape[1]):
        ahead = _compare_need(line, size_line, fold, best, held, targets)
        if ahead > 0:
            best, n_equal = fold, 1
        elif ahead == 0:
            n_equal += 1
    skipped = int(tie * n_equal)
    for fold in range(best, targets.shape[1]):
        if _compare_need(line, size_line, fold, best, held, targets) == 0:
            if skipped == 0:
                return fold
            skipped -= 1
    return best


@compiled()
def _compare_need(
    line: int, size_line: int, fold: int, other: int, held: IntArray, targets: FloatArray
) -> float:
    for judged in (line, size_line):
        need = targets[judged, fold] - held[judged, fold]
        ahead = need - (targets[judged, other] - held[judged, other])
        if ahead != 0:
            return float(ahead)
    return 0.0


@compiled()
def _units_of_labels(
    indptr: IntArray, indices: IntArray, order: IntArray, n_units_of_label: IntArray
) -> tuple[IntArray, IntArray]:
    """List the units of each label, in the given order (the CSC twin of the unit matrix)."""
    starts = np.zeros(n_units_of_label.size + 1, np.int64)
    starts[1:] = np.cumsum(n_units_of_label)
    fill = starts[:-1].copy()
    members = np.empty(indices.size, np.int64)
    for unit in order:
        for entry in range(indptr[unit], indptr[unit + 1]):
            label = indices[entry]
            members[fill[label]] = unit
            fill[label] += 1
    return starts, members


@compiled()
def _fill_buckets(remaining: IntArray, largest: int) -> tuple[IntArray, IntArray, IntArray]:
    """Queue the labels in doubly linked lists, one list for each number of remaining units."""
    first = np.full(largest + 1, -1)
    following = np.full(remaining.size, -1)
    preceding = np.full(remaining.size, -1)
    for label in range(remaining.size):
        if remaining[label] > 0:
            _insert(label, remaining[label], first, following, preceding)
    return first, following, preceding


@compiled()
def _insert(
    label: int, bucket: int, first: IntArray, following: IntArray, preceding: IntArray
) -> None:
    following[label], preceding[label] = first[bucket], -1
    if first[bucket] >= 0:
        preceding[first[bucket]] = label
    first[bucket] = label


@compiled()
def _remove(
    label: int, bucket: int, first: IntArray, following: IntArray, preceding: IntArray
) -> None:
    if preceding[label] >= 0:
        following[preceding[label]] = following[label]
    else:
        first[bucket] = following[label]
    if following[label] >= 0:
        preceding[following[label]] = preceding[label]
