"""How well relevant labels rank before irrelevant ones: one-error, coverage, ranking loss, AUC.

Every function honours NaN in the truth as "not judged": the entry is taken out of its ranking, and
a row or label with nothing judged is left out of the mean.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from dlst._matrices import FloatArray
from dlst._weights import as_weights
from dlst.metrics._inputs import Truth, align
from dlst.metrics._levels import Levels, over_labels, pooled_levels
from dlst.metrics._ranks import (
    Average,
    Ranked,
    Ranking,
    RowValues,
    Ties,
    average_of,
    mean_over_rankings,
    rank,
    row_sums,
    summarise,
)


@mean_over_rankings
def ranking_loss(ranked: Ranked) -> RowValues:
    """Share of (relevant, irrelevant) pairs of an instance in the wrong order.

    Ties: a tied pair is wrong (``convention="mulan"``: the last index is ranked best, and scores
    closer than 1e-6 are tied).
    Empty rows: an instance without relevant or without irrelevant label has no pair and counts 0.

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> ranking_loss([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    0.25
    """
    wrong, pairs = _wrong_pairs(ranked.truth, ranked.ranking, ranked.ties)
    return RowValues(wrong / np.maximum(pairs, 1), pairs == 0)


@mean_over_rankings
def error_set_size(ranked: Ranked) -> RowValues:
    """Count the (relevant, irrelevant) pairs of an instance in the wrong order.

    Ties: a tied pair is wrong (``convention="mulan"``: the last index is ranked best, and scores
    closer than 1e-6 are tied).
    Empty rows: an instance without relevant or without irrelevant label has no pair and counts 0.

    Examples
    --------
    >>> error_set_size([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    0.5
    """
    wrong, pairs = _wrong_pairs(ranked.truth, ranked.ranking, ranked.ties)
    return RowValues(wrong, pairs == 0)


@mean_over_rankings
def coverage(ranked: Ranked) -> RowValues:
    """How far down the ranking one must go to meet all relevant labels of an instance.

    The best label has depth 1 (``convention="mulan"``: depth 0).

    Ties: all tied labels take the worst rank of the tie (``convention="mulan"``: the last index is
    ranked best, and scores closer than 1e-6 are tied).
    Empty rows: an instance without relevant label counts 0.

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> coverage([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    2.0
    """
    relevant = ranked.truth.relevant
    has_relevant = relevant.counts > 0
    depth = np.zeros(len(has_relevant))
    depth[has_relevant] = _depth(ranked.ranking, relevant.ptr[1:][has_relevant] - 1, ranked.ties)
    if ranked.convention == "mulan":
        depth[has_relevant] -= 1
    return RowValues(depth, ~has_relevant)


@mean_over_rankings
def one_error(ranked: Ranked) -> RowValues:
    """Share of instances whose best-ranked label is irrelevant.

    Ties: an error if any label tied for the first place is irrelevant (``convention="mulan"``: the
    last index is ranked best, and scores closer than 1e-6 are tied).
    Empty rows: an instance without relevant label is an error.

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> one_error([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.8, 0.7, 0.1]])
    0.5
    """
    ranking, relevant = ranked.ranking, ranked.truth.relevant
    has_relevant = relevant.counts > 0
    first = relevant.ptr[:-1][has_relevant]
    ahead, tied = ranking.ahead[first], ranking.tied[first]
    if ranked.ties == "expected":
        error = np.where(ahead > 0, 1.0, tied / (tied + ranking.stop[first]))
    else:
        error = (ahead > 0) | ((tied > 0) & (ranked.ties == "pessimistic"))
    values = np.ones(len(has_relevant))
    values[has_relevant] = error
    return RowValues(values, ~has_relevant, empty=1.0)


def instance_auc(
    Y: Any,
    scores: Any,
    *,
    empty: float | Literal["skip"] = "skip",
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """Share of (relevant, irrelevant) pairs of an instance in the right order.

    Ties: a tied pair is half right.
    Empty rows: an instance without relevant or without irrelevant label is left out; ``empty``
    gives it a value instead.

    Parameters
    ----------
    Y, scores, empty, average, sample_weight
        As in :func:`ranking_loss`.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    References
    ----------
    Wu, Zhou (2017). A unified view of multi-label performance measures.

    Examples
    --------
    >>> instance_auc([[1, 0, 1], [0, 0, 0]], [[0.9, 0.5, 0.5], [0.2, 0.7, 0.1]])
    0.75
    """
    truth, checked = align(Y, scores)
    weights = as_weights(sample_weight, truth.shape[0], "sample_weight")
    return _auc(truth, rank(truth, checked, "expected"), empty, average, weights)


def macro_auc(
    Y: Any,
    scores: Any,
    *,
    empty: float | Literal["skip"] = "skip",
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean over labels of the area under the ROC curve.

    Ties: a tied pair is half right.
    Empty labels: a label without positives or without negatives is left out; ``empty`` gives it a
    value instead.

    Parameters
    ----------
    Y, scores, empty, average
        As in :func:`ranking_loss`, with labels for instances.
    sample_weight : array-like of shape (n,), optional
        How often each instance counts in the rankings.
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
    >>> macro_auc([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]], average=None)
    array([1., 0.])
    """
    truth, checked = align(Y, scores)
    weights = as_weights(label_weight, truth.shape[1], "label_weight")
    rows = as_weights(sample_weight, truth.shape[0], "sample_weight")
    if rows is not None:
        values, judged = over_labels(truth, checked, rows, Levels.auc)
        return summarise(values, np.isnan(values), judged, empty, average, weights)
    ranking = rank(truth, checked, "expected", by_label=True)
    return _auc(truth.transposed, ranking, empty, average, weights)


def micro_auc(Y: Any, scores: Any, *, sample_weight: Any = None, label_weight: Any = None) -> float:
    """Area under the ROC curve of all (instance, label) pairs in one ranking.

    Ties: a tied pair is half right.
    Empty rows: they add irrelevant entries like any other; NaN if no entry or every judged entry
    is relevant.

    Parameters
    ----------
    Y, scores
        As in :func:`ranking_loss`.
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
    >>> micro_auc([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]])
    0.75
    """
    truth, checked = align(Y, scores)
    rows = as_weights(sample_weight, truth.shape[0], "sample_weight")
    labels = as_weights(label_weight, truth.shape[1], "label_weight")
    return pooled_levels(truth, checked, rows, labels).auc()


def _auc(
    truth: Truth,
    ranking: Ranking,
    empty: float | Literal["skip"],
    average: Average,
    weights: FloatArray | None,
) -> float | FloatArray:
    wrong, pairs = _wrong_pairs(truth, ranking, "expected")
    values = RowValues(1.0 - wrong / np.maximum(pairs, 1), pairs == 0)
    return average_of(values, truth, empty, average, weights)


def _wrong_pairs(truth: Truth, ranking: Ranking, ties: Ties) -> tuple[FloatArray, FloatArray]:
    """Count wrong pairs and all pairs of each row."""
    share = {"pessimistic": 1.0, "expected": 0.5}.get(ties, 0.0)
    wrong = row_sums(ranking, ranking.ahead + share * ranking.tied, truth.shape[0])
    n_relevant = truth.relevant.counts
    return wrong, (n_relevant * (truth.n_judged - n_relevant)).astype(np.float64)


def _depth(ranking: Ranking, at: Any, ties: Ties) -> FloatArray:
    """1-based rank of the last relevant label of each row, which stands at ``at``."""
    ahead, tied, start, stop = (
        column[at] for column in (ranking.ahead, ranking.tied, ranking.start, ranking.stop)
    )
    if ties == "expected":
        # The last of m places drawn from g is m(g+1)/(m+1) in the mean.
        m = stop - start
        g = m + tied
        return np.asarray(start + ahead + m * (g + 1) / (m + 1), dtype=np.float64)
    behind_tie = tied if ties == "pessimistic" else 0
    return np.asarray(stop + ahead + behind_tie, dtype=np.float64)
