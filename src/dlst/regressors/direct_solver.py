"""Ridge machines in closed form, with the exact diagonal that leaves a row out of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from dlst._kernels.quadratic_forms import column_products, quadratic_forms
from dlst._matrices import FeatureMatrix, FloatArray
from dlst.regressors.dual_solver import Solution

MOST_SIZE = 3000
MOST_WORK = 5e10
"""Largest Gram matrix that is factored, and work for all of them: a few seconds."""

_BLOCK_ENTRIES = 16_000_000


def is_direct(shape: tuple[int, int], n_patterns: int) -> bool:
    """Return whether so many sets of rows are better solved by a factor each than by descent."""
    small, large = min(shape), max(shape)
    return small <= MOST_SIZE and n_patterns * (small**3 / 3 + small**2 * large) <= (
        MOST_WORK if n_patterns > 1 else np.inf
    )


class DirectSolver:
    """Solve min ½‖w_j‖² + C Σ_i s_i (t_ij − w_j·x_i)² for all targets j of one set of rows.

    Products of rows are made once for all C.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    weights : ndarray of shape (n,), optional
        s, all above 0.
    """

    def __init__(self, X: FeatureMatrix, weights: FloatArray | None = None):
        self.X = X
        self.weights = np.ones(X.shape[0]) if weights is None else weights

    def solve(self, T: NDArray[Any], C: float) -> tuple[Solution, FloatArray]:
        """Find the machines of targets, and what leaves a row out of them.

        Parameters
        ----------
        T : ndarray of shape (n, t)
            NaN: the row is left out of that target's problem. Targets that are known in the same
            rows share their work.
        C : float

        Returns
        -------
        Solution
        diagonal : ndarray of shape (n, 1) or (n, t)
            Of (X Xᵀ + 11ᵀ + diag 1/(2 C s))⁻¹ over the rows of each target; 1 at other rows.
        """
        known = np.isfinite(T)
        n, t = T.shape
        no_gaps, one_pass = np.zeros(t), np.ones(t, np.int64)
        if known.all():
            duals, W, diagonal = self._rows.solve(T, C)
            return Solution(duals, W, no_gaps, one_pass), diagonal[:, None]
        W, duals, diagonals = np.empty((self.X.shape[1] + 1, t)), np.zeros((n, t)), np.ones((n, t))
        patterns, which = np.unique(known, axis=1, return_inverse=True)
        for pattern in range(patterns.shape[1]):
            rows, columns = np.flatnonzero(patterns[:, pattern]), np.flatnonzero(which == pattern)
            here = np.ix_(rows, columns)
            found = _WeightedRows(self.X[rows], self.weights[rows]).solve(T[here], C)
            duals[here], W[:, columns], diagonals[here] = found.duals, found.W, found.column
        return Solution(duals, W, no_gaps, one_pass), diagonals

    @cached_property
    def _rows(self) -> _WeightedRows:
        return _WeightedRows(self.X, self.weights)


class _Solved(NamedTuple):
    duals: FloatArray
    W: FloatArray
    diagonal: FloatArray

    @property
    def column(self) -> FloatArray:
        """The diagonal, for all targets."""
        return self.diagonal[:, None]


class _WeightedRows:
    """Rows times √s with a constant feature, and the smaller matrix of their products."""

    def __init__(self, X: FeatureMatrix, weights: FloatArray):
        self.weights, self.roots = weights, np.sqrt(weights)[:, None]
        self.rows: Any
        if isinstance(X, np.ndarray):
            self.rows = np.hstack([X * self.roots, self.roots])
        else:
            self.rows = sp.csr_array(sp.hstack([X.multiply(self.roots), sp.csr_array(self.roots)]))
            self.rows.sort_indices()
        self.wide = X.shape[0] <= X.shape[1]
        self.products = _lower_products(self.rows.T if self.wide else self.rows)

    def solve(self, T: NDArray[Any], C: float) -> _Solved:
        """Return duals, weights and diagonal for targets that are all known."""
        factor = self._factor(1.0 / (2.0 * C))
        T = T * self.roots
        if self.wide:
            residuals = scipy.linalg.cho_solve(factor, T, check_finite=False)
            return _Solved(
                residuals * self.roots,
                self.rows.T @ residuals,
                self.weights * np.diag(_lower_inverse(factor)),
            )
        W = scipy.linalg.cho_solve(factor, self.rows.T @ T, check_finite=False)
        # No row predicts itself better than by itself alone, whatever rounding makes of it.
        least = 1.0 / (1.0 + 2.0 * C * np.asarray((self.rows * self.rows).sum(axis=1)).ravel())
        remains = np.maximum(1.0 - self._forms(_lower_inverse(factor)), least)
        duals = 2.0 * C * self.roots * (T - self.rows @ W)
        return _Solved(duals, W, 2.0 * C * self.weights * remains)

    def _factor(self, penalty: float) -> Any:
        penalised = self.products.copy()
        penalised[np.diag_indices_from(penalised)] += penalty
        # By columns, as LAPACK has it: what is the upper half there is the lower one here.
        return scipy.linalg.cho_factor(penalised.T, overwrite_a=True, check_finite=False)

    def _forms(self, lower: FloatArray) -> FloatArray:
        """Return x A xᵀ of each row, for a symmetric A of which the lower half is given."""
        if not isinstance(self.rows, np.ndarray):
            forms: FloatArray = quadratic_forms(*_csr_parts(self.rows), lower)
            return forms
        n, d = self.rows.shape
        inverse = np.tril(lower) + np.tril(lower, -1).T
        blocks = gen_batches(n, max(1, _BLOCK_ENTRIES // d))
        rows = (self.rows[block] for block in blocks)
        return np.concatenate([np.einsum("ij,ij->i", part @ inverse, part) for part in rows])


def _lower_products(rows: Any) -> FloatArray:
    """Return the products of columns, of sparse rows their lower half alone."""
    if isinstance(rows, np.ndarray):
        return rows.T @ rows
    by_rows = sp.csr_array(rows)
    by_rows.sort_indices()
    products: FloatArray = column_products(*_csr_parts(by_rows), by_rows.shape[1])
    return products


def _csr_parts(rows: sp.csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32], FloatArray]:
    return rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data


def _lower_inverse(factor: Any) -> FloatArray:
    """Return the inverse of a factored matrix in the factor's place; only its lower half counts."""
    inverse: FloatArray = scipy.linalg.lapack.dpotri(factor[0], overwrite_c=1)[0].T
    return inverse
