"""The three steps of ML-LOC: none raises the objective, each is optimal."""

from __future__ import annotations

import numpy as np
import pytest
from mlloc_problems import GAMMA, K, N, labelled_rows, partly_known
from scipy.optimize import check_grad, linprog
from sklearn.svm import SVC

from dlst._kernels.ridge import Spectrum
from dlst.methods.mlloc import MLLOC
from dlst.methods.mlloc.code_step import CodeProblem, hinge_codes, squared_hinge_codes
from dlst.methods.mlloc.objective import (
    Alternation,
    prototype_distances,
    weighted_means,
)
from dlst.methods.mlloc.scorer_step import (
    Scorers,
    SquaredHingeProblem,
    hinge_scorers,
    squared_hinge_scorers,
)
from dlst.regressors import KernelBasis

SOLVERS = {"squared_hinge": (squared_hinge_codes, 2), "hinge": (hinge_codes, 1)}
both_losses = pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])


@pytest.fixture(scope="module")
def data():
    return labelled_rows()


@pytest.fixture(scope="module")
def partly(data):
    return partly_known(data[1])


@pytest.fixture(scope="module")
def code_problem():
    """Codes matter: the costs are small beside the losses; two labels are unknown."""
    rng = np.random.default_rng(2)
    T = rng.choice([-1.0, 1.0], size=(12, K))
    T[3, 1] = T[7, 0] = 0.0
    scores, weights = rng.normal(size=(12, K)), rng.normal(size=(6, K))
    return CodeProblem(scores, weights, T, rng.uniform(0, 2, size=(12, 6)))


def features_and_signs(X, Y):
    F = KernelBasis(gamma=GAMMA).fit_transform(X)
    return F, np.nan_to_num(2 * Y - 1, nan=0.0)


def slow_objective(F, Y, state, alpha, beta, loss):
    """The card's formula, entry by entry; NaN is passed over."""
    total = 0.0
    for i in range(len(Y)):
        for label in np.flatnonzero(~np.isnan(Y[i])):
            y = 2 * Y[i, label] - 1
            f = F[i] @ state.scorers.weights[:, label] + state.scorers.intercept[label]
            f += state.codes[i] @ state.scorers.code_weights[:, label]
            total += max(0.0, 1 - y * f) ** (2 if loss == "squared_hinge" else 1)
            for j in range(state.codes.shape[1]):
                total += beta * state.codes[i, j] * (y - state.prototypes[j, label]) ** 2
    return total + alpha * (
        (state.scorers.weights**2).sum() + (state.scorers.code_weights**2).sum()
    )


# The objective and its three steps.


@both_losses
@pytest.mark.parametrize("beta", [0.0, 0.05, 1.0, 100.0])
@pytest.mark.parametrize("hidden", [False, True])
def test_the_objective_is_the_formula_and_no_step_raises_it(loss, beta, hidden, data, partly):
    X, Y, _ = data
    Y = partly if hidden else Y
    F, T = features_and_signs(X, Y)
    problem = Alternation(F, T, 0.7, beta, loss)
    state = problem.start(6, 0)
    last = problem.objective(state)
    assert last == pytest.approx(slow_objective(F, Y, state, 0.7, beta, loss), rel=1e-10)
    steps = (problem.with_best_scorers, problem.with_best_codes, problem.with_best_prototypes)
    for step in steps * 4:
        state = step(state)
        value = problem.objective(state)
        assert value <= last * (1 + 1e-12)
        last = value
        assert state.codes.min() >= 0
        np.testing.assert_allclose(state.codes.sum(axis=1), 1, atol=1e-9)
    assert last == pytest.approx(slow_objective(F, Y, state, 0.7, beta, loss), rel=1e-10)


@both_losses
def test_every_step_lowers_the_objective_where_codes_are_free(loss, data):
    X, Y, _ = data
    model = MLLOC(6, prototype_penalty=0.3, loss=loss, random_state=0, tol=1e-6, max_iter=100).fit(
        X, Y
    )
    drops = -np.diff(model.objective_)
    assert len(drops) == 3 * model.n_iter_
    assert (drops >= -1e-9).all()
    assert (drops[:3] > 1e-3).all()
    assert ((model.codes_ > 0.01) & (model.codes_ < 0.99)).any()


