"""How often truth and decisions agree: counts by label and by instance, and fractions of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._weights import as_weights
from dlst.metrics._inputs import FloatArray, Pattern, Truth, as_decisions, as_truth
from dlst.metrics._ranks import Average, Convention, Empty, resolve, summarise

Measure = Literal["precision", "recall", "f1", "jaccard"]


class Weighing(NamedTuple):
    """How often each instance and each label counts."""

    rows: FloatArray
    labels: FloatArray

    @classmethod
    def check(cls, truth: Truth, sample_weight: Any, label_weight: Any) -> Weighing:
        n, K = truth.shape
        rows = as_weights(sample_weight, n, "sample_weight")
        labels = as_weights(label_weight, K, "label_weight")
        return cls(np.ones(n) if rows is None else rows, np.ones(K) if labels is None else labels)


class Counts(NamedTuple):
    """Of each label, rows by weight; or of each instance, labels by weight."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    judged: FloatArray


def count(
    truth: Truth, decided: Pattern, by: Literal["labels", "instances"], weights: Weighing
) -> Counts:
    n, K = truth.shape
    ones, unjudged, chosen = (
        pattern.matrix(truth.shape) for pattern in (truth.relevant, truth.unjudged, decided)
    )
    hits, ignored = ones.multiply(chosen).tocsr(), unjudged.multiply(chosen).tocsr()

    def total(matrix: sp.csr_array) -> FloatArray:
        rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
        if by == "labels":
            return np.bincount(matrix.indices, weights.rows[rows], K).astype(np.float64)
        return np.bincount(rows, weights.labels[matrix.indices], n).astype(np.float64)

    everything = weights.rows if by == "labels" else weights.labels
    tp = total(hits)
    # Differences of sums in different orders are rounding where they are nothing.
    fp, fn, judged = (
        _without_rounding(found, everything.sum())
        for found in (
            total(chosen) - tp - total(ignored),
            total(ones) - tp,
            everything.sum() - total(unjudged),
        )
    )
    return Counts(tp, fp, fn, judged)


def _without_rounding(values: FloatArray, scale: float) -> FloatArray:
    return np.where(values > 1e-9 * scale, values, 0.0)


def _fraction(measure: Measure, counts: Counts) -> tuple[FloatArray, FloatArray]:
    tp, fp, fn, _ = counts
    if measure == "precision":
        return tp, tp + fp
    if measure == "recall":
        return tp, tp + fn
    if measure == "jaccard":
        return tp, tp + fp + fn
    return 2 * tp, 2 * tp + fp + fn


def averaged(
    measure: Measure,
    by: Literal["labels", "instances"],
    Y: Any,
    Y_pred: Any,
    convention: Convention,
    empty: Empty,
    average: Average,
    sample_weight: Any,
    label_weight: Any,
) -> float | FloatArray:
    resolve(convention, None, "pessimistic")
    truth = as_truth(Y)
    weights = Weighing.check(truth, sample_weight, label_weight)
    counts = count(truth, as_decisions(Y_pred, truth), by, weights)
    upper, lower = _fraction(measure, counts)
    nothing = lower if convention == "sklearn" else counts.tp + counts.fp + counts.fn
    default = 0.0 if convention == "sklearn" else 1.0
    return summarise(
        ratio(upper, lower),
        nothing == 0,
        counts.judged > 0,
        default if empty is None else empty,
        average,
        weights.labels if by == "labels" else weights.rows,
    )


def pooled(
    measure: Measure, Y: Any, Y_pred: Any, empty: float, sample_weight: Any, label_weight: Any
) -> float:
    truth = as_truth(Y)
    weights = Weighing.check(truth, sample_weight, label_weight)
    counts = count(truth, as_decisions(Y_pred, truth), "labels", weights)
    upper, lower = (float(weights.labels @ part) for part in _fraction(measure, counts))
    return upper / lower if lower else float(empty)


def ratio(upper: FloatArray, lower: FloatArray) -> FloatArray:
    return np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0)
