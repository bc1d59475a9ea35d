"""The leaf of each row in each of many trees, whose nodes are concatenated in arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int64]


@compiled()
def tree_leaves(
    X: NDArray[np.float32],
    feature: Ints,
    threshold: NDArray[np.float64],
    left: Ints,
    right: Ints,
    roots: Ints,
) -> Ints:
    """Return the index of the leaf of each row (n, d) in each tree, (n, T).

    Parameters
    ----------
    X : ndarray of shape (n, d)
        In single precision, as scikit-learn's trees compare.
    feature, threshold : ndarray of shape (m,)
        A row goes left at a node where its feature is at most the threshold.
    left, right : ndarray of shape (m,)
        Child nodes, whose indices are larger than the node's; smaller for a leaf.
    roots : ndarray of shape (T,)
    """
    n, n_trees = X.shape[0], len(roots)
    leaves = np.empty((n, n_trees), np.int64)
    for i in range(n):
        for tree in range(n_trees):
            node = roots[tree]
            while left[node] > node:
                goes_left = X[i, feature[node]] <= threshold[node]
                node = left[node] if goes_left else right[node]
            leaves[i, tree] = node
    return leaves
