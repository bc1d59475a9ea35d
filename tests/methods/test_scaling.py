"""Features are scaled by what they are, not by how they are stored."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer

from dlst.methods import FeatureScaler

RNG = np.random.default_rng(0)
DENSE = RNG.normal(3.0, 2.0, size=(40, 6))
COUNTS = RNG.poisson(0.15, size=(40, 12)).astype(np.float64)
THIN = COUNTS * RNG.choice([-1.0, 1.0], size=COUNTS.shape)


def as_array(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize(
    ("X", "chosen"), [(DENSE, "standard"), (COUNTS, "tfidf"), (THIN, "maxabs")]
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_choice_does_not_depend_on_the_container(X, chosen, kind):
    scaler = FeatureScaler().fit(kind(X))
    assert scaler.scaling_ == chosen
    expected = as_array(FeatureScaler(chosen).fit(X).transform(X))
    np.testing.assert_allclose(as_array(scaler.transform(kind(X))), expected)


def test_stored_zeros_are_not_features():
    stored = sp.csr_array(
        (np.zeros(480), np.tile(np.arange(12), 40), np.arange(0, 481, 12)), shape=(40, 12)
    )
    stored.data[:40] = 1.0
    assert FeatureScaler().fit(stored).scaling_ == "tfidf"


def test_standard_features_have_mean_0_and_deviation_1():
    scaled = FeatureScaler("standard").fit(DENSE).transform(DENSE)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1)


def test_a_constant_feature_becomes_zero():
    X = np.column_stack([DENSE, np.full(40, 7.0)])
    np.testing.assert_array_equal(FeatureScaler("standard").fit(X).transform(X)[:, -1], 0)


def test_tfidf_is_that_of_logarithmic_counts():
    expected = TfidfTransformer().fit_transform(np.log1p(COUNTS)).toarray()
    scaled = FeatureScaler("tfidf").fit(COUNTS).transform(COUNTS)
    assert isinstance(scaled, sp.csr_array)
    np.testing.assert_allclose(scaled.toarray(), expected)


@given(st.lists(st.floats(0, 1e6), min_size=3, max_size=3).filter(lambda row: sum(row) > 1e-3))
def test_hellinger_is_the_root_of_shares(row):
    X = np.array([row, [1.0, 2.0, 1.0]])
    scaled = FeatureScaler("hellinger").fit(X).transform(X)
    np.testing.assert_allclose(scaled**2, X / X.sum(axis=1, keepdims=True), atol=1e-12)
    sparse = FeatureScaler("hellinger").fit(sp.csr_array(X)).transform(sp.csr_array(X))
    np.testing.assert_allclose(sparse.toarray(), scaled)


def test_maxabs_stays_sparse_and_reaches_one():
    scaled = FeatureScaler("maxabs").fit(sp.csr_array(THIN)).transform(sp.csr_array(THIN))
    assert isinstance(scaled, sp.csr_array)
    largest = np.abs(scaled.toarray()).max(axis=0)
    np.testing.assert_allclose(largest[np.abs(THIN).max(axis=0) > 0], 1)


def test_none_gives_the_same_object():
    assert FeatureScaler("none").fit(DENSE).transform(DENSE) is DENSE


def test_new_rows_are_scaled_by_the_training_rows():
    scaler = FeatureScaler("standard").fit(DENSE)
    expected = (DENSE[:1] + 5 - DENSE.mean(axis=0)) / DENSE.std(axis=0)
    np.testing.assert_allclose(scaler.transform(DENSE[:1] + 5), expected)


def test_a_new_count_below_zero_counts_as_none():
    scaler = FeatureScaler("tfidf").fit(COUNTS)
    row = COUNTS[:1].copy()
    row[0, 0] = -3.0
    without = COUNTS[:1].copy()
    without[0, 0] = 0.0
    scaled = scaler.transform(row).toarray()
    np.testing.assert_array_equal(scaled, scaler.transform(without).toarray())


@pytest.mark.parametrize("scaling", ["tfidf", "hellinger"])
def test_negative_features_are_no_counts(scaling):
    with pytest.raises(ValueError, match=f"scaling='{scaling}' needs features of at least 0; got"):
        FeatureScaler(scaling).fit(DENSE - 10)


def test_an_unknown_scaling_is_named():
    with pytest.raises(ValueError, match=r"scaling must be one of auto, standard, .*; got 'log'"):
        FeatureScaler("log").fit(DENSE)


def test_no_stored_value_at_all():
    empty = sp.csr_array((5, 3))
    assert FeatureScaler().fit(empty).scaling_ == "tfidf"
    assert FeatureScaler().fit(empty).transform(empty).nnz == 0


def test_rows_of_counts_with_one_sum_are_histograms():
    rng = np.random.default_rng(0)
    histograms = rng.multinomial(60, rng.dirichlet(np.full(50, 0.3), size=40)).astype(float)
    assert FeatureScaler().fit(histograms).scaling_ == "hellinger"
    assert FeatureScaler().fit(sp.csr_array(histograms)).scaling_ == "hellinger"
    # Of texts of any length, or values that are hardly ever 0, that would not be said.
    texts = histograms * rng.integers(1, 9, size=(40, 1))
    assert FeatureScaler().fit(texts).scaling_ != "hellinger"
    assert FeatureScaler().fit(histograms + 0.01).scaling_ == "standard"
    assert FeatureScaler().fit(np.zeros((4, 3))).scaling_ == "tfidf"


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_counts_below_zero_in_new_rows_count_as_none(kind):
    scaler = FeatureScaler("hellinger").fit(np.eye(3))
    new = kind(np.array([[4.0, -4.0, 0.0], [-1.0, 0.0, 0.0]]))
    scaled = scaler.transform(new)
    scaled = scaled.toarray() if sp.issparse(scaled) else scaled
    np.testing.assert_array_equal(scaled, [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_thin_rows_of_length_1_are_used_as_they_are():
    X = TfidfTransformer().fit_transform(COUNTS)
    scaler = FeatureScaler().fit(sp.csr_array(X))
    assert scaler.scaling_ == "none"
    np.testing.assert_array_equal(scaler.transform(X.toarray()), X.toarray())
    longer = sp.csr_array(X * 1.01)
    assert FeatureScaler().fit(longer).scaling_ == "tfidf"


def test_one_hot_rows_are_counts():
    assert (
        FeatureScaler().fit(sp.csr_array(np.eye(12)[RNG.integers(12, size=40)])).scaling_ != "none"
    )
