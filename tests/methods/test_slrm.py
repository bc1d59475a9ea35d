"""SLRM: closed forms, optimality, two solvers, golden optima, and what unknown labels mean."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import dlst
from dlst._kernels.neighbour_graph import neighbour_laplacian
from dlst._kernels.singular_values import nuclear_norm, shrink_singular_values
from dlst.data.registry import load_registered
from dlst.errors import DataError
from dlst.methods.shared.graph_regression import ENOUGH_ROWS, held_out_folds
from dlst.methods.slrm.estimator import FRACTIONS, SLRM
from dlst.methods.targets import labelled_rows
from dlst.metrics import instance_average_precision

N_LABELLED, D, K = 30, 6, 4


@pytest.fixture(scope="module")
def problem():
    """Forty-five rows, the last fifteen without labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(45, D))
    Y = (X @ rng.normal(size=(D, K)) + rng.normal(size=(45, K)) > 0.3).astype(float)
    Y[N_LABELLED:] = np.nan
    return X, Y


def exact(nuclear=0.5, manifold=0.0, **parameters):
    """Give the printed objective: no scaling, no offset, penalties as they are, tight."""
    fixed = {"penalty_scale": "absolute", "fit_intercept": False, "scaling": "none"}
    tight = {"tol": 1e-11, "max_iter": 50_000}
    return SLRM(nuclear, manifold, **{**fixed, **tight, **parameters})


def scatter(model, X):
    L = neighbour_laplacian(X, model.n_neighbors, weights=model.graph_weights)
    return X.T @ (L @ X)


def objective(model, X, Y):
    labelled = ~np.isnan(Y).all(axis=1)
    residual = X[labelled] @ model.coef_ + model.intercept_ - Y[labelled]
    W = model.coef_
    value = 0.5 * np.nansum(residual**2) + model.nuclear_penalty_ * nuclear_norm(W)
    return value + 0.5 * model.manifold_penalty_ * np.trace(W.T @ scatter(model, X) @ W)


def assert_optimal(W, gradient, penalty, atol=1e-6):
    """Check that −gradient/penalty is a subgradient of the nuclear norm at W."""
    U, lengths, Vt = np.linalg.svd(W, full_matrices=False)
    rank = int((lengths > 1e-8).sum())
    U, Vt = U[:, :rank], Vt[:rank]
    R = -gradient / penalty - U @ Vt
    np.testing.assert_allclose(U.T @ R, 0, atol=atol)
    np.testing.assert_allclose(R @ Vt.T, 0, atol=atol)
    assert np.linalg.norm(R, 2) <= 1 + atol


def test_orthonormal_features_give_shrunk_singular_values(problem):
    X, Y = problem
    Q, Y = np.linalg.qr(X[:N_LABELLED])[0], Y[:N_LABELLED]
    for solver in ("fista", "admm"):
        model = exact(0.4, solver=solver).fit(Q, Y)
        np.testing.assert_allclose(
            model.coef_, shrink_singular_values(Q.T @ Y, 0.4).matrix, atol=1e-9
        )


@pytest.mark.parametrize("solver", ["fista", "admm"])
def test_without_nuclear_penalty_it_is_laplacian_least_squares(problem, solver):
    X, Y = problem
    model = exact(0.0, 0.2, solver=solver).fit(X, Y)
    X_l, Y_l = X[:N_LABELLED], Y[:N_LABELLED]
    expected = np.linalg.solve(X_l.T @ X_l + 0.2 * scatter(model, X), X_l.T @ Y_l)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-10)


@pytest.mark.parametrize("manifold", [0.0, 0.1])
def test_optimality_conditions_hold(problem, manifold):
    X, Y = problem
    model = exact(6.0, manifold).fit(X, Y)
    X_l, Y_l, W = X[:N_LABELLED], Y[:N_LABELLED], model.coef_
    gradient = X_l.T @ (X_l @ W - Y_l) + manifold * scatter(model, X) @ W
    assert 0 < model.rank_ < K
    assert_optimal(W, gradient, 6.0)


