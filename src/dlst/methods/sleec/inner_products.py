"""Codes whose inner products match those of near points, and no others (singular value projection).

    min ½ Σ_(a,b)∈Ω (⟨y_a, y_b⟩ − ⟨z_a, z_b⟩)²   over codes z in R^r

Ω pairs each point with its nearest ones. The iterates M = Z Zᵀ are kept as Z, and the step to be
projected is Z Zᵀ plus a sparse matrix, so nothing of size m × m is formed.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from dlst._kernels.proximal import Solution
from dlst._kernels.sampled_products import sampled_products
from dlst._matrices import FloatArray

POINTS_AT_ONCE = 1024
_TIE_BREAK = 1e-9
_DISTINCT = 1e-8


def near_inner_products(points: sp.csr_array, n_neighbors: int) -> sp.csr_array:
    """Return the inner products of each point with itself and its nearest others, symmetric.

    Nearest means the largest inner product; among equal ones, such as all those with which a point
    has nothing in common, the next ones in order are taken, so that no point is favoured. A pair is
    in when either is a neighbour of the other; products of 0 are stored too.

    Parameters
    ----------
    points : csr_array of shape (m, K)
    n_neighbors : int
        q; with m − 1 or more, all pairs are in.

    Examples
    --------
    >>> near_inner_products(sp.csr_array([[1.0, 0], [1.0, 1], [0.0, 1]]), 1).nnz
    7
    """
    m = points.shape[0]
    q = min(n_neighbors, m - 1)
    pairs, products = [], []
    for start in range(0, m, POINTS_AT_ONCE):
        block = np.asarray((points[start : start + POINTS_AT_ONCE] @ points.T).toarray())
        place = np.arange(len(block))
        own = start + place
        after = (np.arange(m) - own[:, None]) % m
        rank = after * (_TIE_BREAK / m) - block
        rank[place, own] = -np.inf
        near = np.argpartition(rank, q, axis=1)[:, : q + 1]
        pairs += [(own[:, None] * m + near).ravel(), (near * m + own[:, None]).ravel()]
        products += [np.take_along_axis(block, near, axis=1).ravel()] * 2
    distinct, first = np.unique(np.concatenate(pairs), return_index=True)
    rows, columns = np.divmod(distinct, m)
    indptr = np.searchsorted(rows, np.arange(m + 1)).astype(np.int32)
    return sp.csr_array(
        (np.concatenate(products)[first], columns.astype(np.int32), indptr), shape=(m, m)
    )


def codes_of_products(
    products: sp.csr_array, n_components: int, *, tol: float, max_iter: int
) -> Solution:
    """Find codes (m, r) for the stored inner products; the error never rises.

    Steps of length 1, the inverse Lipschitz constant, each projected onto the positive
    semidefinite matrices of rank r; the first is the projection of the products with zeros
    elsewhere.

    Parameters
    ----------
    products : csr_array of shape (m, m)
        Symmetric, as :func:`near_inner_products` makes it.
    n_components : int
        r, at most m.
    tol : float
        Stop when a step lowers the squared error by at most this share of Σ products².
    max_iter : int
        Stop after so many steps, converged or not.
    """
    indptr, indices, wanted = products.indptr, products.indices, products.data
    total = float(wanted @ wanted) or 1.0
    codes = np.zeros((products.shape[0], n_components))
    missing, error = wanted, 1.0
    for iteration in range(1, max_iter + 1):
        residual = sp.csr_array((missing, indices, indptr), shape=products.shape)
        codes = _projected(codes, residual)
        missing = wanted - sampled_products(codes, codes, indptr, indices)
        last, error = error, float(missing @ missing) / total
        if last - error <= tol:
            return Solution(codes, iteration, True)
    return Solution(codes, max_iter, False)


def _projected(codes: FloatArray, residual: sp.csr_array) -> FloatArray:
    """Return Z with Z Zᵀ the nearest positive semidefinite matrix of its rank to the sum."""
    m, r = codes.shape
    # A whole decomposition is as cheap when a third of the eigenvectors are wanted.
    if m <= 3 * r:
        eigenvalues, vectors = np.linalg.eigh(codes @ codes.T + residual.toarray())
        eigenvalues, vectors = eigenvalues[-r:], vectors[:, -r:]
    else:
        random = np.random.RandomState(0)
        # Equal eigenvalues make ARPACK start again from vectors that no seed controls.
        distinct = _DISTINCT * random.uniform(size=m)

        def product(x: FloatArray) -> FloatArray:
            x = x.ravel()
            return np.asarray(codes @ (codes.T @ x) + residual @ x + distinct * x)

        operator = LinearOperator((m, m), matvec=product, dtype=np.float64)
        start = random.uniform(-1.0, 1.0, size=m)
        eigenvalues, vectors = eigsh(operator, k=r, which="LA", v0=start)
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(eigenvalues, 0.0)))
