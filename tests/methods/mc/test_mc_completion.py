"""Matrix completion: losses and steps, both solvers against reference outputs, new rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from dlst._kernels.logistic_step import logistic_step
from dlst._kernels.singular_values import shrink_singular_values
from dlst.methods.mc.fold_in import chi2_scores, factors, linear_rule
from dlst.methods.mc.objective import Completion, chi2_step
from dlst.methods.mc.solvers import (
    exact_path,
    fixed_point_path,
    published_objective,
    published_step,
)

LOSSES = [
    ("mc1", "squared", "logistic"),
    ("mc1", "squared", "squared"),
    ("pos", "squared", "logistic"),
    ("pos", "chi2", "logistic"),
    ("simplex", "squared", "logistic"),
    ("simplex", "chi2", "squared"),
]


def problem(variant="mc1", feature_loss="squared", label_loss="logistic", *, n=30, lam=2.0):
    """Thirty rows, 3 labels of which some are unknown, 6 features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    Y = np.sign(X @ rng.normal(size=(6, 3)) + 0.3 * rng.normal(size=(n, 3)))
    Y[rng.random(Y.shape) < 0.3] = 0.0
    Y[-8:] = 0.0
    if variant != "mc1":
        X = np.abs(X)
        X[0, 0] = 0.0
    if variant == "simplex":
        X /= X.sum(axis=1, keepdims=True)
    return Completion(Y, X, lam, 1.7, variant, feature_loss, label_loss)


def solved(task, mu, tol=1e-10, max_iter=20000):
    (found,) = exact_path(task, [mu], tol=tol, max_iter=max_iter)
    assert found.converged
    return found


# Losses and their steps.


@pytest.mark.parametrize("losses", LOSSES)
def test_gradients_are_finite_differences(losses):
    task = problem(*losses)
    rng = np.random.default_rng(1)
    Z = task.project(task.target + 0.1 * rng.random(task.target.shape))
    for _ in range(10):
        direction = rng.normal(size=Z.shape)
        direction[:, task.feature_columns] *= Z[:, task.feature_columns] > 0
        h = 1e-6 * (Z[:, task.feature_columns][Z[:, task.feature_columns] != 0].min() or 1)
        h = max(min(abs(h), 1e-6), 1e-9)
        slope = (task.value(Z + h * direction) - task.value(Z - h * direction)) / (2 * h)
        expected = np.vdot(task.gradient(Z), direction)
        assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_unknown_labels_and_ones_have_no_gradient():
    task = problem()
    slopes = task.gradient(task.target + 1.0)
    assert (slopes[:, :3][task.labels == 0] == 0).all()
    assert (slopes[:, -1] == 0).all()
    assert (slopes[:, :3][task.labels != 0] != 0).all()


@pytest.mark.parametrize("weight", [0.01, 1.0, 300.0])
@pytest.mark.parametrize("slope", [1.0, 3.0])
def test_the_logistic_step_solves_its_equation(weight, slope):
    V = np.linspace(-400, 400, 401)[None, :]
    for y in (-1.0, 1.0):
        Z = logistic_step(V, np.full_like(V, y), weight, slope)
        pull = weight * y / (1 + np.exp(np.minimum(slope * y * Z, 700)))
        np.testing.assert_allclose(Z - V, pull, atol=1e-11 * weight + 1e-12)
    np.testing.assert_array_equal(logistic_step(V, np.zeros_like(V), weight, slope), V)


def test_the_chi2_step_is_the_minimiser_over_numbers_of_at_least_zero():
    rng = np.random.default_rng(0)
    v, x = rng.normal(size=(1, 60)), np.where(rng.random((1, 60)) < 0.2, 0.0, rng.random((1, 60)))
    for weight in (0.01, 0.5, 20.0):
        z, slopes = chi2_step(v, x, weight)
        for i in range(60):

            def cost(value, i=i, weight=weight):
                total = value + x[0, i]
                chi = (value - x[0, i]) ** 2 / total if total > 0 else 0.0
                return weight * chi + (value - v[0, i]) ** 2 / 2

            best = scipy.optimize.minimize_scalar(
                cost, bounds=(0, 5), method="bounded", options={"xatol": 1e-12}
            )
            assert cost(z[0, i]) <= best.fun + 1e-12
        moved = (chi2_step(v + 1e-6, x, weight)[0] - z) / 1e-6
        np.testing.assert_allclose(slopes, moved, atol=1e-3)


