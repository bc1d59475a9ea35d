"""CPLST: its special cases, scores of the reference program, the figures of the literature."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from linear_code_problems import AS_REFERENCE, planted, reference_data, ridge_scores

from dlst.data.registry import load_registered
from dlst.methods.cplst import CPLST
from dlst.methods.plst import PLST
from dlst.metrics import instance_average_precision


@pytest.mark.parametrize("shape", [(60, 8), (20, 30)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_with_full_codes_it_is_ridge_regression_of_each_label(shape, kind):
    X, Y, X_new = planted(*shape)
    model = CPLST(6, alpha=0.5, scaling="none").fit(kind(X), Y)
    assert model.n_components_ == 6
    expected = ridge_scores(X, Y, X_new, 0.5)
    np.testing.assert_allclose(model.decision_function(kind(X_new)) + 0.5, expected, atol=1e-10)


def test_codes_that_features_cannot_predict_are_not_needed():
    X, Y, X_new = planted(d=3)
    model = CPLST(None, alpha=0.5, scaling="none").fit(X, Y)
    assert model.n_components_ == 3
    expected = ridge_scores(X, Y, X_new, 0.5)
    np.testing.assert_allclose(model.decision_function(X_new) + 0.5, expected, atol=1e-10)


def test_with_more_features_than_rows_and_hardly_a_penalty_it_is_plst():
    X, Y, X_new = planted(20, 30)
    conditional = CPLST(3, alpha=1e-8, scaling="none").fit(X, Y).decision_function(X_new)
    principal = PLST(3, alpha=1e-8, scaling="none").fit(X, Y).decision_function(X_new)
    np.testing.assert_allclose(conditional, principal, atol=1e-6)
    shrunk = CPLST(3, alpha=100.0, scaling="none").fit(X, Y).decision_function(X_new)
    other = PLST(3, alpha=100.0, scaling="none").fit(X, Y).decision_function(X_new)
    assert abs(shrunk - other).max() > 1e-3


def test_without_penalty_scores_do_not_depend_on_the_features_coordinates():
    X, Y, X_new = planted()
    turn = np.random.default_rng(3).normal(size=(5, 5))
    plain = CPLST(2, alpha=0, scaling="none").fit(X, Y).decision_function(X_new)
    turned = CPLST(2, alpha=0, scaling="none").fit(X @ turn, Y).decision_function(X_new @ turn)
    np.testing.assert_allclose(turned, plain, atol=1e-9)


@pytest.mark.real_data
@pytest.mark.golden
@pytest.mark.parametrize(("name", "lengths"), [("emotions", (2, 3)), ("yeast", (2, 3, 7))])
def test_scores_of_the_reference_program(name, lengths, real_data, golden):
    expected = np.load(golden / f"lsdr_{name}_raw.npz")
    X, Y, X_test = reference_data(name)
    for r in lengths:
        model = CPLST(r, **AS_REFERENCE).fit(X, Y)
        # Their labels are −1 and +1: s = 2 v − 1, and our scores are v − 1/2.
        S = 2 * model.decision_function(X_test)
        np.testing.assert_allclose(S, expected[f"cplst_r{r}_S"], atol=1e-10)
        decided = 2 * model.predict(X_test).toarray() - 1
        np.testing.assert_array_equal(decided, expected[f"cplst_r{r}_Ypred"])


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "parameters", "figure"),
    [
        # As in the reference program: by squared error, leave-one-out prefers a larger penalty.
        ("emotions", {"n_components": 3, **AS_REFERENCE}, 0.79),
        ("scene", {"n_components": 3}, 0.80),
        ("yeast", {"n_components": 7}, 0.75),
    ],
)
def test_it_ranks_labels_as_well_as_published(name, parameters, figure, real_data):
    data = load_registered(name)
    model = CPLST(**parameters).fit(data.train.X, data.train.Y)
    S = model.decision_function(data.test.X)
    assert instance_average_precision(data.test.Y, S) > figure - 0.01  # given to two digits
