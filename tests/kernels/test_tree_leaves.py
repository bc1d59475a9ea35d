"""Rows run down the trees to their leaves."""

from __future__ import annotations

import numpy as np

from dlst._kernels.tree_leaves import tree_leaves


def test_rows_go_left_where_a_feature_is_at_most_the_threshold():
    # Two trees: a split of the second feature above a split of the first, and a leaf alone.
    feature = np.array([1, 0, -2, -2, -2, -2])
    threshold = np.array([0.5, -1.0, 0.0, 0.0, 0.0, 0.0])
    left = np.array([1, 2, -1, -1, -1, -1])
    right = np.array([4, 3, -1, -1, -1, -1])
    X = np.array([[-1.0, 0.5], [0.0, 0.5], [-9.0, 0.6]], dtype=np.float32)
    found = tree_leaves(X, feature, threshold, left, right, np.array([0, 5]))
    np.testing.assert_array_equal(found, [[2, 5], [3, 5], [4, 5]])
