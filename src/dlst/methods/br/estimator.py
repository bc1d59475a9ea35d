"""BR: binary relevance with support vector machines on one shared kernel matrix."""

from __future__ import annotations

from dataclasses import KW_ONLY
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import gen_batches

from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, as_features
from dlst._parameters import (
    CALLABLE,
    NONE,
    integer,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst._weights import Weights
from dlst.methods.base import OutOfSampleLater
from dlst.methods.br.calibration import Calibration, MarginCalibration
from dlst.methods.br.machines import Trainer, out_of_fold_margins, train_machines
from dlst.methods.scaling import FeatureScaler, are_thin
from dlst.methods.weighted import WeightedClassifier
from dlst.parts import OutOfSample, Scores
from dlst.regressors import KernelBasis
from dlst.regressors.kernels import KERNELS, Kernel, kernel_matrix, kernel_width

APPROXIMATIONS = ("auto", "exact", "nystroem", "linear")
GAMMA_RULES = ("median", "scale", "libsvm")
EXACT_ROWS = 8000
"""Up to so many rows ``approximation="auto"`` is exact; their kernel matrix has 0.25 GB."""

THIN_ROWS = 2000
"""Of more rows with thin features, such as texts, ``"auto"`` is linear."""

_WIDTH_ROWS = 1000
_ROWS_PER_BLOCK = 512


@with_parameters
class BR(WeightedClassifier):
    """One support vector machine for each label, by itself (binary relevance).

        min_{w_j, b_j} ½‖w_j‖² + C Σ_i max(0, 1 − t_ij (w_j·φ(x_i) + b_j)),  t_ij = 2 y_ij − 1

    Labels are ranked by calibrated margins f_j(x) = w_j·φ(x) + b_j.

    Parameters
    ----------
    C : float
        C, the weight of the losses.
    kernel : {"rbf", "linear", "polynomial", "cosine", "chi2"} or callable
        φ; see :func:`~dlst.regressors.kernels.kernel_matrix`. LIBSVM's default is ``"rbf"``.
    gamma : float or {"median", "scale", "libsvm"}
        γ of the kernel: 1 over the median squared distance of rows; scikit-learn's 1/(d·variance);
        LIBSVM's 1/d.
    gamma_multiple : float
        What ``gamma`` is multiplied by.
    degree, coef0 : float
        Of the polynomial kernel.
    tol : float
        LIBSVM's ε, by which its solution may violate the optimality conditions.
    max_iter : int
        Limit on the solver's steps for a label; -1 is none.
    positive_weight : float or "balanced"
        Weight of the losses of rows that carry the label, LIBSVM's ``-w1``; ``"balanced"``: rows
        with and without the label weigh the same in all.
    calibration : "platt", "isotonic" or None
        p is a function of the margin learnt on five-fold out-of-sample margins, and labels are
        ranked by logit p: a sigmoid, or isotonic steps. None: p = σ(f), not calibrated, labels
        ranked by margins of different scales; a sixth of the time.
    approximation : {"auto", "exact", "nystroem", "linear"}
        ``"exact"``: the dual of the above on the n × n kernel. ``"nystroem"``: LIBLINEAR with
        squared hinge loss on the features of ``n_basis`` sampled rows. ``"linear"``: the same on
        the features as they are, which stay sparse, whatever the kernel. ``"auto"``: linear for
        more than 2000 rows of
        features of which less than a quarter are non-zero, as in texts; else exact up to 8000 rows.
    n_basis : int or "auto"
        Rows that span the approximate kernel, the landmarks; ``"auto"`` is at most 1000.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``decision="own"`` is f > 0.
    scaling : str
        See :class:`FeatureScaler`.
    n_jobs : int, optional
        Threads over labels.
    random_state : None, int or RandomState
        For the draw of the landmarks.

    Attributes
    ----------
    support_ : ndarray of shape (s,)
        Among the rows that were learnt from, those that are a support vector of some label, or
        the landmarks.
    support_vectors_ : ndarray or csr_array of shape (s, d)
        Their scaled features; for ``"linear"`` there are neither.
    dual_coef_ : ndarray of shape (s, K') or (d, K')
        Weights of their kernels for each label that varies, or of the features for ``"linear"``;
        all margins are one product.
    intercept_, n_iter_ : ndarray of shape (K',)
        Intercepts of the margins, and steps of the solver.
    gamma_ : float or None
        The width; None for kernels without one.
    approximation_ : str
        What was used.
    calibration_ : MarginCalibration
        With ``calibration``.

    Notes
    -----
    Cost: the kernel once, O(n² d) time and O(n²) memory, which serves all labels and folds; then
    O(n) for each step of a label, of which there are O(n) to O(n²), by LIBSVM's choice of pairs and
    its stopping rule; prediction O(n_new s (d + K)). Approximately:
    O(n s (d + s)) for the features and O(n s) for each step of each label.

    A label is learnt from the rows where it is known: the original has no mechanism for NaN, and
    this is binary relevance's natural one. Rows without labels are not used. Margins of different
    machines are not on one scale; for rankings across labels ``calibration`` may help.

    C = 1 is LIBSVM's default; its γ = 1/d wants features of one scale, which the median gives for
    any features. Which of them the compared paper used it does not say.

    References
    ----------
    Chang, Lin (2011). LIBSVM: a library for support vector machines.
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> X, Y = [[0], [1], [2], [10], [11], [12]], [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]]
    >>> model = BR().fit(X, Y)
    >>> model.predict([[0.5], [11.5]])
    array([[1, 0],
           [0, 1]])
    >>> model.decision_function([[0.5]]).round(2)
    array([[1.56, 0.97]])
    """

    C: float = parameter(default=1.0, must_be=number(above=0))
    kernel: Kernel = parameter(
        default="rbf",
        must_be=one_of(*(name for name in KERNELS if name != "precomputed")) | CALLABLE,
    )
    _: KW_ONLY
    gamma: float | str = parameter(default="median", must_be=number(above=0) | one_of(*GAMMA_RULES))
    gamma_multiple: float = parameter(default=1.0, must_be=number(above=0))
    degree: float = 3
    coef0: float = 1
    tol: float = parameter(default=1e-3, must_be=number(above=0))
    max_iter: int = parameter(default=-1, must_be=integer(at_least=-1))
    positive_weight: float | str = parameter(
        default=1.0, must_be=number(above=0) | one_of("balanced")
    )
    calibration: Calibration | None = parameter(
        default="platt", must_be=one_of("platt", "isotonic") | NONE
    )
    approximation: str = parameter(default="auto", must_be=one_of(*APPROXIMATIONS))
    n_basis: int | str = parameter(default="auto", must_be=integer(at_least=1) | one_of("auto"))
    n_jobs: int | None = None
    random_state: Any = None

    def _fit_weighted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater:
        of_rows = None if weights is None else weights.rows
        self.scaler_ = FeatureScaler(self.scaling).fit(X, sample_weight=of_rows)
        X = self.scaler_.transform(X)
        self.approximation_ = self._chosen_approximation(X)
        self.gamma_ = None if self.approximation_ == "linear" else self._width(X)
        design, trainer = {
            "exact": self._fit_exactly,
            "nystroem": self._fit_on_landmarks,
            "linear": self._fit_features,
        }[self.approximation_](X, Y, of_rows)

        @cache
        def margins() -> FloatArray:
            return out_of_fold_margins(design, Y, trainer, of_rows)

        if self.calibration is not None:
            self.calibration_ = MarginCalibration(self.calibration).fit(margins(), Y, of_rows)
        return lambda: OutOfSample(np.arange(Y.shape[0]), self._out_of_fold(margins()))

    def _fit_exactly(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: FloatArray | None
    ) -> tuple[NDArray[np.float32], Trainer]:
        # In single precision, as LIBSVM keeps it: the last bits of a kernel, which differ between
        # processors and kinds of arrays, must not choose the steps.
        gram = np.empty((X.shape[0], X.shape[0]), dtype=np.float32)
        for block in gen_batches(X.shape[0], _ROWS_PER_BLOCK):
            gram[block] = self._kernel(X[block], X)
        trainer = self._trainer(is_kernel=True)
        machines = train_machines(gram, Y, trainer, weights)
        self.intercept_, self.n_iter_ = machines.intercept, machines.steps
        self.support_ = np.flatnonzero(machines.coef.any(axis=1))
        self.support_vectors_ = as_features(X[self.support_])
        self.dual_coef_ = machines.coef[self.support_]
        return gram, trainer

    def _fit_on_landmarks(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: FloatArray | None
    ) -> tuple[FloatArray, Trainer]:
        basis = KernelBasis(
            self.kernel,
            gamma="median" if self.gamma_ is None else self.gamma_,
            n_basis=self.n_basis,
            degree=self.degree,
            coef0=self.coef0,
            random_state=self.random_state,
        ).fit(X)
        features = basis.features(X)
        trainer = self._trainer(is_kernel=False)
        machines = train_machines(features, Y, trainer, weights)
        self.intercept_, self.n_iter_ = machines.intercept, machines.steps
        self.support_, self.support_vectors_ = basis.indices_, basis.rows_
        self.dual_coef_ = basis.whitening_ @ machines.coef
        return features, trainer

    def _fit_features(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: FloatArray | None
    ) -> tuple[FeatureMatrix, Trainer]:
        trainer = self._trainer(is_kernel=False)
        machines = train_machines(X, Y, trainer, weights)
        self.intercept_, self.n_iter_ = machines.intercept, machines.steps
        self.dual_coef_ = machines.coef
        return X, trainer

    def _out_of_fold(self, margins: FloatArray) -> FloatArray:
        """Return probabilities; a label that no fold could learn has its prevalence there."""
        P = self._from_margins(np.nan_to_num(margins))[0]
        return np.where(np.isnan(margins), self.prevalence_[self._varying], P)

    def _margins(self, X: FeatureMatrix) -> FloatArray:
        X = self.scaler_.transform(X)
        if self.approximation_ == "linear":
            return np.asarray(X @ self.dual_coef_ + self.intercept_)
        margins = np.empty((X.shape[0], len(self.intercept_)))
        for block in gen_batches(X.shape[0], _ROWS_PER_BLOCK):
            margins[block] = self._kernel(X[block], self.support_vectors_) @ self.dual_coef_
        return margins + self.intercept_

    def _scores(self, X: FeatureMatrix) -> Scores:
        return self._from_margins(self._margins(X))

    def _from_margins(self, margins: FloatArray) -> Scores:
        if self.calibration is None:
            return Scores(expit(margins), margins)
        return Scores(self.calibration_.probabilities(margins), self.calibration_.scores(margins))

    def _own_decisions(self, X: FeatureMatrix, P: FloatArray, S: FloatArray) -> BoolArray:
        if self.calibration is None:
            return S > 0
        if self.calibration == "platt":
            # The slope is above 0, so a margin is where its score is beside that of no margin.
            return self.calibration_.intercept_ < S
        return self._margins(X) > 0

    def _kernel(self, X: FeatureMatrix, B: FeatureMatrix) -> FloatArray:
        return kernel_matrix(
            X, B, self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0
        )

    def _width(self, X: FeatureMatrix) -> float | None:
        rule: float | str = 1.0 / X.shape[1] if self.gamma == "libsvm" else self.gamma
        sample = np.unique(np.linspace(0, X.shape[0] - 1, _WIDTH_ROWS).astype(int))
        width = kernel_width(rule, self.kernel, X, X[sample])
        return None if width is None else width * self.gamma_multiple

    def _chosen_approximation(self, X: FeatureMatrix) -> str:
        if self.approximation != "auto":
            return self.approximation
        if X.shape[0] > THIN_ROWS and are_thin(X):
            return "linear"
        return "exact" if X.shape[0] <= EXACT_ROWS else "nystroem"

    def _trainer(self, *, is_kernel: bool) -> Trainer:
        return Trainer(
            is_kernel=is_kernel,
            C=self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            positive_weight=self.positive_weight,
            n_jobs=self.n_jobs,
        )
