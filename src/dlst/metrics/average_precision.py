"""Average precision: of the labels of an instance, of the instances of a label, of all pairs.

Every function honours NaN in the truth as "not judged": the entry is taken out of its ranking, and
a row or label with nothing judged is left out of the mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlst._matrices import FloatArray
from dlst._weights import as_weights
from dlst.metrics._inputs import Truth, align
from dlst.metrics._levels import Levels, over_labels, pooled_levels
from dlst.metrics._ranks import (
    Average,
    Convention,
    Empty,
    Ranked,
    Ranking,
    RowValues,
    Ties,
    average_of,
    mean_over_rankings,
    rank,
    resolve,
    row_sums,
    summarise,
)


@mean_over_rankings
def instance_average_precision(ranked: Ranked) -> RowValues:
    """Mean over instances of the precision at each relevant label (the paper's AP; LRAP).

    Ties: all tied labels take the worst rank of the tie (``convention="mulan"``: the last index is
    ranked best, and scores closer than 1e-6 are tied).
    Empty rows: an instance without relevant label counts 1, and so does one with no irrelevant
    label (``convention="mulan"``: an instance without relevant label is left out).

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> instance_average_precision([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    0.916...
    """
    found = _mean_precision(ranked.truth, ranked.ranking, ranked.ties)
    return found._replace(empty=1.0 if ranked.convention == "sklearn" else "skip")


def macro_average_precision(
    Y: Any,
    scores: Any,
    *,
    convention: Convention = "sklearn",
    ties: Ties | None = None,
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of the average precision of its ranking of instances (label mAP).

    Ties: all tied instances take the worst rank of the tie (``convention="mulan"``: the earlier row
    is ranked better).
    Empty labels: a label without positives counts 0 (``convention="mulan"``: it is left out).

    Parameters
    ----------
    Y, scores, convention, ties, empty, average
        As in :func:`instance_average_precision`, with labels for instances.
    sample_weight : array-like of shape (n,), optional
        How often each instance counts in the rankings, ties being pessimistic.
    label_weight : array-like of shape (K,), optional
        How often each label counts in the mean.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    References
    ----------
    Wu, Zhou (2017). A unified view of multi-label performance measures.

    Examples
    --------
    >>> macro_average_precision([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]], average=None)
    array([1. , 0.5])
    """
    rule = resolve(convention, ties, "pessimistic", mulan="first")
    truth, checked = align(Y, scores)
    labels = truth.transposed
    rows = as_weights(sample_weight, truth.shape[0], "sample_weight")
    weights = as_weights(label_weight, truth.shape[1], "label_weight")
    if empty is None and convention == "mulan":
        empty = "skip"
    if rows is None:
        found = _mean_precision(labels, rank(truth, checked, rule, by_label=True), rule)
        return average_of(found, labels, empty, average, weights)
    if rule != "pessimistic":
        raise ValueError(f"with sample_weight ties must be 'pessimistic'; got {rule!r}.")
    values, judged = over_labels(truth, checked, rows, Levels.average_precision)
    return summarise(values, np.isnan(values), judged, empty or 0.0, average, weights)


def micro_average_precision(
    Y: Any, scores: Any, *, sample_weight: Any = None, label_weight: Any = None
) -> float:
    """Average precision of all (instance, label) pairs in one ranking.

    Ties: all tied pairs take the worst rank of the tie, as in scikit-learn.
    Empty rows: they add irrelevant pairs like any other; truth without any relevant pair gives 0.

    Parameters
    ----------
    Y, scores
        As in :func:`instance_average_precision`.
    sample_weight, label_weight : array-like of shape (n,), of shape (K,), optional
        How often each instance and each label counts.

    Returns
    -------
    float

    References
    ----------
    Wu, Zhou (2017). A unified view of multi-label performance measures.

    Examples
    --------
    >>> micro_average_precision([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]])
    0.833...
    """
    truth, checked = align(Y, scores)
    rows = as_weights(sample_weight, truth.shape[0], "sample_weight")
    labels = as_weights(label_weight, truth.shape[1], "label_weight")
    found = pooled_levels(truth, checked, rows, labels).average_precision()
    return 0.0 if np.isnan(found) else found


def eleven_point_average_precision(
    Y: Any,
    scores: Any,
    *,
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of the 11-point interpolated average precision (PASCAL VOC 2007).

    The mean, over recalls 0, 0.1, …, 1, of the best precision at this recall or more.

    Ties: all tied instances take the worst rank of the tie.
    Empty labels: a label without positives counts 0; ``empty`` gives another value or "skip".

    Parameters
    ----------
    Y, scores, empty, average, sample_weight, label_weight
        As in :func:`macro_average_precision`.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    References
    ----------
    Everingham, Van Gool, Williams, Winn, Zisserman (2010). The Pascal visual object classes
    (VOC) challenge.

    Examples
    --------
    >>> eleven_point_average_precision([[1], [0], [1]], [[0.9], [0.5], [0.1]])
    0.848...
    """
    truth, checked = align(Y, scores)
    rows = as_weights(sample_weight, truth.shape[0], "sample_weight")
    rows = np.ones(truth.shape[0]) if rows is None else rows
    weights = as_weights(label_weight, truth.shape[1], "label_weight")
    values, judged = over_labels(truth, checked, rows, Levels.eleven_point)
    return summarise(values, np.isnan(values), judged, empty or 0.0, average, weights)


def _mean_precision(truth: Truth, ranking: Ranking, ties: Ties) -> RowValues:
    n_relevant = truth.relevant.counts
    sums = row_sums(ranking, _precision_at(ranking, ties), truth.shape[0])
    return RowValues(sums / np.maximum(n_relevant, 1), n_relevant == 0)


def _precision_at(ranking: Ranking, ties: Ties) -> FloatArray:
    """Precision at the rank of each relevant label."""
    if ties == "pessimistic":
        return ranking.stop / (ranking.stop + ranking.ahead + ranking.tied)
    if ties == "expected":
        return _expected_precision(ranking)
    return (ranking.place + 1) / (ranking.place + 1 + ranking.ahead)


def _expected_precision(ranking: Ranking) -> FloatArray:
    """Mean precision of a relevant label over all orders of its tie.

    At place j of a tie of g labels, m of them relevant, behind t labels, R of them relevant, a
    relevant label has precision (R + 1 + (m-1)(j-1)/(g-1)) / (t + j) in the mean; j is uniform, so
    the sum over j needs only harmonic numbers.
    """
    before = ranking.start + ranking.ahead
    m = ranking.stop - ranking.start
    g = m + ranking.tied
    harmonic = np.concatenate(
        [[0.0], np.cumsum(1.0 / np.arange(1, (before + g).max(initial=0) + 1))]
    )
    inverse_ranks = harmonic[before + g] - harmonic[before]
    growth = (m - 1) / np.maximum(g - 1, 1)
    total = (ranking.start + 1) * inverse_ranks + growth * (g - (before + 1) * inverse_ranks)
    expected: FloatArray = total / g
    return expected
