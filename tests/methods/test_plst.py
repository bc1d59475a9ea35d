"""PLST: full codes are ridge regression, scores of the reference program, what all three share."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from linear_code_problems import AS_REFERENCE, planted, reference_data, ridge_scores, with_unknown
from scipy.stats import rankdata

import dlst
from dlst.data.registry import load_registered
from dlst.decisions import MacroRule
from dlst.decoders.regressed_labels import regressed_probabilities
from dlst.methods.cplst import CPLST
from dlst.methods.faie import FAIE
from dlst.methods.plst import PLST
from dlst.metrics import instance_average_precision

every_code = pytest.mark.parametrize("made", [PLST, CPLST, FAIE], ids=lambda made: made.__name__)


@pytest.mark.parametrize("shape", [(60, 5), (20, 30)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_with_full_codes_it_is_ridge_regression_of_each_label(shape, kind):
    X, Y, X_new = planted(*shape)
    model = PLST(None, alpha=0.5, scaling="none").fit(kind(X), Y)
    expected = ridge_scores(X, Y, X_new, 0.5)
    np.testing.assert_allclose(model.decision_function(kind(X_new)) + 0.5, expected, atol=1e-10)


def test_a_label_that_all_rows_have_changes_no_other_score():
    X, Y, X_new = planted()
    plain = PLST(3).fit(X, Y).decision_function(X_new)
    with pytest.warns(UserWarning, match="only one value"):
        model = PLST(3).fit(X, np.insert(Y, 2, 1, axis=1))
    others = np.delete(model.decision_function(X_new), 2, axis=1)
    np.testing.assert_allclose(others, plain, atol=1e-12)


@pytest.mark.real_data
@pytest.mark.golden
@pytest.mark.parametrize(("name", "lengths"), [("emotions", (2, 3)), ("yeast", (2, 3, 7))])
def test_scores_of_the_reference_program(name, lengths, real_data, golden):
    expected = np.load(golden / f"lsdr_{name}_raw.npz")
    X, Y, X_test = reference_data(name)
    for r in lengths:
        model = PLST(r, **AS_REFERENCE).fit(X, Y)
        # Their labels are −1 and +1: s = 2 v − 1, and our scores are v − 1/2.
        S = 2 * model.decision_function(X_test)
        np.testing.assert_allclose(S, expected[f"plst_r{r}_S"], atol=1e-10)
        decided = 2 * model.predict(X_test).toarray() - 1
        np.testing.assert_array_equal(decided, expected[f"plst_r{r}_Ypred"])
        W = np.vstack([model.regressor_.intercept_, model.regressor_.coef_])
        mapped = 2 * W @ model.decoder_.coef_
        np.testing.assert_allclose(mapped, expected[f"plst_r{r}_map"], atol=1e-9)


def test_the_penalty_is_the_best_for_the_labels_by_leave_one_out():
    X, Y, _ = planted()
    chosen = PLST(None, scaling="none").fit(X, Y)

    def error(alpha):
        loo = PLST(None, alpha=alpha, scaling="none").fit(X, Y).codes_
        return ((chosen.encoder_.inverse_transform(loo) - Y) ** 2).sum()

    least = error(chosen.alpha_)
    assert all(error(chosen.alpha_ * factor) >= least for factor in (0.1, 10**-0.5, 10**0.5, 10))


@every_code
def test_probabilities_are_the_scores_within_bounds_and_decisions_at_one_half(made):
    X, Y, X_new = planted()
    model = made().fit(X, Y)
    S, P = model.decision_function(X_new), model.predict_proba(X_new)
    inside = (S > -0.499) & (S < 0.499)
    assert inside.any()
    np.testing.assert_allclose(P[inside], (S + 0.5)[inside], atol=1e-15)
    np.testing.assert_array_equal(model.predict(X_new), S > 0)
    np.testing.assert_array_equal(rankdata(P, axis=0), rankdata(S, axis=0))


def test_probabilities_beyond_the_bounds_keep_their_order_and_have_no_jump():
    values = np.concatenate(
        [np.linspace(-5, 6, 2001), [0.001 - 1e-12, 0.001, 0.999, 0.999 + 1e-12]]
    )
    P = regressed_probabilities(np.sort(values))
    assert (np.diff(P) > 0).all()
    assert 0 < P[0] < P[-1] < 1
    steps = regressed_probabilities(
        np.array([0.001 - 1e-9, 0.001 + 1e-9, 0.999 - 1e-9, 0.999 + 1e-9])
    )
    np.testing.assert_allclose(steps, [0.001, 0.001, 0.999, 0.999], atol=2e-9)


@every_code
def test_unknown_entries_take_the_mean_of_the_label(made):
    X, Y, X_new = planted()
    unknown, filled = with_unknown(Y)
    model = made(None, alpha=2.0, scaling="none").fit(X, unknown)
    if made is not FAIE:  # its codes of full length are not a mere rotation of the labels
        expected = ridge_scores(X, filled, X_new, 2.0)
        np.testing.assert_allclose(model.decision_function(X_new) + 0.5, expected, atol=1e-10)
    assert np.isfinite(made().fit(X, unknown).predict_proba(X_new)).all()


@every_code
def test_learnt_decisions_are_learnt_on_leave_one_out_predictions(made):
    X, Y, X_new = planted()
    model = made(decision="macro").fit(X, Y)
    layer = model.decisions_
    left_out = layer.calibrated(model.decoder_.predict_proba(model.codes_))
    rule = MacroRule().fit(left_out, Y)
    np.testing.assert_allclose(layer.rules_["macro"].threshold_, rule.threshold_)
    np.testing.assert_array_equal(
        model.predict(X_new), layer.calibrated(model.predict_proba(X_new)) >= rule.threshold_
    )


@every_code
@pytest.mark.parametrize("shape", [(60, 5), (20, 30)])
def test_sparse_features_stay_sparse_and_give_the_same(made, shape):
    X, Y, X_new = planted(*shape)
    dense = made(3, scaling="none").fit(X, Y).decision_function(X_new)
    sparse = made(3, scaling="none").fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X_new)), dense, atol=1e-9)


@every_code
def test_a_saved_model_predicts_the_same(made, tmp_path):
    X, Y, X_new = planted()
    model = made(3).fit(X, Y)
    dlst.save_model(model, tmp_path / "model.dlst")
    loaded = dlst.load_model(tmp_path / "model.dlst")
    assert loaded.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()
    assert loaded.n_components_ == 3


@every_code
def test_the_code_space_can_be_looked_at(made):
    X, Y, X_new = planted()
    model = made(3).fit(X, Y)
    assert model.transform(X_new).shape == (12, 3)
    table = model.label_map()
    assert list(table.columns[:3]) == ["code0", "code1", "code2"]
    np.testing.assert_array_equal(table["frequency"], Y.sum(axis=0))


@every_code
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be .*; got 0"),
        ({"n_components": 1.5}, "n_components must be .*; got 1.5"),
        ({"alpha": -1}, "alpha must be a number of at least 0 or 'auto'; got -1"),
        ({"alpha": None}, "alpha must be a number"),
        ({"intercept": "none"}, "intercept must be one of free, penalised; got 'none'"),
        ({"intercept": "penalised"}, "alpha must be a number with intercept='penalised'; got '"),
    ],
)
def test_mistakes_are_named(made, parameters, message):
    X, Y, _ = planted()
    with pytest.raises(ValueError, match=message):
        made(**parameters).fit(X, Y)


@pytest.mark.real_data
@every_code
def test_emotions_are_ranked_far_better_than_by_the_prior(made, real_data):
    data = load_registered("emotions")
    model = made().fit(data.train.X, data.train.Y)
    prior = np.tile(model.prevalence_, (data.test.n_samples, 1))
    reached = instance_average_precision(data.test.Y, model.decision_function(data.test.X))
    assert reached > instance_average_precision(data.test.Y, prior) + 0.15
