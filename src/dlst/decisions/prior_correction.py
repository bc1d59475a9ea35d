"""Ranking by what a row adds to the prior: rare labels a little higher."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import as_indicator
from dlst._parameters import Constraints, check_parameters, number, one_of
from dlst._weights import as_weights
from dlst.errors import DataError
from dlst.metrics import instance_average_precision

Tau: TypeAlias = float | Literal["auto"]
"""How much of a label's frequency is taken out of its score; "auto": by left-out rows."""

TAU = number() | one_of("auto")
GRID = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
STUDIED_TAU = 0.2
"""What served best on the whole on the 29 sets of the design study."""


class PriorCorrection(BaseEstimator):  # type: ignore[misc]
    """Rank labels of a row by score − τ log π, π the label's share of the training rows.

    Probabilities of rare labels are drawn to their prior by every method that shrinks. τ > 0 takes
    some of that back in the ranking of each row; within a label it changes no order, and decisions
    by probabilities do not know of it.

    Parameters
    ----------
    tau : float or "auto"
        τ. 0 is none. ``"auto"`` is, of nine values from 0 to ½, the one nearest to 0.2 whose mean
        average precision of rows, ranked by their out-of-sample scores, lies within one standard
        error of the best (the rule of Breiman et al., 1984): few rows cannot move it, and many do
        not for a gain that new rows need not repeat.

    Attributes
    ----------
    tau_ : float
        τ.
    log_prior_ : ndarray of shape (K,)
        log π, π = (positives + ½) / (known + 1).
    average_precision_ : dict of float to float
        With ``"auto"``: what the choice was made by.

    Examples
    --------
    >>> Y = [[1, 0], [1, 0], [1, 1]]
    >>> PriorCorrection(0.5).fit(None, Y).apply([[0.0, 0.0]]).round(2)
    array([[0.07, 0.49]])
    """

    _constraints: ClassVar[Constraints] = {"tau": TAU}

    def __init__(self, tau: Tau = 0.0):
        self.tau = tau

    def fit(
        self, scores: Any, Y: Any, sample_weight: Any = None, *, rows: Any = None
    ) -> PriorCorrection:
        """Learn the prior, and τ where it is left open.

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
        if self.tau != "auto":
            self.tau_ = float(self.tau)
            return self
        judged = labels if rows is None else labels[rows]
        found = np.asarray(scores, dtype=np.float64)
        if found.shape != judged.shape:
            raise DataError(
                f"scores must have the shape of their labels, {judged.shape}; got {found.shape}."
            )
        precisions = np.array(
            [
                instance_average_precision(
                    judged, found - tau * self.log_prior_, empty="skip", average=None
                )
                for tau in GRID
            ]
        )
        counted = np.isfinite(precisions[0])
        weights = (weights if rows is None else weights[rows])[counted]
        precisions = precisions[:, counted]
        if precisions.shape[1] < 2 or weights.sum() <= 1.0:
            # Nothing is changed where no rows have labels to be judged by.
            self.tau_ = 0.0
            return self
        n_judged = weights.sum()
        means = precisions @ weights / n_judged
        best = int(np.argmax(means))
        squares = weights @ (precisions[best] - means[best]) ** 2
        least = means[best] - np.sqrt(squares / (n_judged - 1.0) / n_judged)
        self.average_precision_ = dict(zip(GRID, means.tolist(), strict=True))
        near = [tau for tau, mean in self.average_precision_.items() if mean >= least]
        self.tau_ = min(near, key=lambda tau: abs(tau - STUDIED_TAU))
        return self

    def apply(self, scores: Any) -> NDArray[np.float64]:
        """Return the scores that labels are ranked by, shape (n, K)."""
        check_is_fitted(self)
        ranked: NDArray[np.float64] = np.asarray(scores) - self.tau_ * self.log_prior_
        return ranked
