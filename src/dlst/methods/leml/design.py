"""The features of LEML as an operator: centred without losing their zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, FloatArray, as_dense

# Axes with less of the largest eigenvalue than this hold rounding only.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, eq=False)
class Design:
    """Rows less their mean, known by their products.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n, d)
        Dense rows have the mean subtracted, sparse ones not.
    mean : ndarray of shape (d,)
        What is subtracted; zeros where rows are not centred.
    """

    X: FeatureMatrix
    mean: FloatArray

    @classmethod
    def of(cls, X: FeatureMatrix, *, centred: bool) -> Design:
        """Centre the rows of X (n, d), or take them as they are."""
        mean = np.asarray(X.mean(axis=0)).ravel() if centred else np.zeros(X.shape[1])
        return cls(X - mean if centred and isinstance(X, np.ndarray) else X, mean)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        n, d = self.X.shape
        return int(n), int(d)

    def times(self, W: FloatArray) -> FloatArray:
        """Return the product with W (d, k)."""
        product = np.asarray(self.X @ W)
        return product - self.mean @ W if self._shifted else product

    def transposed_times(self, R: Any) -> FloatArray:
        """Return the product of the transpose with a dense or sparse R (n, k)."""
        product = as_dense(self.X.T @ R)
        if self._shifted:
            product = product - np.outer(self.mean, R.sum(axis=0))
        return product

    def axes(self) -> tuple[FloatArray, FloatArray]:
        """Return the positive eigenvalues (q,) of XᵀX and their eigenvectors (d, q)."""
        n, d = self.shape
        if d <= n:
            gram = as_dense(self.X.T @ self.X)
            if self._shifted:
                gram = gram - n * np.outer(self.mean, self.mean)
            values, vectors = _positive_eigenpairs(gram)
            return values, vectors
        gram = as_dense(self.X @ self.X.T)
        if self._shifted:
            along = np.asarray(self.X @ self.mean)
            gram = gram - along[:, None] - along + self.mean @ self.mean
        values, vectors = _positive_eigenpairs(gram)
        return values, self.transposed_times(vectors) / np.sqrt(values)

    @property
    def _shifted(self) -> bool:
        return sp.issparse(self.X) and bool(self.mean.any())


def _positive_eigenpairs(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, vectors = scipy.linalg.eigh(gram, check_finite=False)
    kept = values > _NEGLIGIBLE * max(values[-1], np.finfo(float).tiny)
    return values[kept], np.ascontiguousarray(vectors[:, kept])
