"""MRV: the reduced form, its limits, golden optima, and what unknown labels and zeros mean."""

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
from dlst.methods.mrv import MRV
from dlst.methods.mrv.latent_labels import LatentLabelProblem
from dlst.metrics import instance_average_precision
from dlst.regressors import KernelRidge

N_LABELLED, K = 24, 4


@pytest.fixture(scope="module")
def problem():
    """Thirty-six rows, the last twelve without labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(36, 3))
    Y = (X @ rng.normal(size=(3, K)) + 0.5 * rng.normal(size=(36, K)) > 0.2).astype(float)
    Y[N_LABELLED:] = np.nan
    return X, Y


def exact(nuclear=0.3, ridge=0.1, manifold=0.0, **parameters):
    """Give the printed objective: no scaling, no centring, penalties as they are, tight."""
    fixed = {"penalty_scale": "absolute", "fit_intercept": False, "scaling": "none", "gamma": 0.3}
    tight = {"tol": 1e-11, "max_iter": 50_000}
    return MRV(nuclear, ridge, manifold_penalty=manifold, **{**fixed, **tight, **parameters})


def latent_problem(seed=0, n=12, q=5, n_labels=3, ridge=0.5):
    """Features, labels, weights and penalty of no estimator."""
    rng = np.random.default_rng(seed)
    F, Y = rng.normal(size=(n, q)), (rng.random((n, n_labels)) < 0.4).astype(float)
    A = rng.normal(size=(q, q))
    R = ridge * np.eye(q) + 0.1 * A @ A.T
    weights = rng.choice([0.0, 0.2, 1.0], size=Y.shape)
    return F, Y, weights, R


@pytest.mark.parametrize("n", [8, 40])
def test_the_best_function_leaves_the_reduced_form(n):
    F, Y, weights, R = latent_problem(n=n)
    reduced = LatentLabelProblem.of(F, Y, weights, R)
    assert (reduced.smoother is None) == (n == 40)
    M = np.random.default_rng(1).normal(size=Y.shape)
    V = reduced.coefficients(M)
    np.testing.assert_allclose(V, np.linalg.solve(F.T @ F + R, F.T @ M), atol=1e-10)
    joint = 0.5 * np.sum((M - F @ V) ** 2) + 0.5 * np.trace(V.T @ R @ V)
    S = F @ np.linalg.solve(F.T @ F + R, F.T)
    assert joint == pytest.approx(0.5 * np.trace(M.T @ (M - S @ M)), rel=1e-10)
    np.testing.assert_allclose(reduced.smoothed(M), S @ M, atol=1e-10)
    eigenvalues = np.linalg.eigvalsh(S)
    assert eigenvalues.min() > -1e-12
    assert eigenvalues.max() < 1


def test_the_gradient_is_that_of_the_reduced_form():
    F, Y, weights, R = latent_problem()
    reduced = LatentLabelProblem.of(F, Y, weights, R)
    M, towards = np.random.default_rng(2).normal(size=(2, *Y.shape))

    def value(M):
        fitted = 0.5 * np.vdot(M, M - reduced.smoothed(M))
        return fitted + 0.5 * np.sum(weights * (M - Y) ** 2)

    h = 1e-5
    slope = (value(M + h * towards) - value(M - h * towards)) / (2 * h)
    assert np.vdot(reduced.gradient(M), towards) == pytest.approx(slope, rel=1e-8)


def test_the_literal_joint_form_has_the_same_optimum():
    F, Y, weights, R = latent_problem()
    reduced = LatentLabelProblem.of(F, Y, weights, R).solve(0.4, tol=1e-12, max_iter=10_000)
    M, V = np.zeros_like(Y), np.zeros((F.shape[1], Y.shape[1]))
    step = 1.0 / (np.linalg.norm(F.T @ F + R, 2) + 2.0 + np.linalg.norm(F, 2))
    for _ in range(5_000):
        gap = M - F @ V
        M_next = M - step * (gap + weights * (M - Y))
        V = V - step * (R @ V - F.T @ gap)
        M = shrink_singular_values(M_next, 0.4 * step).matrix
    np.testing.assert_allclose(reduced.labels, M, atol=1e-6)
    np.testing.assert_allclose(reduced.coef, V, atol=1e-6)


def test_continuation_does_not_move_the_optimum():
    F, Y, weights, R = latent_problem()
    reduced = LatentLabelProblem.of(F, Y, weights, R)
    found = reduced.solve(0.05, tol=1e-11, max_iter=10_000)
    G = reduced.gradient(found.labels)
    U, lengths, Vt = np.linalg.svd(found.labels, full_matrices=False)
    rank = int((lengths > 1e-8).sum())
    rest = -G / 0.05 - U[:, :rank] @ Vt[:rank]
    np.testing.assert_allclose(U[:, :rank].T @ rest, 0, atol=1e-6)
    assert np.linalg.norm(rest, 2) <= 1 + 1e-6


def test_without_rank_and_graph_it_is_kernel_ridge_regression(problem):
    X, Y = problem
    X, Y = X[:N_LABELLED], Y[:N_LABELLED]
    Gram = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    for weight in (0.5, 1.0, 4.0, 1e6):
        model = exact(0.0, 0.2, positive_weight=weight, negative_weight=weight).fit(X, Y)
        # The latent labels cost a share of their own: the penalty is gA (1 + rho) / rho.
        ridge = Gram + 0.2 * (1 + weight) / weight * np.eye(N_LABELLED)
        expected = Gram @ np.linalg.solve(ridge, Y)
        np.testing.assert_allclose(model.decision_function(X) + 0.5, expected, atol=1e-6)
    np.testing.assert_allclose(
        expected, Gram @ np.linalg.solve(Gram + 0.2 * np.eye(N_LABELLED), Y), atol=1e-5
    )


def test_the_automatic_ridge_penalty_is_that_of_leave_one_out(problem):
    X, Y = problem
    X, Y = X[:N_LABELLED], Y[:N_LABELLED]
    model = MRV(0.0, manifold_penalty=0.0, scaling="none", tol=1e-9).fit(X, Y)
    ridge = KernelRidge().fit(X, Y)
    assert model.alpha_ == pytest.approx(ridge.alpha_ / 2)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, ridge.predict(X), atol=1e-6)


@pytest.mark.golden
@pytest.mark.parametrize("mask", ["full", "pos", "rand"])
@pytest.mark.parametrize(
    ("gA", "gI", "rho", "mu"), [(0.1, 0.0, 1.0, 0.3), (0.1, 0.05, 1.0, 0.3), (0.5, 0.05, 2.0, 1.0)]
)
def test_golden_optima(golden, mask, gA, gI, rho, mu):
    stored = np.load(golden / "convex_leml_slrm_mrv.npz")
    X, Gram, L = stored["mrv_X"], stored["mrv_K"], stored["mrv_L"]
    labels, known = stored["mrv_Yl"], stored["mrv_mask_" + mask].astype(bool)
    np.testing.assert_array_equal(neighbour_laplacian(X, 4).toarray(), L)
    Y = np.full((len(X), labels.shape[1]), np.nan)
    negative_weight = rho
    Y[: len(labels)] = labels
    if mask == "pos":
        negative_weight = 0.0
    else:
        Y[: len(labels)][~known] = np.nan
    model = exact(
        mu,
        gA,
        gI,
        positive_weight=rho,
        negative_weight=negative_weight,
        gamma=1.0 / float(stored["mrv_median_sq"]),
        n_neighbors=4,
        graph_weights="binary",
    ).fit(X, Y)
    case = f"mrv_{mask}_gA{gA}_gI{gI}_rho{rho}_mu{mu}_".replace(".", "p")
    predicted, M = model.decision_function(X) + 0.5, model.latent_labels_
    np.testing.assert_allclose(predicted, stored[case + "KB"], atol=1e-6)
    np.testing.assert_allclose(M, stored[case + "M"], atol=1e-6)
    norm = np.sum(predicted * np.linalg.lstsq(Gram, predicted, rcond=1e-12)[0])
    value = 0.5 * np.sum((M - predicted[: len(M)]) ** 2) + gA / 2 * norm
    value += gI / 2 * np.trace(predicted.T @ L @ predicted)
    value += rho / 2 * np.sum(known * (M - labels) ** 2) + mu * nuclear_norm(M)
    assert value == pytest.approx(float(stored[case + "objective"]), rel=1e-9)


def test_without_known_entries_or_with_a_large_penalty_the_latent_labels_vanish(problem):
    F, Y, weights, R = latent_problem()
    unknown = LatentLabelProblem.of(F, Y, 0 * weights, R)
    assert not unknown.solve(0.1, tol=1e-9, max_iter=100).labels.any()
    seen = LatentLabelProblem.of(F, Y, weights, R)
    assert seen.largest_penalty == pytest.approx(np.linalg.norm(weights * Y, 2))
    assert not seen.solve(1.01 * seen.largest_penalty, tol=1e-9, max_iter=100).labels.any()
    assert seen.solve(0.99 * seen.largest_penalty, tol=1e-9, max_iter=1000).labels.any()
    X, Y = problem
    model = MRV(1.01).fit(X, Y)
    np.testing.assert_allclose(
        model.predict_proba(X), np.tile(model.prevalence_, (len(X), 1)), atol=1e-12
    )


def test_the_order_of_rows_and_labels_does_not_matter(problem):
    X, Y = problem
    rows, labels = np.random.default_rng(1).permutation(len(X)), [2, 0, 3, 1]
    model = exact(0.3, 0.1, 0.05).fit(X, Y)
    permuted = exact(0.3, 0.1, 0.05).fit(X[rows], Y[rows][:, labels])
    np.testing.assert_allclose(
        permuted.decision_function(X), model.decision_function(X)[:, labels], atol=1e-7
    )
    np.testing.assert_array_equal(rows[permuted.labelled_rows_] < N_LABELLED, True)


def test_penalties_are_relative_to_the_data(problem):
    X, Y = problem
    model = MRV(0.1, 0.02, manifold_penalty=0.1, gamma=0.3, scaling="none", tol=1e-10).fit(X, Y)
    assert model.alpha_ == pytest.approx(0.02 * N_LABELLED)
    centred = Y[:N_LABELLED] - Y[:N_LABELLED].mean(axis=0)
    assert model.nuclear_penalty_ == pytest.approx(0.1 * np.linalg.norm(centred, 2))
    F = model.basis_.features(X)
    F_l = F[:N_LABELLED] - F[:N_LABELLED].mean(axis=0)
    L = neighbour_laplacian(X, 10, weights="heat")
    ratio = np.sum(F_l**2) / np.trace(F.T @ (L @ F))
    assert model.manifold_penalty_ == pytest.approx(0.1 * ratio)
    same = exact(
        model.nuclear_penalty_, model.alpha_, model.manifold_penalty_, fit_intercept=True
    ).fit(X, Y)
    np.testing.assert_allclose(same.decision_function(X), model.decision_function(X), atol=1e-6)


def test_an_unknown_entry_is_recovered_where_a_zero_would_be_believed(problem):
    X, Y = problem
    hidden = Y.copy()
    row, label = np.argwhere(Y == 1)[0]
    hidden[row, label] = np.nan
    zeroed = np.where(np.isnan(hidden) & ~np.isnan(Y), 0.0, hidden)
    place = (row, label)
    recovered, believed, doubted = (
        MRV(0.03, negative_weight=weight).fit(X, given).latent_labels_[place]
        for given, weight in ((hidden, 1.0), (zeroed, 1.0), (zeroed, 0.1))
    )
    assert believed < doubted < recovered


def test_rows_without_labels_enter_through_graph_and_basis(problem):
    X, Y = problem
    labelled = slice(N_LABELLED)
    both, alone = (exact(0.3, 0.1, 0.5).fit(*rows) for rows in ((X, Y), (X[labelled], Y[labelled])))
    assert both.latent_labels_.shape == alone.latent_labels_.shape == (N_LABELLED, K)
    assert not np.allclose(both.decision_function(X), alone.decision_function(X), atol=1e-3)
    # Without the graph, the representer theorem leaves nothing for them to do.
    both, alone = (exact(0.3).fit(*rows) for rows in ((X, Y), (X[labelled], Y[labelled])))
    np.testing.assert_allclose(both.decision_function(X), alone.decision_function(X), atol=1e-6)


def test_a_sampled_basis_is_close_to_the_exact_kernel(problem):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    Y = (np.column_stack([X[:, 0], X.sum(axis=1)]) > 0).astype(int)
    whole, sampled = (
        MRV(n_basis=n, gamma=0.2, random_state=0).fit(X, Y).predict_proba(X) for n in (300, 60)
    )
    assert np.abs(whole - sampled).mean() < 0.03


def test_sparse_features_give_the_same_predictions(problem):
    X, Y = problem
    X = X * (np.abs(X) > 0.5)
    dense, sparse = (MRV(scaling="none", tol=1e-9).fit(F, Y) for F in (X, sp.csr_array(X)))
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-7
    )


@pytest.mark.parametrize("decision", ["micro", "macro"])
def test_thresholds_are_learnt_on_held_out_rows(problem, decision):
    X, Y = problem
    model, plain = MRV(decision=decision).fit(X, Y), MRV().fit(X, Y)
    P = model.predict_proba(X)
    np.testing.assert_array_equal(P, plain.predict_proba(X))
    assert model.nuclear_penalty_ == plain.nuclear_penalty_
    layer = model.decisions_
    decided = layer.rules_[decision].threshold_ <= layer.calibrated(P)
    np.testing.assert_array_equal(model.predict(X) == 1, decided)


@pytest.mark.parametrize("rows", [5, 2])
@pytest.mark.parametrize("manifold", [0.0, 0.03])
def test_a_handful_of_rows_is_enough(rows, manifold):
    X, Y = np.arange(2.0 * rows).reshape(rows, 2), np.eye(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        P = MRV(manifold_penalty=manifold).fit(X, Y).predict_proba(X)
    assert np.isfinite(P).all()


def test_a_solver_that_stops_early_says_what_to_change(problem):
    with pytest.warns(ConvergenceWarning, match=r"MRV did not converge in max_iter=1 .*raise") as w:
        MRV(max_iter=1).fit(*problem)
    assert len(w) == 1


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("nuclear_penalty", -1.0),
        ("alpha", 0.0),
        ("alpha", "small"),
        ("manifold_penalty", -0.1),
        ("positive_weight", 0.0),
        ("negative_weight", -1.0),
        ("penalty_scale", "huge"),
        ("kernel", "precomputed"),
        ("gamma", 0.0),
        ("n_basis", 0),
        ("n_neighbors", 0),
        ("graph_weights", "cosine"),
        ("tol", 0.0),
        ("max_iter", 0),
    ],
)
def test_a_wrong_parameter_is_named(problem, parameter, value):
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        MRV(**{parameter: value}).fit(*problem)


def test_a_saved_model_predicts_the_same_bytes(problem, tmp_path):
    X, Y = problem
    model = MRV(random_state=0).fit(X, Y)
    dlst.save_model(model, tmp_path / "model.skops")
    loaded = dlst.load_model(tmp_path / "model.skops")
    assert loaded.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.real_data
def test_emotions_are_ranked_better_than_by_their_frequency(real_data):
    data = load_registered("emotions")
    model = MRV(random_state=0).fit(data.train.X, data.train.Y)
    prior = np.tile(model.prevalence_, (data.test.X.shape[0], 1))
    ours, theirs = (
        instance_average_precision(data.test.Y, S)
        for S in (model.decision_function(data.test.X), prior)
    )
    assert ours > theirs + 0.15
