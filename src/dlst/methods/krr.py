"""Kernel ridge regression of the labels."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, as_dense
from dlst._parameters import number, one_of, parameter, with_parameters
from dlst._unknown import known_or_mean
from dlst._weights import Weights
from dlst.decoders.regressed_labels import regressed_probabilities, regressed_scores
from dlst.methods.base import OutOfSampleLater
from dlst.methods.weighted import WeightedClassifier
from dlst.parts import OutOfSample, Scores
from dlst.regressors import KernelRidge, LinearRidge


@with_parameters
class KRR(WeightedClassifier):
    """Kernel ridge regression of each label, all with one width and one penalty.

        min Σ_ij (y_ij − f_j(x_i) − b_j)² + α Σ_j ‖f_j‖²,   S = f(x) + b

    Parameters
    ----------
    kernel : str or callable
        See :class:`KernelRidge`. ``"linear"`` is solved in feature space: ridge regression of each
        label, to which PLST and CPLST come with codes of full length; ``gamma``, ``n_basis``,
        ``basis`` and ``random_state`` then have no effect.
    gamma : float or {"auto", "median", "scale"}
        Width of the kernel; ``"auto"`` tries multiples of the median rule.
    alpha : float or "auto"
        α (λ elsewhere). What is left open of width and penalty is chosen together, by the least
        squared error of exact leave-one-out.
    n_basis, basis
        Training rows that span the regression, and how they are drawn; see :class:`KernelRidge`.
        With at most 1000 rows (``"auto"``), all of them.
    decision, cardinality, tau, scaling, random_state
        As in :class:`LabelSpaceClassifier`.

    Attributes
    ----------
    regressor_ : KernelRidge or LinearRidge
        Fitted; has ``alpha_``, ``gamma_`` and ``loo_predictions_``.
    scaler_ : FeatureScaler

    Notes
    -----
    With s rows in the basis, O(n s² + n s K) for each width, and O(n (s + K)) memory. Scores of all
    labels are on one scale, which suits ranking labels within a row. An unknown (NaN) entry takes
    the label's mean; rows without labels are left out.

    References
    ----------
    Rifkin, Lippert (2007). Notes on regularized least squares.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> train = data.train.subset(range(300))
    >>> model = KRR(random_state=0).fit(train.X, train.Y)
    >>> model.predict_proba(data.test.X).shape
    (500, 10)
    """

    kernel: Any = "rbf"
    _: KW_ONLY
    gamma: float | str = "auto"
    alpha: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    n_basis: int | str = "auto"
    basis: str = "random"
    random_state: Any = None

    def _fit_weighted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater:
        of_rows = None if weights is None else weights.rows
        X = self._fit_scaler(X, of_rows)
        self.regressor_ = self._regressor()
        labels = as_dense(known_or_mean(Y, of_rows))
        self.regressor_.prepare(X, labels, weights).regress(labels)
        left_out = self.regressor_.loo_predictions_
        return lambda: OutOfSample(np.arange(len(left_out)), regressed_probabilities(left_out))

    def _regressor(self) -> Any:
        if isinstance(self.kernel, str) and self.kernel == "linear":
            return LinearRidge(self.alpha)
        return KernelRidge(
            self.kernel,
            gamma=self.gamma,
            alpha=self.alpha,
            n_basis=self.n_basis,
            basis=self.basis,
            random_state=self.random_state,
        )

    def _scores(self, X: FeatureMatrix) -> Scores:
        return regressed_scores(self.regressor_.predict(self.scaler_.transform(X)))
