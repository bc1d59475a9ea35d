"""Decisions against truth, label by label and row by row: F1, precision, recall, Jaccard.

Every function honours NaN in the truth as "not judged": a decision there is neither right nor
wrong, and a row or label with nothing judged is left out of the mean. Decisions and truth may be
sparse and stay so. How scores become decisions is in ``decisions``; measures of all entries
together are in ``pooled``.
"""

from __future__ import annotations

from dlst.metrics._confusion import (
    Counts,
    Fraction,
    f1,
    intersection_over_union,
    mean_over_instances,
    mean_over_labels,
    precision,
    recall,
)


@mean_over_labels
def macro_f1(counts: Counts) -> Fraction:
    """Mean over labels of F1.

    Empty labels: a label neither present nor predicted counts 0 (``convention="mulan"``: 1).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> macro_f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]], average=None)
    array([0.8       , 0.66666667])
    """
    return f1(counts)


@mean_over_labels
def macro_precision(counts: Counts) -> Fraction:
    """Mean over labels of the share of its predictions that are right.

    Empty labels: a label never predicted counts 0 (``convention="mulan"``: 1 if it is absent too).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> macro_precision([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    0.75
    """
    return precision(counts)


@mean_over_labels
def macro_recall(counts: Counts) -> Fraction:
    """Mean over labels of the share of its positives that are predicted.

    Empty labels: a label without positives counts 0 (``convention="mulan"``: 1 if it is not
    predicted either).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> macro_recall([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return recall(counts)


@mean_over_labels
def macro_jaccard(counts: Counts) -> Fraction:
    """Mean over labels of intersection over union of predicted and true instances.

    Empty labels: a label neither present nor predicted counts 0 (``convention="mulan"``: 1).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> macro_jaccard([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    0.75
    """
    return intersection_over_union(counts)


@mean_over_instances
def instance_f1(counts: Counts) -> Fraction:
    """Mean over instances of F1.

    Empty rows: an instance with neither true nor predicted label counts 0
    (``convention="mulan"``: 1).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> instance_f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.777...
    """
    return f1(counts)


@mean_over_instances
def instance_precision(counts: Counts) -> Fraction:
    """Mean over instances of the share of predicted labels that are right.

    Empty rows: an instance without predicted label counts 0 (``convention="mulan"``: 1 if it has
    no true label either).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> instance_precision([[1, 0], [1, 0]], [[1, 1], [1, 0]])
    0.75
    """
    return precision(counts)


@mean_over_instances
def instance_recall(counts: Counts) -> Fraction:
    """Mean over instances of the share of true labels that are predicted.

    Empty rows: an instance without true label counts 0 (``convention="mulan"``: 1 if none is
    predicted either).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> instance_recall([[1, 1], [1, 0]], [[1, 0], [1, 0]])
    0.75
    """
    return recall(counts)


@mean_over_instances
def jaccard(counts: Counts) -> Fraction:
    """Mean over instances of intersection over union of predicted and true labels.

    Empty rows: an instance with neither true nor predicted label counts 0
    (``convention="mulan"``: 1).

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.

    Examples
    --------
    >>> jaccard([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.666...
    """
    return intersection_over_union(counts)
