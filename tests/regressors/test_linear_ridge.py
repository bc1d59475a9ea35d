"""Linear ridge: the closed form, exact leave-one-out, the penalty search, sparse rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge, RidgeCV

from dlst.regressors import LinearRidge
from dlst.regressors.linear_ridge import RELATIVE_ALPHAS, leave_one_out_penalty


def problem(rng, n=30, d=6, t=3):
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 2
    return X, X[:, :2] @ rng.normal(size=(2, t)) + rng.normal(size=(n, t)) - 4


@pytest.mark.parametrize("shape", [(30, 6), (8, 20)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_free_intercept_equals_scikit_learn(shape, kind, rng):
    X, Z = problem(rng, *shape)
    X *= rng.random(X.shape) < 0.6
    ours = LinearRidge(2.5).fit(kind(X), Z)
    theirs = Ridge(alpha=2.5).fit(X, Z)
    np.testing.assert_allclose(ours.coef_, theirs.coef_.T, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)
    np.testing.assert_allclose(ours.predict(kind(X)), theirs.predict(X), atol=1e-10)


@pytest.mark.parametrize("shape", [(30, 6), (8, 20)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_penalised_intercept_is_the_weight_of_a_column_of_ones(shape, kind, rng):
    X, Z = problem(rng, *shape)
    model = LinearRidge(0.7, intercept="penalised").fit(kind(X), Z)
    padded = np.column_stack([np.ones(len(X)), X])
    W = np.linalg.solve(padded.T @ padded + 0.7 * np.eye(padded.shape[1]), padded.T @ Z)
    np.testing.assert_allclose(model.intercept_, W[0], atol=1e-10)
    np.testing.assert_allclose(model.coef_, W[1:], atol=1e-10)


@pytest.mark.parametrize("intercept", ["free", "penalised"])
@pytest.mark.parametrize("shape", [(20, 4), (8, 15)])
def test_leave_one_out_predictions_equal_explicit_refits(intercept, shape, rng):
    X, Z = problem(rng, *shape)
    model = LinearRidge(0.3, intercept=intercept).fit(X, Z)
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        alone = LinearRidge(0.3, intercept=intercept).fit(X[others], Z[others])
        left_out = alone.predict(X[[row]])[0]
        np.testing.assert_allclose(model.loo_predictions_[row], left_out, atol=1e-9)


@pytest.mark.parametrize("shape", [(40, 6, 3), (40, 6, 12), (12, 30, 2), (12, 30, 20)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_penalty_is_the_one_with_the_least_leave_one_out_error(shape, kind, rng):
    X, Z = problem(rng, *shape)
    model = LinearRidge().fit(X, Z)
    centred = X - X.mean(axis=0)
    alphas = RELATIVE_ALPHAS * (centred**2).sum() / min(X.shape)
    tried = [LinearRidge(alpha).fit(X, Z).loo_predictions_ for alpha in alphas]
    errors = [((predicted - Z) ** 2).sum() for predicted in tried]
    np.testing.assert_allclose(model.alpha_, alphas[np.argmin(errors)])
    assert leave_one_out_penalty(kind(X), kind(Z)) == pytest.approx(model.alpha_)
    np.testing.assert_allclose(RidgeCV(alphas).fit(X, Z).alpha_, model.alpha_)


def test_features_of_very_different_scales_keep_their_digits(rng):
    X, Z = problem(rng, 60, 8)
    scales = 10.0 ** np.linspace(-2, 3, 8)
    model = LinearRidge(0.1, intercept="penalised").fit(X * scales, Z)
    padded = np.column_stack([np.ones(len(X)), X * scales])
    U, lengths, Vt = np.linalg.svd(padded, full_matrices=False)
    W = Vt.T @ ((lengths / (lengths**2 + 0.1))[:, None] * (U.T @ Z))
    np.testing.assert_allclose(model.predict(X * scales), padded @ W, atol=1e-11)


def test_without_a_penalty_it_is_least_squares(rng):
    X, Z = problem(rng)
    padded = np.column_stack([np.ones(len(X)), X])
    expected = padded @ np.linalg.lstsq(padded, Z, rcond=None)[0]
    np.testing.assert_allclose(LinearRidge(0).fit(X, Z).predict(X), expected, atol=1e-10)


def test_features_that_say_nothing_give_the_mean(rng):
    Z = rng.normal(size=(10, 2))
    model = LinearRidge().fit(np.ones((10, 3)), Z)
    np.testing.assert_allclose(model.predict(np.ones((2, 3))), np.tile(Z.mean(axis=0), (2, 1)))


def test_one_target_may_be_one_dimensional(rng):
    X, Z = problem(rng)
    flat, column = LinearRidge().fit(X, Z[:, 0]), LinearRidge().fit(X, Z[:, :1])
    assert flat.predict(X).shape == flat.loo_predictions_.shape == (30,)
    assert flat.coef_.shape == (6,)
    np.testing.assert_array_equal(flat.predict(X), column.predict(X)[:, 0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha must be a number of at least 0 or 'auto'; got -1.0"),
        ({"alpha": None}, "alpha must be a number"),
        ({"alpha": True}, "alpha must be a number"),
        ({"intercept": "none"}, "intercept must be one of free, penalised; got 'none'"),
        (
            {"intercept": "penalised"},
            "alpha must be a number with intercept='penalised'; got 'auto'",
        ),
    ],
)
def test_mistakes_are_named(parameters, message, rng):
    with pytest.raises(ValueError, match=message):
        LinearRidge(**parameters).fit(*problem(rng))
