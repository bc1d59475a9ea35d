from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

from dlst.errors import DataError
from dlst.regressors import KernelBasis, KernelRidge

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 4))
NEW = RNG.normal(size=(7, 4))


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "cosine", "chi2"])
def test_with_all_rows_the_features_reproduce_the_kernel(kernel):
    rows, new = np.abs(X), np.abs(NEW)
    basis = KernelBasis(kernel).fit(rows)
    np.testing.assert_array_equal(basis.indices_, np.arange(60))
    F, G = basis.transform(rows), basis.transform(new)
    scale = np.abs(basis.kernel_rows(rows)).max()
    np.testing.assert_allclose(F @ F.T, basis.kernel_rows(rows), atol=1e-10 * scale)
    np.testing.assert_allclose(G @ F.T, basis.kernel_rows(new), atol=1e-8 * scale)


def test_with_some_rows_the_features_are_the_nystrom_approximation():
    basis = KernelBasis(n_basis=20, gamma=0.3, random_state=0).fit(X)
    B = X[basis.indices_]
    K, K_B = rbf_kernel(X, B, gamma=0.3), rbf_kernel(B, B, gamma=0.3)
    F = basis.transform(X)
    np.testing.assert_allclose(F @ F.T, K @ np.linalg.inv(K_B) @ K.T, atol=1e-6)
    np.testing.assert_allclose(F[basis.indices_] @ F[basis.indices_].T, K_B, atol=1e-6)


@pytest.mark.parametrize("how", ["random", "kmeans++", "leverage"])
def test_each_draw_is_seeded_and_of_distinct_rows(how):
    first = KernelBasis(n_basis=15, basis=how, random_state=3).fit(X)
    again = KernelBasis(n_basis=15, basis=how, random_state=3).fit(X)
    other = KernelBasis(n_basis=15, basis=how, random_state=4).fit(X)
    np.testing.assert_array_equal(first.indices_, again.indices_)
    assert first.transform(NEW).tobytes() == again.transform(NEW).tobytes()
    assert first.indices_.tolist() != other.indices_.tolist()
    assert len(set(first.indices_)) == 15
    np.testing.assert_array_equal(first.rows_, X[first.indices_])


@pytest.mark.parametrize("how", ["kmeans++", "leverage"])
def test_spread_draws_find_a_small_far_cluster_more_often_than_chance(how, rng):
    rows = np.vstack([rng.normal(size=(197, 2)) * 0.1, 50 + rng.normal(size=(3, 2))])
    found = {
        choice: sum(
            KernelBasis(gamma=1.0, n_basis=10, basis=choice, random_state=seed)
            .fit(rows)
            .indices_[-1]
            >= 197
            for seed in range(40)
        )
        for choice in ("random", how)
    }
    assert found[how] > found["random"] + 10


def test_duplicate_rows_leave_no_noise_directions():
    rows = np.repeat(X[:5], 12, axis=0)
    for how in ("random", "kmeans++", "leverage"):
        basis = KernelBasis(gamma=0.2, n_basis=30, basis=how, random_state=0).fit(rows)
        F = basis.transform(rows)
        assert F.shape[1] <= 5
        if F.shape[1] == 5:
            np.testing.assert_allclose(F @ F.T, rbf_kernel(rows, gamma=0.2), atol=1e-8)


def test_a_kernel_that_is_zero_has_no_features():
    for how in ("random", "leverage"):
        basis = KernelBasis("linear", n_basis=4, basis=how).fit(np.zeros((9, 2)))
        assert basis.transform(np.ones((3, 2))).shape == (3, 0)


def test_sparse_rows_give_the_features_of_dense_rows(rng):
    rows = X * (rng.random(X.shape) > 0.5)
    for how in ("random", "kmeans++", "leverage"):
        dense = KernelBasis(n_basis=12, basis=how, random_state=0).fit(rows)
        sparse = KernelBasis(n_basis=12, basis=how, random_state=0).fit(sp.csr_matrix(rows))
        assert isinstance(sparse.rows_, sp.csr_array)
        np.testing.assert_array_equal(sparse.indices_, dense.indices_)
        np.testing.assert_allclose(
            sparse.kernel_rows(sp.csr_array(NEW)), dense.kernel_rows(NEW), rtol=1e-12
        )


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("how", ["random", "leverage"])
def test_a_precomputed_kernel_gives_the_same_features(how, convert):
    by_name = KernelBasis(gamma=0.4, n_basis=20, basis=how, random_state=0).fit(X)
    given = KernelBasis("precomputed", n_basis=20, basis=how, random_state=0)
    given.fit(convert(rbf_kernel(X, gamma=0.4)))
    np.testing.assert_array_equal(given.indices_, by_name.indices_)
    F, G = (
        given.transform(convert(rbf_kernel(NEW, X, gamma=0.4))),
        by_name.transform(NEW),
    )
    np.testing.assert_allclose(F @ F.T, G @ G.T, atol=1e-9)


def test_a_widened_basis_is_that_of_the_other_width():
    basis = KernelBasis(gamma=0.4, n_basis=20, random_state=0).fit(X)
    wider, direct = basis.widened(0.5, X), KernelBasis(gamma=0.2, n_basis=20, random_state=0).fit(X)
    assert wider.gamma_ == direct.gamma_ == 0.2
    assert wider.transform(NEW).tobytes() == direct.transform(NEW).tobytes()
    assert basis.gamma_ == 0.4
    with pytest.raises(ValueError, match="must have a gamma to multiply"):
        KernelBasis("linear").fit(X).widened(2.0, X)


def test_combining_in_blocks_is_the_product(monkeypatch, rng):
    basis = KernelBasis(n_basis=20, random_state=0).fit(X)
    weights = rng.normal(size=(20, 3))
    monkeypatch.setattr("dlst.regressors.basis.ROWS_PER_BLOCK", 7)
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_allclose(basis.combine(rows, weights), basis.kernel_rows(X) @ weights)


def test_wrong_parameters_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match="basis must be one of random"):
        KernelBasis(basis="best").fit(X)
    for n_basis in (0, 2.5, "all", None):
        with pytest.raises(ValueError, match="n_basis must be 'auto' or an integer of at least 1"):
            KernelBasis(n_basis=n_basis).fit(X)
    with pytest.raises(DataError, match=r"square kernel .* got shape \(60, 4\)"):
        KernelBasis("precomputed").fit(X)
    with pytest.raises(ValueError, match="Use basis='random' or 'leverage'"):
        KernelBasis("precomputed", basis="kmeans++").fit(np.eye(3))


def test_a_basis_names_its_features_and_stands_in_a_pipeline():
    basis = KernelBasis(n_basis=3, random_state=0).set_output(transform="pandas")
    assert list(basis.fit_transform(X).columns) == ["kernelbasis0", "kernelbasis1", "kernelbasis2"]
    linear = make_pipeline(
        KernelBasis(gamma=0.3), KernelRidge("linear", alpha=0.5, n_basis=60)
    ).fit(X, X[:, 0])
    direct = KernelRidge(gamma=0.3, alpha=0.5).fit(X, X[:, 0])
    np.testing.assert_allclose(linear.predict(NEW), direct.predict(NEW), atol=1e-8)