@both_losses
def test_a_step_that_finds_nothing_better_keeps_what_was(loss, data, monkeypatch):
    X, Y, _ = data
    F, T = features_and_signs(X, Y)
    problem = Alternation(F, T, 1.0, 1.0, loss)
    state = problem.with_best_scorers(problem.start(4, 0))
    worse = Scorers(*(10 * part for part in vars(state.scorers).values()))
    where = "dlst.methods.mlloc.objective."
    monkeypatch.setattr(where + f"{loss}_scorers", lambda *_, **__: worse)
    monkeypatch.setattr(where + f"{loss}_codes", lambda _, C, **__: np.roll(C, 1, axis=1))
    after = problem.with_best_scorers(state)
    np.testing.assert_array_equal(after.scorers.weights, state.scorers.weights)
    moved = np.flatnonzero((problem.with_best_codes(state).codes != state.codes).any(axis=1))
    assert moved.size < N
    assert problem.objective(problem.with_best_codes(state)) <= problem.objective(state)


def test_prototypes_are_weighted_means_of_known_labels(partly):
    rng = np.random.default_rng(3)
    codes = rng.dirichlet(np.ones(3), size=N)
    codes[:, 2] = 0.0
    old = rng.normal(size=(3, K))
    found = weighted_means(np.nan_to_num(2 * partly - 1, nan=0.0), codes, old)
    for label in range(K):
        known = ~np.isnan(partly[:, label])
        for j in range(2):
            y, weight = 2 * partly[known, label] - 1, codes[known, j]
            assert found[j, label] == pytest.approx((y * weight).sum() / weight.sum())
    np.testing.assert_array_equal(found[2], old[2])


def test_distances_pass_over_unknown_labels(partly):
    P = np.random.default_rng(4).normal(size=(3, K))
    found = prototype_distances(np.nan_to_num(2 * partly - 1, nan=0.0), P)
    for i in range(N):
        for j in range(3):
            assert found[i, j] == pytest.approx(np.nansum((2 * partly[i] - 1 - P[j]) ** 2))


def test_the_start_names_the_clusters_of_the_label_vectors():
    Y = np.repeat([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [1, 0, 0, 0, 1]], [5, 7, 3], axis=0)
    state = Alternation(np.zeros((15, 2)), 2.0 * Y - 1, 1.0, 1.0, "hinge").start(9, 0)
    assert state.codes.shape == (15, 3)
    np.testing.assert_array_equal(state.codes @ state.prototypes, 2.0 * Y - 1)


# The W-step.


def test_without_codes_the_hinge_scorers_are_independent_support_vector_machines(data):
    X, Y, _ = data
    F, T = features_and_signs(X, Y)
    found = hinge_scorers(F, np.zeros((N, 3)), T, 0.5).scores(F, np.ones((N, 3)))
    for label in range(K):
        machine = SVC(C=1.0, gamma=GAMMA, tol=1e-8).fit(X, Y[:, label])
        np.testing.assert_allclose(found[:, label], machine.decision_function(X), atol=1e-5)


def test_unknown_labels_take_no_part_in_the_machines(data, partly):
    X, _, _ = data
    F, T = features_and_signs(X, partly)
    found = hinge_scorers(F, np.zeros((N, 1)), T, 0.5).without_codes(F)
    for label in range(K):
        known = ~np.isnan(partly[:, label])
        machine = SVC(C=1.0, gamma=GAMMA, tol=1e-8).fit(X[known], partly[known, label])
        np.testing.assert_allclose(found[:, label], machine.decision_function(X), atol=1e-5)


def test_the_gradient_of_the_squared_hinge_is_that_of_its_value(data, partly):
    rng = np.random.default_rng(5)
    F, T = features_and_signs(data[0][:20], partly[:20])
    problem = SquaredHingeProblem(Spectrum.of(F), T, 0.3)
    shape = (len(problem.spectrum.eigenvalues) + 1, K)
    for _ in range(3):
        error = check_grad(
            lambda x: problem.value_and_gradient(x.reshape(shape))[0],
            lambda x: problem.gradient(x.reshape(shape)).ravel(),
            rng.normal(size=shape).ravel(),
            epsilon=1e-6,
        )
        assert error < 1e-3


def test_the_gradient_bound_of_one_holds(data, partly):
    rng = np.random.default_rng(6)
    F, T = features_and_signs(data[0], partly)
    problem = SquaredHingeProblem(Spectrum.of(F), T, 0.3)
    shape = (len(problem.spectrum.eigenvalues) + 1, K)
    for size in (0.01, 1.0, 10.0):
        a, b = size * rng.normal(size=(2, *shape))
        apart = np.linalg.norm(problem.gradient(a) - problem.gradient(b))
        assert apart <= (1 + 1e-9) * np.linalg.norm(a - b)


