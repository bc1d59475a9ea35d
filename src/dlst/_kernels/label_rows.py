"""One plus the distances from a label set to a range of others, vectorised over pairs.

The labels of the range are stored as a table with a row of bytes for each label. The number of
labels that a set shares with each of them is then the sum of the rows of its labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._kernels.label_distances import COSINE, EUCLIDEAN, NORMALIZED

Ints = NDArray[np.int64]
Floats = NDArray[Any]


@compiled()
def mark_labels(table: NDArray[Any], indptr: Ints, indices: Ints, first: int, last: int) -> None:
    """Count the labels of the sets from ``first`` to ``last`` in a table (K, last - first)."""
    for row in range(first, last):
        for entry in range(indptr[row], indptr[row + 1]):
            table[indices[entry], row - first] += 1


@compiled(error_model="numpy")
def label_row(
    table: NDArray[Any],
    labels: Ints,
    sizes: Floats,
    kind: int,
    shared: NDArray[Any],
    out: Floats,
) -> None:
    """Fill ``out`` with one plus the distance of a set from each set of the table.

    Parameters
    ----------
    table : ndarray of shape (K, b)
        As :func:`mark_labels` leaves it, of an integer type that holds the size of any set.
    labels : ndarray
        The set's labels.
    sizes : ndarray of shape (b,)
        Sizes of the sets in the table.
    kind : int
        As in :mod:`dlst._kernels.label_distances`.
    shared : ndarray of shape (b,)
        Room for counts, of the table's type.
    out : ndarray of shape (b,)
    """
    shared[:] = 0
    for label in labels:
        present = table[label]
        for j in range(out.size):
            shared[j] += present[j]
    size = len(labels)
    if kind == COSINE:
        for j in range(out.size):
            ends = 0.5 * (int(size > 0) + int(sizes[j] > 0))
            # The empty set shares nothing; the 1 only avoids a division by zero.
            share = shared[j] / np.sqrt(max(size * sizes[j], 1.0))
            out[j] = 1.0 + max(ends - share, 0.0)
        return
    # Constants have the type of the row; otherwise numba would compute in the wider type.
    number = out.dtype.type
    for j in range(out.size):
        out[j] = number(size) + sizes[j] - number(2) * number(shared[j])
    if kind == NORMALIZED:
        for j in range(out.size):
            out[j] /= len(table)
    if kind == EUCLIDEAN:
        for j in range(out.size):
            out[j] = np.sqrt(out[j])
    for j in range(out.size):
        out[j] += number(1)
