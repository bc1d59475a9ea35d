"""Shrinkage of singular values against an SVD and against its optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels import singular_values
from dlst._kernels.singular_values import nuclear_norm, shrink_singular_values, spectral_norm


def by_svd(A, threshold):
    U, lengths, Vt = np.linalg.svd(A, full_matrices=False)
    return U @ np.diag(np.maximum(lengths - threshold, 0)) @ Vt


@pytest.mark.parametrize("shape", [(7, 12), (12, 7), (6, 6), (1, 5), (5, 1)])
@pytest.mark.parametrize("threshold", [1e-9, 1e-3, 0.7, 3.0])
def test_shrinking_lowers_each_singular_value(shape, threshold):
    A = np.random.default_rng(0).normal(size=shape)
    shrunk = shrink_singular_values(A, threshold)
    np.testing.assert_allclose(shrunk.matrix, by_svd(A, threshold), atol=1e-12)
    lengths = np.maximum(np.linalg.svd(A, compute_uv=False) - threshold, 0)
    assert shrunk.nuclear_norm == pytest.approx(lengths.sum(), abs=1e-10)
    assert shrunk.rank == (lengths > 0).sum()


def test_the_shrunk_matrix_is_the_proximal_point_of_the_nuclear_norm():
    """A − W is a subgradient of t‖·‖_* at W: t UVᵀ plus something of norm ≤ t orthogonal to it."""
    A = np.random.default_rng(1).normal(size=(8, 5))
    threshold = 1.5
    W, _, rank = shrink_singular_values(A, threshold)
    assert 0 < rank < 5
    U, _, Vt = np.linalg.svd(W, full_matrices=False)
    U, Vt = U[:, :rank], Vt[:rank]
    rest = (A - W) / threshold - U @ Vt
    np.testing.assert_allclose(U.T @ rest, 0, atol=1e-12)
    np.testing.assert_allclose(rest @ Vt.T, 0, atol=1e-12)
    assert np.linalg.norm(rest, 2) <= 1 + 1e-12


@pytest.mark.parametrize("expected", [1, 4, 20, 210])
def test_an_expected_rank_right_or_wrong_changes_nothing(expected, monkeypatch):
    monkeypatch.setattr(singular_values, "_MANY", 200)
    rng = np.random.default_rng(5)
    A = rng.normal(size=(230, 4)) @ rng.normal(size=(4, 210)) + 0.1 * rng.normal(size=(230, 210))
    for threshold in (0.1, 5.0, 1e4):
        shrunk = shrink_singular_values(A, threshold, expected_rank=expected)
        plain = shrink_singular_values(A, threshold)
        np.testing.assert_allclose(shrunk.matrix, plain.matrix, atol=1e-10)
        assert shrunk.rank == plain.rank
        assert shrunk.nuclear_norm == pytest.approx(plain.nuclear_norm)


def test_small_thresholds_keep_their_precision_on_ill_conditioned_matrices():
    """Through the Gram matrix a singular value of 1e-9 beside 1 would be noise."""
    rng = np.random.default_rng(2)
    U, _ = np.linalg.qr(rng.normal(size=(6, 3)))
    V, _ = np.linalg.qr(rng.normal(size=(9, 3)))
    A = U @ np.diag([1.0, 1e-5, 1e-9]) @ V.T
    shrunk = shrink_singular_values(A, 4e-10)
    np.testing.assert_allclose(shrunk.matrix, U @ np.diag([1.0, 1e-5, 6e-10]) @ V.T, atol=1e-12)
    assert np.linalg.svd(shrunk.matrix, compute_uv=False)[2] == pytest.approx(6e-10, rel=1e-4)


def test_no_threshold_leaves_the_matrix_and_a_large_one_leaves_nothing():
    A = np.random.default_rng(3).normal(size=(4, 6))
    same = shrink_singular_values(A, 0.0)
    np.testing.assert_array_equal(same.matrix, A)
    assert same.nuclear_norm == pytest.approx(nuclear_norm(A))
    nothing = shrink_singular_values(A, 1.01 * spectral_norm(A))
    assert not nothing.matrix.any()
    assert (nothing.nuclear_norm, nothing.rank) == (0.0, 0)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30), (2, 9), (1, 1), (0, 4)])
def test_the_spectral_norm_is_the_largest_singular_value(shape):
    A = np.random.default_rng(4).normal(size=shape)
    expected = np.linalg.norm(A, 2) if A.size else 0.0
    assert spectral_norm(A) == pytest.approx(expected, rel=1e-12)
    assert spectral_norm(sp.csr_array(A)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [2, 3, 8, 16, 64])
def test_the_norm_of_many_equal_singular_values(n):
    assert spectral_norm(np.eye(n) - 1 / n) == pytest.approx(1.0, rel=1e-12)
