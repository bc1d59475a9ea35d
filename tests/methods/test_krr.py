"""Kernel ridge on labels: its limits, exact leave-one-out, the linear kernel."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from linear_code_problems import planted, ridge_scores, with_unknown

import dlst
from dlst.data.registry import load_registered
from dlst.methods.krr import KRR
from dlst.methods.plst import PLST
from dlst.metrics import instance_average_precision
from dlst.regressors import LinearRidge


def rbf(X, B, gamma):
    return np.exp(-gamma * ((X[:, None] - B) ** 2).sum(axis=2))


def test_a_huge_penalty_leaves_the_prevalence():
    X, Y, X_new = planted()
    S = KRR(alpha=1e10).fit(X, Y).decision_function(X_new) + 0.5
    np.testing.assert_allclose(S, np.tile(Y.mean(axis=0), (12, 1)), atol=1e-7)


def test_a_vanishing_penalty_gives_the_training_labels_back():
    X, Y, _ = planted(30)
    S = KRR(alpha=1e-10, gamma=1.0).fit(X, Y).decision_function(X) + 0.5
    np.testing.assert_allclose(S, Y, atol=1e-6)


def test_scores_are_those_of_the_closed_form_with_a_free_intercept():
    X, Y, X_new = planted(30)
    model = KRR(alpha=0.3, gamma=0.2, scaling="none").fit(X, Y)
    # (K + αI) a + 1 b = y, 1ᵀ a = 0
    system = np.ones((31, 31))
    system[:30, :30] = rbf(X, X, 0.2) + 0.3 * np.eye(30)
    system[30, 30] = 0
    solved = np.linalg.solve(system, np.vstack([Y, np.zeros((1, 6))]))
    expected = rbf(X_new, X, 0.2) @ solved[:30] + solved[30]
    np.testing.assert_allclose(model.decision_function(X_new) + 0.5, expected, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_leave_one_out_predictions_equal_explicit_refits(kernel):
    X, Y, _ = planted(20)
    parameters = {"alpha": 0.3, "gamma": 0.2, "scaling": "none"}
    model = KRR(kernel, **parameters).fit(X, Y)
    for row in range(20):
        others = np.arange(20) != row
        # A label may be constant among the others, which the regressor does not mind.
        alone = KRR(kernel, **parameters)._regressor().fit(X[others], Y[others])
        left_out = alone.predict(X[[row]])[0]
        np.testing.assert_allclose(model.regressor_.loo_predictions_[row], left_out, atol=1e-7)


def test_width_and_penalty_have_the_least_leave_one_out_error_of_those_tried():
    X, Y, _ = planted()
    found = KRR(random_state=0).fit(X, Y).regressor_
    tried = found.selection_
    assert len(np.unique(tried["gamma"])) > 1
    assert len(np.unique(tried["alpha"])) > 1
    assert found.loo_error_ == tried["loo_error"].min()
    np.testing.assert_allclose(found.loo_error_, ((found.loo_predictions_ - Y) ** 2).sum())


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_linear_kernel_is_ridge_regression_and_plst_with_full_codes(kind):
    X, Y, X_new = planted()
    model = KRR("linear", alpha=0.5, scaling="none").fit(kind(X), Y)
    S = model.decision_function(kind(X_new))
    np.testing.assert_allclose(S + 0.5, ridge_scores(X, Y, X_new, 0.5), atol=1e-10)
    full = PLST(None, scaling="none").fit(X, Y)
    chosen = KRR("linear", scaling="none").fit(kind(X), Y)
    assert isinstance(chosen.regressor_, LinearRidge)
    np.testing.assert_allclose(chosen.regressor_.alpha_, full.alpha_)
    np.testing.assert_allclose(
        chosen.decision_function(kind(X_new)), full.decision_function(X_new), atol=1e-9
    )


def test_unknown_entries_take_the_mean_of_the_label():
    X, Y, X_new = planted()
    unknown, filled = with_unknown(Y)
    S = KRR("linear", alpha=0.5, scaling="none").fit(X, unknown).decision_function(X_new)
    np.testing.assert_allclose(S + 0.5, ridge_scores(X, filled, X_new, 0.5), atol=1e-10)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine"])
def test_a_saved_model_predicts_the_same(kernel, tmp_path):
    X, Y, X_new = planted()
    model = KRR(kernel, random_state=0).fit(X, Y)
    dlst.save_model(model, tmp_path / "model.dlst")
    loaded = dlst.load_model(tmp_path / "model.dlst")
    assert loaded.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"alpha": 0}, "alpha must be a number above 0 or 'auto'; got 0"),
        ({"n_basis": 0}, "n_basis must be"),
        ({"basis": "best"}, "basis must be one of"),
    ],
)
def test_mistakes_are_named(parameters, message):
    X, Y, _ = planted()
    with pytest.raises(ValueError, match=message):
        KRR(**parameters).fit(X, Y)


@pytest.mark.real_data
def test_emotions_are_ranked_as_well_as_kernel_ridge_can(real_data):
    data = load_registered("emotions")
    model = KRR(random_state=0).fit(data.train.X, data.train.Y)
    S = model.decision_function(data.test.X)
    assert instance_average_precision(data.test.Y, S) > 0.81
