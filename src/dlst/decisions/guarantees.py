"""Label sets with a guarantee: a bound on the loss for any data and any model."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FloatArray, as_indicator
from dlst._parameters import NONE, check_parameters, number, one_of, parameter, with_parameters
from dlst.decisions.risk_control import (
    SPARE,
    Risk,
    conformal_recall_threshold,
    row_losses,
    tested_threshold,
)
from dlst.errors import DataError

LEVEL = number(above=0, below=1)
RISKS = one_of(*get_args(Risk))
CalibrationRows: TypeAlias = Literal["held-out", "left-out", "prefit"]
WORDS = {
    "recall": "the expected share of a row's labels that are missed (rows that have labels)",
    "precision": "the expected share of wrong labels among those given (a row given none: 0)",
    "hamming": "the expected share of wrong entries",
}


@with_parameters
class ConformalRule(BaseEstimator):  # type: ignore[misc]
    """A threshold for probabilities with a proven bound on a risk, for exchangeable rows.

    Objective: the most useful threshold whose risk is at most α. For recall that is the highest
    one, by conformal risk control: with losses L_i(t) that fall with t and are at most 1, the
    highest t with (Σ_i L_i(t) + 1)/(n + 1) ≤ α has E[L_new(t)] ≤ α. The other losses do not fall
    with t; for them thresholds are tested in a fixed order (learn then test, by betting).
    Cost: O(n K log n K) for recall, else O(n K) for each threshold tested, at most 400.

    Parameters
    ----------
    risk : {"recall", "precision", "hamming"}
        1 − recall of a row, over rows that have a label: the highest threshold that keeps it.
        1 − precision of a row, 0 where nothing is found: the lowest threshold that keeps it.
        The share of wrong entries: the lowest threshold, at most ½, that keeps it.
    alpha : float
        The bound α.
    delta : float, optional
        None: E[loss of a new row] ≤ α, over the draw of calibration rows and the new row; for
        precision and Hamming by a test at the level 0.1 α, which leaves a little less than α. A
        number: P(E[loss | calibration rows] ≤ α) ≥ 1 − δ, which is more, and needs more rows.

    Attributes
    ----------
    threshold_ : float
        Labels that reach it are decided for.
    risk_ : float
        Mean loss of the calibration rows at the threshold.
    n_calibration_ : int
        Number of rows that count.
    guarantee_ : str
        What is proven, in a sentence.

    References
    ----------
    Angelopoulos, Bates, Fisch, Lei, Schuster (2022). Conformal risk control.
    Angelopoulos, Bates, Candès, Jordan, Lei (2021). Learn then test.
    Waudby-Smith, Ramdas (2024). Estimating means of bounded random variables by betting.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> P = rng.random((500, 3))
    >>> Y = (rng.random((500, 3)) < P).astype(float)
    >>> rule = ConformalRule("recall", alpha=0.2).fit(P, Y)
    >>> round(rule.threshold_, 2), round(rule.risk_, 3)
    (0.45, 0.198)
    """

    risk: Risk = parameter(default="recall", must_be=RISKS)
    alpha: float = parameter(default=0.1, must_be=LEVEL)
    delta: float | None = parameter(default=None, must_be=LEVEL | NONE)

    def fit(self, probabilities: Any, Y: Any) -> ConformalRule:
        """Find the threshold on calibration rows.

        Parameters
        ----------
        probabilities : array-like of shape (n, K)
            Probabilities of rows that the model has not seen.
        Y : array-like or sparse of shape (n, K)
            Their labels; NaN is not judged.
        """
        check_parameters(self)
        P, truth = _checked(probabilities), as_indicator(Y).toarray()
        if P.shape != truth.shape:
            raise DataError(
                f"probabilities and Y must have the same shape; got {P.shape} and {truth.shape}."
            )
        counts = (truth == 1).any(axis=1) if self.risk == "recall" else ~np.isnan(truth).all(axis=1)
        if not counts.any():
            raise DataError("no calibration row counts: none has a label. Give other rows.")
        P, truth = P[counts], truth[counts]
        self.n_labels_, self.n_calibration_ = P.shape[1], len(P)
        self.threshold_ = self._threshold(P, truth)
        self.risk_ = float(row_losses(P, truth, self.risk, self.threshold_).mean())
        self.guarantee_ = self._sentence()
        return self

    def apply(self, probabilities: Any, scores: Any = None) -> sp.csr_array:
        """Decide: return ones at the labels of the guaranteed sets, shape (n, K)."""
        check_is_fitted(self)
        return sp.csr_array((_checked(probabilities) >= self.threshold_).astype(np.float64))

    def _threshold(self, P: FloatArray, truth: FloatArray) -> float:
        if self.risk == "recall" and self.delta is None:
            return conformal_recall_threshold(P, truth, self.alpha)
        level, error = self.alpha, self.delta
        if error is None:
            # R ≤ level with probability 1 − error, and R ≤ 1 always: E[R] ≤ α.
            error = SPARE * self.alpha
            level = (self.alpha - error) / (1.0 - error)
        found = tested_threshold(P, truth, self.risk, level, error)
        if found is None:
            at_half = row_losses(P, truth, self.risk, 0.5).mean()
            raise DataError(
                f"no threshold keeps the {self.risk} risk at alpha={self.alpha:g} for certain with "
                f"{len(P)} calibration rows; it is about {at_half:.3f} at ½. Raise alpha, or give "
                "more rows."
            )
        return found

    def _sentence(self) -> str:
        if self.delta is None:
            return f"{WORDS[self.risk]} is at most {self.alpha:g}."
        return (
            f"with probability {1 - self.delta:g} over the {self.n_calibration_} calibration rows, "
            f"{WORDS[self.risk]} is at most {self.alpha:g}."
        )


@with_parameters
class ConformalLabels(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose label sets bound a risk: recall, precision or Hamming loss.

    The bound holds for any model and any distribution, as long as calibration rows and new
    rows are exchangeable; a better model gives smaller sets, not a truer bound.

    Parameters
    ----------
    model : classifier
        With ``predict_proba`` of shape (n, K).
    risk, alpha, delta
        What is bounded, by how much, and how surely; see :class:`ConformalRule`.
    rows : {"held-out", "left-out", "prefit"}
        What the threshold is found on. ``"held-out"``: a share of the rows given to ``fit`` that a
        copy of the model does not see; proven. ``"left-out"``: all rows, each as predicted without
        itself by the copy's own means (``fit_out_of_sample``); loses no row, and holds nearly,
        but is not proven. ``"prefit"``: the rows given to ``fit``, which the model, fitted before,
        has not seen; proven.
    test_size : float
        Share of the rows held out.
    random_state : None, int or RandomState
        Draws them.

    Attributes
    ----------
    model_ : classifier
        Fitted.
    rule_ : ConformalRule
        With the threshold.
    guarantee_ : str
        What is proven, in a sentence.

    References
    ----------
    Angelopoulos, Bates, Fisch, Lei, Schuster (2022). Conformal risk control.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> from dlst.methods import KRR
    >>> data = load_multidigits()
    >>> sets = ConformalLabels(KRR(random_state=0), "recall", alpha=0.1, random_state=0)
    >>> found = sets.fit(data.train.X, data.train.Y).predict(data.test.X)
    >>> print(sets.guarantee_)
    proven for exchangeable rows: the expected share of a row's labels that are missed (rows that
    have labels) is at most 0.1.
    >>> from dlst.metrics import instance_recall
    >>> round(1 - instance_recall(data.test.Y, found, empty="skip"), 3)
    0.096
    """

    model: Any
    risk: Risk = parameter(default="recall", must_be=RISKS)
    alpha: float = parameter(default=0.1, must_be=LEVEL)
    _: KW_ONLY
    delta: float | None = parameter(default=None, must_be=LEVEL | NONE)
    rows: CalibrationRows = parameter(
        default="held-out", must_be=one_of(*get_args(CalibrationRows))
    )
    test_size: float = parameter(default=0.3, must_be=LEVEL)
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> ConformalLabels:
        """Fit the model unless it is ``"prefit"``, and find the threshold.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        y : array-like or sparse of shape (n, K)
            Label indicator; NaN is not judged.
        """
        check_parameters(self)
        labels = as_indicator(y)
        rule = ConformalRule(self.risk, self.alpha, self.delta)
        if self.rows == "prefit":
            self.model_ = self.model
            self.rule_ = rule.fit(self.model_.predict_proba(X), labels)
        elif self.rows == "left-out":
            self.model_ = clone(self.model)
            if not hasattr(self.model_, "fit_out_of_sample"):
                raise DataError(
                    "rows='left-out' needs a method of dlst, with fit_out_of_sample; got "
                    f"{type(self.model_).__name__}. Take rows='held-out'."
                )
            chosen, P = self.model_.fit_out_of_sample(X, y)[:2]
            self.rule_ = rule.fit(P, labels[chosen])
        else:
            rest, held = train_test_split(
                np.arange(labels.shape[0]),
                test_size=self.test_size,
                random_state=self.random_state,
            )
            self.model_ = clone(self.model).fit(_safe_indexing(X, rest), _safe_indexing(y, rest))
            P = self.model_.predict_proba(_safe_indexing(X, held))
            self.rule_ = rule.fit(P, labels[held])
        self.guarantee_ = self._guarantee()
        return self

    def predict(self, X: Any) -> sp.csr_array:
        """Return the label sets as an indicator of shape (n, K)."""
        check_is_fitted(self)
        return self.rule_.apply(self.model_.predict_proba(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the model's probabilities, shape (n, K)."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict_proba(X))

    def _guarantee(self) -> str:
        if self.rows == "left-out":
            return f"nearly (not proven for rows left out in training): {self.rule_.guarantee_}"
        return f"proven for exchangeable rows: {self.rule_.guarantee_}"


def _checked(probabilities: Any) -> FloatArray:
    P = np.asarray(probabilities, dtype=np.float64)
    if P.ndim != 2 or np.isnan(P).any():
        raise DataError(
            "probabilities must be a dense array (n, K) without NaN: a guarantee may need the "
            f"least likely labels; got shape {P.shape}."
        )
    return P
