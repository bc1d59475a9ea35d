"""Kernel logistic regression of real-valued codes: the paper's regressor."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from dlst._kernels.ridge import Spectrum
from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import (
    check_parameters,
    integer,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst.regressors._base import KernelRegressor
from dlst.regressors._logistic import PRINTED, SOFT, LogisticProblem, LogisticSolution
from dlst.regressors.cross_fitting import CrossFittedRegression, cross_fitted_codes

LOSSES = ("soft", "printed", "binary", "binary-median")
OUTPUTS = ("code", "probability", "margin", "signed")
PENALTIES = ("rkhs", "ridge")
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
"""What ``alpha="auto"`` chooses from."""

SEARCH_ROWS = 1000
SEARCH_TARGETS = 50


def _predicts_probabilities(model: KernelLogisticRegression) -> bool:
    return model.output == "probability"


@with_parameters
class KernelLogisticRegression(KernelRegressor):
    """Logistic regression of real-valued targets in a kernel's feature space.

    Minimises Σ_ij loss(f_j(x_i), z_ij) + α Σ_j ‖f_j‖² over all targets at once.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "cosine", "chi2", "precomputed"} or callable
        See :func:`~dlst.regressors.kernels.kernel_matrix`.
    gamma : float or {"auto", "median", "scale"}
        Width of the kernel; ``"auto"`` is ``"median"``.
    alpha : float or "auto"
        Penalty beside the sum of losses; the paper's λ. ``"auto"`` chooses among 0.01, 0.03, 0.1,
        0.3 and 1 by the squared error of predictions in three folds of at most 1000 training rows
        and 50 targets, as the paper cross-validates it; not for the printed loss, whose
        predictions are no estimates of its targets.
    loss : {"soft", "printed", "binary", "binary-median"}
        ``"soft"``: each target is scaled to t in [0, 1] by its least and largest training value and
        fitted by the cross-entropy −t log σ(f) − (1 − t) log(1 − σ(f)), so σ(f) estimates the mean
        of t. ``"printed"``: log(1 + exp(−z f)), as the paper prints it; only the sign of z counts
        as a label, its size as a weight of the margin. ``"binary"``, ``"binary-median"``: the
        cross-entropy of targets made 1 where they are above 0, or above their median, else 0.
    output : {"code", "probability", "margin", "signed"}
        What `predict` returns: σ(f) mapped back to the range of the targets, σ(f), f, 2σ(f) − 1.
    penalty : {"rkhs", "ridge"}
        ‖f‖² = cᵀ K_BB c or cᵀc, for the weights c of the basis rows' kernels.
    fit_intercept : bool
        Whether f has an intercept, which is not penalised. The paper has none, as its codes are
        centred; 0/1 labels want one.
    n_basis : int or "auto"
        Rows in the basis; ``"auto"`` is 1000. With all n rows the solution is exact.
    basis : {"random", "kmeans++", "leverage"}
        How its rows are drawn; see :class:`~dlst.regressors.basis.KernelBasis`.
    degree, coef0 : float
        Of the polynomial kernel.
    tol : float
        The solver stops where no slope exceeds ``tol`` times the steepest at zero, or where
        rounding ends all progress.
    max_iter : int
        Most steps of the solver.
    random_state : int, RandomState or None
        For the draw of the basis.

    Attributes
    ----------
    alpha_ : float
        The penalty.
    range_ : ndarray of shape (2, r)
        Least and largest training value of each target.
    dual_coef_ : ndarray of shape (s, r)
        Weights c of the basis rows' kernels.
    intercept_ : ndarray of shape (r,)
        Intercepts; zeros without.
    basis_ : KernelBasis
        The sampled rows.
    objective_ : float
        Value of the objective.
    slope_ : float
        Steepest slope at the solution, relative to that at zero.
    n_iter_ : int
        Steps of the solver.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-2, 2, 81)[:, None]
    >>> Z = np.hstack([np.tanh(X), -3 * X])
    >>> model = KernelLogisticRegression().fit(X, Z)
    >>> model.predict([[-1.0], [1.0]]).round(1)
    array([[-0.8,  3. ],
           [ 0.8, -3. ]])
    """

    _: KW_ONLY
    alpha: float | str = parameter(default=0.01, must_be=number(above=0) | one_of("auto"))
    loss: str = parameter(default="soft", must_be=one_of(*LOSSES))
    output: str = parameter(default="code", must_be=one_of(*OUTPUTS))
    penalty: str = parameter(default="rkhs", must_be=one_of(*PENALTIES))
    fit_intercept: bool = False
    tol: float = parameter(default=1e-6, must_be=number(above=0))
    max_iter: int = parameter(default=1000, must_be=integer(at_least=1))

    def fit(self, X: Any, y: Any) -> KernelLogisticRegression:
        """Fit the regression of each target.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Training rows; the (n, n) kernel between them for ``kernel="precomputed"``.
        y : array-like or sparse of shape (n, r) or (n,)
            Targets.

        Returns
        -------
        KernelLogisticRegression
        """
        X, Z = self._check_training(X, y, least_rows=1)
        self._check_parameters()
        Z = self.binarised(Z)
        self.alpha_ = self.penalty_for(X, Z)
        self.range_ = np.stack([Z.min(axis=0), Z.max(axis=0)])
        self.basis_ = self._unfitted_basis(self.gamma).fit(X)
        exact_norm = self.penalty == "rkhs"
        features = self.basis_.features(X) if exact_norm else self.basis_.kernel_rows(X)
        spectrum = Spectrum.of(features, centred=self.fit_intercept)
        solution = self._problem(spectrum, Z).solve(self.tol, self.max_iter)
        coefficients = spectrum.V @ solution.coefficients
        self.dual_coef_ = self.basis_.whitening_ @ coefficients if exact_norm else coefficients
        self.intercept_ = solution.offset - spectrum.mean @ coefficients
        self._note(solution)
        return self

    def prepare(self, X: FeatureMatrix, labels: Any) -> LogisticRegressionOfCodes:
        """Remember the rows; labels choose nothing here."""
        return LogisticRegressionOfCodes(self, X)

    def binarised(self, Z: FloatArray) -> FloatArray:
        """Return targets (n, r) as the loss takes them: 0 and 1 for the binary ones."""
        if self.loss == "binary":
            return (Z > 0).astype(np.float64)
        if self.loss == "binary-median":
            return (np.median(Z, axis=0) < Z).astype(np.float64)
        return Z

    def penalty_for(self, X: FeatureMatrix, Z: FloatArray) -> float:
        """Return the penalty: as given, or chosen for targets (n, r) as the loss takes them."""
        if self.alpha != "auto":
            return float(self.alpha)
        return _cross_validated_penalty(self.on_taken_targets(), X, Z)

    def on_taken_targets(self, alpha: float | str = "auto") -> KernelLogisticRegression:
        """Return an unfitted copy for targets as the loss takes them."""
        loss = "printed" if self.loss == "printed" else "soft"
        copy: KernelLogisticRegression = clone(self).set_params(loss=loss, alpha=alpha)
        return copy

    def predict(self, X: Any) -> FloatArray:
        """Predict what ``output`` names.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, r) or (n,)
        """
        f = self.margins(X)
        if self.output == "margin":
            return f
        if self.output == "signed":
            return np.asarray(2 * expit(f) - 1)
        if self.output == "probability":
            return np.asarray(expit(f))
        low, high = self.range_[:, 0] if self._one_dimensional else self.range_
        return np.asarray(low + expit(f) * (high - low))

    def probabilities(self, X: Any) -> FloatArray:
        """Return σ(f), in (0, 1), of shape (n, r) or (n,), whatever ``output`` is."""
        return np.asarray(expit(self.margins(X)))

    def margins(self, X: Any) -> FloatArray:
        """Return f, of shape (n, r) or (n,), whatever ``output`` is."""
        rows = self._check_rows(X)
        return self._like_targets(self.basis_.combine(rows, self.dual_coef_) + self.intercept_)

    # A regressor with predict_proba is no regressor to scikit-learn, so it is there on demand.
    @available_if(_predicts_probabilities)
    def predict_proba(self, X: Any) -> FloatArray:
        """Return σ(f) of shape (n, r) or (n,); only with ``output="probability"``."""
        return self.probabilities(X)

    def _problem(self, spectrum: Spectrum, Z: FloatArray) -> LogisticProblem:
        low, high = self.range_
        if self.loss != "printed":
            # A constant target is mapped back to its value whatever σ is; 0 and 1 stay what they
            # are, so that probabilities of labels make sense.
            varies = high > low
            width = np.where(varies, high - low, 1.0)
            targets = np.clip((Z - np.where(varies, low, 0.0)) / width, 0, 1)
            loss, curvature = SOFT, np.full(Z.shape[1], 0.25)
        else:
            targets, loss = Z, PRINTED
            curvature = np.maximum((Z**2).mean(axis=0), 1e-12) / 4
        return LogisticProblem(spectrum, targets, loss, curvature, self.alpha_, self.fit_intercept)

    def _note(self, solution: LogisticSolution) -> None:
        self.objective_, self.slope_ = solution.objective, solution.slope
        self.n_iter_ = solution.n_iter
        if not solution.converged:
            warnings.warn(
                f"the logistic regression should reach a relative slope of tol={self.tol:g}; got "
                f"{solution.slope:.2g} after {solution.n_iter} steps. Raise max_iter="
                f"{self.max_iter}, alpha={self.alpha_:g} or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _check_parameters(self) -> None:
        check_parameters(self)
        if self.alpha == "auto" and self.loss == "printed":
            raise ValueError(
                "alpha must be a number with loss='printed'; got 'auto'. The paper's is 0.01."
            )


def _cross_validated_penalty(
    regressor: KernelLogisticRegression, X: FeatureMatrix, targets: FloatArray
) -> float:
    """Choose ``alpha`` by squared error in three folds, as the paper does, on training rows.

    At most 1000 rows and 50 targets, drawn by the regressor's seed, take part.
    """
    from sklearn.model_selection import GridSearchCV, KFold

    random = check_random_state(regressor.random_state)
    n, n_targets = targets.shape
    rows = random.permutation(n)[:SEARCH_ROWS]
    targets = targets[:, np.sort(random.permutation(n_targets)[:SEARCH_TARGETS])]
    folds = KFold(min(3, len(rows)), shuffle=True, random_state=0)
    search = GridSearchCV(
        regressor,
        {"alpha": ALPHAS},
        scoring="neg_mean_squared_error",
        cv=folds,
        error_score="raise",
    )
    return float(search.fit(X[rows], targets[rows]).best_params_["alpha"])


class LogisticRegressionOfCodes(CrossFittedRegression):
    """A kernel logistic regression of training rows, one penalty for all its folds."""

    _fitted_to: FloatArray | None = None
    _alpha: float

    def regress(self, Z: FloatArray) -> FloatArray:
        """Fit the regression to codes (n, r); return them as the loss takes them."""
        self.regressor.fit(self.X, Z)
        self._fitted_to, self._alpha = Z, self.regressor.alpha_
        return np.asarray(self.regressor.binarised(Z))

    def _out_of_sample(self, Z: FloatArray) -> FloatArray:
        targets = self.regressor.binarised(Z)
        if self._fitted_to is not Z:
            self._alpha = self.regressor.penalty_for(self.X, targets)
        return cross_fitted_codes(self.regressor.on_taken_targets(self._alpha), self.X, targets)
