"""How well relevant labels stand before irrelevant ones: one-error, coverage, ranking loss, AUC.

Every function honours NaN in the truth as "not judged": the entry is taken out of its ranking, and
a row or label with nothing judged is left out of the mean. The parameters that the functions share
are described at :func:`ranking_loss`.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from dlst._weights import as_weights
from dlst.metrics._inputs import FloatArray, Truth, align
from dlst.metrics._ranks import (
    Average,
    Convention,
    Empty,
    Ranking,
    Ties,
    pooled_levels,
    rank,
    resolve,
    row_sums,
    summarise,
)


def ranking_loss(
    Y: Any,
    scores: Any,
    *,
    convention: Convention = "sklearn",
    ties: Ties | None = None,
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """Share of (relevant, irrelevant) pairs of an instance in the wrong order.

    Ties: a tied pair is wrong (``convention="mulan"``: the last index is ranked best, and scores
    closer than 1e-6 are tied).
    Empty rows: an instance without relevant or without irrelevant label has no pair and counts 0.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    scores : array-like, sparse or frame of shape (n, K)
        Higher is more relevant; entries that a sparse matrix does not store are 0.
    convention : {"sklearn", "mulan"}
        Sets the defaults of ``ties`` and ``empty``.
    ties : {"pessimistic", "optimistic", "expected", "first", "last", "mulan"}, optional
        Order of equal scores; overrides the convention.
    empty : float or "skip", optional
        Value of an instance for which the metric is not defined; overrides the convention.
    average : {"mean", None}
        None gives the value of each instance, NaN where left out.
    sample_weight : array-like of shape (n,), optional
        How often each instance counts in the mean.

    Returns
    -------
    float, or ndarray of shape (n,)

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> ranking_loss([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    0.25
    """
    rule = resolve(convention, ties, "pessimistic")
    truth, checked = align(Y, scores)
    wrong, pairs = _wrong_pairs(truth, rank(truth, checked, rule), rule)
    values = wrong / np.maximum(pairs, 1)
    return summarise(
        values,
        pairs == 0,
        truth.n_judged > 0,
        0.0 if empty is None else empty,
        average,
        as_weights(sample_weight, truth.shape[0], "sample_weight"),
    )


def error_set_size(
    Y: Any,
    scores: Any,
    *,
    convention: Convention = "sklearn",
    ties: Ties | None = None,
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """Count the (relevant, irrelevant) pairs of an instance in the wrong order.

    Ties: a tied pair is wrong (``convention="mulan"``: the last index is ranked best, and scores
    closer than 1e-6 are tied).
    Empty rows: an instance without relevant or without irrelevant label has no pair and counts 0.

    Parameters
    ----------
    Y, scores, convention, ties, average, sample_weight
        As in :func:`ranking_loss`.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    Examples
    --------
    >>> error_set_size([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    0.5
    """
    rule = resolve(convention, ties, "pessimistic")
    truth, checked = align(Y, scores)
    wrong, pairs = _wrong_pairs(truth, rank(truth, checked, rule), rule)
    weights = as_weights(sample_weight, truth.shape[0], "sample_weight")
    return summarise(wrong, pairs == 0, truth.n_judged > 0, 0.0, average, weights)


def coverage(
    Y: Any,
    scores: Any,
    *,
    convention: Convention = "sklearn",
    ties: Ties | None = None,
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """How far down the ranking one must go to meet all relevant labels of an instance.

    The best label has depth 1 (``convention="mulan"``: depth 0).

    Ties: all tied labels take the worst rank of the tie (``convention="mulan"``: the last index is
    ranked best, and scores closer than 1e-6 are tied).
    Empty rows: an instance without relevant label counts 0.

    Parameters
    ----------
    Y, scores, convention, ties, empty, average, sample_weight
        As in :func:`ranking_loss`.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> coverage([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]])
    2.0
    """
    rule = resolve(convention, ties, "pessimistic")
    truth, checked = align(Y, scores)
    ranking = rank(truth, checked, rule)
    n_relevant = truth.relevant.counts
    has_relevant = n_relevant > 0
    last = truth.relevant.ptr[1:][has_relevant] - 1
    depth = np.zeros(truth.shape[0])
    depth[has_relevant] = _depth(ranking, last, rule)
    if convention == "mulan":
        depth[has_relevant] -= 1
    return summarise(
        depth,
        ~has_relevant,
        truth.n_judged > 0,
        0.0 if empty is None else empty,
        average,
        as_weights(sample_weight, truth.shape[0], "sample_weight"),
    )


def one_error(
    Y: Any,
    scores: Any,
    *,
    convention: Convention = "sklearn",
    ties: Ties | None = None,
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """Share of instances whose best-ranked label is irrelevant.

    Ties: an error if any label tied for the first place is irrelevant (``convention="mulan"``: the
    last index is ranked best, and scores closer than 1e-6 are tied).
    Empty rows: an instance without relevant label is an error.

    Parameters
    ----------
    Y, scores, convention, ties, empty, average, sample_weight
        As in :func:`ranking_loss`.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``

    References
    ----------
    Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.

    Examples
    --------
    >>> one_error([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.8, 0.7, 0.1]])
    0.5
    """
    rule = resolve(convention, ties, "pessimistic")
    truth, checked = align(Y, scores)
    ranking = rank(truth, checked, rule)
    has_relevant = truth.relevant.counts > 0
    first = truth.relevant.ptr[:-1][has_relevant]
    ahead, tied = ranking.ahead[first], ranking.tied[first]
    if rule == "expected":
        error = np.where(ahead > 0, 1.0, tied / (tied + ranking.stop[first]))
    else:
        error = (ahead > 0) | ((tied > 0) & (rule == "pessimistic"))
    values = np.ones(truth.shape[0])
    values[has_relevant] = error
    return summarise(
        values,
        ~has_relevant,
        truth.n_judged > 0,
        1.0 if empty is None else empty,
        average,
        as_weights(sample_weight, truth.shape[0], "sample_weight"),
    )


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
    label_weight : array-like of shape (K,), optional
        How often each label counts in the mean.

    Returns
    -------
    float, or ndarray of shape (K,) with ``average=None``

    Examples
    --------
    >>> macro_auc([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]], average=None)
    array([1., 0.])
    """
    truth, checked = align(Y, scores)
    weights = as_weights(label_weight, truth.shape[1], "label_weight")
    ranking = rank(truth, checked, "expected", by_label=True)
    return _auc(truth.transposed, ranking, empty, average, weights)


def micro_auc(Y: Any, scores: Any) -> float:
    """Area under the ROC curve of all (instance, label) pairs in one ranking.

    Ties: a tied pair is half right.
    Empty rows: they add irrelevant entries like any other; NaN if no entry or every judged entry
    is relevant.

    Parameters
    ----------
    Y, scores
        As in :func:`ranking_loss`.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_auc([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]])
    0.75
    """
    truth, checked = align(Y, scores)
    relevant, ahead, tied = pooled_levels(truth, checked)
    n_relevant = int(relevant.sum())
    pairs = n_relevant * (int(truth.n_judged.sum()) - n_relevant)
    if pairs == 0:
        return float("nan")
    return float(1.0 - np.sum(relevant * (ahead + 0.5 * tied)) / pairs)


def _auc(
    truth: Truth,
    ranking: Ranking,
    empty: float | Literal["skip"],
    average: Average,
    weights: FloatArray | None,
) -> float | FloatArray:
    wrong, pairs = _wrong_pairs(truth, ranking, "expected")
    values = 1.0 - wrong / np.maximum(pairs, 1)
    return summarise(values, pairs == 0, truth.n_judged > 0, empty, average, weights)


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
