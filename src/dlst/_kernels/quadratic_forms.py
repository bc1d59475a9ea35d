"""Quadratic forms of sparse rows, one for each row, by the entries that they have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@compiled(fastmath={"contract"})
def quadratic_forms(indptr: Ints, indices: Ints, data: Floats, A: Floats) -> Floats:
    """Return x_i A x_iᵀ of CSR rows for a symmetric A of shape (d, d); reads its lower half.

    O(Σ nnz_i²), where a product with A would take d for each entry.
    """
    forms = np.zeros(len(indptr) - 1)
    for i in range(len(forms)):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            across, f = 0.0, indices[p]
            for q in range(indptr[i], p):
                other = indices[q]
                across += data[q] * (A[f, other] if other <= f else A[other, f])
            total += data[p] * (2.0 * across + data[p] * A[f, f])
        forms[i] = total
    return forms
