"""Rows that may be sparse and shifted, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels.feature_rows import FeatureRows, ridge_whitening

SHAPES = [(12, 5), (5, 12), (6, 6)]


def thin(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) * (rng.random(shape) < 0.5) + 0.1 * (rng.random(shape) < 0.2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shifted", [False, True])
def test_products_are_those_of_the_shifted_array(shape, kind, shifted):
    X, other = thin(shape), thin((shape[0], 3), seed=1)
    shift = np.linspace(-1, 2, shape[1]) if shifted else None
    rows = FeatureRows(kind(X), shift)
    expected = X if shift is None else X - shift
    rng = np.random.default_rng(2)
    W, T = rng.normal(size=(shape[1], 2)), rng.normal(size=(shape[0], 2))
    np.testing.assert_allclose(rows.times(W), expected @ W, atol=1e-13)
    np.testing.assert_allclose(rows.transposed_times(T), expected.T @ T, atol=1e-13)
    np.testing.assert_allclose(rows.gram(), expected.T @ expected, atol=1e-13)
    np.testing.assert_allclose(rows.outer(), expected @ expected.T, atol=1e-13)
    columns = FeatureRows(sp.csr_array(other), shift=np.array([0.5, 0.0, -1.0]))
    crossed = expected.T @ (other - [0.5, 0.0, -1.0])
    np.testing.assert_allclose(rows.cross(columns), crossed, atol=1e-13)
    largest = np.linalg.norm(expected, 2) ** 2
    np.testing.assert_allclose(rows.largest_eigenvalue(), largest, rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_the_whitening_solves_the_ridge_regression(shape, kind, alpha):
    X = thin(shape)
    centred = X - X.mean(axis=0)
    rows = FeatureRows.centred(kind(X))
    A = ridge_whitening(rows, alpha)
    assert A.shape[1] <= min(shape)
    if alpha:
        inverse = np.linalg.inv(centred.T @ centred + alpha * np.eye(shape[1]))
        np.testing.assert_allclose(A @ A.T @ centred.T, inverse @ centred.T, atol=1e-12)
    else:
        np.testing.assert_allclose(A @ A.T @ centred.T, np.linalg.pinv(centred), atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_axes_are_orthonormal_and_rebuild_the_gram_matrix(shape):
    rows = FeatureRows.centred(thin(shape))
    eigenvalues, V = rows.axes()
    np.testing.assert_allclose(V.T @ V, np.eye(len(eigenvalues)), atol=1e-10)
    np.testing.assert_allclose((V * eigenvalues) @ V.T, rows.gram(), atol=1e-12)


def test_rows_that_are_all_zero_have_no_axes():
    rows = FeatureRows(np.zeros((4, 3)))
    assert rows.axes()[1].shape == (3, 0)
    assert ridge_whitening(rows, 0.0).shape == (3, 0)
