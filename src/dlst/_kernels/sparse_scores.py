"""Scores of very many labels from sparse features and sparse weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.integer]
Singles = NDArray[np.float32]


@compiled(fastmath={"contract"})
def row_scores(
    indptr: Ints,
    indices: Ints,
    data: Singles,
    weight_starts: Ints,
    weight_labels: Ints,
    weights: Singles,
    offset: Singles,
) -> Singles:
    """Return offset + X W of CSR rows X (n, d) and CSR weights W (d, K), dense, shape (n, K)."""
    scores = np.empty((len(indptr) - 1, len(offset)), np.float32)
    for i in range(len(scores)):
        scores[i] = offset
        for p in range(indptr[i], indptr[i + 1]):
            f, x = indices[p], data[p]
            for q in range(weight_starts[f], weight_starts[f + 1]):
                scores[i, weight_labels[q]] += x * weights[q]
    return scores
