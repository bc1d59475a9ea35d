"""Squared Euclidean distances of listed pairs of rows, by differences.

The usual expansion |a|² - 2ab + |b|² is fast but blurs small distances; differences do not, and
equal rows get equal distances to the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@compiled()
def dense_pair_distances(
    left: FloatArray, right: FloatArray, left_rows: IntArray, right_rows: IntArray
) -> FloatArray:
    """Return |left[left_rows[p]] - right[right_rows[p]]|² for each pair p."""
    distances = np.empty(left_rows.size)
    for pair in range(left_rows.size):
        a, b = left_rows[pair], right_rows[pair]
        total = 0.0
        for column in range(left.shape[1]):
            difference = left[a, column] - right[b, column]
            total += difference * difference
        distances[pair] = total
    return distances


@compiled()
def sparse_pair_distances(
    left_ptr: IntArray,
    left_columns: IntArray,
    left_values: FloatArray,
    right_ptr: IntArray,
    right_columns: IntArray,
    right_values: FloatArray,
    left_rows: IntArray,
    right_rows: IntArray,
) -> FloatArray:
    """Return the same for the rows of two CSR matrices with sorted indices."""
    distances = np.empty(left_rows.size)
    for pair in range(left_rows.size):
        a, a_stop = left_ptr[left_rows[pair]], left_ptr[left_rows[pair] + 1]
        b, b_stop = right_ptr[right_rows[pair]], right_ptr[right_rows[pair] + 1]
        total = 0.0
        while a < a_stop or b < b_stop:
            if b == b_stop or (a < a_stop and left_columns[a] < right_columns[b]):
                difference = left_values[a]
                a += 1
            elif a == a_stop or right_columns[b] < left_columns[a]:
                difference = right_values[b]
                b += 1
            else:
                difference = left_values[a] - right_values[b]
                a += 1
                b += 1
            total += difference * difference
        distances[pair] = total
    return distances
