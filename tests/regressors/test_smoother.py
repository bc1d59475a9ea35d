from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst._kernels.ridge import Spectrum, leave_one_out_errors
from dlst.regressors import KernelBasis, Smoother

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 3))
T = RNG.normal(size=(40, 5))


def make(alpha=0.3, **basis_options):
    basis = KernelBasis(**{"gamma": 0.5, "random_state": 0, **basis_options}).fit(X)
    return Smoother(basis, Spectrum.of(basis.features(X)), alpha)


def ridge(F, T, alpha):
    """Ridge with a free intercept by its normal equations: the obvious twin."""
    G = np.hstack([F, np.ones((len(F), 1))])
    penalty = alpha * np.eye(G.shape[1])
    penalty[-1, -1] = 0
    return np.linalg.solve(G.T @ G + penalty, G.T @ T)


@pytest.mark.parametrize("n_basis", [12, 40])
@pytest.mark.parametrize("alpha", [0.003, 0.3, 30.0])
def test_leave_one_out_equals_explicit_refits_on_the_same_basis(n_basis, alpha):
    smoother = make(alpha, n_basis=n_basis)
    F = smoother.basis.features(X)
    expected = np.empty_like(T)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        expected[i] = np.append(F[i], 1) @ ridge(F[others], T[others], alpha)
    np.testing.assert_allclose(smoother.leave_one_out(T), expected, atol=1e-10)
    np.testing.assert_allclose(smoother.leave_one_out(sp.csr_array(T)), expected, atol=1e-10)


@pytest.mark.parametrize("n_basis", [12, 40])
def test_predictions_are_those_of_ridge_with_a_free_intercept(n_basis, rng):
    smoother = make(n_basis=n_basis)
    new = rng.normal(size=(9, 3))
    coefficients = ridge(smoother.basis.features(X), T, 0.3)
    expected = np.hstack([smoother.basis.features(new), np.ones((9, 1))]) @ coefficients
    np.testing.assert_allclose(smoother.predict(new, smoother.regress(T)), expected, atol=1e-10)


def test_the_hat_matrix_of_the_contract_maps_targets_to_fitted_values():
    smoother = make(n_basis=25)
    H = smoother.hat(np.arange(40))(np.arange(40))
    np.testing.assert_allclose(H @ T, smoother.predict(X, smoother.regress(T)), atol=1e-10)
    np.testing.assert_allclose(np.diag(H), smoother.leverage, atol=1e-12)
    assert smoother.leverage.sum() == pytest.approx(smoother.shrinkage.sum() + 1, abs=1e-10)


def test_U_is_orthonormal_and_orthogonal_to_constants_even_for_a_smooth_kernel():
    smoother = make(gamma=1e-3)
    U = smoother.U
    assert smoother.spectrum.eigenvalues[-1] < 1e-8 * smoother.spectrum.eigenvalues[0]
    np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)
    strong = smoother.spectrum.eigenvalues > 1e-8 * smoother.spectrum.eigenvalues[0]
    np.testing.assert_allclose(U[:, strong].sum(axis=0), 0, atol=1e-6)


def test_features_that_do_not_vary_predict_the_mean_of_the_other_rows():
    basis = KernelBasis(gamma=1.0).fit(np.ones((6, 2)))
    smoother = Smoother(basis, Spectrum.of(basis.features(np.ones((6, 2)))), 0.1)
    targets = np.arange(12.0).reshape(6, 2)
    assert smoother.U.shape == (6, 0)
    np.testing.assert_allclose(smoother.leverage, 1 / 6)
    np.testing.assert_allclose(
        smoother.leave_one_out(targets), (targets.sum(axis=0) - targets) / 5, atol=1e-12
    )
    np.testing.assert_allclose(
        smoother.predict(np.zeros((1, 2)), smoother.regress(targets)), [targets.mean(axis=0)]
    )


def test_a_vanishing_penalty_gives_finite_predictions():
    smoother = make(alpha=1e-25)
    assert (smoother.leverage < 1).all()
    assert np.isfinite(smoother.leave_one_out(T)).all()


@pytest.mark.parametrize("centred", [True, False])
def test_a_spectrum_is_the_singular_value_decomposition(centred, rng):
    F = rng.normal(size=(20, 6)) + 1
    found = Spectrum.of(F, centred=centred)
    middle = F.mean(axis=0) if centred else np.zeros(6)
    np.testing.assert_allclose(found.mean, middle)
    np.testing.assert_allclose(
        np.sqrt(found.eigenvalues), np.linalg.svd(F - middle, compute_uv=False), rtol=1e-10
    )


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(3, 30),
    s=st.integers(1, 12),
    t=st.integers(1, 25),
    seed=st.integers(0, 10**6),
    sparse=st.booleans(),
)
def test_errors_for_each_penalty_are_those_of_the_predictions(n, s, t, seed, sparse):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 2))
    targets = (rng.random((n, t)) < 0.3).astype(float)
    basis = KernelBasis(gamma=1.0, n_basis=s, random_state=seed).fit(rows)
    spectrum = Spectrum.of(basis.features(rows))
    alphas = np.array([0.01, 1.0, 50.0])
    expected = [
        ((targets - Smoother(basis, spectrum, alpha).leave_one_out(targets)) ** 2).sum()
        for alpha in alphas
    ]
    given_targets = sp.csr_array(targets) if sparse else targets
    found = leave_one_out_errors(spectrum, given_targets, alphas)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def test_many_label_columns_are_summed_block_by_block():
    targets = sp.random_array(
        (40, 333), density=0.05, random_state=np.random.default_rng(5), format="csr"
    )
    basis = KernelBasis(gamma=0.5, n_basis=10, random_state=0).fit(X)
    spectrum = Spectrum.of(basis.features(X))
    one = Smoother(basis, spectrum, 0.7).leave_one_out(targets)
    found = leave_one_out_errors(spectrum, targets, np.array([0.7]))
    np.testing.assert_allclose(found, [((targets.toarray() - one) ** 2).sum()], rtol=1e-10)
