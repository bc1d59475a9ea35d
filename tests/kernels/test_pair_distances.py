"""Distances of listed pairs, dense and sparse."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from dlst._kernels.pair_distances import dense_pair_distances, sparse_pair_distances


def test_pairs_have_the_distances_of_their_rows():
    rng = np.random.default_rng(0)
    left, right = (rng.normal(size=(n, 7)) * (rng.random((n, 7)) < 0.5) for n in (5, 6))
    left_rows, right_rows = (rng.integers(0, n, 40) for n in (5, 6))
    expected = ((left[left_rows] - right[right_rows]) ** 2).sum(axis=1)
    dense = dense_pair_distances(left, right, left_rows, right_rows)
    np.testing.assert_allclose(dense, expected, rtol=1e-14)
    a, b = sp.csr_array(left), sp.csr_array(right)
    arrays = (m.astype(np.int64) for m in (a.indptr, a.indices, b.indptr, b.indices))
    a_ptr, a_columns, b_ptr, b_columns = arrays
    sparse = sparse_pair_distances(
        a_ptr, a_columns, a.data, b_ptr, b_columns, b.data, left_rows, right_rows
    )
    np.testing.assert_allclose(sparse, expected, rtol=1e-14)
