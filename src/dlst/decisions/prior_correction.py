"""Prior correction of rankings, which raises rare labels a little."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import BoolArray, FloatArray, as_indicator
from dlst._parameters import check_parameters, number, one_of, parameter, with_parameters
from dlst._weights import as_weights
from dlst.errors import DataError
from dlst.metrics import instance_average_precision

Tau: TypeAlias = float | Literal["auto"]
"""Strength of the correction by label frequency; "auto": chosen on left-out rows."""

TAU = number() | one_of("auto")
GRID = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
STUDIED_TAU = 0.2
"""The best value overall on 29 data sets."""

BEYOND_CHANCE = 2.0
"""A mean difference below this many standard errors is attributed to chance."""


@with_parameters
class PriorCorrection(BaseEstimator):  # type: ignore[misc]
    """Rank labels of a row by score − τ log π, π the label's share of the training rows.

    Methods that regularise shrink the probabilities of rare labels towards their prior. τ > 0
    partly reverts that in the ranking of each row; it changes neither the order within a label nor
    decisions by probabilities.

    Parameters
    ----------
    tau : float or "auto"
        τ. 0 is none. ``"auto"`` is, of nine values from 0 to ½, the one nearest to 0.2 whose mean
        average precision of rows, ranked by their out-of-sample scores, is not shown to be below
        the best: by less than two standard errors of the difference on the same rows. Few rows
        cannot move it, and many do not for a gain that new rows need not repeat. The share of rows
        whose first label is right must lie as near to its best, where both can be had: rows with
        many labels may gain in average precision what their first label loses.

    Attributes
    ----------
    tau_ : float
        τ.
    log_prior_ : ndarray of shape (K,)
        log π, π = (positives + ½) / (known + 1).
    average_precision_ : dict of float to float
        With ``"auto"``: what the choice was made by.
    first_right_ : dict of float to float
        With ``"auto"``: share of rows whose first label is right.

    References
    ----------
    Menon, Jayasumana, Rawat, Jain, Veit, Kumar (2021). Long-tail learning via logit adjustment.

    Examples
    --------
    >>> Y = [[1, 0], [1, 0], [1, 1]]
    >>> PriorCorrection(0.5).fit(None, Y).apply([[0.0, 0.0]]).round(2)
    array([[0.07, 0.49]])
    """

    tau: Tau = parameter(default=0.0, must_be=TAU)

    def fit(
        self, scores: Any, Y: Any, sample_weight: Any = None, *, rows: Any = None
    ) -> PriorCorrection:
        """Learn the prior, and τ if it is ``"auto"``.

        Parameters
        ----------
        scores : array-like of shape (q, K), or None
            Out-of-sample scores, which are logits as a rule; only needed for ``tau="auto"``.
        Y : array-like or sparse of shape (n, K)
            Labels of the training rows, NaN for unknown.
        sample_weight : array-like of shape (n,), optional
            How often each row counts.
        rows : array-like of shape (q,), optional
            Rows of Y that the scores belong to; all by default.
        """
        check_parameters(self)
        labels = as_indicator(Y)
        n, K = labels.shape
        unknown = np.isnan(labels.data)
        given = as_weights(sample_weight, n, "sample_weight")
        weights = np.ones(n) if given is None else given
        of_entries = np.repeat(weights, np.diff(labels.indptr))
        missing, ones = labels.indices[unknown], labels.indices[~unknown]
        known = weights.sum() - np.bincount(missing, of_entries[unknown], minlength=K)
        positive = np.bincount(ones, of_entries[~unknown], minlength=K)
        self.log_prior_ = np.log((positive + 0.5) / (known + 1.0))
        self.average_precision_: dict[float, float] = {}
        self.first_right_: dict[float, float] = {}
        if self.tau != "auto":
            self.tau_ = float(self.tau)
            return self
        judged = labels if rows is None else labels[rows]
        found = np.asarray(scores, dtype=np.float64)
        if found.shape != judged.shape:
            raise DataError(
                f"scores must have the shape of their labels, {judged.shape}; got {found.shape}."
            )
        ranked = [found - tau * self.log_prior_ for tau in GRID]
        precisions = np.array(
            [instance_average_precision(judged, S, empty="skip", average=None) for S in ranked]
        )
        counted = np.flatnonzero(np.isfinite(precisions[0]))
        weights = (weights if rows is None else weights[rows])[counted]
        if len(counted) < 2 or weights.sum() <= 1.0:
            # Without rows that have labels to judge by, nothing is corrected.
            self.tau_ = 0.0
            return self
        precisions, truth = precisions[:, counted], judged[counted].toarray()
        first = np.array([_first_is_right(S[counted], truth) for S in ranked])
        means, near = _near_the_best(precisions, weights)
        shares, right = _near_the_best(first, weights)
        self.average_precision_ = dict(zip(GRID, means.tolist(), strict=True))
        self.first_right_ = dict(zip(GRID, shares.tolist(), strict=True))
        both = near & right
        eligible = np.array(GRID)[both if both.any() else near]
        self.tau_ = float(min(eligible, key=lambda tau: abs(tau - STUDIED_TAU)))
        return self

    def apply(self, scores: Any, labels: Any = slice(None)) -> FloatArray:
        """Return the scores that labels are ranked by, shape (n, K), or (m,) of m labels named."""
        return np.asarray(np.asarray(scores) - self.handicap()[labels])

    def handicap(self) -> FloatArray:
        """Return what is subtracted from each label's scores, shape (K,)."""
        check_is_fitted(self)
        return np.asarray(self.tau_ * self.log_prior_)


def _first_is_right(scores: FloatArray, labels: FloatArray) -> FloatArray:
    """Tell for each row whether the known label with the best score is present."""
    first = np.where(np.isnan(labels), -np.inf, scores).argmax(axis=1)
    return np.asarray(labels[np.arange(len(labels)), first] == 1.0, dtype=np.float64)


def _near_the_best(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the mean of each row of values, and whether it is below the best by chance only."""
    total = weights.sum()
    means = values @ weights / total
    # Errors of the differences: all values are of the same rows, which vary far more.
    below = values[int(np.argmax(means))] - values
    lost = below @ weights / total
    squares = (below - lost[:, None]) ** 2 @ weights
    return means, lost <= BEYOND_CHANCE * np.sqrt(squares / (total - 1.0) / total)
