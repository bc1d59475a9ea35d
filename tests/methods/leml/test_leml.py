"""LEML as a method: its rank, its penalty, and what unknown labels mean."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from leml_problems import (
    INNER,
    LOSSES,
    every_loss,
    exact,
    labelled_rows,
    partly_labelled_rows,
    slow_loss,
)
from sklearn.exceptions import ConvergenceWarning

import dlst
from dlst.data.registry import load_registered
from dlst.methods.leml.estimator import FALLBACK, FRACTIONS, LEML
from dlst.methods.leml.fitting import Settings
from dlst.metrics import instance_average_precision


@pytest.fixture
def data():
    return labelled_rows()


@pytest.fixture
def masked():
    return partly_labelled_rows()


@pytest.mark.parametrize(
    ("asked", "expected"), [("auto", 4), ("half", 2), (0.3, 2), (1.0, 4), (3, 3), (50, 4)]
)
def test_the_rank_is_a_number_a_share_or_a_rule(asked, expected, data):
    model = LEML(asked, nuclear_penalty=0.01, random_state=0).fit(*data)
    assert model.n_components_ == expected
    assert model.feature_factors_.shape == (5, model.rank_)
    assert model.label_factors_.shape == (4, model.rank_)
    assert model.rank_ <= expected


def test_sparse_features_give_the_same_map(masked):
    X, Y = masked
    X = X * (np.abs(X) > 0.5)
    for loss in LOSSES:
        made = [
            LEML(nuclear_penalty=0.1, loss=loss, scaling="none", tol=1e-6, random_state=0).fit(
                kind(X), Y
            )
            for kind in (np.asarray, sp.csr_array)
        ]
        S = [made[0].decision_function(X), made[1].decision_function(sp.csr_array(X))]
        np.testing.assert_allclose(S[0], S[1], atol=1e-8)


def test_the_penalty_is_the_best_on_held_out_rows(data):
    X, Y = data
    model = LEML(random_state=0).fit(X, Y)
    losses = model.held_out_losses_
    assert tuple(losses) == FRACTIONS
    assert model.penalty_fraction_ == min(losses, key=losses.get)
    given = LEML(nuclear_penalty=model.penalty_fraction_, random_state=0).fit(X, Y)
    assert given.held_out_losses_ == {}
    np.testing.assert_array_equal(given.decision_function(X), model.decision_function(X))
    noise = np.random.default_rng(0).normal(size=X.shape)
    assert LEML(random_state=0).fit(noise, Y).penalty_fraction_ > model.penalty_fraction_


def test_the_held_out_loss_is_that_of_rows_not_fitted(data):
    X, Y = data[0], sp.csr_array(data[1])
    settings = Settings("squared", 1.0, "free", "auto", INNER, 1e-6, 500)
    rows = []
    for fit in settings.held_out(X, Y, [0.05, 0.2], 3, n_folds=5, seed=0):
        expected = slow_loss("squared", Y.toarray()[fit.rows], fit.found.scores(X[fit.rows]))[0]
        np.testing.assert_allclose(fit.loss, expected, rtol=1e-10)
        rest = np.setdiff1d(np.arange(60), fit.rows)
        alone = settings.problem(X[rest], Y[rest])
        np.testing.assert_allclose(fit.found.penalty, fit.fraction * alone.largest_penalty)
        rows.append(fit.rows)
    assert sorted(np.concatenate(rows[::2])) == list(range(60))


def test_without_rows_to_hold_out_there_is_a_penalty_all_the_same():
    model = LEML(random_state=0).fit([[0.0], [1.0]], [[0], [1]])
    assert model.penalty_fraction_ == FALLBACK
    assert model.predict([[0.0], [1.0]]).ravel().tolist() == [0, 1]


def test_more_starts_are_never_worse(data):
    X, Y = data
    objectives = [
        exact(n_components=1, nuclear_penalty=0.1, n_init=n_init, tol=1e-4).fit(X, Y).objective_
        for n_init in (1, 4)
    ]
    assert objectives[1] <= objectives[0]


def test_a_warm_start_goes_on_from_the_last_factors(data):
    X, Y = data
    model = exact(nuclear_penalty=1.0, warm_start=True, tol=1e-6)
    first = model.fit(X, Y).n_iter_
    objective = model.objective_
    assert model.fit(X, Y).n_iter_ < first
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-9)
    cold = exact(nuclear_penalty=0.1, tol=1e-6).fit(X, Y)
    np.testing.assert_allclose(
        model.set_params(nuclear_penalty=0.1).fit(X, Y).objective_, cold.objective_, rtol=1e-9
    )
    # Other shapes: a fresh start.
    assert model.fit(X[:, :3], Y[:, :2]).feature_factors_.shape == (3, 2)


def test_an_unknown_entry_has_no_part_in_the_objective(masked):
    X, Y = masked
    model = exact(nuclear_penalty=1.0).fit(X, Y)
    value, slope = slow_loss("squared", Y, X @ model.feature_factors_ @ model.label_factors_.T)
    assert (slope[np.isnan(Y)] == 0).all()
    size = np.sum(model.feature_factors_**2) + np.sum(model.label_factors_**2)
    np.testing.assert_allclose(model.objective_, value + 0.5 * size, rtol=1e-10)


@every_loss
def test_zeros_that_weigh_less_raise_the_scores(loss, data):
    X, Y = data
    scores = [
        exact(nuclear_penalty=1.0, loss=loss, intercept="free", negative_weight=weight, tol=1e-5)
        .fit(X, Y)
        .decision_function(X)
        .mean()
        for weight in (1.0, 0.5, 0.2)
    ]
    assert scores[0] < scores[1] < scores[2]


@every_loss
def test_probabilities_follow_the_loss(loss, data):
    X, Y = data
    model = LEML(loss=loss, nuclear_penalty=0.05, random_state=0).fit(X, Y)
    P, S = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X) == 1, S > 0)
    expected = {
        "squared": S + 0.5,
        "logistic": 1 / (1 + np.exp(-S)),
        "squared_hinge": 0.5 + 0.5 * S,
    }[loss]
    inside = (expected > 0.01) & (expected < 0.99)
    np.testing.assert_allclose(P[inside], expected[inside], atol=1e-12)
    assert ((P > 0) & (P < 1)).all()


@pytest.mark.parametrize("decision", ["micro", "macro"])
def test_thresholds_are_learnt_on_held_out_rows(decision, masked):
    X, Y = masked
    model = LEML(decision=decision, random_state=0).fit(X, Y)
    layer = model.decisions_
    decided = layer.rules_[decision].threshold_ <= layer.calibrated(model.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X) == 1, decided)


def test_training_holds_no_array_of_rows_times_labels():
    rng = np.random.default_rng(12)
    n, K = 8000, 600
    X = rng.normal(size=(n, 8))
    Y = sp.random_array((n, K), density=0.005, random_state=rng, format="csr")
    Y.data[:] = 1.0
    tracemalloc.start()
    for parameters in ({}, {"solver": "cg"}, {"negative_weight": 0.5}):
        tracemalloc.reset_peak()
        LEML(3, nuclear_penalty=0.3, tol=0.1, random_state=0, **parameters).fit(X, Y)
        assert tracemalloc.get_traced_memory()[1] < n * K * 8 / 3
    tracemalloc.stop()


def test_a_saved_model_predicts_the_same(masked, tmp_path):
    X, Y = masked
    for loss in LOSSES:
        model = LEML(loss=loss, random_state=0).fit(X, Y)
        dlst.save_model(model, tmp_path / "model.skops")
        loaded = dlst.load_model(tmp_path / "model.skops")
        assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        assert loaded.held_out_losses_ == model.held_out_losses_


def test_too_few_rounds_are_one_warning(data):
    X, Y = data
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 rounds; raise max_iter") as caught:
        model = LEML(nuclear_penalty=0.1, max_iter=2, random_state=0).fit(X, Y)
    assert len(caught) == 1
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_components", "third"),
        ("n_components", 0),
        ("n_components", 1.5),
        ("n_components", True),
        ("loss", "hinge"),
        ("nuclear_penalty", 0.0),
        ("nuclear_penalty", "small"),
        ("penalty_scale", "big"),
        ("negative_weight", 0.0),
        ("intercept", "maybe"),
        ("solver", "svd"),
        ("max_newton_iter", 0),
        ("max_cg_iter", 0),
        ("n_init", 0),
        ("tol", 0.0),
        ("max_iter", 1.5),
    ],
)
def test_a_wrong_parameter_is_named(parameter, value, data):
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        LEML(**{parameter: value}).fit(*data)


def test_the_closed_form_is_refused_where_there_is_none(masked):
    with pytest.raises(ValueError, match=r"needs the squared loss.* Use solver='auto'"):
        LEML(solver="exact").fit(*masked)


@pytest.mark.real_data
def test_emotions_are_ranked_better_than_by_prevalence(real_data):
    data = load_registered("emotions", download=False)
    train, test = data.subset(data.split.train), data.subset(data.split.test)
    model = LEML(random_state=0).fit(train.X, train.Y)
    prior = np.tile(model.prevalence_, (test.X.shape[0], 1))
    found = instance_average_precision(test.Y, model.decision_function(test.X))
    assert found > instance_average_precision(test.Y, prior) + 0.1
