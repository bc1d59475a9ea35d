"""A row of weight w is w equal rows, left out together: ridges against refits and repetition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from dlst._kernels.feature_rows import FeatureRows
from dlst._kernels.ridge import Spectrum, leave_one_out_errors
from dlst._weights import Weights, as_weights, read_weights, with_weights
from dlst.errors import DataError
from dlst.regressors import KernelRidge, LinearMachines, LinearRidge, as_regressor

RNG = np.random.default_rng(4)
X = RNG.normal(size=(30, 4))
T = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2, X[:, 2] > 0]) + 0.1 * RNG.normal(size=(30, 3))
WEIGHTS = RNG.integers(1, 4, size=30).astype(float)
FRACTIONS = RNG.uniform(0.2, 2.5, size=30)
NEW = RNG.normal(size=(9, 4))


def repeated(*arrays):
    return [np.repeat(array, WEIGHTS.astype(int), axis=0) for array in arrays]


REGRESSORS = [
    KernelRidge(gamma=0.3, alpha=0.5),
    KernelRidge("linear", alpha=2.0),
    LinearRidge(0.7),
    LinearRidge(0.7, intercept="penalised"),
    LinearMachines(0.5, tol=1e-10, random_state=0),
]


@pytest.mark.parametrize("regressor", REGRESSORS, ids=str)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_weights_are_repetition(regressor, container):
    weighted = regressor.fit(container(X), T, sample_weight=WEIGHTS).predict(NEW)
    twice = regressor.fit(container(repeated(X)[0]), repeated(T)[0]).predict(NEW)
    np.testing.assert_allclose(weighted, twice, atol=1e-7)
    assert np.abs(weighted - regressor.fit(container(X), T).predict(NEW)).max() > 1e-3


@pytest.mark.parametrize("regressor", REGRESSORS, ids=str)
def test_a_row_is_left_out_with_all_its_weight(regressor):
    left_out = regressor.fit(X, T, sample_weight=FRACTIONS).loo_predictions_.copy()
    for row in (0, 7, 29):
        weights = FRACTIONS.copy()
        weights[row] = 0.0
        refitted = regressor.fit(X, T, sample_weight=weights).predict(X[[row]])
        np.testing.assert_allclose(left_out[row], refitted[0], atol=1e-6)


def test_left_out_errors_count_by_weight_for_few_and_for_many_targets():
    alphas = np.array([0.1, 3.0])
    many = RNG.normal(size=(30, 12))
    spectrum = Spectrum.of(X, weights=FRACTIONS).orthonormalised()
    for targets in (T, many):
        expected = [
            (
                FRACTIONS[:, None]
                * (LinearRidge(alpha).fit(X, targets, FRACTIONS).loo_predictions_ - targets) ** 2
            ).sum()
            for alpha in alphas
        ]
        found = leave_one_out_errors(spectrum, targets, alphas)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize(
    "regressor", [KernelRidge(gamma=0.3), LinearRidge(), LinearMachines(random_state=0)], ids=str
)
def test_a_label_counts_by_its_weight_where_labels_choose_together(regressor):
    labels = np.column_stack([X[:, 0] > 0, RNG.random(30) < 0.5, RNG.random(30) < 0.4]).astype(
        float
    )
    weights = Weights(np.ones(30), np.array([3.0, 1.0, 2.0]))
    columns = np.repeat(np.arange(3), [3, 1, 2])
    one, other = as_regressor(regressor), as_regressor(type(regressor)(**regressor.get_params()))
    one.prepare(X, labels, weights).regress(labels * 2 - 1)
    other.prepare(X, labels[:, columns]).regress(labels[:, columns] * 2 - 1)
    chosen = "C_" if isinstance(regressor, LinearMachines) else "alpha_"
    assert getattr(one, chosen) == pytest.approx(getattr(other, chosen))
    if chosen == "C_":
        assert one.selection_ == pytest.approx(other.selection_, rel=1e-4)


def test_sparse_rows_are_shifted_and_weighed_in_the_products():
    sparse = sp.csr_array(np.where(RNG.random((12, 5)) < 0.5, RNG.normal(size=(12, 5)), 0.0))
    weights = RNG.uniform(0.5, 2.0, size=12)
    rows, other = FeatureRows.centred(sparse, weights), FeatureRows.centred(sparse[:, :2], weights)
    dense = sparse.toarray()
    expected = np.sqrt(weights)[:, None] * (dense - weights @ dense / weights.sum())
    W, S = RNG.normal(size=(5, 2)), RNG.normal(size=(12, 3))
    np.testing.assert_allclose(rows.times(W), expected @ W, atol=1e-12)
    np.testing.assert_allclose(rows.transposed_times(S), expected.T @ S, atol=1e-12)
    np.testing.assert_allclose(rows.cross(other), expected.T @ expected[:, :2], atol=1e-12)
    np.testing.assert_allclose(rows.outer(), expected @ expected.T, atol=1e-12)


def test_regressors_of_scikit_learn_get_the_weights_or_refuse_them():
    weights = Weights(WEIGHTS, np.ones(3))
    weighted = as_regressor(Ridge(0.3))
    weighted.prepare(X, T, weights).regress(T)
    twin = Ridge(0.3).fit(X, T, sample_weight=WEIGHTS)
    np.testing.assert_allclose(weighted.predict(NEW), twin.predict(NEW))
    with pytest.raises(DataError, match="KNeighborsRegressor must be fitted without sample_weight"):
        as_regressor(KNeighborsRegressor()).prepare(X, T, weights)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], r"must have 3 numbers, one for each; got shape \(2,\)"),
        ([[1.0], [1.0], [1.0]], r"one for each; got shape \(3, 1\)"),
        ([1.0, -1.0, 1.0], "at least 0; got -1 at 1"),
        ([0.0, 0.0, 0.0], "above zero somewhere; got zeros only"),
        ([1.0, np.nan, 1.0], "at least 0; got nan at 1"),
        (["a", "b", "c"], "must be numbers; got others"),
    ],
)
def test_wrong_weights_are_refused(given, message):
    with pytest.raises(DataError, match=message):
        as_weights(given, 3, "sample_weight")


def test_weights_of_one_are_none_and_a_label_must_count():
    assert read_weights([1, 1], None, (2, 3)) is None
    assert read_weights(None, [1.0, 1.0, 1.0], (2, 3)) is None
    rows, labels = read_weights([1, 2], None, (2, 3))
    assert rows.tolist() == [1, 2]
    assert labels.tolist() == [1, 1, 1]
    with pytest.raises(DataError, match="label_weight must be above 0"):
        read_weights(None, [1.0, 0.0], (2, 2))


def test_a_part_without_a_place_for_weights_says_so():
    class Plain:
        def fit(self, X):
            return X

    assert with_weights(Plain().fit, None)(1) == 1
    with pytest.raises(DataError, match="Plain must be fitted without sample_weight"):
        with_weights(Plain().fit, Weights(np.ones(2), np.ones(1)))
