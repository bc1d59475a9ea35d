"""Linear ridge regression of many targets, the penalty chosen by exact leave-one-out."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from dlst._kernels.feature_rows import FeatureRows, ridge_whitening
from dlst._matrices import FeatureMatrix
from dlst.regressors.smoother import Spectrum, leave_one_out_errors

FloatArray = NDArray[np.float64]

INTERCEPTS = ("free", "penalised")
RELATIVE_ALPHAS = np.logspace(-4, 2, 13)
"""Penalties that are tried, over the mean eigenvalue of the features' Gram matrix."""


# scikit-learn's RidgeCV finds the same penalty, but has no intercept that is penalised, keeps
# leave-one-out predictions only for all penalties at once, an (n, t, number of penalties) array,
# and spends O(n d t) on each of them, where the labels' Gram matrix makes it O(n d min(d, t)).
class LinearRidge(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge regression with one penalty for all targets.

        min Σ_i ‖z_i − Wᵀ x_i − b‖² + α ‖W‖²

    Parameters
    ----------
    alpha : float, optional
        α; by default the one of a log grid with the least total squared error of leave-one-out
        predictions.
    intercept : {"free", "penalised"}
        Whether b is free, or the weight of a column of ones and penalised like the others, as in
        the programs of PLST's authors (``alpha`` must then be given).

    Attributes
    ----------
    coef_ : ndarray of shape (d, t) or (d,)
    intercept_ : ndarray of shape (t,) or float
    alpha_ : float
    leverage_ : ndarray of shape (n,)
        Weight of each row's own target in its fitted value.
    loo_predictions_ : ndarray of shape (n, t) or (n,)
        Prediction of each training row by the other rows, exact for the same penalty.

    Notes
    -----
    With q = min(n, d): O(n d q + q³ + n q t) time, and O(q d + n q + n t) memory; the eigenvectors
    that serve all penalties of the search cost about ten Cholesky factors. Sparse features stay
    sparse and are centred in the products.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> Z = X @ [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]] + 5 + 0.1 * rng.normal(size=(200, 2))
    >>> model = LinearRidge().fit(X, Z)
    >>> model.predict([[1.0, 1.0, 1.0]]).round(1)
    array([[6., 7.]])
    """

    def __init__(self, alpha: float | None = None, *, intercept: str = "free"):
        self.alpha = alpha
        self.intercept = intercept

    def fit(self, X: Any, y: Any) -> LinearRidge:
        """Choose the penalty where none is given, and fit.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        y : array-like of shape (n, t) or (n,)
        """
        self._check_parameters()
        X, Z = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=True,
            y_numeric=True,
            ensure_min_samples=2,
        )
        self._one_dimensional = Z.ndim == 1
        Z = np.asarray(Z, dtype=np.float64).reshape(len(Z), -1)
        free = self.intercept == "free"
        rows = FeatureRows.centred(X) if free else FeatureRows(_with_ones(X))
        mean = Z.mean(axis=0) if free else np.zeros(Z.shape[1])
        self.alpha_ = float(_least_error(rows, Z) if self.alpha is None else self.alpha)
        whitening = ridge_whitening(rows, self.alpha_)
        F = rows.times(whitening)
        W = F.T @ (Z - mean)
        self.leverage_ = (F**2).sum(axis=1) + (1 / len(Z) if free else 0.0)
        self.loo_predictions_ = self._like_targets(_leave_one_out(F @ W + mean, Z, self.leverage_))
        coef = whitening @ W
        if free:
            self.coef_, self.intercept_ = coef, mean - rows.shift @ coef
        else:
            self.coef_, self.intercept_ = coef[1:], coef[0]
        if self._one_dimensional:
            self.coef_, self.intercept_ = self.coef_.ravel(), float(self.intercept_[0])
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of rows, shape (n, t) or (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def _check_parameters(self) -> None:
        if self.intercept not in INTERCEPTS:
            raise ValueError(
                f"intercept must be one of {', '.join(INTERCEPTS)}; got {self.intercept!r}."
            )
        alpha = self.alpha
        if alpha is None and self.intercept == "penalised":
            raise ValueError(
                "alpha must be a number with intercept='penalised'; got None. "
                "Give one, or use intercept='free'."
            )
        if alpha is not None and not _is_penalty(alpha):
            raise ValueError(f"alpha must be None or a number of at least 0; got {alpha!r}.")

    def _like_targets(self, Z: FloatArray) -> FloatArray:
        return Z.ravel() if self._one_dimensional else Z

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def leave_one_out_penalty(X: FeatureMatrix, T: Any) -> float:
    """Return the penalty by which a ridge regression with intercept predicts targets best.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    T : ndarray or sparse of shape (n, t)
        Complete targets; thousands of sparse labels are made dense a block at a time.
    """
    return _least_error(FeatureRows.centred(X), T)


def _least_error(rows: FeatureRows, T: Any) -> float:
    eigenvalues, V = rows.axes()
    scale = eigenvalues.sum() / min(rows.shape) or 1.0
    alphas = scale * RELATIVE_ALPHAS
    U = rows.times(V) / np.sqrt(eigenvalues)
    spectrum = Spectrum(U, eigenvalues, V, rows.shift).orthonormalised()
    errors = leave_one_out_errors(spectrum, T, alphas)
    # Of equal penalties the largest: with nothing to learn from there is nothing to fit.
    return float(alphas[::-1][np.argmin(errors[::-1])])


def _is_penalty(value: Any) -> bool:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return bool(number and 0 <= value < np.inf)


def _leave_one_out(fitted: FloatArray, Z: FloatArray, leverage: FloatArray) -> FloatArray:
    # Under a vanishing penalty a row predicts itself alone; rounding must not make 1 − h zero.
    h = np.minimum(leverage, 1 - 1e-12)[:, None]
    return np.asarray((fitted - h * Z) / (1 - h))


def _with_ones(X: FeatureMatrix) -> FeatureMatrix:
    ones = np.ones((X.shape[0], 1))
    if isinstance(X, np.ndarray):
        return np.hstack([ones, X])
    return sp.csr_array(sp.hstack([sp.csr_array(ones), X], format="csr"))
