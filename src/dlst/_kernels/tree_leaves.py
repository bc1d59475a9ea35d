"""The leaf of each row in each of many trees, whose nodes lie one after the other in arrays."""

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
    """Return the number of the node that each row (n, d) ends in, for each tree (n, T).

    Parameters
    ----------
    X : ndarray of shape (n, d)
        In single precision, in which scikit-learn's trees compare.
    feature, threshold : ndarray of shape (m,)
        A row goes left at a node where its feature is at most the threshold.
    left, right : ndarray of shape (m,)
        Nodes below, which have larger numbers; of a leaf, none does.
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
