"""The solvers for smooth plus simple functions reach known optima and each other's."""

from __future__ import annotations

import numpy as np
import pytest

from dlst._kernels.conjugate_gradients import conjugate_gradients
from dlst._kernels.proximal import accelerated_proximal_gradient, admm
from dlst._kernels.singular_values import shrink_singular_values


@pytest.fixture
def regression():
    """Least squares with a nuclear norm: ½‖XW − Y‖² + 20‖W‖_*, badly conditioned."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6)) * np.array([1, 1, 1, 1, 0.1, 0.03])
    Y = X @ rng.normal(size=(6, 4)) + rng.normal(size=(40, 4))
    return X, Y, 20.0


def shrink(threshold):
    return lambda V, step: shrink_singular_values(V, threshold * step).matrix


def by_fista(X, Y, penalty, **stop):
    return accelerated_proximal_gradient(
        np.zeros((X.shape[1], Y.shape[1])),
        lambda W: X.T @ (X @ W - Y),
        shrink(penalty),
        np.linalg.norm(X, 2) ** 2,
        **stop,
    )


def test_the_optimum_satisfies_its_conditions(regression):
    X, Y, penalty = regression
    found = by_fista(X, Y, penalty, tol=1e-12, max_iter=20_000)
    assert found.converged
    W = found.point
    slope = -X.T @ (X @ W - Y) / penalty
    U, lengths, Vt = np.linalg.svd(W, full_matrices=False)
    rank = int((lengths > 1e-9).sum())
    assert 0 < rank < 4
    U, Vt = U[:, :rank], Vt[:rank]
    rest = slope - U @ Vt
    np.testing.assert_allclose(U.T @ rest, 0, atol=1e-9)
    np.testing.assert_allclose(rest @ Vt.T, 0, atol=1e-9)
    assert np.linalg.norm(rest, 2) <= 1 + 1e-9


@pytest.mark.parametrize("rho", [0.3, 10.0])
@pytest.mark.parametrize("relaxation", [1.0, 1.6])
def test_both_solvers_reach_one_optimum(regression, rho, relaxation):
    X, Y, penalty = regression
    inverse = np.linalg.inv(X.T @ X + rho * np.eye(6))
    found = admm(
        lambda V: inverse @ (X.T @ Y + rho * V),
        shrink(penalty),
        np.zeros((6, 4)),
        rho,
        tol=1e-12,
        max_iter=50_000,
        relaxation=relaxation,
    )
    assert found.converged
    np.testing.assert_allclose(found.smooth_point, found.point, atol=1e-9)
    other = by_fista(X, Y, penalty, tol=1e-12, max_iter=20_000)
    np.testing.assert_allclose(found.point, other.point, atol=1e-8)


def test_restarts_make_strongly_convex_problems_converge_fast():
    """Without restarts FISTA needs thousands of steps for this condition number of 10⁴."""
    scale = np.logspace(0, -4, 30)
    target = np.ones(30)
    found = accelerated_proximal_gradient(
        np.zeros(30),
        lambda w: scale * (w - target),
        lambda v, step: v,
        1.0,
        tol=1e-10,
        max_iter=3_000,
    )
    assert found.converged
    np.testing.assert_allclose(found.point, target, atol=1e-5)


def test_a_solver_says_when_it_was_stopped(regression):
    X, Y, penalty = regression
    assert by_fista(X, Y, penalty, tol=1e-12, max_iter=3)[1:] == (3, False)
    stuck = admm(lambda V: V + 1, lambda V, step: V, np.zeros(3), 1.0, tol=1e-9, max_iter=4)
    assert (stuck.n_iter, stuck.converged) == (4, False)


def test_a_flat_function_is_minimised_by_the_proximal_step_alone():
    start = np.ones((2, 2))
    found = accelerated_proximal_gradient(
        start, np.zeros_like, lambda V, step: 0 * V, 0.0, tol=1e-9, max_iter=10
    )
    assert found.converged
    assert not found.point.any()


def test_conjugate_gradients_solve_a_matrix_equation():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(8, 8))
    A = A @ A.T + np.eye(8)
    B = rng.normal(size=(3, 3))
    B = B @ B.T + np.eye(3)
    target = rng.normal(size=(8, 3))
    start = rng.normal(size=(8, 3))
    found = conjugate_gradients(lambda W: A @ W @ B, target, start, tol=1e-12, max_iter=200)
    assert found.converged
    np.testing.assert_allclose(
        found.point, np.linalg.solve(A, target) @ np.linalg.inv(B), atol=1e-9
    )
    # In exact arithmetic as many steps as there are unknowns.
    assert found.n_iter <= 2 * 24


def test_conjugate_gradients_stop_at_the_limit_and_at_a_direction_of_no_curvature():
    target = np.ones((4, 1))
    scale = np.array([[1.0], [2.0], [3.0], [4.0]])
    found = conjugate_gradients(
        lambda W: scale * W, target, np.zeros((4, 1)), tol=1e-12, max_iter=2
    )
    assert found[1:] == (2, False)
    flat = conjugate_gradients(np.zeros_like, target, np.zeros((4, 1)), tol=1e-12, max_iter=9)
    assert flat[1:] == (0, False)
    nothing = conjugate_gradients(
        lambda W: scale * W, 0 * target, np.zeros((4, 1)), tol=1e-12, max_iter=9
    )
    assert nothing[1:] == (0, True)


@pytest.mark.parametrize("size", [1.0, 1e8])
def test_what_rounding_leaves_counts_as_converged(size):
    rng = np.random.default_rng(0)
    A = np.eye(60) + 0.3 * rng.normal(size=(60, 60)) / np.sqrt(60)
    target = size * rng.normal(size=(60, 20))
    quadratic, linear = A.T @ A, A.T @ (A @ target)
    lipschitz = np.linalg.norm(A, 2) ** 2

    found = accelerated_proximal_gradient(
        np.zeros_like(target),
        lambda W: quadratic @ W - linear,
        lambda W, _: W,
        lipschitz,
        tol=1e-30,
        max_iter=2000,
    )
    assert found.converged
    np.testing.assert_allclose(found.point, target, atol=1e-12 * size)

    inverse = np.linalg.inv(quadratic + np.eye(60))
    met = admm(
        lambda V: inverse @ (linear + V),
        lambda W, _: W,
        np.zeros_like(target),
        1.0,
        tol=1e-30,
        max_iter=2000,
    )
    assert met.converged
    np.testing.assert_allclose(met.point, target, atol=1e-12 * size)