def test_weights_and_scaled_unknowns_are_two_names_of_one_scorer(data):
    rng = np.random.default_rng(7)
    F, T = features_and_signs(data[0], data[1])
    problem = SquaredHingeProblem(Spectrum.of(F), T, 0.3)
    W, b = rng.normal(size=(F.shape[1], K)), rng.normal(size=K)
    back, b_back = problem.unscaled(problem.scaled(W, b))
    np.testing.assert_allclose(F @ back + b_back, F @ W + b, atol=1e-8)
    slack = np.maximum(0, 1 - T * (F @ back + b_back))
    value = problem.value_and_gradient(problem.scaled(W, b))[0]
    assert value == pytest.approx((slack**2).sum() + 0.3 * (back**2).sum())


def test_the_squared_hinge_scorers_are_optimal_and_start_anywhere(data, partly):
    X, _, _ = data
    F, T = features_and_signs(X, partly)
    C = np.random.default_rng(8).dirichlet(np.ones(3), size=N)
    rng = np.random.default_rng(9)
    elsewhere = Scorers(
        rng.normal(size=(F.shape[1], K)), rng.normal(size=(3, K)), rng.normal(size=K)
    )
    starts = (Scorers.zero(F.shape[1], 3, K), elsewhere)
    one, two = (
        squared_hinge_scorers(F, C, T, 0.3, start, tol=1e-10, max_iter=5000) for start in starts
    )
    np.testing.assert_allclose(one.scores(F, C), two.scores(F, C), atol=1e-6)
    np.testing.assert_allclose(one.code_weights, two.code_weights, atol=1e-6)
    # The optimality conditions in the unscaled weights.
    slopes = 2 * T * np.maximum(0, np.abs(T) - T * one.scores(F, C))
    np.testing.assert_allclose(F.T @ slopes, 2 * 0.3 * one.weights, atol=1e-6)
    np.testing.assert_allclose(C.T @ slopes, 2 * 0.3 * one.code_weights, atol=1e-6)
    np.testing.assert_allclose(slopes.sum(axis=0), 0, atol=1e-6)


# The C-step.


@both_losses
def test_codes_without_weight_name_the_nearest_prototype(loss, code_problem):
    solve, _ = SOLVERS[loss]
    start = np.full((12, 6), 1 / 6)
    for size in (0.0, 1e-9):
        flat = code_problem._replace(weights=size * code_problem.weights)
        found = solve(flat, start, tol=1e-10, max_iter=500)
        np.testing.assert_allclose(found, np.eye(6)[flat.costs.argmin(axis=1)], atol=1e-6)


@both_losses
def test_no_random_code_is_better(loss, code_problem):
    solve, power = SOLVERS[loss]
    start = np.eye(6)[np.zeros(12, dtype=int)]
    found = solve(code_problem, start, tol=1e-9, max_iter=5000)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    values = code_problem.values(found, power)
    rng = np.random.default_rng(10)
    for sparsity in (1.0, 0.1):
        points = rng.dirichlet(np.full(6, sparsity), size=20_000)
        for row in range(12):
            alone = code_problem.rows(np.full(len(points), row))
            assert values[row] <= alone.values(points, power).min() + 1e-7


def test_hinge_codes_solve_the_linear_programs(code_problem):
    start = np.full((12, 6), 1 / 6)
    found = code_problem.values(hinge_codes(code_problem, start, tol=1e-8, max_iter=20_000), 1)
    m = 6
    for row in range(12):
        T = code_problem.T[row]
        known = np.flatnonzero(T)
        program = linprog(
            np.concatenate([code_problem.costs[row], np.ones(known.size)]),
            A_ub=np.hstack([-(T * code_problem.weights)[:, known].T, -np.eye(known.size)]),
            b_ub=(T * code_problem.scores[row])[known] - 1,
            A_eq=np.concatenate([np.ones(m), np.zeros(known.size)])[None],
            b_eq=[1.0],
        )
        assert found[row] == pytest.approx(program.fun, rel=1e-6, abs=1e-6)


def test_squared_hinge_codes_are_stationary(code_problem):
    found = squared_hinge_codes(code_problem, np.full((12, 6), 1 / 6), tol=1e-10, max_iter=5000)
    slopes = code_problem.squared_hinge_gradient(found)
    # Prototypes in use have one slope, the least of the row.
    least = slopes.min(axis=1, keepdims=True)
    assert (slopes - least)[found > 1e-6].max() < 1e-5
    assert (found > 1e-6).sum(axis=1).max() > 1


def test_the_gradient_of_the_codes_is_that_of_their_values(code_problem):
    rng = np.random.default_rng(11)
    for _ in range(3):
        error = check_grad(
            lambda c: code_problem.values(c.reshape(12, 6), 2).sum(),
            lambda c: code_problem.squared_hinge_gradient(c.reshape(12, 6)).ravel(),
            rng.dirichlet(np.ones(6), size=12).ravel(),
            epsilon=1e-6,
        )
        assert error < 1e-4
