"""Linear machines of many targets for wide sparse features, with leave-one-out predictions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from dlst._checked_rows import checked_rows
from dlst._cross_fitting import cross_fitted
from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import (
    Constraint,
    check_parameters,
    integer,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst._seeds import draw_seed
from dlst._weights import Weights
from dlst.errors import DataError
from dlst.regressors.cross_fitting import CrossFittedRegression, two_dimensional
from dlst.regressors.dual_solver import Loss
from dlst.regressors.machine_search import Attempt, MachineProblem

C_GRID = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_PENALTIES = Constraint("numbers above 0", lambda Cs: len(Cs) > 0 and all(C > 0 for C in Cs))

FOLDS = 3
"""Folds that predict training rows without leave-one-out, started from the duals of all rows."""


@with_parameters
class LinearMachines(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear machine for each target, all solved together in passes over sparse rows.

        min ½‖w_j‖² + C Σ_i s_i loss(w_j·x_i, t_ij)

    by dual coordinate descent, or in closed form where that is cheap. Rows have a constant
    feature 1 whose weight, the intercept, is penalised like all others, as in LIBLINEAR. A row with
    an unknown target (NaN) is left out of that target's machine only.

    Parameters
    ----------
    C : float or "auto"
        Weight of the losses: a larger one fits the training rows more closely. ``"auto"`` searches
        ``Cs`` from 0.1 on for the least squared leave-one-out error; it needs the squared loss.
    loss : {"squared", "squared_hinge"}
        (t − w·x)², ridge regression with α = 1/(2C), has leave-one-out predictions;
        max(0, 1 − t w·x)², for targets −1 and 1, is the L2-loss support vector machine.
    Cs : sequence of float
        Candidates of ``"auto"``, ascending.
    n_probes : int
        Maximum number of random targets by which leave-one-out is estimated where there is no cheap
        closed form: with more than 3000 rows and features, or many patterns of unknown targets.
        Fewer are used if they give leave-one-out errors to 1 %.
    tol : float
        Relative duality gap at which a machine has converged. Below 1e-6, double precision is used.
    max_iter : int
        Maximum number of passes over the rows.
    n_jobs : int, optional
        Threads over blocks of targets; the result is the same for any number.
    random_state : int, RandomState or None
        Draws the order of the rows, and the probes.

    Attributes
    ----------
    coef_ : ndarray of shape (d, t) or (d,)
    intercept_ : ndarray of shape (t,) or float
    C_ : float
    duality_gap_ : ndarray of shape (t,)
        Relative gap of each machine.
    n_iter_ : int
        Number of passes of the slowest block.
    loo_predictions_ : ndarray of shape (n, t) or (n,)
        With the squared loss, the prediction of each training row by the machine of the other
        rows; where a target is unknown, that of its machine, which did not see the row.
    loo_diagonal_ : ndarray of shape (n, 1), or (n, t) where each target has its own
        Diagonal of M = (X Xᵀ + 11ᵀ + I/(2C))⁻¹, from which they are computed.
    selection_ : dict of float to float
        Mean squared leave-one-out error of each C that was tried.

    Notes
    -----
    The dual solution of the squared loss is M t, and the row's own leave-one-out error (M t)_i /
    M_ii. O(nnz(X) (t + n_probes)) per pass, 4 (n + d) (t + n_probes) bytes. An unknown
    target changes M for its machine; an estimated M_ii is then the mean over all machines.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi, Sundararajan (2008). A dual coordinate descent method for
    large-scale linear SVM.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> T = np.sign(X @ [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> model = LinearMachines(random_state=0).fit(X, T)
    >>> np.sign(model.predict([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]))
    array([[ 1.,  1.],
           [-1.,  1.]])
    >>> model.loo_predictions_.shape
    (200, 2)
    """

    C: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    _: KW_ONLY
    loss: Loss = parameter(default="squared", must_be=one_of(*get_args(Loss)))
    Cs: Sequence[float] = parameter(default=C_GRID, must_be=_PENALTIES)
    n_probes: int = parameter(default=192, must_be=integer(at_least=1))
    tol: float = parameter(default=1e-4, must_be=number(above=0))
    max_iter: int = parameter(default=200, must_be=integer(at_least=1))
    n_jobs: int | None = None
    random_state: Any = None

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, target_weight: Any = None
    ) -> LinearMachines:
        """Choose C if it is ``"auto"``, and solve.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        y : array-like or sparse of shape (n, t) or (n,)
            Targets; NaN where unknown.
        sample_weight : array-like of shape (n,), optional
            s. A row of weight 2 counts as two rows, one of weight 0 as none.
        target_weight : array-like of shape (t,), optional
            Weight of each target's errors in the choice of C.
        """
        self._fit(X, y, sample_weight, target_weight)
        return self

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, target_weight: Any
    ) -> tuple[MachineProblem, Attempt]:
        check_parameters(self)
        if self.C == "auto" and self.loss != "squared":
            raise ValueError(
                "C='auto' needs loss='squared', which has leave-one-out predictions; got "
                f"loss={self.loss!r}. Give C a number."
            )
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        T = self._check_targets(y, X)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weights.all():
            T = np.where(weights[:, None] > 0, T, np.nan)
            weights = np.where(weights > 0, weights, 1.0)
        seed = draw_seed(self.random_state)
        problem = MachineProblem(X, weights, self.loss, self.max_iter, self.n_jobs, seed)
        counts = np.ones(T.shape[1]) if target_weight is None else target_weight
        start: Attempt | None = None
        self.selection_: dict[float, float] = {}
        if self.C == "auto":
            self.C_, start, self.selection_ = problem.search(T, self.Cs, counts)
        else:
            self.C_ = float(self.C)
        if start is None or start.probes is not None:
            start = problem.solve(T, self.C_, self.tol, self.n_probes, start)
        self._keep(X, T, start)
        return problem, start

    def prepare(
        self, X: FeatureMatrix, labels: Any, weights: Weights | None = None
    ) -> MachinesRegression:
        """Store the training rows; C is chosen by the codes, when these are regressed.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n, d)
        labels
            Not used.
        weights : Weights, optional
            Of rows and labels.
        """
        return MachinesRegression(self, X, weights)

    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of rows, shape (n, t) or (n,)."""
        check_is_fitted(self)
        return _scores(checked_rows(self, X), self.coef_, self.intercept_)

    def _keep(self, X: FeatureMatrix, T: NDArray[Any], found: Attempt) -> None:
        solution = found.solution
        self.duality_gap_ = solution.gaps
        self.n_iter_ = int(solution.n_passes.max())
        if solution.gaps.max() > self.tol:
            warnings.warn(
                f"a relative duality gap of {solution.gaps.max():.2g} is left after "
                f"max_iter={self.max_iter} passes, above tol={self.tol:g}. Raise max_iter or "
                "lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )
        coef, intercept = solution.W[:-1], solution.W[-1].astype(np.float64)
        if found.diagonal is not None:
            self.loo_diagonal_ = found.diagonal.values
            left_out = T - solution.duals / self.loo_diagonal_
            unknown = np.isnan(T)
            if unknown.any():
                left_out = np.where(unknown, _scores(X, coef, intercept), left_out)
            self.loo_predictions_ = left_out.ravel() if self._one_dimensional else left_out
        self.coef_ = coef.ravel() if self._one_dimensional else np.ascontiguousarray(coef)
        self.intercept_ = float(intercept[0]) if self._one_dimensional else intercept

    def _check_targets(self, y: Any, X: FeatureMatrix) -> NDArray[Any]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        y = check_array(
            y.toarray() if sp.issparse(y) else y,
            dtype=(np.float64, np.float32),
            ensure_2d=False,
            ensure_all_finite="allow-nan",
            input_name="y",
        )
        check_consistent_length(X, y)
        self._one_dimensional = y.ndim == 1
        T: NDArray[Any] = y.reshape(len(y), -1)
        known = np.isfinite(T)
        if not known.any(axis=0).all():
            column = int(np.argmin(known.any(axis=0)))
            raise DataError(
                f"y must have a known entry in each column; got NaN only in column {column}. "
                "Leave the column out."
            )
        if self.loss == "squared_hinge" and not np.isin(T[known], (-1.0, 1.0)).all():
            raise DataError(
                "y must hold -1 and 1 (NaN: unknown) for loss='squared_hinge'; got other values. "
                "For 0/1 labels use 2 * y - 1."
            )
        return T

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class MachinesRegression(CrossFittedRegression):
    """Linear machines from features to codes, with leave-one-out predictions or cross-fitted ones.

    Parameters
    ----------
    regressor : LinearMachines
        Fitted by ``regress``.
    X : ndarray or csr_array of shape (n, d)
    weights : Weights, optional
    """

    regressor: LinearMachines

    def regress(self, Z: FloatArray) -> FloatArray:
        """Fit the machines to codes (n, r), NaN where unknown; they are its targets."""
        problem, found = self.regressor._fit(self.X, Z, *self._weights_for(Z))
        if self.regressor.loss == "squared":
            left_out = two_dimensional(self.regressor.loo_predictions_)
        else:
            left_out = self._folds(problem, found, Z)
        self._known.append((Z, left_out))
        return Z

    def _weights_for(self, Z: FloatArray) -> tuple[Any, Any]:
        if self.weights is None:
            return None, None
        # Label weights apply only if there is one code per label.
        of_labels = self.weights.labels if Z.shape[1] == len(self.weights.labels) else None
        return self.weights.rows, of_labels

    def _out_of_sample(self, Z: FloatArray) -> FloatArray:
        """Return out-of-sample predictions of other codes, by a clone fitted to these."""
        other = MachinesRegression(clone(self.regressor), self.X, self.weights)
        return other.out_of_sample(other.regress(Z))

    def _folds(self, problem: MachineProblem, found: Attempt, Z: FloatArray) -> FloatArray:
        """Solve without each fold in turn, starting from the duals of all rows."""

        def predict(train: Any, held_out: Any) -> FloatArray:
            solver = problem.descent(self.X[train], problem.weights[train], self.regressor.tol)
            W = solver.solve(Z[train], found.C, found.solution.duals[train]).W
            return _scores(self.X[held_out], W[:-1], W[-1])

        return cross_fitted(predict, len(Z), FOLDS)


def _scores(X: FeatureMatrix, coef: NDArray[Any], intercept: Any) -> FloatArray:
    """Multiply in the precision of the weights, which may be the largest array."""
    product = X.astype(coef.dtype, copy=False) @ coef
    scores: FloatArray = np.asarray(product, dtype=np.float64) + intercept
    return scores
