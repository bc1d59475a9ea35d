"""Entries of a product of two thin matrices, at chosen places only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled


@compiled(fastmath={"reassoc", "contract"})
def sampled_products(
    P: NDArray[np.float64],
    Q: NDArray[np.float64],
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return (P Qᵀ)_ij for the entries of a CSR pattern, in its order, without P Qᵀ.

    Parameters
    ----------
    P, Q : ndarray of shape (n, k) and (K, k), C order
    indptr, indices : ndarray of shape (n + 1,) and (nnz,)
        The pattern.
    """
    k = P.shape[1]
    products = np.empty(len(indices))
    for i in range(len(indptr) - 1):
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            total = 0.0
            for c in range(k):
                total += P[i, c] * Q[j, c]
            products[entry] = total
    return products
