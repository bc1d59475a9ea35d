"""Regressions of very many sparse targets: normal equations, rows left out, weights left out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.regressors import SparseMachines


def planted(n, t, seed=0):
    """Each target has words of its own, which rows with the target have with noise."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, t)) < 3 / t
    words = rng.random((t, 40)) < 0.1
    X = (Y @ words > 0) | (rng.random((n, 40)) < 0.05)
    return sp.csr_array(X * rng.random((n, 40))), sp.csr_array(Y.astype(np.float64))


def ridge(X, Y, C):
    """Solve the normal equations with a constant feature, penalised like the others."""
    A = np.hstack([X.toarray(), np.ones((X.shape[0], 1))])
    penalty = np.eye(A.shape[1]) / (2 * C)
    return np.linalg.solve(A.T @ A + penalty, A.T @ Y.toarray())


def exact(**parameters):
    exactly = {"tol": 1e-8, "max_iter": 1000, "negligible": 0.0, "random_state": 0}
    return SparseMachines(C=2.0, **{**exactly, **parameters})


@pytest.mark.parametrize(("n", "t"), [(80, 30), (40, 300)], ids=["by targets", "by rows"])
def test_weights_solve_the_normal_equations(n, t):
    X, Y = planted(n, t)
    machines = exact().fit(X, Y)
    expected = ridge(X, Y, 2.0)
    np.testing.assert_allclose(machines.coef_.toarray(), expected[:-1], atol=2e-3)
    np.testing.assert_allclose(machines.intercept_, expected[-1], atol=2e-3)
    np.testing.assert_allclose(machines.scores(X), X @ expected[:-1] + expected[-1], atol=2e-3)


@pytest.mark.parametrize(("n", "t"), [(80, 30), (40, 300)], ids=["by targets", "by rows"])
def test_left_out_weights_give_the_scores_of_a_fit_to_the_other_rows(n, t):
    X, Y = planted(n, t)
    rows = np.array([1, 17, 33])
    scores = exact().fit(X, Y).left_out_weights(X, rows) @ Y
    for place, row in enumerate(rows):
        others = np.delete(np.arange(n), row)
        W = ridge(X[others], Y[others], 2.0)
        np.testing.assert_allclose(scores[place], (X[[row]] @ W[:-1] + W[-1])[0], atol=2e-3)


@pytest.mark.parametrize(("n", "t"), [(80, 30), (40, 300)], ids=["by targets", "by rows"])
def test_the_largest_weights_are_kept(n, t):
    X, Y = planted(n, t)
    whole, few = (exact(n_weights=most).fit(X, Y) for most in (40, 15))
    assert np.diff(sp.csc_array(few.coef_).indptr).max() == 15
    if t <= n:
        dense, kept = whole.coef_.toarray(), few.coef_.toarray()
        cut = -np.sort(-np.abs(dense), axis=0)[14]
        np.testing.assert_allclose(kept, np.where(np.abs(dense) >= cut, dense, 0.0), atol=1e-6)
    agreement = np.corrcoef(whole.scores(X).ravel(), few.scores(X).ravel())[0, 1]
    assert agreement > 0.8


@pytest.mark.parametrize(("n", "t"), [(80, 30), (40, 300)], ids=["by targets", "by rows"])
def test_the_smallest_weights_are_left_out_as_long_as_their_squares_are_few(n, t):
    X, Y = planted(n, t)
    whole, few = (exact(negligible=share).fit(X, Y).coef_.toarray() for share in (0.0, 0.05))
    for j in range(t):
        squares = np.sort(whole[:, j].astype(np.float64) ** 2)
        n_left_out = (np.cumsum(squares) <= 0.05 * squares.sum()).sum()
        assert (few[:, j] != 0).sum() == len(squares) - n_left_out
        left_out, kept = (np.abs(whole[here, j]) for here in (few[:, j] == 0, few[:, j] != 0))
        assert left_out.max(initial=0.0) <= kept.min(initial=np.inf)
    assert (few != 0).sum() < (whole != 0).sum()


def test_the_weights_of_all_targets_together_are_bounded(monkeypatch):
    monkeypatch.setattr("dlst.regressors.sparse_machines.MOST_WEIGHTS", 90)
    X, Y = planted(80, 30)
    assert exact().fit(X, Y).coef_.nnz <= 90


def test_noise_is_fitted_less_closely_than_signal():
    X, Y = planted(200, 20)
    shuffled = Y[np.random.default_rng(1).permutation(200)]
    clear, noisy = (SparseMachines(random_state=0).fit(X, T).C_ for T in (Y, shuffled))
    assert noisy < clear


def test_threads_and_seeds_change_nothing_that_is_drawn():
    X, Y = planted(80, 300)
    one, two = (SparseMachines(n_jobs=jobs, random_state=3).fit(X, Y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coef_.toarray(), two.coef_.toarray())
    assert one.C_ == two.C_


def test_wrong_parameters_are_refused():
    X, Y = planted(20, 5)
    with pytest.raises(ValueError, match="n_weights"):
        SparseMachines(n_weights=0).fit(X, Y)