@pytest.mark.parametrize("solver", ["fista", "admm"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_least_penalty_that_gives_zero_is_known(problem, solver, fit_intercept):
    X, Y = problem
    X_l, Y_l = X[:N_LABELLED], Y[:N_LABELLED]
    if fit_intercept:
        X_l, Y_l = X_l - X_l.mean(axis=0), Y_l - Y_l.mean(axis=0)
    largest = np.linalg.norm(X_l.T @ Y_l, 2)
    options = {"solver": solver, "fit_intercept": fit_intercept}
    above = exact(1.01 * largest, 0.1, **options).fit(X, Y)
    assert not above.coef_.any()
    assert above.rank_ == 0
    assert exact(0.99 * largest, 0.1, **options).fit(X, Y).rank_ == 1


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_both_solvers_reach_one_optimum(problem, fit_intercept):
    X, Y = problem
    fista, by_admm = (
        exact(1.5, 0.1, solver=solver, fit_intercept=fit_intercept).fit(X, Y)
        for solver in ("fista", "admm")
    )
    np.testing.assert_allclose(by_admm.coef_, fista.coef_, atol=1e-8)
    np.testing.assert_allclose(by_admm.intercept_, fista.intercept_, atol=1e-8)
    assert by_admm.rank_ == fista.rank_
    assert objective(by_admm, X, Y) == pytest.approx(objective(fista, X, Y), rel=1e-10)


@pytest.mark.golden
@pytest.mark.parametrize("solver", ["fista", "admm"])
@pytest.mark.parametrize("gam", [0.5, 3.0])
@pytest.mark.parametrize("beta", [0.0, 0.05])
def test_golden_optima(golden, solver, gam, beta):
    stored = np.load(golden / "convex_leml_slrm_mrv.npz")
    X, Y = stored["slrm_X"], np.full((40, 5), np.nan)
    Y[:25] = stored["slrm_Yl"]
    np.testing.assert_array_equal(neighbour_laplacian(X, 5).toarray(), stored["slrm_L"])
    graph = {"n_neighbors": 5, "graph_weights": "binary"}
    model = exact(gam, beta, solver=solver, **graph).fit(X, Y)
    case = f"slrm_gam{gam}_beta{beta}_".replace(".", "p")
    np.testing.assert_allclose(model.coef_, stored[case + "W"], atol=1e-6)
    assert objective(model, X, Y) == pytest.approx(float(stored[case + "objective"]), rel=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("mask", ["full", "mask"])
@pytest.mark.parametrize("lam", [0.5, 2.0, 6.0])
def test_without_graph_it_is_the_convex_optimum_of_leml(golden, mask, lam):
    stored = np.load(golden / "convex_leml_slrm_mrv.npz")
    Y = stored["leml_Y"].astype(float)
    if mask == "mask":
        Y[~stored["leml_mask"].astype(bool)] = np.nan
    model = exact(lam).fit(stored["leml_X"], Y)
    expected = stored[f"leml_{mask}_lam{lam}_Z".replace(".", "p")]
    np.testing.assert_allclose(model.coef_, expected, atol=1e-6)


def test_the_intercept_takes_the_means_and_no_penalty(problem):
    X, Y = problem
    model = exact(2.0, 0.1, fit_intercept=True).fit(X, Y)
    residual = X[:N_LABELLED] @ model.coef_ + model.intercept_ - Y[:N_LABELLED]
    np.testing.assert_allclose(residual.mean(axis=0), 0, atol=1e-10)
    shifted = exact(2.0, 0.1, fit_intercept=True).fit(X + 5.0, Y)
    np.testing.assert_allclose(shifted.coef_, model.coef_, atol=1e-7)


def test_penalties_are_relative_to_the_data(problem):
    X, Y = problem
    model = SLRM(0.05, 0.1, scaling="none", tol=1e-9).fit(X, Y)
    X_l, Y_l = X[:N_LABELLED], Y[:N_LABELLED]
    X_c = X_l - X_l.mean(axis=0)
    largest = np.linalg.norm(X_c.T @ (Y_l - Y_l.mean(axis=0)), 2)
    assert model.nuclear_penalty_ == pytest.approx(0.05 * largest)
    ratio = np.sum(X_c**2) / np.trace(scatter(model, X))
    assert model.manifold_penalty_ == pytest.approx(0.1 * ratio)
    same = exact(model.nuclear_penalty_, model.manifold_penalty_, fit_intercept=True).fit(X, Y)
    np.testing.assert_allclose(same.coef_, model.coef_, atol=1e-6)
    wider = SLRM(0.05, 0.1, scaling="none", tol=1e-9).fit(1000 * X, Y)
    np.testing.assert_allclose(1000 * wider.coef_, model.coef_, atol=1e-6)


def test_the_order_of_rows_and_labels_does_not_matter(problem):
    X, Y = problem
    rows, labels = np.random.default_rng(1).permutation(45), [2, 0, 3, 1]
    model = exact(1.0, 0.1).fit(X, Y)
    permuted = exact(1.0, 0.1).fit(X[rows], Y[rows][:, labels])
    np.testing.assert_allclose(permuted.coef_, model.coef_[:, labels], atol=1e-7)


def test_rows_without_labels_enter_through_the_graph_only(problem):
    X, Y = problem
    labelled = slice(N_LABELLED)
    with_graph, alone = (
        exact(1.0, 0.5).fit(*rows) for rows in ((X, Y), (X[labelled], Y[labelled]))
    )
    assert not np.allclose(with_graph.coef_, alone.coef_, atol=1e-3)
    without = exact(1.0, 0.0).fit(X, Y)
    np.testing.assert_array_equal(
        without.coef_, exact(1.0, 0.0).fit(X[labelled], Y[labelled]).coef_
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_unknown_entries_are_left_out_of_the_fit(problem, fit_intercept):
    X, Y = problem
    Y = Y.copy()
    Y[:N_LABELLED][np.random.default_rng(2).random((N_LABELLED, K)) < 0.3] = np.nan
    model = exact(1.5, 0.1, fit_intercept=fit_intercept).fit(X, Y)
    W, known = model.coef_, ~np.isnan(Y)
    residual = np.where(known, X @ W + model.intercept_ - Y, 0.0)
    if fit_intercept:
        np.testing.assert_allclose(residual.sum(axis=0), 0, atol=1e-8)
    else:
        assert not model.intercept_.any()
    assert_optimal(W, X.T @ residual + 0.1 * scatter(model, X) @ W, 1.5)


def test_an_unknown_entry_leaves_its_row_out_for_that_label_alone(problem):
    X, Y = problem
    Y = Y.copy()
    Y[3, 1] = np.nan
    masked = exact(0.0, 0.1).fit(X, Y)
    known = np.delete(np.arange(N_LABELLED), 3)
    M = 0.1 * scatter(masked, X)
    alone = np.linalg.solve(X[known].T @ X[known] + M, X[known].T @ Y[known, 1])
    np.testing.assert_allclose(masked.coef_[:, 1], alone, atol=1e-7)


def test_admm_refuses_unknown_entries(problem):
    X, Y = problem
    Y = Y.copy()
    Y[0, 0] = np.nan
    with pytest.raises(DataError, match=r"solver='admm' must know .* got 1 unknown"):
        SLRM(solver="admm").fit(X, Y)


def test_sparse_features_give_the_same_map(problem):
    X, Y = problem
    X = X * (np.abs(X) > 0.7)
    dense, sparse = (SLRM(0.05, scaling="none", tol=1e-9).fit(F, Y) for F in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-8
    )


def test_a_kernel_on_all_rows_is_the_linear_map_when_it_is_linear(problem):
    X, Y = problem
    linear = exact(1.0, 0.1).fit(X, Y)
    # A callable goes through the basis; with all rows its features are X up to a rotation.
    through_basis = exact(1.0, 0.1, kernel=lambda A, B: A @ B.T).fit(X, Y)
    np.testing.assert_allclose(
        through_basis.decision_function(X), linear.decision_function(X), atol=1e-6
    )
    assert through_basis.rank_ == linear.rank_


def test_the_kernel_version_bends(problem):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    Y = np.column_stack([np.hypot(*X.T) > 1.1, X[:, 0] * X[:, 1] > 0]).astype(int)
    model = SLRM(kernel="rbf", random_state=0).fit(X[:80], Y[:80])
    assert (model.predict(X[80:]) == Y[80:]).mean() > 0.85
    assert (SLRM().fit(X[:80], Y[:80]).predict(X[80:]) == Y[80:]).mean() < 0.75


def test_the_penalty_is_chosen_on_held_out_rows(problem):
    X, Y = problem
    model = SLRM().fit(X, Y)
    tried, errors = model.selection_["nuclear_penalty"], model.selection_["error"]
    np.testing.assert_array_equal(tried, FRACTIONS[: len(tried)])
    chosen = tried[np.argmin(errors)]
    fixed = SLRM(float(chosen)).fit(X, Y)
    np.testing.assert_array_equal(fixed.coef_, model.coef_)
    assert fixed.selection_ == {}


@pytest.mark.parametrize("n", [2, 5, 40, 391, 1500])
def test_enough_labelled_rows_are_held_out(n):
    folds = held_out_folds(n)
    held = np.concatenate([test for _, test in folds])
    assert len(held) == len(set(held)) >= min(n, ENOUGH_ROWS)
    assert all(len(np.intersect1d(kept, test)) == 0 for kept, test in folds)
    assert n < 5 * ENOUGH_ROWS or len(folds) == 1


def test_labelled_rows_have_a_known_entry():
    Y = sp.csr_array(np.array([[0, 0], [np.nan, np.nan], [np.nan, 0], [1, np.nan]]))
    np.testing.assert_array_equal(labelled_rows(Y), [0, 2, 3])


@pytest.mark.parametrize("decision", ["micro", "macro"])
@pytest.mark.parametrize("nuclear", ["auto", 0.05])
def test_thresholds_are_learnt_on_held_out_rows(problem, decision, nuclear):
    X, Y = problem
    model = SLRM(nuclear, decision=decision).fit(X, Y)
    P = model.predict_proba(X)
    layer = model.decisions_
    decided = layer.rules_[decision].threshold_ <= layer.calibrated(P)
    np.testing.assert_array_equal(model.predict(X) == 1, decided)


@pytest.mark.parametrize("rows", [5, 2])
@pytest.mark.parametrize("manifold", [0.0, 0.03])
def test_a_handful_of_rows_is_enough(rows, manifold):
    X, Y = np.arange(2.0 * rows).reshape(rows, 2), np.eye(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        P = SLRM(manifold_penalty=manifold).fit(X, Y).predict_proba(X)
    assert np.isfinite(P).all()


def test_a_solver_that_stops_early_says_what_to_change(problem):
    with pytest.warns(
        ConvergenceWarning, match=r"SLRM did not converge in max_iter=2 .*raise"
    ) as w:
        SLRM(0.001, max_iter=2).fit(*problem)
    assert len(w) == 1


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("nuclear_penalty", -1.0),
        ("nuclear_penalty", "large"),
        ("manifold_penalty", -0.1),
        ("penalty_scale", "huge"),
        ("solver", "newton"),
        ("kernel", "precomputed"),
        ("kernel", "round"),
        ("gamma", 0.0),
        ("n_neighbors", 0),
        ("graph_weights", "cosine"),
        ("tol", 0.0),
        ("max_iter", 0),
    ],
)
def test_a_wrong_parameter_is_named(problem, parameter, value):
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        SLRM(**{parameter: value}).fit(*problem)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_saved_model_predicts_the_same_bytes(problem, kernel, tmp_path):
    X, Y = problem
    model = SLRM(0.05, kernel=kernel, random_state=0).fit(X, Y)
    dlst.save_model(model, tmp_path / "model.skops")
    loaded = dlst.load_model(tmp_path / "model.skops")
    assert loaded.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.real_data
def test_emotions_are_ranked_better_than_by_their_frequency(real_data):
    data = load_registered("emotions")
    model = SLRM().fit(data.train.X, data.train.Y)
    prior = np.tile(model.prevalence_, (data.test.X.shape[0], 1))
    ours, theirs = (
        instance_average_precision(data.test.Y, S)
        for S in (model.decision_function(data.test.X), prior)
    )
    assert ours > theirs + 0.15
