"""Decisions against truth: F1, precision, recall, Jaccard, Hamming loss, subset accuracy.

Every function honours NaN in the truth as "not judged": a decision there is neither right nor
wrong, and a row or label with nothing judged is left out of the mean. Decisions and truth may be
sparse and stay so. Decisions have no ties; how scores become decisions is in ``decisions``. The
parameters that the functions share are described at :func:`macro_f1`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst.metrics._inputs import FloatArray, Pattern, Truth, as_decisions, as_truth, as_weights
from dlst.metrics._ranks import Average, Convention, Empty, resolve, summarise

Measure = Literal["precision", "recall", "f1", "jaccard"]


def macro_f1(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of F1.

    Ties: decisions have none.
    Empty labels: a label neither present nor predicted counts 0 (``convention="mulan"``: 1).

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    Y_pred : array-like, sparse or frame of shape (n, K)
        Decisions: 0 and 1.
    convention : {"sklearn", "mulan"}
        Sets the default of ``empty``. Mulan also counts precision or recall 0, not 0/0, where
        only one of truth and decisions is empty.
    empty : float or "skip", optional
        Value of a label for which the metric is 0/0 (scikit-learn's ``zero_division``).
    average : {"mean", None}
        None gives the value of each label, shape (K,), NaN where left out.
    sample_weight, label_weight : array-like of shape (n,), of shape (K,), optional
        How often each instance and each label counts: 2 is the same as writing it twice.

    Returns
    -------
    float, or ndarray of shape (K,)

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> macro_f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]], average=None)
    array([0.8       , 0.66666667])
    """
    return _averaged(
        "f1", "labels", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def macro_precision(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of the share of its predictions that are right.

    Ties: decisions have none.
    Empty labels: a label never predicted counts 0 (``convention="mulan"``: 1 if it is absent too).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    Examples
    --------
    >>> macro_precision([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    0.75
    """
    return _averaged(
        "precision", "labels", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def macro_recall(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of the share of its positives that are predicted.

    Ties: decisions have none.
    Empty labels: a label without positives counts 0 (``convention="mulan"``: 1 if it is not
    predicted either).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    Examples
    --------
    >>> macro_recall([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _averaged(
        "recall", "labels", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def macro_jaccard(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of intersection over union of predicted and true instances.

    Ties: decisions have none.
    Empty labels: a label neither present nor predicted counts 0 (``convention="mulan"``: 1).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    Examples
    --------
    >>> macro_jaccard([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    0.75
    """
    return _averaged(
        "jaccard", "labels", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def instance_f1(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over instances of F1.

    Ties: decisions have none.
    Empty rows: an instance with neither true nor predicted label counts 0
    (``convention="mulan"``: 1).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`, with instances for labels.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    Examples
    --------
    >>> instance_f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.777...
    """
    return _averaged(
        "f1", "instances", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def instance_precision(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over instances of the share of predicted labels that are right.

    Ties: decisions have none.
    Empty rows: an instance without predicted label counts 0 (``convention="mulan"``: 1 if it has
    no true label either).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`, with instances for labels.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    Examples
    --------
    >>> instance_precision([[1, 0], [1, 0]], [[1, 1], [1, 0]])
    0.75
    """
    return _averaged(
        "precision", "instances", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def instance_recall(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over instances of the share of true labels that are predicted.

    Ties: decisions have none.
    Empty rows: an instance without true label counts 0 (``convention="mulan"``: 1 if none is
    predicted either).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`, with instances for labels.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    Examples
    --------
    >>> instance_recall([[1, 1], [1, 0]], [[1, 0], [1, 0]])
    0.75
    """
    return _averaged(
        "recall", "instances", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def jaccard(
    Y: Any,
    Y_pred: Any,
    *,
    convention: Convention = "sklearn",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over instances of intersection over union of predicted and true labels.

    Ties: decisions have none.
    Empty rows: an instance with neither true nor predicted label counts 0
    (``convention="mulan"``: 1).

    Parameters
    ----------
    Y, Y_pred, convention, empty, average, sample_weight, label_weight
        As in :func:`macro_f1`, with instances for labels.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> jaccard([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.666...
    """
    return _averaged(
        "jaccard", "instances", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )


def micro_f1(
    Y: Any,
    Y_pred: Any,
    *,
    empty: float = 0.0,
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float:
    """F1 of all (instance, label) pairs together.

    Ties: decisions have none.
    Empty rows: they add nothing of their own; with neither true nor predicted pair at all, the
    value is ``empty``.

    Parameters
    ----------
    Y, Y_pred, sample_weight, label_weight
        As in :func:`macro_f1`.
    empty : float
        The value where there is nothing to divide by.

    Returns
    -------
    float

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> micro_f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.75
    """
    return _pooled("f1", Y, Y_pred, empty, sample_weight, label_weight)


def micro_precision(
    Y: Any,
    Y_pred: Any,
    *,
    empty: float = 0.0,
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float:
    """Share of all predicted pairs that are right.

    Ties: decisions have none.
    Empty rows: they add nothing of their own; with no predicted pair the value is ``empty``.

    Parameters
    ----------
    Y, Y_pred, sample_weight, label_weight
        As in :func:`macro_f1`.
    empty : float
        The value where there is nothing to divide by.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_precision([[1, 0], [1, 0]], [[1, 1], [0, 0]])
    0.5
    """
    return _pooled("precision", Y, Y_pred, empty, sample_weight, label_weight)


def micro_recall(
    Y: Any,
    Y_pred: Any,
    *,
    empty: float = 0.0,
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float:
    """Share of all true pairs that are predicted.

    Ties: decisions have none.
    Empty rows: they add nothing of their own; with no true pair the value is ``empty``.

    Parameters
    ----------
    Y, Y_pred, sample_weight, label_weight
        As in :func:`macro_f1`.
    empty : float
        The value where there is nothing to divide by.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_recall([[1, 0], [1, 0]], [[1, 1], [0, 0]])
    0.5
    """
    return _pooled("recall", Y, Y_pred, empty, sample_weight, label_weight)


def hamming_loss(
    Y: Any,
    Y_pred: Any,
    *,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Share of wrong entries among all judged ones; ``average=None``: of each label.

    Ties: decisions have none.
    Empty rows: a row or label without positives is judged like any other.

    Parameters
    ----------
    Y, Y_pred, average, sample_weight, label_weight
        As in :func:`macro_f1`.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> hamming_loss([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.333...
    """
    truth = as_truth(Y)
    weights = _Weights.check(truth, sample_weight, label_weight)
    counts = _counts(truth, as_decisions(Y_pred, truth), "labels", weights)
    wrong, judged = counts.fp + counts.fn, counts.judged
    if average is None:
        return summarise(_ratio(wrong, judged), judged == 0, judged > 0, "skip", None)
    total = weights.labels @ judged
    return float(weights.labels @ wrong / total) if total else float("nan")


def subset_accuracy(
    Y: Any,
    Y_pred: Any,
    *,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Share of instances with every judged entry right.

    Ties: decisions have none.
    Empty rows: an instance without true label is right if none is predicted.

    Parameters
    ----------
    Y, Y_pred, average, sample_weight, label_weight
        As in :func:`macro_f1`, with instances for labels.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    Examples
    --------
    >>> subset_accuracy([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.333...
    """
    truth = as_truth(Y)
    weights = _Weights.check(truth, sample_weight, label_weight)
    counts = _counts(truth, as_decisions(Y_pred, truth), "instances", weights)
    right = (counts.fp + counts.fn == 0).astype(np.float64)
    judged = counts.judged > 0
    return summarise(right, ~judged, judged, "skip", average, weights.rows)


class _Weights(NamedTuple):
    """How often each instance and each label counts."""

    rows: FloatArray
    labels: FloatArray

    @classmethod
    def check(cls, truth: Truth, sample_weight: Any, label_weight: Any) -> _Weights:
        n, K = truth.shape
        rows = as_weights(sample_weight, n, "sample_weight")
        labels = as_weights(label_weight, K, "label_weight")
        return cls(np.ones(n) if rows is None else rows, np.ones(K) if labels is None else labels)


class _Counts(NamedTuple):
    """Of each label, rows by weight; or of each instance, labels by weight."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    judged: FloatArray


def _counts(
    truth: Truth, decided: Pattern, by: Literal["labels", "instances"], weights: _Weights
) -> _Counts:
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
    return _Counts(tp, fp, fn, judged)


def _without_rounding(values: FloatArray, scale: float) -> FloatArray:
    return np.where(values > 1e-9 * scale, values, 0.0)


def _fraction(measure: Measure, counts: _Counts) -> tuple[FloatArray, FloatArray]:
    tp, fp, fn, _ = counts
    if measure == "precision":
        return tp, tp + fp
    if measure == "recall":
        return tp, tp + fn
    if measure == "jaccard":
        return tp, tp + fp + fn
    return 2 * tp, 2 * tp + fp + fn


def _averaged(
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
    weights = _Weights.check(truth, sample_weight, label_weight)
    counts = _counts(truth, as_decisions(Y_pred, truth), by, weights)
    upper, lower = _fraction(measure, counts)
    nothing = lower if convention == "sklearn" else counts.tp + counts.fp + counts.fn
    default = 0.0 if convention == "sklearn" else 1.0
    return summarise(
        _ratio(upper, lower),
        nothing == 0,
        counts.judged > 0,
        default if empty is None else empty,
        average,
        weights.labels if by == "labels" else weights.rows,
    )


def _pooled(
    measure: Measure, Y: Any, Y_pred: Any, empty: float, sample_weight: Any, label_weight: Any
) -> float:
    truth = as_truth(Y)
    weights = _Weights.check(truth, sample_weight, label_weight)
    counts = _counts(truth, as_decisions(Y_pred, truth), "labels", weights)
    upper, lower = (float(weights.labels @ part) for part in _fraction(measure, counts))
    return upper / lower if lower else float(empty)


def _ratio(upper: FloatArray, lower: FloatArray) -> FloatArray:
    return np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0)
