"""Rows as cells ask for them: shares, folds, simulated features, dropped labels."""

from __future__ import annotations

import numpy as np
import pytest

from dlst.data import Dataset, Split
from dlst.errors import DataError, PlanError
from dlst.experiments.protocols import check_protocol, rows_of


def labels_only(n=120, K=4, split=False):
    rng = np.random.default_rng(0)
    Y = (rng.random((n, K)) < 0.4).astype(int)
    Y[:, 0] |= Y.sum(axis=1) == 0
    parts = Split(np.arange(80), np.arange(80, n), name="official") if split else None
    return Dataset(np.empty((n, 0)), Y, split=parts, name="labels")


def with_features(n=120, split=True):
    data = labels_only(n, split=split)
    X = np.arange(n, dtype=float)[:, None]
    return Dataset(X, data.Y, split=data.split, name="numbered")


def test_a_share_of_unsplit_data_is_drawn_from_all_rows_and_the_rest_is_tested_on():
    rows = rows_of(with_features(split=False), "random", 0, {"fraction": 0.1})
    assert rows.train.n_samples == 12
    assert rows.test.n_samples == 108
    assert not set(rows.train.X.ravel()) & set(rows.test.X.ravel())


def test_a_share_of_split_data_leaves_the_official_test_rows_as_they_are():
    rows = rows_of(with_features(), "official", 3, {"fraction": 0.1})
    assert rows.train.n_samples == 8
    assert rows.train.X.max() < 80
    assert rows.test.X.ravel().tolist() == list(range(80, 120))


def test_folds_part_the_training_rows_and_never_touch_official_test_rows():
    parts = [rows_of(with_features(), "official", seed, {"folds": 4}) for seed in range(4)]
    tested = np.concatenate([part.test.X.ravel() for part in parts])
    assert sorted(tested) == list(range(80))
    for part in parts:
        assert sorted([*part.train.X.ravel(), *part.test.X.ravel()]) == list(range(80))


def test_features_are_simulated_only_where_there_are_none():
    drawn = rows_of(labels_only(split=True), "official", 0, {"simulate": {"n_features": 5}})
    assert drawn.train.n_features == drawn.test.n_features == 5
    assert "simulated features" in drawn.train.provenance.notes
    assert drawn.train.n_samples == 80
    real = rows_of(with_features(), "official", 0, {"simulate": {"n_features": 5}})
    assert real.train.n_features == 1
    assert "simulated features" not in real.train.provenance.notes


def test_simulated_features_belong_to_the_rows_they_were_drawn_for():
    data = labels_only(split=True)
    rows = rows_of(data, "official", 0, {"simulate": {"n_features": 400}})
    assert (rows.train.Y != data.train.Y).nnz == 0
    assert (rows.test.Y != data.test.Y).nnz == 0
    # With many features rows of one label set lie nearer than others on average.
    same = (rows.train.Y @ rows.train.Y.T).toarray() == rows.train.Y.sum(axis=1)[:, None]
    X = np.asarray(rows.train.X)
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    equal = same & same.T
    np.fill_diagonal(equal, False)
    assert distances[equal].mean() < 0.8 * distances[~same].mean()


def test_dropping_labels_remembers_the_complete_cardinality():
    data = with_features()
    complete = rows_of(data, "official", 0, {"missing": 0.0})
    dropped = rows_of(data, "official", 0, {"missing": 0.6})
    assert complete.effective_missing == 0.0
    assert complete.complete_cardinality == dropped.complete_cardinality == data.train.cardinality
    assert dropped.train.cardinality == pytest.approx(
        data.train.cardinality * (1 - dropped.effective_missing)
    )
    assert dropped.test.cardinality == data.test.cardinality


def test_an_official_split_that_is_not_there_is_told_in_the_words_of_plans():
    with pytest.raises(DataError, match=r"got none\. Ask for random splits, or for auto"):
        rows_of(with_features(split=False), "official", 0, {})


@pytest.mark.parametrize(
    ("protocol", "word"),
    [
        ({"folds": 1}, "folds"),
        ({"simulate": 5}, "simulate"),
        ({"options": "difficult"}, "options"),
        ({"fraction": 1.5}, "fraction"),
        ({"rows": [3]}, "rows"),
        ({"rows": 300}, "rows"),
        ({"rows": [300, True]}, "rows"),
        ({"missing": "half"}, "missing"),
        ({"reading": "some"}, "reading must be one of stratified"),
        ({"transductive": "false"}, "transductive must be true or false"),
        ({"per_label": 1}, "per_label"),
        ({"shuffle": True}, "shuffle"),
    ],
)
def test_what_means_nothing_is_refused(protocol, word):
    with pytest.raises(PlanError, match=word):
        check_protocol(protocol)
