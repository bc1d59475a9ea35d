"""LEML's problem: derivatives, half-steps, and the convex optimum."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from leml_problems import (
    INNER,
    every_loss,
    exact,
    labelled_rows,
    labels,
    partly_labelled_rows,
    slow_loss,
)
from sklearn.exceptions import ConvergenceWarning

from dlst._kernels.proximal import accelerated_proximal_gradient
from dlst._kernels.singular_values import nuclear_norm, shrink_singular_values, spectral_norm
from dlst.methods.leml import losses
from dlst.methods.leml.alternation import alternate, balanced
from dlst.methods.leml.design import Design
from dlst.methods.leml.estimator import LEML
from dlst.methods.leml.half_problems import CompleteProblem, GeneralProblem, Inner, newton
from dlst.methods.leml.losses import SquaredTerm, loss_term

TIGHT = Inner(50, 500, 1e-12)


@pytest.fixture
def data():
    return labelled_rows()


@pytest.fixture
def masked():
    return partly_labelled_rows()


# The loss and its derivatives.


@every_loss
@pytest.mark.parametrize("unknown", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("negative_weight", [1.0, 0.4])
def test_values_and_slopes_are_sums_over_known_entries(loss, unknown, negative_weight):
    rng = np.random.default_rng(3)
    Y = labels(unknown=unknown)
    P, Q = rng.normal(size=(25, 3)), rng.normal(size=(4, 3))
    V, U = rng.normal(size=(4, 2)), rng.normal(size=(25, 2))
    term = loss_term(sp.csr_array(Y), loss, negative_weight)
    value, slope = slow_loss(loss, Y, P @ Q.T, negative_weight)
    for found, expected in (
        (term.slope_left(P, Q, V), slope @ V),
        (term.slope_right(P, Q, U), slope.T @ U),
    ):
        np.testing.assert_allclose(found[0], value, rtol=1e-12)
        np.testing.assert_allclose(found[1], expected, atol=1e-12)


@every_loss
@pytest.mark.parametrize("unknown", [0.0, 0.3, 0.8])
def test_gradients_and_hessian_products_pass_finite_differences(loss, unknown):
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(25, 6)), labels(unknown=unknown)
    H, W, S = rng.normal(size=(4, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    V = rng.normal(size=(4, 3))
    term = loss_term(sp.csr_array(Y), loss, 0.7)
    step = 1e-6

    def by_features(W):
        value, slope = term.slope_left(X @ W, H, H)
        return value, X.T @ slope

    def by_labels(H):
        return term.slope_right(X @ W, H, X @ W)

    cases = (
        (by_features, W, S, X.T @ term.curvature_left(X @ W, H, H)(X @ S)),
        (by_labels, H, V, term.curvature_right(X @ W, H)(V)),
    )
    for slope, point, direction, image in cases:
        ahead, behind = slope(point + step * direction), slope(point - step * direction)
        rise = (ahead[0] - behind[0]) / (2 * step)
        np.testing.assert_allclose(rise, np.vdot(slope(point)[1], direction), rtol=1e-7)
        change = (ahead[1] - behind[1]) / (2 * step)
        np.testing.assert_allclose(image, change, atol=1e-6 * np.abs(change).max())


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_blocks_of_rows_give_what_all_rows_give(loss, monkeypatch):
    rng = np.random.default_rng(5)
    Y = sp.csr_array(labels(unknown=0.2))
    P, Q, V = rng.normal(size=(25, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    whole = loss_term(Y, loss, 0.5)
    monkeypatch.setattr(losses, "ENTRIES_AT_ONCE", 28)
    blocks = loss_term(Y, loss, 0.5)
    assert blocks.rows_at_once == 7
    for ask in (
        lambda term: term.slope_left(P, Q, V)[1],
        lambda term: term.slope_right(P, Q, P)[1],
        lambda term: term.curvature_left(P, Q, Q)(P),
        lambda term: term.curvature_right(P, Q)(V),
    ):
        np.testing.assert_allclose(ask(blocks), ask(whole), atol=1e-13)


def test_the_squared_loss_stores_the_fewer_of_known_and_unknown_entries():
    Y = np.full((30, 6), np.nan)
    Y[:, 0] = np.arange(30) % 2
    assert SquaredTerm(sp.csr_array(Y), 1.0).correction.nnz == 30
    Y = np.zeros((30, 6))
    Y[0] = np.nan
    assert SquaredTerm(sp.csr_array(Y), 1.0).correction.nnz == 6
    assert SquaredTerm(sp.csr_array(np.eye(6)), 1.0).is_uniform


# The half-steps.


def test_the_feature_step_by_conjugate_gradients_is_the_closed_form_and_the_full_system():
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(25, 6)), sp.csr_array(labels())
    H, W = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    design = Design.of(X, centred=False)
    closed = CompleteProblem(design, Y, None)
    general = GeneralProblem(design, loss_term(Y, "squared", 1.0), None, TIGHT)
    system = np.kron(X.T @ X, H.T @ H) + 0.3 * np.eye(18)
    expected = np.linalg.solve(system, (X.T @ Y.toarray() @ H).ravel()).reshape(6, 3)
    by_eigenvectors = closed.back(closed.feature_step(closed.into(W), H, 0.3).point)
    np.testing.assert_allclose(by_eigenvectors, expected, atol=1e-10)
    np.testing.assert_allclose(general.feature_step(W, H, 0.3).point, expected, atol=1e-9)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_the_label_step_is_a_ridge_regression_for_each_label(unknown):
    rng = np.random.default_rng(7)
    X, Y, W = rng.normal(size=(25, 6)), labels(unknown=unknown), rng.normal(size=(6, 3))
    design = Design.of(X, centred=False)
    term = loss_term(sp.csr_array(Y), "squared", 1.0)
    problems = [GeneralProblem(design, term, None, TIGHT)]
    if not unknown:
        problems.append(CompleteProblem(design, sp.csr_array(Y), None))
    for problem in problems:
        H = problem.label_step(problem.into(W), np.zeros((4, 3)), 0.3).point
        for j in range(4):
            known = ~np.isnan(Y[:, j])
            A = (X @ W)[known]
            expected = np.linalg.solve(A.T @ A + 0.3 * np.eye(3), A.T @ Y[known, j])
            np.testing.assert_allclose(H[j], expected, atol=1e-9)


def test_newton_gives_up_where_no_step_descends():
    start = np.ones((2, 1))
    # A gradient that points the wrong way: every step along it climbs.
    step = newton(
        lambda point: (float(np.sum(point)), -np.ones((2, 1))), lambda _: lambda V: V, start, INNER
    )
    np.testing.assert_array_equal(step.point, start)


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
@pytest.mark.parametrize("centred", [True, False])
def test_the_design_is_the_centred_matrix(shape, centred):
    rng = np.random.default_rng(8)
    X = rng.normal(1.0, 1.0, size=shape) * (rng.random(shape) < 0.5)
    expected = X - X.mean(axis=0) if centred else X
    W, R = rng.normal(size=(shape[1], 2)), rng.normal(size=(shape[0], 2))
    for kind in (np.asarray, sp.csr_array):
        design = Design.of(kind(X), centred=centred)
        np.testing.assert_allclose(design.times(W), expected @ W, atol=1e-12)
        np.testing.assert_allclose(design.transposed_times(R), expected.T @ R, atol=1e-12)
        sparse = design.transposed_times(sp.csr_array(R))
        np.testing.assert_allclose(sparse, expected.T @ R, atol=1e-12)
        values, vectors = design.axes()
        gram = (vectors * values) @ vectors.T
        np.testing.assert_allclose(gram, expected.T @ expected, atol=1e-9)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-9)


def test_balanced_factors_have_the_same_product_and_equal_gram_matrices():
    rng = np.random.default_rng(9)
    W, Q = rng.normal(size=(7, 3)), rng.normal(size=(5, 4))
    W[:, 2] = W[:, 0]
    new_W, new_Q, largest = balanced(W, Q, 0.0)
    assert new_W.shape[1] == 2  # two equal columns are one
    H = new_Q[:, :2]
    np.testing.assert_allclose(new_W @ H.T, W @ Q[:, :3].T, atol=1e-12)
    np.testing.assert_allclose(new_W.T @ new_W, H.T @ H, atol=1e-12)
    np.testing.assert_array_equal(new_Q[:, 2], Q[:, 3])
    np.testing.assert_allclose(largest, spectral_norm(W @ Q[:, :3].T))
    assert balanced(W, Q, 1e13 * largest)[0].shape == (7, 0)


# The optimum.


@pytest.mark.parametrize("solver", ["exact", "cg"])
def test_with_unit_features_the_map_is_the_shrunk_label_matrix(solver):
    Y = labels(n=12, K=4)
    model = exact(nuclear_penalty=0.7, solver=solver).fit(np.eye(12), Y)
    Z = model.feature_factors_ @ model.label_factors_.T
    expected = shrink_singular_values(Y, 0.7)
    np.testing.assert_allclose(Z, expected.matrix, atol=1e-7)
    assert model.rank_ == expected.rank


@every_loss
@pytest.mark.parametrize("unknown", [False, True])
def test_at_full_rank_the_map_is_trace_norm_regression(loss, unknown, data, masked):
    X, Y = masked if unknown else data
    penalty = 2.0

    def gradient(Z):
        return X.T @ slow_loss(loss, Y, X @ Z)[1]

    solution = accelerated_proximal_gradient(
        np.zeros((5, 4)),
        gradient,
        lambda Z, step: shrink_singular_values(Z, penalty * step).matrix,
        spectral_norm(X) ** 2,
        tol=1e-9,
        max_iter=3000,
    )
    assert solution.converged
    model = exact(nuclear_penalty=penalty, loss=loss).fit(X, Y)
    Z = model.feature_factors_ @ model.label_factors_.T
    np.testing.assert_allclose(Z, solution.point, atol=1e-6)
    expected = slow_loss(loss, Y, X @ Z)[0] + penalty * nuclear_norm(Z)
    np.testing.assert_allclose(model.objective_, expected, rtol=1e-10)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("case", "solver", "penalty"),
    [
        *product(["full"], ["exact", "cg"], [0.5, 2.0, 6.0]),
        *product(["mask"], ["auto"], [0.5, 2.0, 6.0]),
        *product(["logistic"], ["auto"], [0.5, 2.0]),
    ],
)
def test_the_reference_optimum_is_reached(case, solver, penalty, golden):
    with np.load(golden / "convex_leml_slrm_mrv.npz") as file:
        reference = {name: file[name] for name in file if name.startswith("leml")}
    key = f"leml_{case}_lam{penalty:.1f}".replace(".", "p")
    X, Y = reference["leml_X"], reference["leml_Y"].astype(float)
    if case == "mask":
        Y[reference["leml_mask"] == 0] = np.nan
    loss = "logistic" if case == "logistic" else "squared"
    model = exact(nuclear_penalty=penalty, loss=loss, solver=solver).fit(X, Y)
    np.testing.assert_allclose(model.objective_, reference[f"{key}_objective"], rtol=1e-9)
    Z = model.feature_factors_ @ model.label_factors_.T
    np.testing.assert_allclose(Z, reference[f"{key}_Z"], atol=1e-6)
    if f"{key}_rank" in reference:
        assert model.rank_ == reference[f"{key}_rank"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            low = exact(n_components=1, nuclear_penalty=penalty, loss=loss).fit(X, Y)
        assert low.objective_ >= reference[f"{key}_objective"] * (1 - 1e-12)


@every_loss
def test_offsets_are_free_and_the_optimum_meets_its_conditions(loss, masked):
    X, Y = masked
    model = exact(nuclear_penalty=3.0, loss=loss, intercept="free").fit(X, Y)
    S = model.decision_function(X) + (0.5 if loss == "squared" else 0.0)
    slope = slow_loss(loss, Y, S)[1]
    np.testing.assert_allclose(slope.sum(axis=0), 0.0, atol=1e-5)
    # Γ W = −λ H and Γᵀ H = −λ W, and no singular value of Γ exceeds λ.
    gradient = (X - X.mean(axis=0)).T @ slope
    W, H = model.feature_factors_, model.label_factors_
    np.testing.assert_allclose(gradient.T @ W, -3.0 * H, atol=1e-5)
    np.testing.assert_allclose(gradient @ H, -3.0 * W, atol=1e-5)
    assert spectral_norm(gradient) <= 3.0 * (1 + 1e-6)


def test_free_offsets_are_what_centred_features_and_labels_give(data):
    X, Y = data
    for solver in ("exact", "cg"):
        model = exact(nuclear_penalty=3.0, intercept="free", solver=solver).fit(X + 4.0, Y)
        Xc = X - X.mean(axis=0)
        centred, means = Y - Y.mean(axis=0), Y.mean(axis=0)
        Z = model.feature_factors_ @ model.label_factors_.T
        np.testing.assert_allclose(
            model.decision_function(X + 4.0) + 0.5, Xc @ Z + means, atol=1e-10
        )
        gradient = Xc.T @ (Xc @ Z - centred)
        np.testing.assert_allclose(np.vdot(gradient, Z), -3.0 * nuclear_norm(Z), rtol=1e-6)


def test_an_appended_one_is_a_feature_like_the_others(data):
    X, Y = data
    appended = exact(nuclear_penalty=1.0, intercept="append")
    S = appended.fit(X, Y).decision_function(X)
    ones = np.hstack([X, np.ones((len(X), 1))])
    np.testing.assert_allclose(
        S, exact(nuclear_penalty=1.0).fit(ones, Y).decision_function(ones), atol=1e-6
    )
    sparse = exact(nuclear_penalty=1.0, intercept="append").fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), S, atol=1e-8)


@every_loss
@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("n_components", [2, 4])
def test_the_objective_never_rises(loss, unknown, n_components, data, masked):
    X, Y = masked if unknown else data
    for penalty in (0.05, 5.0):
        model = exact(
            n_components=n_components,
            nuclear_penalty=penalty,
            loss=loss,
            intercept="free",
            tol=1e-6,
        ).fit(X, Y)
        objectives = np.array(model.objectives_)
        assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
        assert len(objectives) == model.n_iter_ + 1
        assert model.objective_ == objectives[-1]


@every_loss
def test_the_largest_penalty_is_the_least_that_leaves_nothing(loss, masked):
    X, Y = masked
    for fraction, nothing in ((1.05, True), (0.9, False)):
        model = LEML(nuclear_penalty=fraction, loss=loss, tol=1e-6, random_state=0).fit(X, Y)
        assert (model.rank_ == 0) == nothing
        assert model.penalty_fraction_ == fraction
        largest = model.nuclear_penalty_ / fraction
        told = LEML(
            nuclear_penalty=model.nuclear_penalty_,
            penalty_scale="absolute",
            loss=loss,
            tol=1e-6,
            random_state=0,
        ).fit(X, Y)
        np.testing.assert_allclose(told.penalty_fraction_, fraction, rtol=1e-12)
        np.testing.assert_allclose(told.nuclear_penalty_, fraction * largest, rtol=1e-12)


@pytest.mark.parametrize(("d", "K"), [(80, 70), (3, 70), (80, 3)])
def test_the_largest_penalty_of_large_problems_is_found_without_the_gradient(d, K):
    rng = np.random.default_rng(10)
    X, Y = rng.normal(size=(90, d)), sp.csr_array(labels(90, K))
    design = Design.of(X, centred=True)
    means = Y.toarray().mean(axis=0)
    problem = GeneralProblem(design, loss_term(Y, "squared", 1.0), means, INNER)
    expected = scipy.linalg.svdvals((X - X.mean(axis=0)).T @ Y.toarray())[0]
    np.testing.assert_allclose(problem.largest_penalty(), expected, rtol=1e-8)
    np.testing.assert_allclose(
        CompleteProblem(design, Y, means).largest_penalty(), expected, rtol=1e-8
    )


def test_both_solvers_agree_also_with_fewer_rows_than_features():
    rng = np.random.default_rng(11)
    X, Y = rng.normal(size=(15, 40)), labels(15, 5)
    found = [
        LEML(nuclear_penalty=0.1, solver=solver, tol=1e-7, max_iter=2000, random_state=0).fit(X, Y)
        for solver in ("exact", "cg")
    ]
    S = [model.decision_function(X) for model in found]
    np.testing.assert_allclose(S[0], S[1], atol=1e-5)
    np.testing.assert_allclose(found[0].objective_, found[1].objective_, rtol=1e-9)


def test_alternation_from_nothing_stays_there(data):
    X, Y = data
    problem = CompleteProblem(Design.of(X, centred=False), sp.csr_array(Y), None)
    found = alternate(problem, np.zeros((5, 0)), np.zeros((4, 0)), 1.0, tol=1e-3, max_iter=9)
    assert found.converged
    assert found.objectives == (0.5 * Y.sum(),)
