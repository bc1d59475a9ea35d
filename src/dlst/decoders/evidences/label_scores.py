"""Evidence of scores of labels, and codes made of their probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._parameters import with_parameters
from dlst._weights import with_weights
from dlst.decoders.evidences.contract import Evidence, EvidenceCache, OfferingEvidence, TrainingRows
from dlst.decoders.evidences.direct import stretched_logit
from dlst.decoders.neighbours import row_blocks

MOST_AXES = 100


@with_parameters
class LabelScores(Evidence):
    """Evidence: scores of labels, regressed on 0 (absent) and 1, as a logit.

    The link is that of :class:`~dlst.decoders.evidences.DirectReadout`: a logit that is
    linear outside 0 … 1, scaled for each label by its left-out scores of rows without it. Here the
    codes are the scores.

    Parameters
    ----------
    link_scale : float, optional
        The scale for all labels; learnt by default.

    Attributes
    ----------
    link_scale_ : ndarray of shape (K,)
    """

    name = "direct"

    link_scale: float | None = None

    def fit(self, training: TrainingRows) -> FloatArray:
        """Learn the link; return the evidence of ``training.rows``, each left out."""
        self._learn_link(training)
        return self.left_out(training, training.rows)

    def _learn_link(self, training: TrainingRows) -> None:
        if self.link_scale is None:
            self.link_scale_ = _spread_of_absent(training, self._left_out_scores)
        else:
            self.link_scale_ = np.full(training.labels.shape[1], float(self.link_scale))

    def left_out(self, training: TrainingRows, rows: Any) -> FloatArray:
        """Return the evidence of some training rows, each left out."""
        return stretched_logit(self._left_out_scores(training, rows), self.link_scale_)

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return stretched_logit(self._scores(codes, X), self.link_scale_)

    def _left_out_scores(self, training: TrainingRows, rows: Any) -> FloatArray:
        return as_dense(training.codes[rows])

    def _scores(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        return as_dense(codes)


class SecondOpinion(LabelScores, OfferingEvidence):
    """Evidence: scores of a second regressor, which predicts the labels' signs from the features.

    Parameters
    ----------
    regressor : regressor
        Implements :class:`dlst.parts.Regressor`; takes targets -1, 1 and, where labels are
        unknown, NaN.

    Attributes
    ----------
    regressor_ : regressor
        Fitted to all rows.
    link_scale_ : ndarray of shape (K,)
    """

    name = "second opinion"

    def __init__(self, regressor: Any, link_scale: float | None = None):
        self.regressor = regressor
        self.link_scale = link_scale

    def prepare(self, training: TrainingRows) -> None:
        """Fit the regressor, predict the training rows out of sample, and learn the link."""
        self.regressor_ = clone(self.regressor)
        prepare = with_weights(self.regressor_.prepare, training.labels.weights)
        regression = prepare(required_features(training.X), training.Y)
        with warnings.catch_warnings():
            # Its use is judged by out-of-sample predictions, converged or not.
            warnings.simplefilter("ignore", ConvergenceWarning)
            signs = regression.regress(_signs(training))
            self._left_out = regression.out_of_sample(signs)
        self._learn_link(training)

    def offered(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Return the evidence of ``training.rows``, each left out; there is no choice."""
        return self.left_out(training, training.rows)

    fit = OfferingEvidence.fit

    def _left_out_scores(self, training: TrainingRows, rows: Any) -> FloatArray:
        return np.asarray((self._left_out[rows] + 1.0) / 2.0)

    def _scores(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        predicted: FloatArray = self.regressor_.predict(required_features(X))
        return np.asarray((predicted + 1.0) / 2.0)

    def forget(self) -> None:
        """Delete the predictions of training rows."""
        del self._left_out


class ProbabilityCodes:
    """Square roots of label probabilities; with many labels, their first principal axes.

    Distances between them are Hellinger distances, which put labels on one scale.

    Parameters
    ----------
    scores : sequence of LabelScores
        Fitted.
    intercept : ndarray of shape (K,)
    slopes : ndarray of shape (m,)
        logit p = intercept + Σ slope · evidence.
    n_axes : int
        Maximum length of a code.
    """

    def __init__(
        self,
        scores: Sequence[LabelScores],
        intercept: FloatArray,
        slopes: FloatArray,
        n_axes: int = MOST_AXES,
    ):
        self.scores, self.intercept, self.slopes, self.n_axes = scores, intercept, slopes, n_axes

    def fit_transform(self, training: TrainingRows) -> FloatArray:
        """Find the axes of the training rows, each left out, and return their codes (n, r)."""
        n, K = training.labels.shape
        roots = np.empty((n, K), np.float32)
        self.mean_, gram = np.zeros(K), np.zeros((K, K))
        counts = training.labels.row_weights()
        total = n if counts is None else float(counts.sum())
        for rows in row_blocks(n, K):
            block = self._roots(part.left_out(training, rows) for part in self.scores)
            counted = block if counts is None else block * counts[rows, None]
            self.mean_ += counted.sum(axis=0) / total
            if self.n_axes < K:
                gram += counted.T @ block
            roots[rows] = block
        self.axes_ = np.eye(K)
        if self.n_axes < K:
            gram -= total * np.outer(self.mean_, self.mean_)
            last = (K - self.n_axes, K - 1)
            self.axes_ = scipy.linalg.eigh(gram, subset_by_index=last)[1][:, ::-1]
        return np.vstack([self._on_axes(roots[rows]) for rows in row_blocks(n, K)])

    def transform(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> FloatArray:
        """Return the codes (n, r) of new rows, from cached values where there are any."""
        known = cache.values
        values = (known[part] if part in known else part.values(codes, X) for part in self.scores)
        return self._on_axes(self._roots(values))

    def of_labels(self, ones: Any) -> FloatArray:
        """Return the codes (n, r) of rows whose labels are certain, (n, K)."""
        blocks = row_blocks(*ones.shape)
        return np.vstack([self._on_axes(ones[rows].toarray()) for rows in blocks])

    def _roots(self, evidence: Any) -> FloatArray:
        terms = (slope * part for slope, part in zip(self.slopes, evidence, strict=True))
        return np.asarray(np.sqrt(expit(sum(terms, start=self.intercept))))

    def _on_axes(self, roots: Any) -> FloatArray:
        return np.ascontiguousarray((roots - self.mean_) @ self.axes_)


def required_features(X: FeatureMatrix | None) -> FeatureMatrix:
    """Return features, or raise an error that names the evidence that needs them."""
    if X is None:
        raise ValueError(
            "the feature vote and a second opinion need X; got X=None. Pass X, or set "
            "feature_vote=False and second=None."
        )
    return X


def _spread_of_absent(training: TrainingRows, scores: Any) -> FloatArray:
    """Return the standard deviation of each label's scores over rows without it, plus 0.001."""
    n, K = training.labels.shape
    count, total, squares = np.zeros(K), np.zeros(K), np.zeros(K)
    counts = training.labels.row_weights()
    for rows in row_blocks(n, K):
        absent = (training.Y[rows].toarray() == 0).astype(np.float64)
        if counts is not None:
            absent *= counts[rows, None]
        here = scores(training, rows)
        count += absent.sum(axis=0)
        total += (here * absent).sum(axis=0)
        squares += (here**2 * absent).sum(axis=0)
    count = np.maximum(count, 1.0)
    variance = np.maximum(squares / count - (total / count) ** 2, 0.0)
    return np.asarray(np.sqrt(variance) + 1e-3)


def _signs(training: TrainingRows) -> FloatArray:
    signs = as_dense(training.Y)
    signs *= 2.0
    signs -= 1.0
    return signs
