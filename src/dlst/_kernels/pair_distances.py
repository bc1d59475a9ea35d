"""Squared Euclidean distances of listed pairs of rows, by differences.

The usual expansion |a|² - 2ab + |b|² is fast but inaccurate for small distances; differences are
accurate, and equal rows get equal distances to the last bit.
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
    # Four pairs at once: each sum keeps its order, without waiting for its last addition.
    whole = left_rows.size - left_rows.size % 4
    for pair in range(0, whole, 4):
        a, b, c, d = (
            left[left_rows[pair]],
            left[left_rows[pair + 1]],
            left[left_rows[pair + 2]],
            left[left_rows[pair + 3]],
        )
        e, f, g, h = (
            right[right_rows[pair]],
            right[right_rows[pair + 1]],
            right[right_rows[pair + 2]],
            right[right_rows[pair + 3]],
        )
        first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
        for column in range(left.shape[1]):
            first += (a[column] - e[column]) * (a[column] - e[column])
            second += (b[column] - f[column]) * (b[column] - f[column])
            third += (c[column] - g[column]) * (c[column] - g[column])
            fourth += (d[column] - h[column]) * (d[column] - h[column])
        distances[pair], distances[pair + 1] = first, second
        distances[pair + 2], distances[pair + 3] = third, fourth
    for pair in range(whole, left_rows.size):
        a, e = left[left_rows[pair]], right[right_rows[pair]]
        total = 0.0
        for column in range(left.shape[1]):
            total += (a[column] - e[column]) * (a[column] - e[column])
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
