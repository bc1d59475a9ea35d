"""Products of rows that may be sparse and shifted, and ridge regression through the smaller Gram.

With F = X A for the whitening A of shape (d, q), q ≤ min(n, d), the hat matrix of a ridge
regression is H = F Fᵀ and its coefficients for targets T are A Fᵀ T. Nothing here is n × n unless
n < d, and sparse rows stay sparse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix

FloatArray = NDArray[np.float64]

_NEGLIGIBLE = 1e-13
"""Eigenvalues below this share of the largest are rounding errors."""


class FeatureRows:
    """Rows less a shift, diag(root) (X − 1 shiftᵀ), (n, d); sparse ones shifted in products only.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    shift : ndarray of shape (d,), optional
        Subtracted from every row; nothing by default.
    root : ndarray of shape (n,), optional
        Factors of the rows, the roots of their weights; 1 by default.
    """

    def __init__(
        self, X: FeatureMatrix, shift: FloatArray | None = None, root: FloatArray | None = None
    ):
        n, d = X.shape
        self.shape = (int(n), int(d))
        self.shift: FloatArray = np.zeros(d) if shift is None else shift
        # Dense rows are shifted here: with a large mean the Gram matrix would lose digits.
        shifted_at_once = shift is not None and isinstance(X, np.ndarray)
        self._X: Any = X - self.shift if shifted_at_once else X
        self._pending: FloatArray = np.zeros(d) if shifted_at_once else self.shift
        self.root = root
        if root is not None:
            dense = isinstance(self._X, np.ndarray)
            self._X = self._X * root[:, None] if dense else sp.diags_array(root) @ self._X

    @classmethod
    def centred(cls, X: FeatureMatrix, weights: FloatArray | None = None) -> FeatureRows:
        """Return the rows less their mean; with weights, by weight and times their roots."""
        if weights is None:
            return cls(X, np.asarray(X.mean(axis=0)).ravel())
        return cls(X, np.asarray(weights @ X).ravel() / weights.sum(), np.sqrt(weights))

    def times(self, W: FloatArray) -> FloatArray:
        """Return the product with W of shape (d, t)."""
        product = np.asarray(self._X @ W)
        if self.root is None:
            return product - self._pending @ W
        return product - np.outer(self.root, self._pending @ W)

    def transposed_times(self, T: FloatArray) -> FloatArray:
        """Return the transpose's product with T of shape (n, t)."""
        total = T.sum(axis=0) if self.root is None else self.root @ T
        return np.asarray(self._X.T @ T) - np.outer(self._pending, total)

    def cross(self, other: FeatureRows) -> FloatArray:
        """Return the transpose's product with other columns of the same rows and roots, (d, d')."""
        product = _dense(self._X.T @ other._X)
        if self._pending.any() or other._pending.any():
            product -= np.outer(self._pending, _column_sums(other._X, self.root))
            total = self.shape[0] if self.root is None else self.root @ self.root
            left = _column_sums(self._X, self.root) - total * self._pending
            product -= np.outer(left, other._pending)
        return product

    def gram(self) -> FloatArray:
        """Return the (d, d) products of columns."""
        return self.cross(self)

    def outer(self) -> FloatArray:
        """Return the (n, n) products of rows."""
        product = _dense(self._X @ self._X.T)
        if self._pending.any():
            along = self._X @ self._pending
            length = self._pending @ self._pending
            if self.root is None:
                product += length - along[:, None] - along
            else:
                both = np.outer(along, self.root)
                product += length * np.outer(self.root, self.root) - both - both.T
        return product

    def largest_eigenvalue(self) -> float:
        """Return the largest eigenvalue of the Gram matrix."""
        smaller = self.gram() if self.shape[1] <= self.shape[0] else self.outer()
        last = len(smaller) - 1
        return float(scipy.linalg.eigvalsh(smaller, subset_by_index=(last, last))[0])

    def axes(self) -> tuple[FloatArray, FloatArray]:
        """Return the eigenvalues of the Gram matrix that are not 0, and their vectors (d, q).

        In O(min(n, d)³ + n d min(n, d)).
        """
        n, d = self.shape
        if d <= n:
            eigenvalues, V = scipy.linalg.eigh(self.gram())
        else:
            eigenvalues, U = scipy.linalg.eigh(self.outer())
        kept = eigenvalues > _NEGLIGIBLE * eigenvalues.max(initial=0.0)
        eigenvalues = eigenvalues[kept]
        if d <= n:
            return eigenvalues, np.ascontiguousarray(V[:, kept])
        return eigenvalues, self.transposed_times(U[:, kept]) / np.sqrt(eigenvalues)


def ridge_whitening(rows: FeatureRows, alpha: float) -> FloatArray:
    """Return A, (d, q), with A Aᵀ Xᵀ = (XᵀX + α I)⁻¹ Xᵀ; for α = 0 the pseudo-inverse of X.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(9, 3))
    >>> A = ridge_whitening(FeatureRows(X), alpha=2.0)
    >>> np.allclose(A @ A.T, np.linalg.inv(X.T @ X + 2.0 * np.eye(3)))
    True
    """
    n, d = rows.shape
    if d <= n and alpha > 0:
        # A Cholesky factor, unlike eigenvectors, keeps its digits where features have very
        # different scales: 1e-13 against 1e-9 on the raw features of Emotions.
        penalised = rows.gram()
        penalised.flat[:: d + 1] += alpha
        factor = scipy.linalg.cholesky(penalised, lower=True)
        inverse = scipy.linalg.solve_triangular(factor, np.eye(d), lower=True)
        return np.ascontiguousarray(inverse.T)
    eigenvalues, V = rows.axes()
    whitening: FloatArray = V / np.sqrt(eigenvalues + alpha)
    return whitening


def _dense(product: Any) -> FloatArray:
    return np.asarray(product.toarray() if sp.issparse(product) else product, dtype=np.float64)


def _column_sums(matrix: Any, root: FloatArray | None) -> FloatArray:
    """Add up rows; of rows that were multiplied by roots of weights each times its root."""
    total = matrix.sum(axis=0) if root is None else root @ matrix
    return np.asarray(total, dtype=np.float64).ravel()
