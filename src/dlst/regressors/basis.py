"""A kernel's feature space, spanned by a sample of the training rows (Nyström)."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from dlst._matrices import FeatureMatrix, FloatArray, as_dense, as_features
from dlst._parameters import check_parameters, integer, one_of, parameter, with_parameters
from dlst._threads import in_threads
from dlst.errors import DataError
from dlst.regressors.kernels import (
    Kernel,
    check_kernel,
    few_rbf_rows,
    kernel_matrix,
    kernel_width,
)

BASES = ("random", "kmeans++", "leverage")
LARGEST_AUTOMATIC_BASIS = 1000
ROWS_PER_BLOCK = 4096
ROWS_ON_DIAGONAL = 128
FEW_ROWS = 16
"""So many rows do not wait for scikit-learn to examine them."""


@with_parameters
class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator with the parameters of a kernel and its basis; see :class:`KernelBasis`."""

    kernel: Kernel = "rbf"
    _: KW_ONLY
    gamma: float | str = "median"
    n_basis: int | str = parameter(default="auto", must_be=one_of("auto") | integer(at_least=1))
    basis: str = parameter(default="random", must_be=one_of(*BASES))
    degree: float = 3
    coef0: float = 1
    random_state: Any = None

    def n_basis_of(self, n: int) -> int:
        """Return the rows of a basis of n training rows."""
        return min(n, LARGEST_AUTOMATIC_BASIS if self.n_basis == "auto" else int(self.n_basis))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


