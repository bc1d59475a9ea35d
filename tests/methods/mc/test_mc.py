"""MC as a method: what is completed, what is searched, what new rows get."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import dlst
from dlst.data.registry import load_registered
from dlst.methods.mc import MC
from dlst.methods.mc.search import probability_slope
from dlst.metrics import instance_average_precision


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 7))
    Y = (X @ rng.normal(size=(7, 4)) + 0.5 * rng.normal(size=(80, 4)) > 0.3).astype(float)
    return X, Y, rng.normal(size=(20, 7))


def test_unlabelled_rows_are_completed_and_predicted_alike(data):
    X, Y, X_new = data
    both = np.vstack([X, X_new])
    hidden = np.vstack([Y, np.full((20, 4), np.nan)])
    model = MC(nuclear_penalty=2e-3, tol=1e-9, max_iter=5000).fit(both, hidden)
    assert model.transduction_.shape == (100, 4)
    np.testing.assert_allclose(model.decision_function(X_new), model.transduction_[80:], atol=1e-5)
    alone = MC(nuclear_penalty=2e-3, tol=1e-9, max_iter=5000).fit(X, Y)
    assert np.abs(alone.decision_function(X_new) - model.transduction_[80:]).max() > 1e-3


def test_the_completion_of_training_rows_agrees_with_most_labels(data):
    X, Y, X_new = data
    model = MC(random_state=0).fit(X, Y)
    assert ((model.transduction_ > 0) == Y).mean() > 0.85
    S, P = model.decision_function(X_new), model.predict_proba(X_new)
    np.testing.assert_allclose(P, 1 / (1 + np.exp(-model.probability_slope_ * S)), atol=1e-12)
    given = MC(nuclear_penalty=model.nuclear_penalty_, slope=2.0).fit(X, Y)
    assert given.probability_slope_ == 2.0
    np.testing.assert_array_equal(model.predict(X_new), S > 0)


def test_the_order_of_rows_changes_no_prediction(data):
    X, Y, X_new = data
    order = np.random.default_rng(0).permutation(80)
    one = MC(nuclear_penalty=2e-3, tol=1e-9).fit(X, Y)
    other = MC(nuclear_penalty=2e-3, tol=1e-9).fit(X[order], Y[order])
    np.testing.assert_allclose(other.transduction_, one.transduction_[order], atol=1e-6)
    np.testing.assert_allclose(
        other.decision_function(X_new), one.decision_function(X_new), atol=1e-6
    )


def test_unknown_entries_are_completed(data):
    X, Y, _ = data
    holes = np.random.default_rng(0).random(Y.shape) < 0.3
    model = MC(random_state=0).fit(X, np.where(holes, np.nan, Y))
    assert ((model.transduction_ > 0) == Y)[holes].mean() > 0.75


def test_the_method_is_the_solver(golden):
    stored = np.load(golden / "mc1_emotions.npz")
    mu = float(stored["MC1_D_true_optimum_mu2_mu"])
    W = stored["W"].T
    Y = np.where(np.isnan(W[:, :6]), np.nan, W[:, :6] > 0)
    exact = MC(1.0, nuclear_penalty=mu, scaling="none", tol=1e-9).fit(W[:, 6:], Y)
    expected = stored["MC1_D_true_optimum_mu2_test_scores"]
    np.testing.assert_allclose(exact.transduction_[100:], expected, atol=1e-6)
    np.testing.assert_allclose(exact.decision_function(W[100:, 6:]), expected, atol=1e-5)
    near = MC(1.0, nuclear_penalty=mu, scaling="none", tol=1e-9, solver="fpc").fit(W[:, 6:], Y)
    assert 0.001 < np.abs(near.transduction_[100:] - expected).max() < 0.5


def test_all_principal_directions_change_nothing(data):
    X, Y, X_new = data
    tight = {"nuclear_penalty": 2e-3, "tol": 1e-10, "max_iter": 5000}
    wide = np.hstack([X, X @ np.random.default_rng(0).normal(size=(7, 5))])
    wide_new = np.hstack([X_new, X_new @ np.random.default_rng(0).normal(size=(7, 5))])
    whole = MC(**tight, n_feature_components=None).fit(wide, Y)
    turned = MC(**tight, n_feature_components=7, random_state=0).fit(wide, Y)
    assert turned.coef_.shape == whole.coef_.shape == (12, 4)
    np.testing.assert_allclose(turned.transduction_, whole.transduction_, atol=1e-6)
    np.testing.assert_allclose(
        turned.decision_function(wide_new), whole.decision_function(wide_new), atol=1e-6
    )


def test_mu_is_chosen_on_hidden_labels_of_training_rows(data):
    X, Y, _ = data
    model = MC(random_state=0).fit(X, Y)
    best = int(np.argmax(model.selection_["score"]))
    assert best > 0
    assert len(model.selection_["nuclear_penalty"]) >= 3
    # Fewer rows take part in the search: the same share of another largest μ.
    assert 0.5 < model.nuclear_penalty_ / model.selection_["nuclear_penalty"][best] < 2
    assert MC(nuclear_penalty=0.1).fit(X, Y).selection_ == {}
    single = MC(random_state=0).fit(X, Y[:, :1])
    assert (single.selection_["score"] < 0).all()


@pytest.mark.parametrize(
    ("variant", "loss"),
    [("pos", "squared"), ("pos", "chi2"), ("simplex", "squared"), ("simplex", "chi2")],
)
def test_histograms_are_learnt_from(variant, loss):
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(12, 0.3), size=3)
    shares = rng.dirichlet(np.full(3, 0.4), size=90)
    X = rng.poisson(60 * shares @ topics).astype(float)
    Y = (shares > 0.3).astype(int)
    model = MC(
        1e-3 if variant == "simplex" else 0.1,
        variant=variant,
        feature_loss=loss,
        random_state=0,
        tol=1e-3,
    )
    model.fit(X[:60], Y[:60])
    prior = instance_average_precision(Y[60:], np.tile(Y[:60].mean(axis=0), (30, 1)))
    found = instance_average_precision(Y[60:], model.decision_function(X[60:]))
    assert found > prior + 0.1
    sparse = model.decision_function(sp.csr_array(X[60:]))
    np.testing.assert_allclose(sparse, model.decision_function(X[60:]), atol=1e-12)
    assert np.isfinite(model.predict_proba(np.zeros((1, 12)))).all()


def test_sparse_features_give_what_dense_ones_do(data):
    X, Y, X_new = data
    X, X_new = X * (np.abs(X) > 0.5), X_new * (np.abs(X_new) > 0.5)
    for parameters in ({"scaling": "none"}, {"scaling": "maxabs", "n_feature_components": 4}):
        dense = MC(**parameters, random_state=0).fit(X, Y)
        sparse = MC(**parameters, random_state=0).fit(sp.csr_array(X), Y)
        np.testing.assert_allclose(
            sparse.decision_function(sp.csr_array(X_new)),
            dense.decision_function(X_new),
            atol=1e-6,
        )


def test_a_saved_model_predicts_the_same(data, tmp_path):
    X, Y, X_new = data
    for parameters in ({}, {"variant": "pos", "feature_loss": "chi2", "tol": 1e-2}):
        model = MC(**parameters, random_state=0).fit(np.abs(X), Y)
        dlst.save_model(model, tmp_path / "m.skops")
        again = dlst.load_model(tmp_path / "m.skops")
        expected = model.decision_function(np.abs(X_new)).tobytes()
        assert again.decision_function(np.abs(X_new)).tobytes() == expected


def test_few_rows_do_without_a_search():
    X, Y = np.arange(6.0)[:, None], np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]])
    model = MC(random_state=0).fit(X, Y)
    assert model.selection_ == {}
    assert (model.predict(X) == Y).mean() > 0.6


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"label_weight": 0.0}, "label_weight must be a number above 0; got 0.0"),
        ({"nuclear_penalty": -1.0}, "nuclear_penalty must be a number above 0 or 'auto'; got -1.0"),
        ({"variant": "mc2"}, "variant must be one of mc1, pos, simplex; got 'mc2'"),
        ({"feature_loss": "l1"}, "feature_loss must be one of squared, chi2; got 'l1'"),
        ({"label_loss": "hinge"}, "label_loss must be one of logistic, squared; got 'hinge'"),
        ({"solver": "sgd"}, "solver must be one of exact, fpc; got 'sgd'"),
        ({"slope": 0}, "slope must be a number above 0; got 0"),
        (
            {"n_feature_components": 0},
            "n_feature_components must be an integer of at least 1",
        ),
        ({"held_out": 1.0}, "held_out must be a number .*; got 1.0"),
        ({"tol": 0}, "tol must be a number above 0; got 0"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1; got 0"),
        ({"feature_loss": "chi2"}, "feature_loss='chi2' needs .*; got variant='mc1'"),
        ({"variant": "pos"}, "variant='pos' needs scaled features of at least 0; got -"),
    ],
)
def test_wrong_parameters_are_one_clear_error(parameters, message, data):
    X, Y, _ = data
    with pytest.raises(ValueError, match=message):
        MC(**parameters).fit(X, Y)


def test_too_few_iterations_are_one_warning(data):
    X, Y, _ = data
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=2; raise") as caught:
        MC(nuclear_penalty=1e-3, max_iter=2).fit(X, Y)
    assert len(caught) == 1


def test_emotions_are_ranked_far_better_than_by_prevalence(real_data):
    data = load_registered("emotions")
    train, test = data.train, data.test
    for solver in ("exact", "fpc"):
        model = MC(solver=solver, random_state=0).fit(train.X, train.Y)
        prior = np.tile(model.prevalence_, (test.Y.shape[0], 1))
        found = instance_average_precision(test.Y, model.decision_function(test.X))
        assert found > instance_average_precision(test.Y, prior) + 0.15


def test_a_mu_that_leaves_nothing_is_one_clear_error_of_the_published_scheme(data):
    X, Y, _ = data
    with pytest.raises(ValueError, match=r"nuclear_penalty must leave something of .*; got 1000"):
        MC(nuclear_penalty=1e3, solver="fpc").fit(X, Y)
    assert np.isfinite(MC(nuclear_penalty=1e3).fit(X, Y).transduction_).all()


def test_thresholds_are_learnt_on_hidden_rows(data):
    X, Y, X_new = data
    rare = Y * (np.random.default_rng(0).random(Y.shape) < 0.4)
    plain = MC(random_state=0).fit(X, rare)
    for parameters in ({}, {"nuclear_penalty": plain.nuclear_penalty_}):
        learnt = MC(decision="micro", random_state=0, **parameters).fit(X, rare)
        assert learnt.predict(X_new).sum() > plain.predict(X_new).sum()
    few = MC(decision="macro", random_state=0).fit(X[:8], Y[:8, :2])
    assert few.predict(X_new).shape == (20, 2)


def test_hidden_rows_are_folded_in_unless_there_are_rows_to_complete(data):
    X, Y, X_new = data
    alone = MC(random_state=0).fit(X, Y)
    both = np.vstack([Y, np.full((20, 4), np.nan)])
    beside = MC(random_state=0).fit(np.vstack([X, X_new]), both)
    # The same rows are hidden, but predicted in two ways; unlabelled rows take no part.
    assert not np.array_equal(alone.selection_["score"], beside.selection_["score"])
    assert alone.selection_["score"].max() > 0.8
    assert beside.selection_["score"].max() > 0.8


def test_the_slope_of_probabilities_is_the_most_likely_one():
    rng = np.random.default_rng(0)
    scores = 0.01 * rng.normal(size=(400, 10))
    truth = np.where(rng.random(scores.shape) < 1 / (1 + np.exp(-250 * scores)), 1.0, -1.0)
    assert probability_slope(truth, scores, 1.0) == pytest.approx(250, rel=0.1)
    truth[200:] = 0.0
    assert probability_slope(truth, scores, 1.0) == pytest.approx(250, rel=0.1)
    assert np.isfinite(probability_slope(np.sign(scores), scores, 1.0))
    assert probability_slope(truth, 0 * scores, 3.0) == 3.0
