"""Neighbours at scale against all distances, sorted."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances

from dlst._kernels.nearest import largest
from dlst.decoders import neighbours
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(neighbours, "BLOCK_ENTRIES", 2000)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return sp.csr_array(rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.2))


def expected(distances, k):
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


@pytest.mark.parametrize("k", [1, 5, 120, 300])
@pytest.mark.parametrize("n_queries", [3, 25])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_nearest_codes_of_new_rows(k, n_queries, n_jobs):
    rng = np.random.default_rng(1)
    voters, queries = rng.normal(size=(300, 6)) + 50, rng.normal(size=(n_queries, 6)) + 50
    found = nearest_codes(voters, k, queries, n_jobs=n_jobs)
    order, squared = expected(euclidean_distances(queries, voters) ** 2, k)
    np.testing.assert_array_equal(found.indices, order)
    np.testing.assert_allclose(found.squared_distances, squared, atol=1e-8)


@pytest.mark.parametrize("k", [1, 5, 120, 299])
def test_a_row_is_not_its_own_neighbour(k, rows):
    codes = np.random.default_rng(1).normal(size=(300, 6))
    own = np.arange(0, 300, 3)
    distances = euclidean_distances(codes[own], codes) ** 2
    distances[np.arange(100), own] = np.inf
    order, _ = expected(distances, k)
    np.testing.assert_array_equal(nearest_codes(codes, k, codes[own], own=own).indices, order)
    found = nearest_cosines(CosineRows(rows), k, rows[own], own=own)
    assert not (found.indices == own[:, None]).any()
    assert found.indices.shape == (100, k)


@pytest.mark.parametrize("k", [1, 5, 120, 300])
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_nearest_rows_by_cosine(k, n_jobs, kind, rows):
    rng = np.random.default_rng(2)
    queries = rng.normal(size=(25, 40)) * (rng.random((25, 40)) < 0.3)
    found = nearest_cosines(CosineRows(kind(rows.toarray())), k, kind(queries), n_jobs=n_jobs)
    squared = 2 * cosine_distances(queries, rows.toarray())
    _, nearest = expected(squared, k)
    np.testing.assert_allclose(found.squared_distances, nearest, atol=2e-6)
    np.testing.assert_allclose(
        np.take_along_axis(squared, found.indices, axis=1), nearest, atol=2e-6
    )
    assert all(len(set(line)) == k for line in found.indices.tolist())


def test_many_queries_find_to_the_last_bit_what_each_finds_alone():
    rng = np.random.default_rng(3)
    often = rng.normal(size=(300, 40)) * (rng.random((300, 40)) < np.linspace(0.01, 0.9, 40))
    voters = CosineRows(often)
    full, place_of = voters.full_columns(len(often))
    assert 0 < len(full) < 40
    assert np.count_nonzero(place_of >= 0) == len(full)
    assert full.size <= np.count_nonzero(often)
    found = nearest_cosines(voters, 7, often)
    for row, indices, squared in zip(often, found.indices, found.squared_distances, strict=True):
        alone = nearest_cosines(voters, 7, row[None])
        np.testing.assert_array_equal(alone.indices[0], indices)
        np.testing.assert_array_equal(alone.squared_distances[0], squared)


def test_of_equal_rows_the_first_are_taken():
    voters = np.ones((200, 2))
    found = nearest_codes(voters, 90, np.zeros((1, 2)))
    np.testing.assert_array_equal(found.indices[0], np.arange(90))
    same = nearest_cosines(CosineRows(voters), 90, np.ones((1, 2)))
    np.testing.assert_array_equal(same.indices[0], np.arange(90))


def test_a_row_of_zeros_is_at_a_right_angle_to_all(rows):
    found = nearest_cosines(CosineRows(rows), 3, sp.csr_array((1, 40)))
    np.testing.assert_array_equal(found.squared_distances, 2.0)


def test_nobody_asks(rows):
    assert nearest_cosines(CosineRows(rows), 3, sp.csr_array((0, 40))).indices.shape == (0, 3)
    assert nearest_codes(np.zeros((5, 2)), 3, np.zeros((0, 2))).indices.shape == (0, 3)


def test_where_a_sample_promises_too_much_all_are_looked_at():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(4, 2000)).astype(np.float32)
    # One in sixteen is what the sample sees: those are the largest, and fewer than are wanted.
    values[:, ::16] += 50
    found = largest(values, np.array([-1, 16, -1, 32]), 150)
    values[[1, 3], [16, 32]] = -np.inf
    order = np.sort(np.argsort(-values, axis=1, kind="stable")[:, :150], axis=1)
    np.testing.assert_array_equal(found, order)
