"""Decisions against truth, all entries together: micro F1, Hamming loss, subset accuracy.

NaN in the truth is "not judged", and weights count instances and labels, as in ``bipartition``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlst._matrices import FloatArray
from dlst.metrics._confusion import (
    Counts,
    Fraction,
    count,
    f1,
    of_all_pairs,
    precision,
    ratio,
    recall,
)
from dlst.metrics._ranks import Average, summarise


@of_all_pairs
def micro_f1(counts: Counts) -> Fraction:
    """F1 of all (instance, label) pairs together.

    Empty rows: they add nothing of their own; with neither true nor predicted pair at all, the
    value is ``empty``.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> micro_f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.75
    """
    return f1(counts)


@of_all_pairs
def micro_precision(counts: Counts) -> Fraction:
    """Share of all predicted pairs that are right.

    Empty rows: they add nothing of their own; with no predicted pair the value is ``empty``.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> micro_precision([[1, 0], [1, 0]], [[1, 1], [0, 0]])
    0.5
    """
    return precision(counts)


@of_all_pairs
def micro_recall(counts: Counts) -> Fraction:
    """Share of all true pairs that are predicted.

    Empty rows: they add nothing of their own; with no true pair the value is ``empty``.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> micro_recall([[1, 0], [1, 0]], [[1, 1], [0, 0]])
    0.5
    """
    return recall(counts)


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
    counts, weights = count(Y, Y_pred, "label", sample_weight, label_weight)
    wrong, judged = counts.fp + counts.fn, counts.judged
    if average is None:
        values = ratio(Fraction(wrong, judged))
        return summarise(values, judged == 0, judged > 0, "skip", None)
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

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> subset_accuracy([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.333...
    """
    counts, weights = count(Y, Y_pred, "instance", sample_weight, label_weight)
    right = (counts.fp + counts.fn == 0).astype(np.float64)
    judged = counts.judged > 0
    return summarise(right, ~judged, judged, "skip", average, weights.rows)