class KernelBasis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Features F = k(X, B) K_BB^(−1/2) of a kernel on a basis B of s training rows.

    F Fᵀ approximates the kernel between the rows and is the kernel itself when s = n.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "cosine", "chi2", "precomputed"} or callable
        See :func:`~dlst.regressors.kernels.kernel_matrix`. For ``"precomputed"``, `fit` takes the
        (n, n) kernel between the training rows, `transform` that of new rows with them, (n', n).
    gamma : float or {"auto", "median", "scale"}
        See :func:`~dlst.regressors.kernels.kernel_width`.
    n_basis : int or "auto"
        s, at most n; ``"auto"`` is 1000.
    basis : {"random", "kmeans++", "leverage"}
        How the rows are drawn: all alike; far from each other (not for ``"precomputed"``); by
        their ridge leverage, as estimated on a first random basis.
    degree, coef0 : float
        Of the polynomial kernel.
    random_state : int, RandomState or None
        For the draw.

    Attributes
    ----------
    indices_ : ndarray of shape (s,)
        The rows of the basis, ascending.
    rows_ : ndarray or csr_array of shape (s, d)
        Their features; absent for a precomputed kernel.
    gamma_ : float or None
        What was used; None for kernels without it.
    whitening_ : ndarray of shape (s, q)
        V Λ^(−1/2) of K_BB = V Λ Vᵀ, without the negligible eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> F = KernelBasis(gamma=0.5).fit_transform(X)
    >>> distances = ((X[:, None] - X) ** 2).sum(axis=2)
    >>> np.allclose(F @ F.T, np.exp(-0.5 * distances))
    True
    """

    def fit(self, X: Any, y: Any = None) -> KernelBasis:
        """Draw the basis and prepare its features.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Training rows.
        y : ignored

        Returns
        -------
        KernelBasis
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        self._check_parameters(X)
        n = X.shape[0]
        size = self.n_basis_of(n)
        if size == n:
            return self._settle(X, np.arange(n))
        random = check_random_state(self.random_state)
        if self.basis == "kmeans++":
            from sklearn.cluster import kmeans_plusplus

            # With fewer distinct rows than asked for it draws a row twice.
            return self._settle(X, np.unique(kmeans_plusplus(X, size, random_state=random)[1]))
        self._settle(X, np.sort(random.choice(n, size, replace=False)))
        if self.basis == "leverage":
            chances = self._leverages(X)
            chosen = random.choice(n, size, replace=False, p=chances / chances.sum())
            self._settle(X, np.sort(chosen))
        return self

    def fit_sample(self, rows: FeatureMatrix, indices: NDArray[np.intp], n: int) -> KernelBasis:
        """Take rows that were drawn elsewhere for the basis.

        Parameters
        ----------
        rows : ndarray or csr_array of shape (s, d)
            The rows.
        indices : ndarray of shape (s,)
            Their numbers.
        n : int
            Rows that they were drawn from.
        """
        check_kernel(self.kernel, self.gamma)
        self.n_features_in_ = rows.shape[1]
        self._settle(rows, np.arange(len(indices)), sampled=len(indices) < n)
        self.indices_ = indices
        return self

    def widened(self, multiple: float, X: FeatureMatrix) -> KernelBasis:
        """Return the same basis of the training rows ``X`` with a multiple of its gamma."""
        if self.gamma_ is None:
            raise ValueError(f"kernel must have a gamma to multiply; got {self.kernel!r}.")
        other = copy(self)
        other.gamma = self.gamma_ * multiple
        return other._settle(X, self.indices_)

    def transform(self, X: Any) -> FloatArray:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, q)
        """
        check_is_fitted(self)
        return self.features(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )

    def features(self, X: FeatureMatrix) -> FloatArray:
        """Return the features (n, q) of rows that were checked before."""
        return np.asarray(self.kernel_rows(X) @ self.whitening_)

    def kernel_rows(self, X: FeatureMatrix) -> FloatArray:
        """Return the kernel (n, s) of rows that were checked before with those of the basis."""
        if self.kernel == "precomputed":
            return as_dense(X[:, self.indices_])
        if self.kernel == "rbf" and _are_few(X) and isinstance(self.rows_, np.ndarray):
            return few_rbf_rows(X, self.rows_, float(self.gamma_ or 0.0))
        return self._kernel(X, self.rows_)

    def combine(self, X: FeatureMatrix, weights: FloatArray) -> FloatArray:
        """Return k(X, B) @ weights, (n, t), a block of rows at a time."""
        out = np.empty((X.shape[0], weights.shape[1]))

        def combined(block: slice) -> None:
            out[block] = self.kernel_rows(X[block]) @ weights

        for _ in in_threads(combined, gen_batches(X.shape[0], ROWS_PER_BLOCK)):
            pass
        return out

    def _settle(
        self, X: FeatureMatrix, indices: NDArray[np.intp], *, sampled: bool | None = None
    ) -> KernelBasis:
        self.indices_ = indices
        if self.kernel == "precomputed":
            self.gamma_ = None
        else:
            self.rows_ = as_features(X[indices])
            self.gamma_ = kernel_width(self.gamma, self.kernel, X, self.rows_)
        # On a sample, weak directions are mostly the sample's noise; with all rows they are kept
        # down to rounding, so that the kernel is reproduced.
        sampled = len(indices) < X.shape[0] if sampled is None else sampled
        cut = 1e-7 if sampled else 1e-13
        eigenvalues, V = np.linalg.eigh(self.kernel_rows(X[indices]))
        kept = eigenvalues > cut * max(eigenvalues[-1], 0.0)
        self.whitening_ = V[:, kept] / np.sqrt(eigenvalues[kept])
        return self

    def _leverages(self, X: FeatureMatrix) -> FloatArray:
        """Estimate each row's ridge leverage, with the features' mean eigenvalue as the penalty."""
        F = self.features(X)
        eigenvalues, V = np.linalg.eigh(F.T @ F)
        penalty = max(eigenvalues.sum() / len(self.indices_), np.finfo(float).tiny)
        spanned = ((F @ V) ** 2 / (eigenvalues + penalty)).sum(axis=1)
        # What this basis cannot express of a row speaks for it as well, up to a leverage of 1.
        missed = np.clip((self._diagonal(X) - (F**2).sum(axis=1)) / penalty, 0, 1)
        # 1/n, the leverage of an intercept, leaves every row a chance.
        return np.asarray(spanned + missed + 1 / len(F))

    def _diagonal(self, X: FeatureMatrix) -> FloatArray:
        """Return the kernel of each row with itself."""
        if self.kernel == "precomputed":
            return np.asarray(X.diagonal())
        # Blocks along the diagonal: a kernel may be any function of two sets of rows.
        blocks = (X[block] for block in gen_batches(X.shape[0], ROWS_ON_DIAGONAL))
        return np.concatenate([np.diagonal(self._kernel(rows, rows)) for rows in blocks])

    def _kernel(self, X: FeatureMatrix, B: FeatureMatrix) -> FloatArray:
        return kernel_matrix(
            X, B, self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0
        )

    def _check_parameters(self, X: FeatureMatrix) -> None:
        check_kernel(self.kernel, self.gamma)
        check_parameters(self)
        if self.kernel != "precomputed":
            return
        if X.shape[0] != X.shape[1]:
            raise DataError(
                f"kernel='precomputed' must be fitted on the square kernel between the training "
                f"rows; got shape {X.shape}."
            )
        if self.basis == "kmeans++":
            raise ValueError(
                "basis='kmeans++' must have features; got kernel='precomputed'. "
                "Use basis='random' or 'leverage'."
            )

    @property
    def _n_features_out(self) -> int:
        return int(self.whitening_.shape[1])


def _are_few(X: FeatureMatrix) -> bool:
    return isinstance(X, np.ndarray) and len(X) <= FEW_ROWS
