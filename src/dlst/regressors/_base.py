"""The bases of regressors: input checks, 1-D targets, tags, a kernel's basis."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from dlst._checked_rows import checked_rows
from dlst._matrices import FeatureMatrix, FloatArray
from dlst.regressors.basis import KernelBasis, KernelEstimator

LEAST_WEIGHT = 1e-12
"""Of the largest: what a row of weight 0 counts."""


class CheckedRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor of many targets, or of one in one dimension, whose input is checked."""

    _one_dimensional: bool

    def _check_training(self, X: Any, y: Any, least_rows: int) -> tuple[FeatureMatrix, FloatArray]:
        """Return rows and 2-D targets; remember whether the targets were 1-D."""
        X, Z = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=True,
            y_numeric=True,
            ensure_min_samples=least_rows,
        )
        Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z, dtype=np.float64)
        self._one_dimensional = Z.ndim == 1
        return X, Z.reshape(len(Z), -1)

    def _check_features(self, X: Any, least_rows: int) -> FeatureMatrix:
        """Return training rows whose targets are not known yet."""
        return validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=least_rows
        )

    def _check_rows(self, X: Any) -> FeatureMatrix:
        """Return rows to predict."""
        check_is_fitted(self)
        return checked_rows(self, X)

    def _like_targets(self, Z: FloatArray) -> FloatArray:
        """Return 2-D predictions in the dimensions of the training targets."""
        return Z.ravel() if self._one_dimensional else Z

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class KernelRegressor(CheckedRegressor, KernelEstimator):
    """A regressor with the parameters of a kernel and its basis.

    Parameters
    ----------
    kernel, gamma, n_basis, basis, degree, coef0, random_state
        As in :class:`KernelBasis`.

    Examples
    --------
    >>> from dlst.regressors import KernelRidge
    >>> isinstance(KernelRidge(), KernelRegressor)
    True
    """

    def held_numbers(self, n: int, s: int) -> int:
        """Return how many numbers of features on a basis of s rows are held for n rows."""
        return n * s

    def _unfitted_basis(self, gamma: float | str) -> KernelBasis:
        return KernelBasis(
            self.kernel,
            gamma=gamma,
            n_basis=self.n_basis,
            basis=self.basis,
            degree=self.degree,
            coef0=self.coef0,
            random_state=self.random_state,
        )


def counting_weights(sample_weight: Any, X: FeatureMatrix) -> FloatArray | None:
    """Check weights of rows; one of 0 hardly counts, as its left-out prediction is wanted too."""
    if sample_weight is None:
        return None
    weights: FloatArray = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    return np.asarray(np.maximum(weights, LEAST_WEIGHT * weights.max()))


def times_roots(labels: Any, weights: FloatArray) -> Any:
    """Multiply columns by the roots of their weights, so that squared errors count by weight."""
    root = np.sqrt(weights)
    return sp.csr_array(labels @ sp.diags_array(root)) if sp.issparse(labels) else labels * root
