"""The best labels of rows against a sort, with many equal scores."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels.best_labels import best_of_rows
from dlst.methods import top_labels


@pytest.mark.parametrize("k", [1, 4, 20])
def test_the_best_are_the_first_of_a_sort_ties_by_the_lowest_label(k):
    rng = np.random.default_rng(k)
    rows = [rng.permutation(50)[: rng.integers(20, 40)] for _ in range(6)]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    labels, scores = np.concatenate(rows), rng.integers(-3, 3, starts[-1]).astype(np.float64)
    found, best = best_of_rows(starts, labels, scores, k)
    for i in range(6):
        here = slice(starts[i], starts[i + 1])
        order = np.lexsort((labels[here], -scores[here]))[:k]
        np.testing.assert_array_equal(found[i], labels[here][order])
        np.testing.assert_array_equal(best[i], scores[here][order])


def test_few_and_many_best_labels_are_found_alike(monkeypatch):
    rng = np.random.default_rng(0)
    listed = sp.csr_array(rng.integers(1, 5, (9, 30)).astype(np.float64))
    few = top_labels.best_of_listed(listed, 7)
    monkeypatch.setattr(top_labels, "FEW", 0)
    many = top_labels.best_of_listed(listed, 7)
    np.testing.assert_array_equal(few.labels, many.labels)
    np.testing.assert_array_equal(few.scores, many.scores)
