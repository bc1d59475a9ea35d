"""Ranks of the relevant labels of each row, without sorting the row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

BY_SCORE, FIRST_INDEX, LAST_INDEX = 0, 1, 2
"""Order of equal scores: none, lower index first, higher index first."""

_IRRELEVANT, _RELEVANT, _UNJUDGED = 0, 1, 2

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@compiled()
def rank_dense_rows(
    scores: FloatArray,
    first_row: int,
    relevant_ptr: IntArray,
    relevant: IntArray,
    unjudged_ptr: IntArray,
    unjudged: IntArray,
    order_rule: int,
    tolerance: float,
    entry: IntArray,
    ahead: IntArray,
    tied: IntArray,
    group_start: IntArray,
    group_stop: IntArray,
) -> None:
    """Rank the relevant labels of a block of dense rows, best first.

    Parameters
    ----------
    scores : ndarray of shape (n_block, K)
        Rows ``first_row`` and following.
    relevant_ptr, relevant, unjudged_ptr, unjudged : ndarray of int64
        Truth of all rows as two CSR patterns with sorted indices.
    order_rule : int
        ``BY_SCORE``, ``FIRST_INDEX`` or ``LAST_INDEX``.
    tolerance : float
        Scores closer than this to the lowest of their run count as equal; 0 for exact comparison.
    entry, ahead, tied, group_start, group_stop : ndarray of int64, one value per relevant label
        Written, in the order of the ranking inside each row: the position in ``relevant``; the
        irrelevant labels ahead; those tied with it; the range of relevant labels tied with it.
        With an index rule nothing is tied.
    """
    n_block, K = scores.shape
    state = np.zeros(K, dtype=np.int8)
    for i in range(n_block):
        row = first_row + i
        a, b = relevant_ptr[row], relevant_ptr[row + 1]
        if a == b:
            continue
        u, v = unjudged_ptr[row], unjudged_ptr[row + 1]
        for e in range(a, b):
            state[relevant[e]] = _RELEVANT
        for e in range(u, v):
            state[unjudged[e]] = _UNJUDGED
        values = scores[i]
        if tolerance > 0:
            values = _snap(values, state, tolerance)
        _rank_row(
            values,
            state,
            relevant[a:b],
            a,
            order_rule,
            entry[a:b],
            ahead[a:b],
            tied[a:b],
            group_start[a:b],
            group_stop[a:b],
        )
        for e in range(a, b):
            state[relevant[e]] = _IRRELEVANT
        for e in range(u, v):
            state[unjudged[e]] = _IRRELEVANT


@compiled()
def rank_stored_rows(
    score_ptr: IntArray,
    labels: IntArray,
    scores: FloatArray,
    relevant_ptr: IntArray,
    relevant: IntArray,
    unjudged_ptr: IntArray,
    unjudged: IntArray,
    order_rule: int,
    tolerance: float,
    entry: IntArray,
    ahead: IntArray,
    tied: IntArray,
    group_start: IntArray,
    group_stop: IntArray,
) -> None:
    """Rank the relevant labels of CSR rows among the stored scores only.

    Relevant labels without a stored score come last in ``entry``, with ``ahead = -1``.
    """
    for row in range(score_ptr.shape[0] - 1):
        a, b = relevant_ptr[row], relevant_ptr[row + 1]
        if a == b:
            continue
        c, d = score_ptr[row], score_ptr[row + 1]
        state = np.zeros(d - c, dtype=np.int8)
        places = np.empty(min(b - a, d - c), dtype=np.int64)
        found_entry = np.empty(min(b - a, d - c), dtype=np.int64)
        found, missing = 0, b
        s = c
        for e in range(a, b):
            while s < d and labels[s] < relevant[e]:
                s += 1
            if s < d and labels[s] == relevant[e]:
                state[s - c] = _RELEVANT
                places[found] = s - c
                found_entry[found] = e
                found += 1
            else:
                missing -= 1
                entry[missing] = e
                ahead[missing] = -1
                tied[missing] = 0
                group_start[missing] = missing - a
                group_stop[missing] = missing - a + 1
        s = c
        for e in range(unjudged_ptr[row], unjudged_ptr[row + 1]):
            while s < d and labels[s] < unjudged[e]:
                s += 1
            if s < d and labels[s] == unjudged[e]:
                state[s - c] = _UNJUDGED
        if found == 0:
            continue
        values = scores[c:d]
        if tolerance > 0:
            values = _snap(values, state, tolerance)
        z = a + found
        _rank_row(
            values,
            state,
            places[:found],
            0,
            order_rule,
            entry[a:z],
            ahead[a:z],
            tied[a:z],
            group_start[a:z],
            group_stop[a:z],
        )
        for e in range(a, z):
            entry[e] = found_entry[entry[e]]


@compiled()
def count_irrelevant(
    scores: FloatArray,
    first_row: int,
    relevant_ptr: IntArray,
    relevant: IntArray,
    unjudged_ptr: IntArray,
    unjudged: IntArray,
    levels: FloatArray,
    above: IntArray,
    equal: IntArray,
) -> None:
    """Add a block of dense rows to the counts of irrelevant scores around each level.

    ``levels`` are distinct and descending; ``above[l]`` counts the irrelevant entries strictly
    between ``levels[l]`` and ``levels[l-1]``, ``equal[l]`` those equal to ``levels[l]``.
    """
    n_block, K = scores.shape
    state = np.zeros(K, dtype=np.int8)
    n_levels = levels.shape[0]
    for i in range(n_block):
        row = first_row + i
        for e in range(relevant_ptr[row], relevant_ptr[row + 1]):
            state[relevant[e]] = _RELEVANT
        for e in range(unjudged_ptr[row], unjudged_ptr[row + 1]):
            state[unjudged[e]] = _UNJUDGED
        for j in range(K):
            if state[j] != _IRRELEVANT:
                state[j] = _IRRELEVANT
                continue
            value = scores[i, j]
            if value < levels[n_levels - 1]:
                continue
            low, high = 0, n_levels - 1
            while low < high:
                middle = (low + high) // 2
                if levels[middle] > value:
                    low = middle + 1
                else:
                    high = middle
            if levels[low] == value:
                equal[low] += 1
            else:
                above[low] += 1


@compiled()
def _rank_row(
    values: FloatArray,
    state: NDArray[np.int8],
    places: IntArray,
    offset: int,
    order_rule: int,
    entry: IntArray,
    ahead: IntArray,
    tied: IntArray,
    group_start: IntArray,
    group_stop: IntArray,
) -> None:
    m = places.shape[0]
    best_first, sorted_places = _sort_relevant(values, places, order_rule)
    levels = values[sorted_places]
    for p in range(m):
        entry[p] = offset + best_first[p]
        ahead[p] = 0
        tied[p] = 0
    lowest = levels[m - 1]
    # Counts per bin, then cumulative sums: a label ahead of rank p is ahead of all later ranks.
    for j in range(values.shape[0]):
        value = values[j]
        if value < lowest or state[j] != _IRRELEVANT:
            continue
        low, high = 0, m
        while low < high:
            middle = (low + high) // 2
            other = levels[middle]
            if other > value:
                behind = True
            elif other < value or order_rule == BY_SCORE:
                behind = False
            elif order_rule == FIRST_INDEX:
                behind = sorted_places[middle] < j
            else:
                behind = sorted_places[middle] > j
            if behind:
                low = middle + 1
            else:
                high = middle
        if low == m:
            continue
        if order_rule == BY_SCORE and levels[low] == value:
            tied[low] += 1
        else:
            ahead[low] += 1
    start, seen = 0, 0
    while start < m:
        stop = start + 1
        if order_rule == BY_SCORE:
            while stop < m and levels[stop] == levels[start]:
                stop += 1
        seen += ahead[start]
        in_tie = tied[start]
        for p in range(start, stop):
            ahead[p] = seen
            tied[p] = in_tie
            group_start[p] = start
            group_stop[p] = stop
        seen += in_tie
        start = stop


@compiled()
def _sort_relevant(
    values: FloatArray, places: IntArray, order_rule: int
) -> tuple[IntArray, IntArray]:
    """Order ``places`` by falling score; ties by the rule (ascending places come in)."""
    if order_rule == LAST_INDEX:
        best_first = np.argsort(values[places], kind="mergesort")[::-1].copy()
    else:
        best_first = np.argsort(-values[places], kind="mergesort")
    return best_first, places[best_first]


@compiled()
def _snap(values: FloatArray, state: NDArray[np.int8], tolerance: float) -> FloatArray:
    """Give each run of near-equal judged scores the value of its lowest member."""
    snapped = values.copy()
    anchor = -np.inf
    for j in np.argsort(values, kind="mergesort"):
        if state[j] == _UNJUDGED:
            continue
        if not values[j] - anchor < tolerance:
            anchor = values[j]
        snapped[j] = anchor
    return snapped
