"""The interface of decision rules, and the correction for missing positives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FloatArray, IntArray, as_indicator
from dlst._parameters import NONE, Constraints, check_parameters, number
from dlst._weights import as_weights
from dlst.decisions._entries import Entries, as_entries
from dlst.errors import DataError

MOST_CERTAIN = 0.98
"""Upper bound of probabilities corrected for missing positives."""

CARDINALITY = number(above=0) | NONE


@dataclass(frozen=True, eq=False)
class Examples:
    """The data that a rule learns from.

    Attributes
    ----------
    entries : Entries
        Corrected out-of-sample probabilities of ``rows``, with the weights of these.
    labels : csr_array of shape (n, K)
        Labels of all training rows; ones and NaN stored.
    weights : ndarray of shape (n,)
        How often each of them counts.
    rows : ndarray of shape (q,)
    votes : csr_array of shape (q, n) or None
    """

    entries: Entries
    labels: sp.csr_array
    weights: FloatArray
    rows: IntArray
    votes: sp.csr_array | None

    def mean_labels(self) -> float:
        """Return the mean number of labels of the rows that have a known entry."""
        n, K = self.labels.shape
        unknown = np.isnan(self.labels.data)
        row_of = np.repeat(np.arange(n), np.diff(self.labels.indptr))
        judged = np.bincount(row_of[unknown], minlength=n) < K
        if not judged.any():
            raise DataError("Y must have a known entry; got NaN only.")
        return float(self.weights[row_of[~unknown]].sum() / self.weights[judged].sum())


class DecisionRule(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the rules: learn on out-of-sample probabilities, decide on new ones.

    A rule does not depend on the method that gave the probabilities. These must be calibrated, and
    predicted without the row itself. Unknown labels (NaN) count by their probability, like all
    others; from Y a rule only takes the number of labels of rows, and their label sets.

    If positives are missing from Y, probabilities are too low by the factor c, the share of
    positives that was observed. If the true mean number of labels of an instance is known
    (``cardinality``), c = observed / expected positives, and the rule works on min(p / c, 0.98)
    throughout.

    Attributes
    ----------
    observed_share_ : float
        c; 1 without ``cardinality``.
    n_labels_ : int
        K.

    Examples
    --------
    >>> from dlst.decisions import MicroRule
    >>> isinstance(MicroRule(), DecisionRule)
    True
    """

    learns: ClassVar[bool] = True
    """Whether the rule learns from probabilities; if not, ``fit`` takes None for them."""

    takes_any_score: ClassVar[bool] = False
    """Whether the rule only uses the order of its input, which need not be probabilities."""

    takes_votes: ClassVar[bool] = False
    """Whether the rule uses votes of training rows."""

    _constraints: ClassVar[Constraints] = {"cardinality": CARDINALITY}
    cardinality: float | None

    def fit(
        self,
        probabilities: Any,
        Y: Any,
        sample_weight: Any = None,
        *,
        label_weight: Any = None,
        rows: Any = None,
        votes: Any = None,
    ) -> Any:
        """Learn the rule.

        Parameters
        ----------
        probabilities : array-like or sparse of shape (q, K)
            Out-of-sample probabilities; entries that a sparse matrix does not store are 0.
        Y : array-like or sparse of shape (n, K)
            Labels of the training rows: 0, 1, NaN for unknown.
        sample_weight : array-like of shape (n,), optional
            How often each row counts.
        label_weight : array-like of shape (K,), optional
            How often each label counts where labels are added up, in the F1 of pool and row and in
            the mean over labels. Rules with r labels a row, and for whole sets, count labels once.
        rows : array-like of shape (q,), optional
            Rows of Y that the probabilities belong to; all by default.
        votes : sparse of shape (q, n), optional
            How much each training row votes on these, a row not on itself; see
            :class:`~dlst.decisions.SubsetRule`.
        """
        check_parameters(self)
        labels = as_indicator(Y)
        n, self.n_labels_ = labels.shape
        if not n:
            raise DataError("a rule must have rows to learn from; got none. Pass training rows.")
        given = as_weights(sample_weight, n, "sample_weight")
        weights = np.ones(n) if given is None else given
        self.label_weights_ = as_weights(label_weight, self.n_labels_, "label_weight")
        self.observed_share_ = self._observed_share(labels, weights)
        chosen = np.arange(n) if rows is None else np.asarray(rows, dtype=np.int64)
        if probabilities is None and not self.learns:
            chosen, probabilities = chosen[:0], np.zeros((0, self.n_labels_))
        entries = as_entries(probabilities, n_labels=self.n_labels_)
        if entries.shape[0] != len(chosen):
            raise DataError(
                f"probabilities must have a row for each of the {len(chosen)} rows of Y; got "
                f"{entries.shape[0]}. Pass their places as rows=."
            )
        entries = replace(entries, weights=weights[chosen], label_weights=self.label_weights_)
        entries = self._corrected(entries)
        self._learn(Examples(entries, labels, weights, chosen, as_votes(votes, len(chosen), n)))
        return self

    def apply(self, probabilities: Any, scores: Any = None, *, votes: Any = None) -> sp.csr_array:
        """Decide: return ones at the labels decided for, shape (n, K).

        Parameters
        ----------
        probabilities : array-like or sparse of shape (n, K)
            Sparse probabilities need no dense array of their shape on the way.
        scores : array-like or sparse of shape (n, K), optional
            Ranking scores, used by the rule "top"; the probabilities by default.
        votes : sparse of shape (n, n_training), optional
            How much each training row votes on these.
        """
        entries = self._new(probabilities)
        if not entries.shape[0]:
            return sp.csr_array(entries.shape)
        return self._decide(entries, scores, votes)

    @abstractmethod
    def _learn(self, examples: Examples) -> None:
        """Learn from corrected probabilities."""

    @abstractmethod
    def _decide(self, entries: Entries, scores: Any, votes: Any) -> sp.csr_array:
        """Decide on corrected probabilities."""

    def _new(self, probabilities: Any) -> Entries:
        check_is_fitted(self)
        entries = as_entries(probabilities, n_labels=self.n_labels_, any_score=self.takes_any_score)
        return self._corrected(replace(entries, label_weights=self.label_weights_))

    def _corrected(self, entries: Entries) -> Entries:
        # The correction keeps the order, but creates ties at its upper bound.
        if self.observed_share_ == 1.0 or self.takes_any_score:
            return entries
        values = np.minimum(entries.values / self.observed_share_, MOST_CERTAIN)
        return replace(entries, values=values)

    def _observed_share(self, labels: sp.csr_array, weights: FloatArray) -> float:
        if self.cardinality is None:
            return 1.0
        per_entry = np.repeat(weights, np.diff(labels.indptr))
        unknown = np.isnan(labels.data)
        instances = weights.sum() - per_entry[unknown].sum() / labels.shape[1]
        observed = per_entry[~unknown].sum()
        return min(1.0, float(observed / (instances * self.cardinality))) if observed else 1.0


def as_votes(votes: Any, n_rows: int, n_training: int) -> sp.csr_array | None:
    """Check votes of training rows on some rows; None stays None."""
    if votes is None:
        return None
    if votes.shape != (n_rows, n_training):
        raise DataError(
            f"votes must have a column for each of the {n_training} training rows and a row for "
            f"each of the {n_rows} that are voted on; got shape {votes.shape}."
        )
    return sp.csr_array(votes, dtype=np.float64)
