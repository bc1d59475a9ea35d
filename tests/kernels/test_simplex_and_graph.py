"""The simplex projection against an optimiser, the neighbour graph against loops."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dlst._kernels.neighbour_graph import neighbour_laplacian
from dlst._kernels.simplex import project_onto_simplex


@given(arrays(np.float64, (4, 5), elements=st.floats(-1e3, 1e3)))
def test_the_projection_is_the_nearest_point_of_the_simplex(V):
    """W is nearest exactly if no corner lies on V's side of it: (V − W)·(e_j − W) ≤ 0."""
    W = project_onto_simplex(V)
    assert W.min() >= 0
    np.testing.assert_allclose(W.sum(axis=1), 1, atol=1e-10)
    for v, w in zip(V, W, strict=True):
        assert ((v - w) @ (np.eye(5) - w).T <= 1e-7 * max(1, np.abs(v).max())).all()


def test_points_of_the_simplex_stay_and_a_single_entry_is_one():
    W = np.random.default_rng(0).dirichlet(np.ones(6), size=20)
    np.testing.assert_allclose(project_onto_simplex(W), W, atol=1e-15)
    np.testing.assert_array_equal(project_onto_simplex(np.array([[-3.0], [7.0]])), [[1.0], [1.0]])


def joined_by_loops(X, k, weights):
    n = len(X)
    distances = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    edges = [
        (i, j)
        for i in range(n)
        for j in sorted(set(range(n)) - {i}, key=lambda j: distances[i, j])[:k]
    ]
    width = np.mean([distances[edge] for edge in edges])
    A = np.zeros((n, n))
    for i, j in edges:
        A[i, j] = A[j, i] = 1 if weights == "binary" else np.exp(-((distances[i, j] / width) ** 2))
    return np.diag(A.sum(axis=1)) - A


@pytest.mark.parametrize("weights", ["binary", "heat"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_laplacian_joins_each_row_to_its_nearest(weights, kind):
    X = np.random.default_rng(0).normal(size=(25, 3))
    L = neighbour_laplacian(kind(X), 4, weights=weights)
    np.testing.assert_allclose(L.toarray(), joined_by_loops(X, 4, weights), atol=1e-12)
    np.testing.assert_allclose(np.asarray(L.sum(axis=1)), 0, atol=1e-12)


def test_duplicate_rows_and_few_rows_make_a_graph_too():
    same = neighbour_laplacian(np.zeros((4, 2)), 9, weights="heat")
    np.testing.assert_array_equal(same.toarray(), 4 * np.eye(4) - 1)
    assert neighbour_laplacian(np.zeros((1, 2)), 3).nnz == 0


def test_the_laplacian_of_the_golden_problem(golden):
    stored = np.load(golden / "convex_leml_slrm_mrv.npz")
    L = neighbour_laplacian(stored["slrm_X"], 5)
    np.testing.assert_allclose(L.toarray(), stored["slrm_L"], atol=1e-12)
