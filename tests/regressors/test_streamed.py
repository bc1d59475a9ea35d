"""The regression of many rows, against the one that holds them all."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst import _memory
from dlst._kernels.moments import Moments
from dlst.errors import DataError
from dlst.persistence import load_model, save_model
from dlst.regressors import KernelRidge, kernel_ridge, streamed_search


def problem(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    T = np.tanh(X @ rng.normal(size=(3, 4))) + 0.5 * rng.normal(size=(n, 4))
    return X, T


@pytest.fixture
def streamed(monkeypatch):
    """Nothing is held, and blocks have 16 rows."""
    monkeypatch.setattr(kernel_ridge, "HELD_ENTRIES", 0)
    monkeypatch.setattr(_memory, "BLOCK_BYTES", 1)


def pair(monkeypatch, streamed_settings=(), targets=None, **options):
    X, T = problem()
    T = T if targets is None else targets(T)
    options = {"n_basis": 30, "random_state": 0, **options}
    held = KernelRidge(**options).fit(X, T)
    monkeypatch.setattr(kernel_ridge, "HELD_ENTRIES", 0)
    monkeypatch.setattr(_memory, "BLOCK_BYTES", 1)
    for name, value in streamed_settings:
        monkeypatch.setattr(streamed_search, name, value)
    return X, T, held, KernelRidge(**options).fit(X, T)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
def test_streamed_regressions_are_those_that_are_held(kernel, monkeypatch):
    X, _, held, streamed = pair(monkeypatch, kernel=kernel)
    assert (streamed.gamma_, streamed.alpha_) == (held.gamma_, held.alpha_)
    assert streamed.loo_error_ == pytest.approx(held.loo_error_, rel=1e-9)
    np.testing.assert_allclose(streamed.loo_predictions_, held.loo_predictions_, atol=1e-8)
    np.testing.assert_allclose(streamed.leverage_, held.leverage_, atol=1e-8)
    np.testing.assert_allclose(streamed.predict(X), held.predict(X), atol=1e-8)
    rows, columns = np.array([3, 200, 7]), np.arange(0, 240, 11)
    np.testing.assert_allclose(
        streamed.smoother_.hat(rows)(columns), held.smoother_.hat(rows)(columns), atol=1e-8
    )


def test_more_targets_than_the_basis_has_rows(monkeypatch):
    def many(T):
        return np.hstack([T, T**2, T**3, np.cos(T), np.sin(3 * T), np.sign(T), T**4, T - 1, T + 2])

    _, _, held, streamed = pair(monkeypatch, targets=many, n_basis=20)
    assert (streamed.gamma_, streamed.alpha_) == (held.gamma_, held.alpha_)
    assert streamed.loo_error_ == pytest.approx(held.loo_error_, rel=1e-9)


def test_few_rows_choose_and_all_rows_check(monkeypatch):
    settings = (("FEW_ROWS", 40), ("JUDGED_ROWS", 20), ("CANDIDATE_MARGIN", 1.5))
    _, _, held, streamed = pair(monkeypatch, settings)
    assert (streamed.gamma_, streamed.alpha_) == (held.gamma_, held.alpha_)
    # The error is of all rows, whoever was asked first.
    assert streamed.loo_error_ == pytest.approx(held.loo_error_, rel=1e-9)


def test_a_penalty_far_from_the_best_is_left_for_the_best_of_all_rows(streamed):
    X, T = problem()
    rows = streamed_search.StreamedRows(
        KernelRidge(n_basis=30, gamma="median").first_basis().fit(X), X
    )
    attempt = streamed_search._Attempt(rows, T)
    alphas = np.array([0.01, 0.1, 1.0, 10.0, 100.0, 1000.0])
    errors, leverages = attempt.errors(np.arange(len(X)), alphas)
    best = int(np.argmin(errors))
    for first in alphas:
        alpha, error, leverage = streamed_search._checked_on_all(attempt, alphas, first)
        assert (alpha, error) == (alphas[best], pytest.approx(errors[best]))
        np.testing.assert_allclose(leverage, leverages[best])


def test_targets_shifted_by_constants_need_no_pass_of_their_own(streamed):
    X, T = problem()
    model = KernelRidge(n_basis=30, random_state=0).fit(X, T)
    smoother = model.smoother_
    known = smoother._remembered
    for targets in (T + np.array([1.0, -2.0, 0.0, 5.0]), T[:, ::-1].copy()):
        quick = smoother.leave_one_out(targets)
        smoother._remembered = None
        smoother._last.keep(X, X)
        np.testing.assert_allclose(quick, smoother.leave_one_out(targets), atol=1e-9)
        smoother._remembered = known


def test_fitted_values_come_back_from_what_was_left_out(streamed):
    X, T = problem()
    smoother = KernelRidge(n_basis=30, random_state=0).fit(X, T).smoother_
    expected = smoother.smooth(T)
    left_out = smoother.leave_one_out(T)
    np.testing.assert_allclose(smoother.smooth(T), expected, atol=1e-10)
    assert smoother.leave_one_out(T) is left_out


def test_sparse_rows_and_targets(streamed):
    X, T = problem()
    X, T = np.where(X > 0.5, X, 0.0), (T > 0.4).astype(float)
    dense = KernelRidge(n_basis=30, random_state=0).fit(X, T)
    regression = KernelRidge(n_basis=30, random_state=0).prepare(sp.csr_array(X), sp.csr_array(T))
    np.testing.assert_allclose(regression.out_of_sample(T), dense.loo_predictions_, atol=1e-9)


def test_a_model_file_has_no_rows_and_says_what_it_cannot(streamed, tmp_path):
    X, T = problem()
    model = KernelRidge(n_basis=30, random_state=0).fit(X, T)
    save_model(model, tmp_path / "model.skops")
    read = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    with pytest.raises(DataError, match="Fit again"):
        read.smoother_.leave_one_out(T)


def test_sums_of_two_sets_of_rows_are_those_of_both(rng):
    F, T, w = rng.normal(size=(20, 3)), rng.normal(size=(20, 2)), rng.uniform(size=20)
    shift = F[0]
    whole, one, other = (Moments(shift, 2) for _ in range(3))
    whole.add(F, T, w)
    one.add(F[:7], T[:7], w[:7])
    other.add(F[7:], sp.csr_array(T[7:]), w[7:])
    one += other
    gram, cross = one.centred()
    mean, target_mean = w @ F / w.sum(), w @ T / w.sum()
    np.testing.assert_allclose(one.mean, mean)
    np.testing.assert_allclose(gram, (F - mean).T @ (w[:, None] * (F - mean)), atol=1e-12)
    np.testing.assert_allclose(cross, (F - mean).T @ (w[:, None] * (T - target_mean)), atol=1e-12)
    np.testing.assert_allclose(whole.centred()[0], gram)
