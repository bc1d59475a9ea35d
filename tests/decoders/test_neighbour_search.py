"""Exact neighbours against a slow search, ties and all."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from decoder_problems import slow_search
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst.decoders import neighbours
from dlst.decoders.neighbours import nearest_neighbours


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6), k=st.integers(1, 6), sparse=st.booleans(), levels=st.integers(1, 4)
)
def test_neighbours_are_the_nearest_and_equal_distances_go_by_index(seed, k, sparse, levels):
    rng = np.random.default_rng(seed)
    database = rng.integers(0, levels, size=(12, 3)).astype(float)
    queries = rng.integers(0, levels, size=(5, 3)).astype(float)
    wrap = sp.csr_array if sparse else np.asarray
    found = nearest_neighbours(wrap(database), k, wrap(queries))
    indices, distances = slow_search(database, queries, k)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.squared_distances, distances)
    found = nearest_neighbours(wrap(database), k)
    indices, _ = slow_search(database, database, k, own=range(12))
    np.testing.assert_array_equal(found.indices, indices)


def test_distances_stay_exact_far_from_the_origin():
    rng = np.random.default_rng(0)
    database = 1e6 + rng.normal(size=(40, 3))
    found = nearest_neighbours(database, 5)
    indices, distances = slow_search(database, database, 5, own=range(40))
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.squared_distances, distances)


def test_blocks_and_jobs_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    database = rng.normal(size=(50, 4))
    whole = nearest_neighbours(database, 7)
    monkeypatch.setattr(neighbours, "BLOCK_ENTRIES", 300)
    for n_jobs in (1, 2):
        cut = nearest_neighbours(database, 7, n_jobs=n_jobs)
        np.testing.assert_array_equal(cut.indices, whole.indices)
        assert cut.squared_distances.tobytes() == whole.squared_distances.tobytes()


def test_a_duplicate_is_a_neighbour_but_a_row_is_none_of_itself():
    found = nearest_neighbours(np.array([[1.0], [1.0], [5.0]]), 1)
    np.testing.assert_array_equal(found.indices.ravel(), [1, 0, 0])


def test_dense_queries_meet_a_sparse_data_base():
    rng = np.random.default_rng(2)
    database, queries = rng.normal(size=(9, 3)), rng.normal(size=(4, 3))
    mixed = nearest_neighbours(sp.csr_array(database), 2, queries)
    np.testing.assert_array_equal(mixed.indices, nearest_neighbours(database, 2, queries).indices)


def test_no_queries_give_no_neighbours():
    found = nearest_neighbours(np.ones((4, 2)), 3, np.empty((0, 2)))
    assert found.indices.shape == (0, 3)


def test_too_many_neighbours_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="got n_neighbors=8 with n_samples=8"):
        nearest_neighbours(np.arange(8.0)[:, None], 8)
