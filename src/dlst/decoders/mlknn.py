"""ML-kNN: the paper's decoder, Bayes' rule on the number of neighbours that have a label."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix
from dlst._parameters import Constraints, integer, number
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import (
    BoolArray,
    FloatArray,
    Given,
    IntArray,
    Labels,
    as_codes,
    chosen_rows,
)
from dlst.decoders.index import NeighbourIndex
from dlst.decoders.neighbours import Neighbours
from dlst.errors import DataError
from dlst.explanation import CONSTANT_LOGIT, Explanation, NeighbourVotes
from dlst.parts import OutOfSample, Scores, SearchedCodes


class MLkNNDecoder(CheckedDecoder):
    """Posterior of each label given how many of the k nearest training codes have it.

    Faithful to the authors' program (Zhang & Zhou 2007): a row is no neighbour of itself (by
    index, so duplicates count), equally distant rows are taken by the lowest index, a posterior of
    1/2 decides for the label. Unknown entries of Y neither vote nor count; rows without any known
    entry are no neighbours; a label whose known entries are all equal gets its prevalence.

    Parameters
    ----------
    n_neighbors : int, default 10
        k. With fewer labelled rows than that, all others are neighbours.
    smoothing : float, default 1.0
        Added to every count (Laplace).
    n_jobs : int, optional
        Threads of the neighbour search.

    Attributes
    ----------
    n_neighbors_ : int
        The neighbours there are.
    prior_ : ndarray of shape (K,)
        P(label).
    conditional_present_, conditional_absent_ : ndarray of shape (K, n_neighbors_ + 1)
        P(m neighbours have the label | the row has it), and given that it has not.
    calibration_rows_ : ndarray of shape (n_labelled,)
        The labelled rows.
    out_of_sample_proba_ : ndarray of shape (n_labelled, K)
        Posterior of each of them with its own count removed.

    References
    ----------
    Zhang, Zhou (2007). ML-KNN: a lazy learning approach to multi-label learning.

    Examples
    --------
    >>> codes = [[0], [1], [2], [10], [11], [12]]
    >>> decoder = MLkNNDecoder(n_neighbors=2).fit(codes, [[1], [1], [0], [0], [0], [0]])
    >>> decoder.conditional_present_
    array([[0.2, 0.6, 0.2]])
    >>> decoder.predict_proba([[0.4]]).round(6)
    array([[0.295775]])
    """

    _constraints: ClassVar[Constraints] = {
        "n_neighbors": integer(at_least=1),
        "smoothing": number(at_least=0),
    }

    def __init__(self, n_neighbors: int = 10, smoothing: float = 1.0, n_jobs: int | None = None):
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    def _fit(self, given: Given) -> None:
        rows = given.labels.labelled_rows
        if len(rows) < 2:
            raise DataError("ML-kNN needs at least 2 labelled rows; got 1. Add samples.")
        k = min(int(self.n_neighbors), len(rows) - 1)
        labels, index = Labels(given.labels.Y[rows]), NeighbourIndex(given.codes[rows])
        found = index.nearest(k, n_jobs=self.n_jobs)
        self.calibration_rows_ = rows
        self.out_of_sample_proba_ = self.learn_counts(index, labels, found, labels)

    def learn_counts(
        self, index: NeighbourIndex, labels: Labels, found: Neighbours, judged: Labels
    ) -> FloatArray:
        """Fill the tables from neighbours that are found already.

        Parameters
        ----------
        index : NeighbourIndex
            Of the n codes among which new rows have their neighbours, with ``labels`` of n rows.
        found : Neighbours
            Those of q training rows among the voters, none its own, and ``judged``, the labels of
            these rows.

        Returns
        -------
        ndarray of shape (q, K)
            The posterior of each of these rows, from tables without its own count.
        """
        self.n_neighbors_ = found.indices.shape[1]
        self.n_codes_, self.n_labels_ = index.rows.shape[1], labels.shape[1]
        self.index_, self.ones_ = index, labels.ones
        self.constant_, self.prevalence_ = labels.constant, labels.prevalence
        counts = self._count(found)
        self._estimate(judged, counts)
        return self._leave_own_count_out(judged, counts)

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return the posterior of each label and its logit, finite also for constant labels."""
        posterior = self._posterior(self._count(self._neighbours(codes)))
        return Scores(posterior, _bounded_logit(posterior))

    def out_of_sample(self) -> OutOfSample:
        """Return the posterior of each labelled row with its own count removed."""
        return OutOfSample(self.calibration_rows_, self.out_of_sample_proba_)

    def searched(self) -> SearchedCodes:
        """Return the labelled rows and their codes."""
        return SearchedCodes(self.calibration_rows_, self.index_.rows)

    def predict(self, codes: Any, *, X: Any = None) -> sp.csr_array:
        """Decide for the labels with a posterior of at least 1/2, as the authors do."""
        return sp.csr_array((self.predict_proba(codes) >= 0.5).astype(np.float64))

    def explain(self, codes: Any, *, X: Any = None, rows: Any = None) -> Explanation:
        """Say what made each posterior: the prior odds, and the likelihood ratio of the count.

        Parameters
        ----------
        codes : array-like or sparse of shape (n, r)
        X
            Not used.
        rows : array-like of int, optional
            The rows to explain; all by default.
        """
        codes = as_codes(codes)
        chosen = chosen_rows(rows, codes.shape[0])
        found = self._neighbours(codes[chosen])
        total = _bounded_logit(self._posterior(self._count(found)))
        intercept = _bounded_logit(np.where(self.constant_, self.prevalence_, self.prior_))
        votes = NeighbourVotes(
            self.calibration_rows_[found.indices],
            np.sqrt(found.squared_distances),
            np.ones(found.indices.shape),
        )
        contributions = (total - intercept)[:, :, None]
        return Explanation(
            chosen, ("count",), intercept, contributions, {"count": votes}, self.constant_
        )

    def _neighbours(self, codes: Any) -> Neighbours:
        check_is_fitted(self)
        queries: FeatureMatrix = as_codes(codes, n_columns=self.n_codes_)
        return self.index_.nearest(self.n_neighbors_, queries, n_jobs=self.n_jobs)

    def _count(self, found: Neighbours) -> IntArray:
        """Count the neighbours that have each label, shape (n, K)."""
        n, k = found.indices.shape
        links = sp.csr_array(
            (np.ones(n * k), found.indices.ravel(), np.arange(n + 1) * k),
            shape=(n, self.ones_.shape[0]),
        )
        return np.asarray((links @ self.ones_).toarray(), dtype=np.int64)

    def _estimate(self, labels: Labels, counts: IntArray) -> None:
        present, known = labels.dense()
        is_known = np.ones(present.shape, dtype=bool) if known is None else known
        self._histogram_present = self._histogram(counts, present == 1)
        self._histogram_absent = self._histogram(counts, is_known & (present == 0))
        s = self.smoothing
        self.prior_ = _ratio(s + labels.n_positive, 2 * s + labels.n_known)
        self.conditional_present_ = self._conditional(self._histogram_present)
        self.conditional_absent_ = self._conditional(self._histogram_absent)

    def _histogram(self, counts: IntArray, chosen: BoolArray) -> FloatArray:
        """Count for each label the chosen rows with m = 0 … k such neighbours."""
        bins = self.n_neighbors_ + 1
        columns = np.nonzero(chosen)[1]
        flat = np.bincount(columns * bins + counts[chosen], minlength=self.n_labels_ * bins)
        return flat.reshape(self.n_labels_, bins).astype(np.float64)

    def _conditional(self, histogram: FloatArray) -> FloatArray:
        s = self.smoothing
        total = s * histogram.shape[1] + histogram.sum(axis=1, keepdims=True)
        return _ratio(s + histogram, total)

    def _posterior(self, counts: IntArray) -> FloatArray:
        label = np.arange(self.n_labels_)
        present = self.prior_ * self.conditional_present_[label, counts]
        absent = (1.0 - self.prior_) * self.conditional_absent_[label, counts]
        return self._bayes(present, absent, np.broadcast_to(self.prior_, counts.shape))

    def _leave_own_count_out(self, labels: Labels, counts: IntArray) -> FloatArray:
        """Posterior of each training row from tables that do not hold its own entry."""
        label, s, bins = np.arange(self.n_labels_), self.smoothing, self.n_neighbors_ + 1
        own_present, known = labels.dense()
        own_known = np.ones_like(own_present) if known is None else known.astype(np.float64)
        own_absent = own_known - own_present
        prior = _ratio(s + labels.n_positive - own_present, 2 * s + labels.n_known - own_known)
        likelihood = []
        for table, own in (
            (self._histogram_present, own_present),
            (self._histogram_absent, own_absent),
        ):
            total = s * bins + table.sum(axis=1) - own
            likelihood.append(_ratio(s + table[label, counts] - own, total))
        return self._bayes(prior * likelihood[0], (1.0 - prior) * likelihood[1], prior)

    def _bayes(self, present: FloatArray, absent: FloatArray, prior: FloatArray) -> FloatArray:
        # Both vanish only without smoothing: the count was never seen, so the prior stays.
        total = present + absent
        posterior = np.where(total > 0, _ratio(present, total), prior)
        return np.where(self.constant_, self.prevalence_, posterior)


def _bounded_logit(probability: FloatArray) -> FloatArray:
    logits: FloatArray = logit(probability)
    return np.clip(logits, -CONSTANT_LOGIT, CONSTANT_LOGIT)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, with 0 where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0)
