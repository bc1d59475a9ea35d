"""Ridge machines in closed form, with the exact diagonal that leaves a row out of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from dlst._kernels.feature_rows import FeatureRows
from dlst._matrices import FeatureMatrix
from dlst.regressors.dual_solver import Solution

FloatArray = NDArray[np.float64]

MOST_SIZE = 3000
MOST_WORK = 5e10
"""Largest Gram matrix that is factored, and work for all of them: a few seconds."""

_BLOCK_ENTRIES = 16_000_000


def is_direct(shape: tuple[int, int], n_patterns: int) -> bool:
    """Say whether so many sets of rows are better solved by a factor each than by descent."""
    small, large = min(shape), max(shape)
    return small <= MOST_SIZE and n_patterns * (small**3 / 3 + small**2 * large) <= (
        MOST_WORK if n_patterns > 1 else np.inf
    )


def solve_directly(
    X: FeatureMatrix, T: NDArray[Any], ridge: FloatArray
) -> tuple[Solution, FloatArray]:
    """Solve min ½‖w_j‖² + Σ_i (1/2u_i) (t_ij − w_j·x_i)² for all targets j.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    T : ndarray of shape (n, t)
        NaN: the row is left out of that target's problem. Targets that are known in the same rows
        share their work.
    ridge : ndarray of shape (n,)
        u.

    Returns
    -------
    Solution
    diagonal : ndarray of shape (n, 1) or (n, t)
        Of (X Xᵀ + 11ᵀ + diag u)⁻¹ over the rows of each target; 1 at the other rows.
    """
    known = np.isfinite(T)
    n, t = T.shape
    no_gaps, one_pass = np.zeros(t), np.ones(t, np.int64)
    if known.all():
        W, duals, diagonal = _complete(X, T, ridge)
        return Solution(duals, W, no_gaps, one_pass), diagonal[:, None]
    W, duals, diagonals = np.empty((X.shape[1] + 1, t)), np.zeros((n, t)), np.ones((n, t))
    patterns, which = np.unique(known, axis=1, return_inverse=True)
    for pattern in range(patterns.shape[1]):
        rows, columns = np.flatnonzero(patterns[:, pattern]), np.flatnonzero(which == pattern)
        here = np.ix_(rows, columns)
        W[:, columns], duals[here], diagonal = _complete(X[rows], T[here], ridge[rows])
        diagonals[here] = diagonal[:, None]
    return Solution(duals, W, no_gaps, one_pass), diagonals


def _complete(
    X: FeatureMatrix, T: NDArray[Any], ridge: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights, duals and diagonal, by the smaller Gram matrix of rows over √u."""
    n, d = X.shape
    scale = (1.0 / np.sqrt(ridge))[:, None]
    rows: Any
    if isinstance(X, np.ndarray):
        rows = np.hstack([X * scale, scale])
    else:
        rows = sp.csr_array(sp.hstack([X.multiply(scale), sp.csr_array(scale)]))
    gram = FeatureRows(rows).outer() if n <= d else FeatureRows(rows).gram()
    gram[np.diag_indices_from(gram)] += 1.0
    inverse = scipy.linalg.lapack.dtrtri(np.linalg.cholesky(gram), lower=1)[0]
    T = T * scale
    if n <= d:
        residuals = inverse.T @ (inverse @ T)
        return rows.T @ residuals, residuals * scale, (inverse**2).sum(axis=0) / ridge
    W = inverse.T @ (inverse @ (rows.T @ T))
    remains = np.empty(n)
    for block in gen_batches(n, max(1, _BLOCK_ENTRIES // (d + 1))):
        remains[block] = 1.0 - ((rows[block] @ inverse.T) ** 2).sum(axis=1)
    # No row predicts itself better than by itself alone, whatever rounding makes of it.
    least = 1.0 / (1.0 + np.asarray((rows * rows).sum(axis=1)).ravel())
    return W, (T - rows @ W) * scale, np.maximum(remains, least) / ridge