@pytest.mark.parametrize("losses", LOSSES)
def test_the_nearest_matrix_meets_the_constraints_and_no_feasible_one_is_better(losses):
    task = problem(*losses)
    rng = np.random.default_rng(2)
    V, rho = rng.normal(size=task.target.shape), 0.02

    def cost(W):
        return task.value(W) + rho / 2 * np.linalg.norm(W - V) ** 2

    W = task.nearest(V, rho)
    np.testing.assert_allclose(task.project(W), W, atol=1e-12)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            assert cost(W) <= cost(task.project(W + size * rng.normal(size=W.shape))) + 1e-12


# The published scheme and the optimum.


def mc1_case(golden, case):
    stored = np.load(golden / "mc1_emotions.npz")
    W = stored["W"].T
    lam = float(stored[f"MC1_{case}_lambda"])
    return stored, Completion(np.nan_to_num(W[:, :6]), W[:, 6:], lam)


def published_mus(problem, smallest, factor=0.25):
    """Return the program's μ: σ₁ times falling powers, to the first that is not above the last."""
    mus = [factor * np.linalg.norm(problem.target, 2)]
    while mus[-1] > smallest:
        mus.append(factor * mus[-1])
    return mus


def assert_equals_the_program(task, stored, case, tol, smallest, step=None):
    path = list(
        fixed_point_path(task, published_mus(task, smallest), tol=tol, max_iter=10**5, step=step)
    )
    np.testing.assert_allclose([found.mu for found in path], stored[f"{case}_mu"], rtol=1e-12)
    iterations = np.cumsum([found.n_iter for found in path])
    np.testing.assert_array_equal(iterations, stored[f"{case}_cum_iters"])
    objectives = [published_objective(task, found.matrix, found.mu) for found in path]
    np.testing.assert_allclose(objectives, stored[f"{case}_objective"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(path[-1].matrix.T, stored[f"{case}_Z_final"], rtol=0, atol=1e-9)
    for found, expected in zip(path, stored[f"{case}_test_scores_per_mu"], strict=True):
        np.testing.assert_allclose(found.matrix[100:, :6], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", "ABCD")
def test_fixed_points_equal_the_program_of_mc1(golden, case):
    stored, task = mc1_case(golden, case)
    name = f"MC1_{case}"
    assert published_step(task) == pytest.approx(float(stored[f"{name}_tau"]), rel=1e-12)
    tol, smallest = float(stored[f"{name}_tol"]), float(stored[f"{name}_mu_thresh"])
    assert_equals_the_program(task, stored, name, tol, smallest)


@pytest.mark.parametrize(
    ("case", "variant", "slope"),
    [("Pos_LS_rou1", "pos", 1.0), ("Pos_LS_rou3", "pos", 3.0), ("Sim_LS_rou1", "simplex", 1.0)],
)
def test_fixed_points_equal_the_programs_with_constraints(golden, case, variant, slope):
    stored = np.load(golden / "mc_pos_simplex_emotions.npz")
    W = stored["W"].T
    X = W[:, 6:] / (W[:, 6:].sum(axis=1, keepdims=True) if variant == "simplex" else 1.0)
    task = Completion(np.nan_to_num(W[:, :6]), X, 1.0, slope, variant)
    # The program's step is not divided by the slope.
    assert_equals_the_program(task, stored, case, 1e-5, 1e-4, step=published_step(task))


@pytest.mark.parametrize(
    ("case", "index"), [("D", 0), ("D", 1), ("D", 2), ("B", 3), ("C", 1), ("C", 2)]
)
def test_the_exact_solver_reaches_the_true_optimum(golden, case, index):
    stored, task = mc1_case(golden, case)
    name = f"MC1_{case}_true_optimum_mu{index}"
    found = solved(task, float(stored[f"{name}_mu"]), tol=1e-9)
    assert found.n_iter < 200
    objective = task.objective(found.feasible, found.mu)
    assert objective == pytest.approx(float(stored[f"{name}_objective"]), abs=1e-8)
    expected = stored[f"{name}_test_scores"]
    np.testing.assert_allclose(found.matrix[100:, :6], expected, atol=1e-6)


def test_the_program_ends_above_the_optimum(golden):
    stored, task = mc1_case(golden, "D")
    mu = float(stored["MC1_D_mu"][1])
    assert stored["MC1_D_objective"][1] > 1.001 * task.objective(solved(task, mu).feasible, mu)


def test_features_alone_are_shrunk_once_and_for_all():
    X = np.random.default_rng(0).normal(size=(12, 5))
    task = Completion(np.zeros((12, 0)), X, intercept=False)
    for mu in (0.005, 0.02):
        expected = shrink_singular_values(X, mu * X.size).matrix
        np.testing.assert_allclose(solved(task, mu).matrix, expected, atol=1e-8)
        *_, last = fixed_point_path(task, [0.02, mu, mu], tol=1e-12, max_iter=1000)
        np.testing.assert_allclose(last.matrix, expected, atol=1e-8)


def test_hidden_labels_of_a_noise_free_low_rank_matrix_are_recovered():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 15))
    linear = X @ rng.normal(size=(15, 4)) + 0.5
    linear /= np.abs(linear).max()
    shown = linear.copy()
    shown[90:] = 0.0
    task = Completion(shown, X, 1.0, label_loss="squared")
    *_, last = exact_path(task, [1e-4, 1e-5, 1e-6, 1e-7], tol=1e-8, max_iter=20000)
    np.testing.assert_allclose(last.matrix[90:, :4], linear[90:], atol=1e-3)


@pytest.mark.parametrize("losses", LOSSES)
def test_no_feasible_matrix_near_the_optimum_is_better(losses):
    task = problem(*losses)
    mu = 0.1 * task.largest_mu()
    found = solved(task, mu, tol=1e-7)
    np.testing.assert_allclose(task.project(found.feasible), found.feasible, atol=1e-12)
    np.testing.assert_allclose(found.matrix, found.feasible, atol=1e-5)
    best = task.objective(found.feasible, mu)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            other = task.project(found.feasible + size * rng.normal(size=found.matrix.shape))
            assert task.objective(other, mu) > best - 1e-9


def test_at_a_fixed_mu_the_objective_does_not_rise():
    base = problem()
    task = Completion(base.labels, base.features, 2.0, 3.0, intercept=False)
    mu = 0.05 * task.largest_mu()
    path = fixed_point_path(task, [mu] * 60, tol=1e-15, max_iter=1)
    objectives = np.array([task.objective(found.matrix, mu) for found in path])
    assert len(objectives) == 60
    assert (np.diff(objectives) <= 1e-12).all()
    assert objectives[-1] < 0.9 * objectives[0]
    assert objectives[-1] >= task.objective(solved(task, mu).feasible, mu) - 1e-9


def test_a_path_ends_where_its_last_mu_alone_does():
    task = problem()
    mu = 0.05 * task.largest_mu()
    *_, last = exact_path(task, [8 * mu, 4 * mu, mu], tol=1e-10, max_iter=20000)
    np.testing.assert_allclose(last.matrix, solved(task, mu).matrix, atol=1e-7)


# New rows.


def test_folding_in_an_unlabelled_row_of_the_fit_gives_its_completion():
    task = problem()
    mu = 0.1 * task.largest_mu()
    found = solved(task, mu, tol=1e-12, max_iter=50000)
    rule = linear_rule(factors(task, found.matrix), task.per_feature, mu)
    expected = task.features[-8:] @ rule.coef + rule.intercept
    np.testing.assert_allclose(expected, found.matrix[-8:, :3], atol=1e-6)


def test_folding_in_by_chi2_gives_the_completion_where_no_feature_is_at_zero():
    task = problem("pos", "chi2")
    mu = 0.05 * task.largest_mu()
    found = solved(task, mu, tol=1e-9, max_iter=50000)
    inside = (found.feasible[-8:, task.feature_columns] > 1e-6).all(axis=1)
    assert inside.sum() >= 4
    scores = chi2_scores(task.features[-8:], factors(task, found.matrix), task.per_feature, mu)
    np.testing.assert_allclose(scores[inside], found.matrix[-8:, :3][inside], atol=1e-3)
