"""Decisions against truth, label by label and row by row: F1, precision, recall, Jaccard.

Every function honours NaN in the truth as "not judged": a decision there is neither right nor
wrong, and a row or label with nothing judged is left out of the mean. Decisions and truth may be
sparse and stay so. Decisions have no ties; how scores become decisions is in ``decisions``. The
parameters that the functions share are described at :func:`macro_f1`; measures of all entries
together are in ``pooled``.
"""

from __future__ import annotations

from typing import Any

from dlst.metrics._confusion import averaged
from dlst.metrics._inputs import FloatArray
from dlst.metrics._ranks import Average, Convention, Empty


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
    return averaged(
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
    return averaged(
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
    return averaged(
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
    return averaged(
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
    return averaged(
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
    return averaged(
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
    return averaged(
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
    return averaged(
        "jaccard", "instances", Y, Y_pred, convention, empty, average, sample_weight, label_weight
    )
