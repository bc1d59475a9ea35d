"""Decisions against truth, all entries together: micro F1, Hamming loss, subset accuracy.

NaN in the truth is "not judged", and weights count instances and labels, as in ``bipartition``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlst.metrics._confusion import Weighing, count, pooled, ratio
from dlst.metrics._inputs import FloatArray, as_decisions, as_truth
from dlst.metrics._ranks import Average, summarise


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
    return pooled("f1", Y, Y_pred, empty, sample_weight, label_weight)


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
    return pooled("precision", Y, Y_pred, empty, sample_weight, label_weight)


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
    return pooled("recall", Y, Y_pred, empty, sample_weight, label_weight)


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
    weights = Weighing.check(truth, sample_weight, label_weight)
    counts = count(truth, as_decisions(Y_pred, truth), "labels", weights)
    wrong, judged = counts.fp + counts.fn, counts.judged
    if average is None:
        return summarise(ratio(wrong, judged), judged == 0, judged > 0, "skip", None)
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
    weights = Weighing.check(truth, sample_weight, label_weight)
    counts = count(truth, as_decisions(Y_pred, truth), "instances", weights)
    right = (counts.fp + counts.fn == 0).astype(np.float64)
    judged = counts.judged > 0
    return summarise(right, ~judged, judged, "skip", average, weights.rows)
