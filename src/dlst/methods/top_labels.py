"""The best labels of rows, from scores of all labels or from shortlists."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._kernels.best_labels import best_of_rows
from dlst._matrices import FloatArray
from dlst.metrics import TopLabels

FEW = 32
"""So many best labels are found in one pass over a row; for more, rows are sorted."""


def best_of_all(scores: FloatArray, k: int) -> TopLabels:
    """Return the k best labels of dense scores (n, K), best first, ties by the lowest label."""
    n, K = scores.shape
    cut = np.partition(scores, K - k, axis=1)[:, K - k, None]
    rows, labels = np.nonzero(scores >= cut)
    starts = np.searchsorted(rows, np.arange(n + 1))
    return best_of_listed(sp.csr_array((scores[rows, labels], labels, starts), scores.shape), k)


def best_of_listed(listed: sp.csr_array, k: int) -> TopLabels:
    """Return the k best labels of each row of a CSR matrix that stores at least k in each.

    Best first, ties by the lowest label.

    Examples
    --------
    >>> best_of_listed(sp.csr_array([[0.0, -3.0, 2.0], [-1.0, 0.0, -2.0]]), 1).labels
    array([[2],
           [0]])
    """
    if k <= FEW:
        return TopLabels(*best_of_rows(listed.indptr, listed.indices, listed.data, k))
    n = listed.shape[0]
    rows = np.repeat(np.arange(n), np.diff(listed.indptr))
    order = np.lexsort((listed.indices, -listed.data, rows))
    taken = order[listed.indptr[:-1, None] + np.arange(k)]
    labels: NDArray[Any] = listed.indices[taken].astype(np.int64)
    return TopLabels(labels, listed.data[taken])
