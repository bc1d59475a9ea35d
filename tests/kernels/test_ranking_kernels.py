"""Positions of relevant labels from the kernels against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dlst._kernels.ranking import (
    BY_SCORE,
    FIRST_INDEX,
    LAST_INDEX,
    count_irrelevant,
    rank_dense_rows,
    rank_stored_rows,
)


def csr(rows):
    ptr = np.cumsum([0, *map(len, rows)])
    return ptr.astype(np.int64), np.array([j for row in rows for j in row], dtype=np.int64)


def outputs(size):
    return tuple(np.full(size, -7, dtype=np.int64) for _ in range(5))


@pytest.mark.parametrize("rule", [BY_SCORE, FIRST_INDEX, LAST_INDEX])
def test_positions_equal_those_counted_by_hand(rule):
    rng = np.random.default_rng(rule)
    n, K = 60, 9
    scores = rng.integers(0, 4, (n, K)).astype(float)
    state = rng.integers(0, 3, (n, K))  # irrelevant, relevant, unjudged
    relevant, unjudged = (csr([np.flatnonzero(row == s) for row in state]) for s in (1, 2))
    found = outputs(len(relevant[1]))
    rank_dense_rows(scores[:25].copy(), 0, *relevant, *unjudged, rule, 0.0, *found)
    rank_dense_rows(scores[25:].copy(), 25, *relevant, *unjudged, rule, 0.0, *found)
    stored = outputs(len(relevant[1]))
    everything = csr([range(K)] * n)
    rank_stored_rows(
        everything[0], everything[1], scores.ravel(), *relevant, *unjudged, rule, 0.0, *stored
    )
    entry, ahead, tied, start, stop = found
    for i in range(n):
        a, b = relevant[0][i : i + 2]

        def better(x, y, i=i):
            if scores[i, x] != scores[i, y] or rule == BY_SCORE:
                return scores[i, x] > scores[i, y]
            return x < y if rule == FIRST_INDEX else x > y

        assert sorted(entry[a:b]) == list(range(a, b))
        for p in range(a, b):
            j = relevant[1][entry[p]]
            others = [x for x in range(K) if state[i, x] == 0]
            peers = [x for x in range(K) if state[i, x] == 1]
            assert ahead[p] == sum(better(x, j) for x in others)
            equal = rule == BY_SCORE
            assert tied[p] == sum(scores[i, x] == scores[i, j] for x in others) * equal
            assert start[p] == sum(better(x, j) for x in peers)
            assert stop[p] == K - (K - len(peers)) - sum(better(j, x) for x in peers)
    for dense, sparse in zip(found, stored, strict=True):
        np.testing.assert_array_equal(dense, sparse)


def test_relevant_labels_without_stored_score_come_last_with_ahead_minus_1():
    relevant, nothing = csr([[1, 3, 5]]), csr([[]])
    ptr, labels = csr([[0, 3]])
    entry, ahead, tied, start, stop = outputs(3)
    rank_stored_rows(
        ptr, labels, np.array([0.9, 0.1]), *relevant, *nothing, BY_SCORE, 0.0,
        entry, ahead, tied, start, stop,
    )  # fmt: skip
    assert entry[0] == 1
    assert set(entry[1:]) == {0, 2}
    assert ahead.tolist() == [1, -1, -1]
    assert (start.tolist(), stop.tolist()) == ([0, 1, 2], [1, 2, 3])


def test_irrelevant_scores_are_counted_between_and_at_the_levels():
    levels = np.array([3.0, 1.0])
    above, equal = np.zeros(2, np.int64), np.zeros(2, np.int64)
    scores = np.array([[3.0, 4.0, 3.0, 2.0], [1.0, 0.0, 9.0, 1.0]])
    relevant, unjudged = csr([[0], [0]]), csr([[], [2]])
    count_irrelevant(scores, 0, *relevant, *unjudged, levels, above, equal)
    assert above.tolist() == [1, 1]
    assert equal.tolist() == [1, 1]
