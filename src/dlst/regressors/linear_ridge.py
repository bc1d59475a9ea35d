"""Linear ridge regression of many targets, the penalty chosen by exact leave-one-out."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._kernels.feature_rows import FeatureRows, ridge_whitening
from dlst._kernels.ridge import (
    Spectrum,
    leave_one_out_errors,
    scaled,
    unscaled,
    weighted_mean,
    without_own_target,
)
from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import (
    check_parameters,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst._weights import Weights
from dlst.regressors._base import CheckedRegressor, counting_weights, times_roots

INTERCEPTS = ("free", "penalised")
NO_PENALTY = (
    "alpha must be a number with intercept='penalised'; got 'auto'. "
    "Give one, or use intercept='free'."
)
RELATIVE_ALPHAS = np.logspace(-4, 2, 13)
"""Penalties that are tried, over the mean eigenvalue of the features' Gram matrix."""


# scikit-learn's RidgeCV finds the same penalty, but has no intercept that is penalised, keeps
# leave-one-out predictions only for all penalties at once, an (n, t, number of penalties) array,
# and spends O(n d t) on each of them, where the labels' Gram matrix makes it O(n d min(d, t)).
@with_parameters
class LinearRidge(CheckedRegressor):
    """Ridge regression with one penalty for all targets.

        min Σ_i ‖z_i − Wᵀ x_i − b‖² + α ‖W‖²

    Parameters
    ----------
    alpha : float or "auto"
        α; ``"auto"`` is the one of a log grid with the least total squared error of leave-one-out
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

    alpha: float | str = parameter(default="auto", must_be=number(at_least=0) | one_of("auto"))
    _: KW_ONLY
    intercept: str = parameter(default="free", must_be=one_of(*INTERCEPTS))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRidge:
        """Choose the penalty where none is given, and fit.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        y : array-like of shape (n, t) or (n,)
        sample_weight : array-like of shape (n,), optional
            How often each row counts, in errors that are left out too; a row is left out whole.
        """
        self._check_parameters()
        X, Z = self._check_training(X, y, least_rows=2)
        self._whitened(X, Z, counting_weights(sample_weight, X)).regress(Z)
        return self

    def prepare(
        self, X: FeatureMatrix, labels: Any, weights: Weights | None = None
    ) -> LinearRidgeRegression:
        """Choose the penalty by the labels of training rows, where none is given; codes may follow.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n, d)
        labels : ndarray or sparse of shape (n, K)
            What is to be predicted well in the end, known everywhere.
        weights : Weights, optional
            Of rows, and of labels, by which the choice is made.
        """
        self._check_parameters()
        X = self._check_features(X, least_rows=2)
        self._one_dimensional = False
        if weights is None:
            return self._whitened(X, labels)
        return self._whitened(X, times_roots(labels, weights.labels), weights.rows)

    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of rows, shape (n, t) or (n,)."""
        return np.asarray(self._check_rows(X) @ self.coef_ + self.intercept_)

    def _check_parameters(self) -> None:
        check_parameters(self)
        if self.alpha == "auto" and self.intercept == "penalised":
            raise ValueError(NO_PENALTY)

    def _whitened(
        self, X: FeatureMatrix, judged: Any, weights: FloatArray | None = None
    ) -> LinearRidgeRegression:
        free = self.intercept == "free"
        root = None if weights is None else np.sqrt(weights)
        rows = FeatureRows.centred(X, weights) if free else FeatureRows(_with_ones(X), root=root)
        self.alpha_ = float(_least_error(rows, judged) if self.alpha == "auto" else self.alpha)
        whitening = ridge_whitening(rows, self.alpha_)
        return LinearRidgeRegression(self, rows.shift, whitening, rows.times(whitening), root)

    def _settle(self, coef: FloatArray, intercept: FloatArray) -> None:
        self.coef_ = self._like_targets(coef)
        self.intercept_ = float(intercept[0]) if self._one_dimensional else intercept


