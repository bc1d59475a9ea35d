from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.errors import DataError
from dlst.regressors.kernels import (
    check_kernel,
    chi2_distances,
    has_width,
    kernel_matrix,
    kernel_width,
)

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(6, 3))) * (RNG.random((6, 3)) > 0.3)
B = np.abs(RNG.normal(size=(4, 3)))


def slow_kernel(x, b, kernel):
    if kernel == "rbf":
        return np.exp(-0.7 * sum((x - b) ** 2))
    if kernel == "chi2":
        return np.exp(-0.7 * sum((u - v) ** 2 / (u + v) for u, v in zip(x, b, strict=True)))
    if kernel == "polynomial":
        return (0.7 * x @ b + 2.0) ** 2
    if kernel == "linear":
        return x @ b
    return x @ b / np.sqrt((x @ x) * (b @ b))


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "cosine", "chi2"])
def test_each_kernel_equals_its_formula_row_by_row(kernel):
    expected = [[slow_kernel(x, b, kernel) for b in B] for x in X]
    found = kernel_matrix(X, B, kernel, gamma=0.7, degree=2, coef0=2.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "cosine"])
def test_sparse_rows_have_the_kernel_of_dense_rows(kernel):
    dense = kernel_matrix(X, B, kernel, gamma=0.7)
    sparse = kernel_matrix(sp.csr_array(X), sp.csr_array(B), kernel, gamma=0.7)
    assert isinstance(sparse, np.ndarray)
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)


def test_a_function_is_a_kernel():
    found = kernel_matrix(X, B, lambda rows, others: np.ones((len(rows), len(others))))
    assert found.shape == (6, 4)
    assert (found == 1).all()


@pytest.mark.parametrize("wrong", [np.ones((4, 6)), np.full((6, 4), np.nan)])
def test_a_function_that_returns_something_else_is_refused(wrong):
    with pytest.raises(DataError, match=r"finite array of shape \(6, 4\)"):
        kernel_matrix(X, B, lambda rows, others: wrong)


def test_chi2_refuses_sparse_and_negative_rows():
    with pytest.raises(DataError, match="dense rows; got a sparse matrix"):
        chi2_distances(sp.csr_array(X), B)
    with pytest.raises(DataError, match=r"non-negative features .* got -1"):
        chi2_distances(X, -np.ones((1, 3)))
    with pytest.raises(ValueError, match="must have a gamma"):
        kernel_matrix(X, B, "chi2")


def test_median_width_is_one_over_the_median_squared_distance_of_the_basis():
    squared = [sum((B[i] - B[j]) ** 2) for i in range(4) for j in range(i)]
    assert kernel_width("median", "rbf", X, B) == pytest.approx(1 / np.median(squared))
    assert kernel_width("auto", "rbf", X, B) == kernel_width("median", "rbf", X, B)
    chi2 = [chi2_distances(B, B)[i, j] for i in range(4) for j in range(i)]
    assert kernel_width("median", "chi2", X, B) == pytest.approx(1 / np.median(chi2))


def test_scale_width_is_that_of_scikit_learn_for_dense_and_sparse():
    expected = 1 / (3 * X.var())
    assert kernel_width("scale", "rbf", X, B) == pytest.approx(expected)
    assert kernel_width("scale", "rbf", sp.csr_array(X), sp.csr_array(B)) == pytest.approx(expected)


def test_width_where_rows_coincide_is_finite():
    mostly_equal = np.zeros((9, 2))
    mostly_equal[0] = [3.0, 4.0]
    # Eight of the 36 pairs are 25 apart squared.
    assert kernel_width("median", "rbf", X, mostly_equal) == pytest.approx(36 / (8 * 25))
    for rows in (np.ones((5, 2)), np.ones((1, 2))):
        assert kernel_width("median", "rbf", rows, rows) == 1
        assert kernel_width("scale", "rbf", rows, rows) == 1


def test_only_some_kernels_have_a_width():
    assert kernel_width(2, "polynomial", X, B) == 2
    assert kernel_width("median", "linear", X, B) is None
    assert not has_width(kernel_matrix)


def test_unknown_kernels_and_widths_are_refused():
    with pytest.raises(ValueError, match="kernel must be a callable or one of rbf"):
        check_kernel("gauss", 1.0)
    with pytest.raises(ValueError, match="kernel must be a callable or one of rbf"):
        kernel_matrix(X, B, "precomputed")
    for gamma in ("wide", 0, -1.0, np.inf, np.nan, None):
        with pytest.raises(ValueError, match="gamma must be a positive number or one of auto"):
            check_kernel("rbf", gamma)
