"""Learnt decisions: from probabilities to label sets that suit a measure."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dlst.decoders._inputs import FloatArray, Labels, as_labels, clipped_logit
from dlst.errors import DataError
from dlst.metrics import labels_per_row, threshold_decisions, top_r_decisions

Decision: TypeAlias = Literal["hamming", "micro", "macro", "top"]
KINDS = get_args(Decision)


class DecisionRule(BaseEstimator):  # type: ignore[misc]
    """A rule learnt on out-of-sample probabilities of training rows.

    Where positives are missing from the labels, thresholds learnt on them are wrong. If the mean
    number of labels of an instance is known (``cardinality``), c = observed / expected positives
    corrects them; without it c = 1.

    Parameters
    ----------
    kind : {"hamming", "micro", "macro", "top"}
        - "hamming": p > c/2.
        - "micro": one threshold for F1 over all entries, midway (in logits) between two estimates
          of the best one: the threshold that reaches F* = max 2 TP / (c N + P), with N entries
          decided for, TP of them and P in all observed; and c F*/2, where it lies if the
          probabilities are right. The first is noisy, the second biased; where their middle costs
          more than a standard error of F*, the first stands alone.
        - "macro": the best threshold of each label by the same formula, drawn towards the "micro"
          one (in logits) with weight kappa / (positives + kappa).
        - "top": the r labels with the best ranking scores, r = cardinality rounded up.
    cardinality : float, optional
        True mean number of labels of an instance.
    kappa : float
        See "macro".

    Attributes
    ----------
    observed_share_ : float
        c.
    threshold_ : float, or ndarray of shape (K,) for "macro"
        An entry that reaches it is decided for. Not for "top".
    n_top_ : int
        r, for "top".

    Examples
    --------
    >>> P = [[0.9, 0.2], [0.4, 0.1], [0.3, 0.35]]
    >>> rule = DecisionRule("micro").fit(P, [[1, 0], [1, 0], [0, 1]])
    >>> round(rule.threshold_, 3)
    0.325
    >>> rule.apply([[0.5, 0.1]]).toarray()
    array([[1., 0.]])
    """

    def __init__(
        self,
        kind: Decision = "hamming",
        cardinality: float | None = None,
        kappa: float = 30.0,
    ):
        self.kind = kind
        self.cardinality = cardinality
        self.kappa = kappa

    @property
    def learns(self) -> bool:
        """Whether the rule learns from probabilities; the others look at labels only."""
        return self.kind in ("micro", "macro")

    def fit(self, probabilities: Any, Y: Any, n: float | None = None) -> DecisionRule:
        """Learn the rule.

        Parameters
        ----------
        probabilities : array-like of shape (q, K)
            Out-of-sample probabilities.
        Y : array-like or sparse of shape (q, K)
            Labels of the same rows; NaN is not judged.
        n : float, optional
            Instances that the positives of Y are spread over; by default the known entries of Y
            over K.
        """
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {self.kind!r}.")
        if self.cardinality is not None and not 0 < self.cardinality < np.inf:
            raise ValueError(f"cardinality must be a number above 0; got {self.cardinality!r}.")
        P = np.asarray(probabilities, dtype=np.float64)
        labels = as_labels(Y, P.shape[0])
        if labels.shape != P.shape:
            raise DataError(
                f"probabilities and Y must have the same shape; got {P.shape} and {labels.shape}."
            )
        self.n_labels_ = labels.shape[1]
        self.observed_share_ = self._observed_share(labels, n)
        if self.kind == "top":
            self.n_top_ = min(self._labels_per_row(labels), self.n_labels_)
        elif self.kind == "hamming":
            # The least number above c/2: equal is not above, but reaching a threshold is enough.
            self.threshold_: Any = float(np.nextafter(self.observed_share_ / 2, 1.0))
        else:
            self._learn_f1(P, labels)
        return self

    def apply(self, probabilities: Any, scores: Any = None) -> sp.csr_array:
        """Decide: return ones at the labels decided for, shape (n, K).

        Parameters
        ----------
        probabilities : array-like of shape (n, K)
        scores : array-like of shape (n, K), optional
            Ranking scores, for "top"; the probabilities by default.
        """
        check_is_fitted(self)
        given = probabilities if self.kind != "top" or scores is None else scores
        if np.shape(given)[1:] != (self.n_labels_,):
            raise DataError(
                f"probabilities must have a column for each of the {self.n_labels_} labels; "
                f"got shape {np.shape(given)}."
            )
        if self.kind == "top":
            return top_r_decisions(given, self.n_top_)
        return threshold_decisions(given, self.threshold_)

    def _observed_share(self, labels: Labels, n: float | None) -> float:
        if self.cardinality is None:
            return 1.0
        instances = labels.n_known.sum() / self.n_labels_ if n is None else n
        return min(1.0, float(labels.n_positive.sum() / (instances * self.cardinality)))

    def _labels_per_row(self, labels: Labels) -> int:
        if self.cardinality is not None:
            return labels_per_row(cardinality=self.cardinality)
        return labels_per_row(labels.Y)

    def _learn_f1(self, P: FloatArray, labels: Labels) -> None:
        present, known = labels.dense()
        judged = np.ones(P.shape, dtype=bool) if known is None else known
        c = self.observed_share_
        shared = self._shared_threshold(P[judged], present[judged])
        if self.kind == "micro":
            self.threshold_ = shared
            return
        own = np.full(self.n_labels_, shared)
        for label in np.flatnonzero(labels.n_positive):
            rows = judged[:, label]
            own[label] = best_f1_threshold(P[rows, label], present[rows, label], c)
        weight = labels.n_positive / (labels.n_positive + self.kappa)
        drawn = weight * clipped_logit(own, 1e-9) + (1 - weight) * clipped_logit(shared, 1e-9)
        self.threshold_ = expit(drawn)

    def _shared_threshold(self, P: FloatArray, present: FloatArray) -> float:
        c = self.observed_share_
        reached = best_f1_threshold(P, present, c)
        if not present.any():
            return reached
        best = _f1(P, present, reached, c)
        logits = clipped_logit([reached, 0.5 * c * best], 1e-9)
        middle = float(expit(logits.mean()))
        slack = np.sqrt(max(0.0, best * (1.0 - best)) / present.sum())
        return middle if _f1(P, present, middle, c) >= best - slack else reached


def _f1(probabilities: FloatArray, present: FloatArray, threshold: float, c: float) -> float:
    chosen = probabilities >= threshold
    return float(2.0 * present[chosen].sum() / (c * chosen.sum() + present.sum()))


def best_f1_threshold(
    probabilities: FloatArray, present: FloatArray, observed_share: float = 1.0
) -> float:
    """Return the threshold with the best 2 TP / (c N + P), over all thresholds.

    It lies half way between the lowest value decided for and the next below. Of equally good ones
    the highest is taken; without positives it is 1 or the highest value, whichever is more.

    Parameters
    ----------
    probabilities, present : ndarray of shape (n,)
    observed_share : float
        c.

    Examples
    --------
    >>> best_f1_threshold(np.array([0.9, 0.6, 0.2]), np.array([1.0, 1.0, 0.0]))
    0.4
    """
    order = np.argsort(-probabilities, kind="stable")
    values, hits = probabilities[order], np.cumsum(present[order])
    if len(values) == 0 or hits[-1] == 0:
        return max(1.0, float(values[0])) if len(values) else 1.0
    # Equal values are decided together: a threshold can only fall after the last of a run.
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    gain = 2.0 * hits[last] / (observed_share * (last + 1) + hits[-1])
    best = last[int(np.argmax(gain))]
    if best + 1 == len(values):
        return float(values[best])
    middle = 0.5 * (values[best] + values[best + 1])
    return float(middle if middle > values[best + 1] else values[best])
