"""The approximate search: how much it finds, what it says of it, and that models keep it."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from dlst import DLST, load_model, save_model
from dlst.data import load_multidigits
from dlst.decoders import approximate
from dlst.decoders.approximate import LEAST_RECALL, ApproximateIndex, index_of
from dlst.decoders.index import NeighbourIndex
from dlst.errors import DataError

pytest.importorskip("faiss", reason="the extra dlst[ann] is not installed")


@pytest.fixture(scope="module")
def rows():
    """Rows of 60 clusters, far from the origin, where single precision alone would fail."""
    rng = np.random.default_rng(0)
    centres = 1e4 + 5.0 * rng.normal(size=(60, 8))
    return centres[rng.integers(60, size=6000)] + rng.normal(size=(6000, 8))


@pytest.fixture(scope="module")
def index(rows):
    return ApproximateIndex(rows).tuned(20, rows[:300], np.arange(300))


def recall_of(found, exact):
    return (found.squared_distances <= exact.squared_distances[:, -1:]).mean()


def test_it_finds_as_much_as_it_says_in_few_cells(rows, index):
    asked = np.arange(3000, 4000)
    exact = NeighbourIndex(rows).nearest(20, rows[asked], own=asked)
    found = index.nearest(20, rows[asked], own=asked)
    assert index.recall >= LEAST_RECALL
    assert abs(recall_of(found, exact) - index.recall) < 0.03
    assert index.n_looked_into < index._cells.nlist


def test_distances_are_those_of_the_rows_in_order_and_without_the_row_itself(rows, index):
    asked = np.arange(50)
    found = index.nearest(20, rows[asked], own=asked)
    expected = ((rows[asked, None] - rows[found.indices]) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.squared_distances, expected, rtol=1e-9)
    assert (np.diff(found.squared_distances, axis=1) >= 0).all()
    assert not (found.indices == asked[:, None]).any()
    among_themselves = index.nearest(20)
    np.testing.assert_array_equal(among_themselves.indices[asked], found.indices)


def test_looking_into_every_cell_is_exact(rows):
    index = ApproximateIndex(rows[:500])
    index.n_looked_into = 10**6
    exact = NeighbourIndex(rows[:500]).nearest(30, rows[500:600])
    np.testing.assert_array_equal(index.nearest(30, rows[500:600]).indices, exact.indices)


def test_cells_with_too_few_rows_are_no_end_of_the_search(rows):
    index = ApproximateIndex(rows)
    wanted = 1000
    assert index.n_looked_into == 1
    found = index.nearest(wanted, rows[:3])
    exact = NeighbourIndex(rows).nearest(wanted, rows[:3])
    np.testing.assert_array_equal(found.indices, exact.indices)


def test_more_is_looked_into_until_enough_is_found(rows, monkeypatch):
    monkeypatch.setattr(approximate, "LEAST_RECALL", 2.0)
    index = ApproximateIndex(rows).tuned(20, rows[:100], np.arange(100))
    assert index.n_looked_into >= index._cells.nlist
    assert index.recall == 1.0


def test_sparse_rows_are_searched_exactly():
    rows = sp.csr_array(np.eye(40))
    assert type(index_of(rows, "approximate", 3, rows[:5], np.arange(5))) is NeighbourIndex


def test_a_model_searches_so_says_so_and_keeps_it_in_its_file(tmp_path):
    data = load_multidigits()
    exact = DLST(random_state=0).fit(data.train.X, data.train.Y)
    model = DLST(random_state=0).set_params(decoder__search="approximate")
    model.fit(data.train.X, data.train.Y)
    votes = model.decoder_.evidences_[1:]
    assert [vote.name for vote in votes] == ["code vote", "feature vote"]
    assert all(LEAST_RECALL <= vote.recall_ <= 1.0 for vote in votes)
    assert [vote.recall_ for vote in exact.decoder_.evidences_[1:]] == [1.0, 1.0]
    # What is learnt is learnt from exact neighbours; answers differ by who was not found.
    np.testing.assert_array_equal(model.decoder_.slopes_, exact.decoder_.slopes_)
    P, of_exact = (each.predict_proba(data.test.X) for each in (model, exact))
    assert np.abs(P - of_exact).mean() < 0.01
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    np.testing.assert_allclose(again.predict_proba(data.test.X), P, atol=1e-12)
    assert again.decoder_.evidences_[1].recall_ == votes[0].recall_


def test_without_the_package_the_error_names_the_extra(monkeypatch, rows):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(DataError, match=r"pip install 'dlst\[ann\]', or search exactly"):
        ApproximateIndex(rows[:100]).nearest(3, rows[:2])
