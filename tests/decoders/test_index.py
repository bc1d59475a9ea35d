"""The index finds what the plain search finds, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.decoders import index, single_rows
from dlst.decoders.index import NeighbourIndex
from dlst.decoders.neighbours import nearest_neighbours

RNG = np.random.default_rng(0)
MANY = {
    "normal": RNG.normal(size=(300, 12)),
    "with ties": RNG.integers(0, 3, size=(300, 4)).astype(float),
    "repeated": np.repeat(RNG.normal(size=(30, 5)), 10, axis=0),
    "huge": 1e60 * RNG.normal(size=(300, 5)) + 1e62,
    "tiny": 1e-40 * RNG.normal(size=(300, 5)),
    "far from 0": 1e5 + RNG.normal(size=(300, 8)),
    "with outliers": RNG.normal(size=(300, 4)) ** 9,
    "all equal": np.ones((300, 3)),
}


def assert_same(found, expected):
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.squared_distances, expected.squared_distances)


@pytest.mark.parametrize("rows", MANY.values(), ids=MANY.keys())
def test_neighbours_are_those_of_the_plain_search(rows, monkeypatch):
    monkeypatch.setattr(index, "ROWS_WORTH_AN_INDEX", 1)
    found = NeighbourIndex(rows)
    far = 1e90 * np.ones((2, rows.shape[1]))
    queries = np.vstack([rows[:9], rows[9:20] * 1.01, RNG.normal(size=(9, rows.shape[1])), far])
    assert_same(found.nearest(7, queries), nearest_neighbours(rows, 7, queries))
    assert_same(found.nearest(7, queries[:1]), nearest_neighbours(rows, 7, queries[:1]))
    own = np.arange(5, 25)
    assert_same(
        found.nearest(7, rows[own], own=own), nearest_neighbours(rows, 7, rows[own], own=own)
    )
    assert_same(found.nearest(7), nearest_neighbours(rows, 7))


def test_most_queries_need_no_second_look():
    found = NeighbourIndex(MANY["normal"])
    candidates = found._single.among_themselves(7 + index.MORE_THAN_WANTED, None)
    _, squared = found._ordered(found.rows, candidates.places, 7)
    sure = candidates.are_all(slice(None), squared[:, -1])
    assert sure.mean() > 0.95


def test_a_row_that_rounding_hides_is_found(monkeypatch):
    # All but equally near for single precision; the nearest come last, behind those it takes.
    monkeypatch.setattr(index, "ROWS_WORTH_AN_INDEX", 1)
    angles = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    circle *= (1 - 1e-12 * np.arange(200))[:, None]
    query = np.zeros((1, 2))
    assert_same(NeighbourIndex(circle).nearest(3, query), nearest_neighbours(circle, 3, query))


def test_sparse_rows_and_few_rows_go_the_plain_way():
    rows = MANY["normal"]
    expected = nearest_neighbours(rows, 3)
    assert_same(NeighbourIndex(rows).nearest(3), expected)
    sparse = NeighbourIndex(sp.csr_array(rows)).nearest(3)
    np.testing.assert_array_equal(sparse.indices, expected.indices)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("tile", [37, 64, 150])
@pytest.mark.parametrize("rows", MANY.values(), ids=MANY.keys())
def test_tiles_and_threads_change_nothing(rows, tile, n_jobs, monkeypatch):
    monkeypatch.setattr(index, "ROWS_WORTH_AN_INDEX", 1)
    monkeypatch.setattr(single_rows, "TILE_ROWS", tile)
    monkeypatch.setattr("dlst.decoders.neighbours.BLOCK_ENTRIES", 20_000)
    found = NeighbourIndex(rows)
    assert_same(found.nearest(5, n_jobs=n_jobs), nearest_neighbours(rows, 5))
    queries = rows[:170] * 1.01
    assert_same(found.nearest(5, queries, n_jobs=n_jobs), nearest_neighbours(rows, 5, queries))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_each_pair_of_tiles_meets_once_and_none_is_twice_in_a_round(n):
    rounds = list(single_rows._rounds(n))
    met = sorted(pair for pairs in rounds for pair in pairs)
    assert met == [(a, b) for a in range(n) for b in range(a, n)]
    for pairs in rounds[1:]:
        blocks = [block for pair in pairs for block in pair]
        assert len(set(blocks)) == len(blocks)


@pytest.mark.parametrize("rows", MANY.values(), ids=MANY.keys())
def test_one_query_at_a_time_finds_the_same(rows, monkeypatch):
    monkeypatch.setattr(index, "ROWS_WORTH_AN_INDEX", 1)
    monkeypatch.setattr(index, "NUMBERS_WORTH_CODES", 1)
    found = NeighbourIndex(rows)
    assert found._coded is not None
    for place in (0, 17, 250):
        for query in (rows[[place]], 1.01 * rows[[place]], 1e30 * np.ones((1, rows.shape[1]))):
            assert_same(found.nearest(7, query), nearest_neighbours(rows, 7, query))
        own = np.array([place])
        query = rows[[place]]
        assert_same(found.nearest(7, query, own=own), nearest_neighbours(rows, 7, query, own=own))


def test_few_rows_can_be_nearest():
    rows = np.random.default_rng(1).normal(size=(25_000, 20))
    found = NeighbourIndex(rows)
    assert len(found._coded.candidates(rows[3], 10, 3)) < 200


def test_few_rows_can_be_nearest_where_one_column_is_far_wider_than_the_others():
    rows = np.random.default_rng(1).normal(size=(2_500, 400)) * np.r_[60.0, np.ones(399)]
    rows[:, 0] *= np.random.default_rng(2).random(2_500) < 0.02
    found = NeighbourIndex(rows)
    assert len(found._coded.candidates(rows[3], 10, 3)) < 40


def test_a_row_that_is_far_longer_than_those_sampled_is_found():
    rows = np.random.default_rng(1).normal(size=(2_500, 400))
    rows[1] *= 1e6
    found = NeighbourIndex(rows)
    assert found._coded is not None
    for query in (rows[[1]], rows[[2]], 1e200 * rows[[2]]):
        assert_same(found.nearest(7, query), nearest_neighbours(rows, 7, query))