class LinearRidgeRegression:
    """A linear ridge that has its penalty, for any codes of its rows.

    Parameters
    ----------
    ridge : LinearRidge
        Fitted by ``regress``.
    shift : ndarray of shape (d,)
        What is subtracted from rows.
    whitening : ndarray of shape (d, q)
        A, of the hat matrix F Fᵀ with F = X A.
    F : ndarray of shape (n, q)
    root : ndarray of shape (n,), optional
        Roots of the rows' weights, by which rows of X are multiplied.
    """

    smoother: None = None
    _regressed: FloatArray | None = None
    _left_out: FloatArray

    def __init__(
        self,
        ridge: LinearRidge,
        shift: FloatArray,
        whitening: FloatArray,
        F: FloatArray,
        root: FloatArray | None = None,
    ):
        self.ridge, self.shift, self.whitening, self.F = ridge, shift, whitening, F
        self.root = root
        self.free = ridge.intercept == "free"

    def _leverage(self) -> FloatArray:
        """Weight of each row's own target in its fitted value, shape (n,)."""
        of_mean = 1 / len(self.F) if self.root is None else self.root**2 / (self.root @ self.root)
        return np.asarray((self.F**2).sum(axis=1) + (of_mean if self.free else 0.0))

    def regress(self, Z: FloatArray) -> FloatArray:
        """Fit the ridge to codes (n, r); they are its targets."""
        mean = self._mean(Z)
        weights = self.F.T @ scaled(Z - mean, self.root)
        self.ridge.leverage_ = self._leverage()
        fitted = unscaled(self.F @ weights, self.root) + mean
        left_out = without_own_target(fitted, Z, self.ridge.leverage_)
        self._regressed, self._left_out = Z, left_out
        self.ridge.loo_predictions_ = self.ridge._like_targets(left_out)
        coef = self.whitening @ weights
        if self.free:
            self.ridge._settle(coef, mean - self.shift @ coef)
        else:
            self.ridge._settle(coef[1:], coef[0])
        return Z

    def out_of_sample(self, Z: FloatArray) -> FloatArray:
        """Return leave-one-out predictions of codes (n, r)."""
        if Z is self._regressed:
            return self._left_out
        mean = self._mean(Z)
        fitted = unscaled(self.F @ (self.F.T @ scaled(Z - mean, self.root)), self.root) + mean
        return without_own_target(fitted, Z, self._leverage())

    def _mean(self, Z: FloatArray) -> FloatArray:
        return weighted_mean(Z, self.root) if self.free else np.zeros(Z.shape[1])


def leave_one_out_penalty(X: FeatureMatrix, T: Any, weights: FloatArray | None = None) -> float:
    """Return the penalty by which a ridge regression with intercept predicts targets best.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    T : ndarray or sparse of shape (n, t)
        Complete targets; thousands of sparse labels are made dense a block at a time.
    weights : ndarray of shape (n,), optional
        Of the rows.
    """
    return _least_error(FeatureRows.centred(X, weights), T)


def _least_error(rows: FeatureRows, T: Any) -> float:
    eigenvalues, V = rows.axes()
    scale = eigenvalues.sum() / min(rows.shape) or 1.0
    alphas = scale * RELATIVE_ALPHAS
    U = rows.times(V) / np.sqrt(eigenvalues)
    spectrum = Spectrum(U, eigenvalues, V, rows.shift, rows.root).orthonormalised()
    errors = leave_one_out_errors(spectrum, T, alphas)
    # Of equal penalties the largest: with nothing to learn from there is nothing to fit.
    return float(alphas[::-1][np.argmin(errors[::-1])])


def _with_ones(X: FeatureMatrix) -> FeatureMatrix:
    ones = np.ones((X.shape[0], 1))
    if isinstance(X, np.ndarray):
        return np.hstack([ones, X])
    return sp.csr_array(sp.hstack([sp.csr_array(ones), X], format="csr"))
