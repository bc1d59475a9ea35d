"""Agreement of truth and decisions: counts by label and by instance, and their ratios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FloatArray
from dlst._weights import as_weights
from dlst.metrics._families import Unit, family
from dlst.metrics._inputs import Truth, as_decisions, as_truth
from dlst.metrics._ranks import Average, Convention, Empty, resolve, summarise


class Weighing(NamedTuple):
    """Weights of instances and labels."""

    rows: FloatArray
    labels: FloatArray

    @classmethod
    def check(cls, truth: Truth, sample_weight: Any, label_weight: Any) -> Weighing:
        n, K = truth.shape
        rows = as_weights(sample_weight, n, "sample_weight")
        labels = as_weights(label_weight, K, "label_weight")
        return cls(np.ones(n) if rows is None else rows, np.ones(K) if labels is None else labels)


class Counts(NamedTuple):
    """Counts of each label, rows by weight; or of each instance, labels by weight."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    judged: FloatArray


class Fraction(NamedTuple):
    """Numerator and denominator."""

    upper: FloatArray
    lower: FloatArray


Measure: TypeAlias = Callable[[Counts], Fraction]


def precision(counts: Counts) -> Fraction:
    return Fraction(counts.tp, counts.tp + counts.fp)


def recall(counts: Counts) -> Fraction:
    return Fraction(counts.tp, counts.tp + counts.fn)


def f1(counts: Counts) -> Fraction:
    return Fraction(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)


def intersection_over_union(counts: Counts) -> Fraction:
    return Fraction(counts.tp, counts.tp + counts.fp + counts.fn)


def count(
    Y: Any, Y_pred: Any, of: Unit, sample_weight: Any, label_weight: Any
) -> tuple[Counts, Weighing]:
    """Check the input, and count right and wrong entries of each label or instance."""
    truth = as_truth(Y)
    weights = Weighing.check(truth, sample_weight, label_weight)
    decided = as_decisions(Y_pred, truth)
    n, K = truth.shape
    ones, unjudged, chosen = (
        pattern.matrix(truth.shape) for pattern in (truth.relevant, truth.unjudged, decided)
    )
    hits, ignored = ones.multiply(chosen).tocsr(), unjudged.multiply(chosen).tocsr()

    def total(matrix: sp.csr_array) -> FloatArray:
        rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
        if of == "label":
            return np.bincount(matrix.indices, weights.rows[rows], K).astype(np.float64)
        return np.bincount(rows, weights.labels[matrix.indices], n).astype(np.float64)

    everything = (weights.rows if of == "label" else weights.labels).sum()
    tp = total(hits)
    # Sums in different orders differ by rounding where they should be equal.
    fp, fn, judged = (
        np.where(found > 1e-9 * everything, found, 0.0)
        for found in (
            total(chosen) - tp - total(ignored),
            total(ones) - tp,
            everything - total(unjudged),
        )
    )
    return Counts(tp, fp, fn, judged), weights


def _averaged(
    measure: Measure,
    unit: Unit,
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Take the mean of a measure over labels or over instances.

    Ties: decisions have none.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    Y_pred : array-like, sparse or frame of shape (n, K)
        Decisions: 0 and 1.
    convention : {{"sklearn", "mulan"}}
        Sets the default of ``empty``. Mulan also counts precision or recall 0, not 0/0, where
        only one of truth and decisions is empty.
    empty : float or "skip", optional
        Value of each {unit} for which the metric is 0/0 (scikit-learn's ``zero_division``).
    average : {{"mean", None}}
        None gives the value of each {unit}, shape ({size},), NaN where left out.
    sample_weight, label_weight : array-like of shape (n,), of shape (K,), optional
        How often each instance and each label counts: 2 is the same as writing it twice.

    Returns
    -------
    float, or ndarray of shape ({size},) with ``average=None``
    """
    resolve(convention, None, "pessimistic")
    counts, weights = count(Y, Y_pred, unit, sample_weight, label_weight)
    found = measure(counts)
    nothing = found.lower if convention == "sklearn" else counts.tp + counts.fp + counts.fn
    default = 0.0 if convention == "sklearn" else 1.0
    return summarise(
        ratio(found),
        nothing == 0,
        counts.judged > 0,
        default if empty is None else empty,
        average,
        weights.labels if unit == "label" else weights.rows,
    )


def _pooled(
    measure: Measure,
    unit: Unit,
    Y: Any,
    Y_pred: Any,
    *,
    empty: float = 0.0,
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float:
    """Take a measure of all (instance, label) pairs together.

    Ties: decisions have none.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    Y_pred : array-like, sparse or frame of shape (n, K)
        Decisions: 0 and 1.
    empty : float
        The value where there is nothing to divide by.
    sample_weight, label_weight : array-like of shape (n,), of shape (K,), optional
        How often each instance and each label counts: 2 is the same as writing it twice.

    Returns
    -------
    float
    """
    counts, weights = count(Y, Y_pred, "label", sample_weight, label_weight)
    upper, lower = (float(weights.labels @ part) for part in measure(counts))
    return upper / lower if lower else float(empty)


mean_over_labels = family(_averaged, "label")
mean_over_instances = family(_averaged, "instance")
of_all_pairs = family(_pooled, "pair")


def ratio(of: Fraction) -> FloatArray:
    return np.divide(of.upper, of.lower, out=np.zeros_like(of.upper), where=of.lower > 0)
