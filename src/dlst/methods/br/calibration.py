"""From margins to probabilities: Platt's sigmoid and isotonic steps, label by label."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from dlst._matrices import BoolArray, FloatArray
from dlst._parameters import with_parameters
from dlst.methods.answers import logit

# Margins that differ by less than this share of them are one margin: they say nothing of a label.
_LEVEL = 1e-6

# Where larger margins are no better out of sample, a label's order is kept all the same.
_LEAST_SLOPE = 1e-6

Calibration: TypeAlias = Literal["platt", "isotonic"]


@with_parameters
class MarginCalibration(BaseEstimator):  # type: ignore[misc]
    """Probabilities of labels as increasing functions of their out-of-sample margins.

    Parameters
    ----------
    kind : {"platt", "isotonic"}
        ``"platt"``: p = σ(a m + b) by maximum likelihood, with Platt's smoothed targets
        (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2). ``"isotonic"``: the increasing function with the least
        squared error, linear between its steps.

    Attributes
    ----------
    slope_, intercept_ : ndarray of shape (K,)
        a and b, for ``"platt"``.
    knots_ : list of ndarray of shape (2, s)
        Margins and probabilities of each label's steps, for ``"isotonic"``.

    Notes
    -----
    A label whose margins are of one kind only cannot be calibrated. It gets logit p = m shifted so
    that the mean margin has the label's prevalence: σ(m) itself would place the rarest labels
    above most others.

    Examples
    --------
    >>> margins = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> Y = sp.csr_array([[0], [1], [0], [1]])
    >>> calibration = MarginCalibration("platt").fit(margins, Y)
    >>> calibration.probabilities(np.array([[0.0]])).round(3)
    array([[0.5]])
    """

    kind: Calibration = "platt"

    def fit(
        self, margins: FloatArray, Y: sp.csr_array, sample_weight: FloatArray | None = None
    ) -> MarginCalibration:
        """Learn from margins (n, K), NaN where there is none, and the labels of the same rows."""
        labels = Y.toarray()
        counts = np.ones(len(labels)) if sample_weight is None else sample_weight
        self.slope_, self.intercept_ = np.ones(Y.shape[1]), np.zeros(Y.shape[1])
        self.knots_: list[FloatArray] = []
        for label in range(Y.shape[1]):
            usable = ~np.isnan(margins[:, label]) & ~np.isnan(labels[:, label])
            m, present = margins[usable, label], labels[usable, label] == 1
            varies = 0 < present.sum() < len(present)
            w = counts[usable]
            if not varies:
                centre = float(np.average(m, weights=w)) if m.size else 0.0
                self.intercept_[label] = _prior_logit(labels[:, label], counts) - centre
            if self.kind == "platt" and varies:
                self.slope_[label], self.intercept_[label] = _platt(m, present, w)
            elif self.kind == "isotonic":
                self.knots_.append(_isotonic(m, present, w) if varies else np.empty((2, 0)))
        return self

    def scores(self, margins: FloatArray) -> FloatArray:
        """Return logits of probabilities, (n, K)."""
        if self.kind == "platt":
            return margins * self.slope_ + self.intercept_
        return logit(self.probabilities(margins))

    def probabilities(self, margins: FloatArray) -> FloatArray:
        """Return probabilities, (n, K)."""
        P = np.asarray(expit(margins * self.slope_ + self.intercept_))
        for label, (steps, values) in enumerate(self.knots_):
            if steps.size:
                P[:, label] = np.interp(margins[:, label], steps, values)
        return P


def _prior_logit(column: FloatArray, counts: FloatArray) -> float:
    """Return the logit of a label's smoothed prevalence."""
    known = counts[~np.isnan(column)].sum()
    return float(logit(np.array([(counts[column == 1].sum() + 0.5) / (known + 1.0)]))[0])


def _platt(margins: FloatArray, present: BoolArray, counts: FloatArray) -> tuple[float, float]:
    n_positive = counts[present].sum()
    high = (n_positive + 1.0) / (n_positive + 2.0)
    low = 1.0 / (counts.sum() - n_positive + 2.0)
    targets = np.where(present, high, low)
    # A soft target is a row seen as both kinds, with its weight split. The scale of the margins
    # is the user's (C, tol), the solver's is not.
    scale = float(np.abs(margins).max()) or 1.0
    if np.ptp(margins) <= _LEVEL * scale:
        mean = np.average(targets, weights=counts)
        return _LEAST_SLOPE / scale, float(logit(np.array([mean]))[0])
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8, max_iter=200).fit(
        np.tile(margins / scale, 2)[:, None],
        np.repeat([1, 0], len(margins)),
        sample_weight=np.concatenate([targets * counts, (1.0 - targets) * counts]),
    )
    slope = max(float(model.coef_[0, 0]), _LEAST_SLOPE) / scale
    return slope, float(model.intercept_[0])


def _isotonic(margins: FloatArray, present: BoolArray, counts: FloatArray) -> FloatArray:
    model = IsotonicRegression(y_min=0.0, y_max=1.0)
    model.fit(margins, present.astype(np.float64), sample_weight=counts)
    return np.vstack([model.X_thresholds_, model.y_thresholds_])
