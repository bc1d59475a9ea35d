"""Data sets brought in line with a model: columns by name, or by position without names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.data import Dataset
from dlst.errors import DataError
from dlst.methods import make
from dlst.methods.fitting import fit_dataset, in_line_with

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = (X + 0.1 > 0).astype(float)
NAMED = Dataset(X, Y, feature_names=["a", "b", "c"], label_names=["sun", "sea", "sky"])
UNNAMED = Dataset(sp.csr_array(X), Y)


@pytest.fixture
def named():
    return fit_dataset(make("mlknn", n_neighbors=3), NAMED)


@pytest.fixture
def unnamed():
    return fit_dataset(make("mlknn", n_neighbors=3), UNNAMED)


def test_the_model_keeps_names_and_predicts_without_a_warning(named):
    assert list(named.label_names_) == ["sun", "sea", "sky"]
    assert list(named.feature_names_) == ["a", "b", "c"]
    assert named.predict_proba(X).shape == (20, 3)


def test_labels_in_another_order_are_put_in_the_models(named):
    other = replace(NAMED, Y=Y[:, [2, 0, 1]], label_names=["sky", "sun", "sea"])
    found = in_line_with(named, other)
    assert list(found.label_names) == ["sun", "sea", "sky"]
    np.testing.assert_array_equal(found.Y.toarray(), Y)


def test_features_in_another_order_are_put_in_the_models(named):
    other = replace(NAMED, X=X[:, [1, 2, 0]], feature_names=["b", "c", "a"])
    found = in_line_with(named, other)
    np.testing.assert_array_equal(found.X, X)
    assert list(found.feature_names) == ["a", "b", "c"]
    np.testing.assert_array_equal(named.predict_proba(found.X), named.predict_proba(X))


def test_columns_without_names_are_taken_by_position(named):
    found = in_line_with(named, Dataset(X, Y))
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.Y.toarray(), Y)
    assert list(found.label_names) == ["sun", "sea", "sky"]


def test_a_model_without_names_takes_columns_by_position(unnamed):
    found = in_line_with(unnamed, NAMED)
    np.testing.assert_array_equal(found.X, X)
    assert list(found.label_names) == ["label0", "label1", "label2"]


def test_a_model_fitted_to_arrays_takes_columns_by_position():
    model = make("mlknn", n_neighbors=3).fit(X, Y)
    np.testing.assert_array_equal(in_line_with(model, NAMED).X, X)


def test_sparse_columns_that_did_not_occur_are_added(unnamed):
    narrow = Dataset(sp.csr_array(X[:, :2]), Y[:, :2])
    found = in_line_with(unnamed, narrow)
    np.testing.assert_array_equal(found.X.toarray(), np.column_stack([X[:, :2], np.zeros(20)]))
    np.testing.assert_array_equal(found.Y.toarray(), np.column_stack([Y[:, :2], np.zeros(20)]))


def test_data_without_labels_pass(named):
    found = in_line_with(named, Dataset(X, np.empty((20, 0))))
    assert found.n_labels == 0
    np.testing.assert_array_equal(found.X, X)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Dataset(X[:, :2], Y), "the 3 features of the model; got 2"),
        (
            Dataset(sp.csr_array(RNG.normal(size=(5, 4))), Y[:5]),
            "the 3 features of the model; got 4",
        ),
        (
            replace(NAMED, feature_names=["a", "b", "z"]),
            "features of the model; got none named 'c'",
        ),
        (replace(NAMED, label_names=["sun", "sea", "fog"]), "labels of the model; got none named"),
        (
            replace(NAMED, Y=Y[:, :2], label_names=["sun", "sea"]),
            "the 3 labels of the model; got 2",
        ),
        (Dataset(X, np.ones((20, 4))), "the 3 labels of the model; got 4"),
    ],
)
def test_data_of_another_shape_are_one_clear_error(named, data, message):
    with pytest.raises(DataError, match=message):
        in_line_with(named, data)
