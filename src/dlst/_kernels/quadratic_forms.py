"""Quadratic forms of sparse rows and the matrix of their products, by their stored entries.

Both loop over columns, and in each over rows: a row of the large matrix then stays in the cache for
all entries that need it. Rows come as CSR with ascending columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled(fastmath={"contract"})
def quadratic_forms(indptr: Ints, indices: Ints, data: Floats, A: Floats) -> Floats:
    """Return x_i A x_iᵀ of CSR rows for a symmetric A of shape (d, d); reads its lower half.

    O(Σ nnz_i²), while a product with A would take d operations per entry.
    """
    forms = np.zeros(len(indptr) - 1)
    stops, rows, entries = _by_columns(indptr, indices, len(A))
    first = 0
    for f in range(len(A)):
        for s in range(first, stops[f]):
            i, p = rows[s], entries[s]
            across = 0.0
            for q in range(indptr[i], p):
                across += data[q] * A[f, indices[q]]
            forms[i] += data[p] * (2.0 * across + data[p] * A[f, f])
        first = stops[f]
    return forms


@compiled(fastmath={"contract"})
def column_products(indptr: Ints, indices: Ints, data: Floats, n_columns: int) -> Floats:
    """Return the lower half of Xᵀ X for CSR rows X, (d, d), with zeros above."""
    products = np.zeros((n_columns, n_columns))
    stops, rows, entries = _by_columns(indptr, indices, n_columns)
    first = 0
    for f in range(n_columns):
        for s in range(first, stops[f]):
            p = entries[s]
            for q in range(indptr[rows[s]], p + 1):
                products[f, indices[q]] += data[p] * data[q]
        first = stops[f]
    return products


@compiled()
def _by_columns(indptr: Ints, indices: Ints, n_columns: int) -> tuple[Longs, Ints, Ints]:
    """Sort entries by column and row: return column ends, and the row and place of each entry."""
    stops = np.zeros(n_columns + 1, np.int64)
    for f in indices:
        stops[f + 1] += 1
    for f in range(n_columns):
        stops[f + 1] += stops[f]
    rows, entries = np.empty(len(indices), np.int32), np.empty(len(indices), np.int32)
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            place = stops[indices[p]]
            rows[place], entries[place] = i, p
            stops[indices[p]] = place + 1
    return stops[:n_columns], rows, entries
