"""ML-kNN: the paper's decoder, Bayes' rule on the number of neighbours that have a label."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from dlst._kernels.label_votes import label_counts
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._parameters import integer, number, parameter, with_parameters
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import Given, Labels, as_codes, chosen_rows
from dlst.decoders.index import NeighbourIndex
from dlst.decoders.neighbours import Neighbours
from dlst.errors import DataError
from dlst.explanation import CONSTANT_LOGIT, Explanation, NeighbourVotes
from dlst.parts import OutOfSample, Scores, SearchedCodes


@with_parameters
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
        Number of neighbours used.
    prior_ : ndarray of shape (K,)
        P(label).
    conditional_present_, conditional_absent_ : ndarray of shape (K, n_neighbors_ + 1)
        P(m neighbours have the label | the row has it), and given that the row does not.
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

    n_neighbors: int = parameter(default=10, must_be=integer(at_least=1))
    smoothing: float = parameter(default=1.0, must_be=number(at_least=0))
    n_jobs: int | None = None

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
        """Fill the tables from given neighbours.

        Parameters
        ----------
        index : NeighbourIndex
            Index of the n codes among which neighbours of new rows are searched, with their
            ``labels``.
        found : Neighbours
            Neighbours of q training rows, none its own, and ``judged``, the labels of these rows.

        Returns
        -------
        ndarray of shape (q, K)
            The posterior of each of these rows, from tables without its own count.
        """
        self.n_neighbors_ = found.indices.shape[1]
        self.n_codes_, self.n_labels_ = index.rows.shape[1], labels.shape[1]
        self.index_, self.ones_ = index, labels.ones
        self.constant_, self.prevalence_ = labels.constant, labels.prevalence
        return self._estimate(judged, self._count(found))

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
        """Explain each posterior by the prior odds and the likelihood ratio of the count.

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
        counts: IntArray = label_counts(
            found.indices, self.ones_.indptr, self.ones_.indices, self.n_labels_
        )
        return counts

    def _estimate(self, labels: Labels, counts: IntArray) -> FloatArray:
        """Fill the tables; return posteriors from tables without the row's own entry."""
        K, bins, s = self.n_labels_, self.n_neighbors_ + 1, self.smoothing
        places = self._places(labels, counts)
        filled = np.bincount(places.ravel(), minlength=3 * bins * K).astype(np.float64)
        absent, present, _ = filled.reshape(3, bins, K)
        self.prior_ = _ratio(s + labels.n_positive, 2 * s + labels.n_known)
        self.conditional_present_ = self._conditional(present)
        self.conditional_absent_ = self._conditional(absent)
        return np.take(self._without_own(labels, present, absent), places)

    def _places(self, labels: Labels, counts: IntArray) -> IntArray:
        """Return the place of each entry in a flat table of (own value, count, label).

        Own values are 0, 1 and unknown: two entries that agree in all three have one posterior.
        """
        places = self._flat(counts)
        step = (self.n_neighbors_ + 1) * self.n_labels_
        for value, entries in ((1, labels.ones), (2, labels.unknown)):
            if entries is not None:
                rows = np.repeat(np.arange(len(places)), np.diff(entries.indptr))
                places[rows, entries.indices] += value * step
        return places

    def _flat(self, counts: IntArray) -> IntArray:
        """Turn counts into places in a flat table of (count, label)."""
        counts *= self.n_labels_
        counts += np.arange(self.n_labels_)
        return counts

    def _conditional(self, histogram: FloatArray) -> FloatArray:
        s = self.smoothing
        total = s * histogram.shape[0] + histogram.sum(axis=0)
        return np.ascontiguousarray(_ratio(s + histogram, total).T)

    def _posterior(self, counts: IntArray) -> FloatArray:
        present = self.prior_ * self.conditional_present_.T
        absent = (1.0 - self.prior_) * self.conditional_absent_.T
        return np.take(self._bayes(present, absent, self.prior_), self._flat(counts))

    def _without_own(self, labels: Labels, present: FloatArray, absent: FloatArray) -> FloatArray:
        """Posteriors of (own value, count, label), the own entry removed from every sum."""
        s, bins = self.smoothing, self.n_neighbors_ + 1
        own_absent, own_present = np.eye(3)[:2, :, None, None]
        own_known = own_absent + own_present
        prior = _ratio(s + labels.n_positive - own_present, 2 * s + labels.n_known - own_known)
        likelihoods = [
            _ratio(s + table - own, s * bins + table.sum(axis=0) - own)
            for table, own in ((present, own_present), (absent, own_absent))
        ]
        return self._bayes(prior * likelihoods[0], (1.0 - prior) * likelihoods[1], prior)

    def _bayes(self, present: FloatArray, absent: FloatArray, prior: FloatArray) -> FloatArray:
        # Both vanish only without smoothing, for a count never seen: the prior is kept.
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
