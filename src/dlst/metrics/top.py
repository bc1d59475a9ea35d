"""The first k labels of each ranking: precision and nDCG, plain and propensity-scored.

None of these functions builds an n × K array from sparse input. Scores may be dense, sparse, or a
:class:`TopLabels` pair; a label that sparse scores or the pair do not store is *unscored*: it ranks
below every stored label, also below stored negative scores, and never enters the first k. Where
fewer than k labels are scored (or exist), the remaining places count as misses.

Every function honours NaN in the truth as "not judged": the entry is taken out of the ranking, the
labels below move up, and a row with nothing judged is left out of the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dlst._matrices import FloatArray, IntArray
from dlst._parameters import integer
from dlst._weights import as_weights
from dlst.errors import DataError
from dlst.metrics._families import Unit, family
from dlst.metrics._inputs import Truth, as_scores, as_truth
from dlst.metrics._ranks import (
    Average,
    Empty,
    Ranking,
    RowValues,
    Ties,
    average_of,
    rank,
    resolve,
    row_sums,
)


class Gained(NamedTuple):
    """Return the gains of the relevant labels of each row, given the discounts of places."""

    truth: Truth
    gains: Callable[[FloatArray], FloatArray]


def _mean_at_k(
    compute: Callable[[Gained, int], FloatArray],
    unit: Unit,
    Y: Any,
    scores: Any,
    k: int = 5,
    *,
    ties: Ties = "expected",
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """Take the mean over instances of what their first k labels gain.

    Ties: the mean over all orders of the tied labels, as in scikit-learn; ``ties="first"`` or
    ``"last"`` ranks by index.
    Empty rows: an instance without relevant label counts 0.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    scores : array-like, sparse or frame of shape (n, K), or TopLabels
        Higher is more relevant; see the module's words on unscored labels.
    k : int
        Places that count.
    ties : {{"expected", "pessimistic", "optimistic", "first", "last", "mulan"}}
        Order of equal scores.
    empty : float or "skip", optional
        Value of an instance without relevant label.
    average : {{"mean", None}}
        None gives the value of each instance, NaN where left out.
    sample_weight : array-like of shape (n,), optional
        How often each instance counts in the mean.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``
    """
    integer(at_least=1).check("k", k)
    truth = as_truth(Y)
    values = compute(Gained(truth, lambda places: _gains(truth, scores, places, ties)), k)
    weights = as_weights(sample_weight, truth.shape[0], "sample_weight")
    return average_of(RowValues(values, truth.relevant.counts == 0), truth, empty, average, weights)


def _propensity_scored(
    compute: Callable[[Gained, int], FloatArray],
    unit: Unit,
    Y: Any,
    scores: Any,
    propensities: Any,
    k: int = 5,
    *,
    ties: Ties = "expected",
    sample_weight: Any = None,
) -> float:
    """Divide what the first k labels of all rows gain, 1/p_l for label l, by the best ranking's.

    Ties: the mean over all orders of the tied labels; ``"first"`` or ``"last"`` ranks by index.
    Empty rows: an instance without relevant label adds nothing to either sum; NaN if all are so.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    scores : array-like, sparse or frame of shape (n, K), or TopLabels
        Higher is more relevant; see the module's words on unscored labels.
    propensities : array-like of shape (K,)
        In (0, 1], of the *training* labels: see :func:`propensities`.
    k : int
        Places that count.
    ties : {{"expected", "pessimistic", "optimistic", "first", "last", "mulan"}}
        Order of equal scores.
    sample_weight : array-like of shape (n,), optional
        How often each instance counts in both sums.

    Returns
    -------
    float

    References
    ----------
    Jain, Prabhu, Varma (2016). Extreme multi-label loss functions for recommendation, tagging,
    ranking and other missing label applications.
    """
    integer(at_least=1).check("k", k)
    truth = as_truth(Y)
    weights = _inverse_propensities(propensities, truth.shape[1])
    gained = Gained(truth, lambda places: _gains(truth, scores, places, ties, weights))
    most = Gained(truth, lambda places: _best_weighted(truth, places, weights))
    rows = as_weights(sample_weight, truth.shape[0], "sample_weight")
    counts = np.ones(truth.shape[0]) if rows is None else rows
    best = counts @ compute(most, k)
    return float(counts @ compute(gained, k) / best) if best > 0 else float("nan")


_first_k, _weighing_rare_labels = family(_mean_at_k, "instance"), family(_propensity_scored, "pair")


@_first_k
def precision_at_k(gained: Gained, k: int) -> FloatArray:
    """Share of relevant labels among the first k of each instance; k is always the denominator.

    References
    ----------
    Jain, Prabhu, Varma (2016). Extreme multi-label loss functions for recommendation, tagging,
    ranking & other missing label applications.

    Examples
    --------
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.6], [0.8, 0.7, 0.1]], k=2)
    0.75
    >>> top = ([[0, 2], [0, -1]], [[0.9, 0.6], [0.8, 0.0]])
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], top, k=2)
    0.5
    """
    return gained.gains(np.ones(k)) / k


@_first_k
def ndcg_at_k(gained: Gained, k: int) -> FloatArray:
    """Discounted gain of the first k labels, over the best that the instance allows.

    A relevant label at rank j gains 1 / log2(j + 1).

    References
    ----------
    Järvelin, Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques.

    Examples
    --------
    >>> ndcg_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.6], [0.8, 0.7, 0.1]], k=2)
    0.815...
    """
    return _over_best(gained, k)


@_weighing_rare_labels
def propensity_scored_precision_at_k(gained: Gained, k: int) -> FloatArray:
    """Precision at k in which a hit on label l counts 1/p_l, over the best ranking's.

    Both are summed over instances before the division, as the extreme classification repository
    reports it, so a perfect ranking has 1.

    Examples
    --------
    >>> propensity_scored_precision_at_k([[1, 0, 1]], [[0.9, 0.5, 0.1]], [0.5, 1.0, 0.25], k=1)
    0.5
    """
    return gained.gains(np.ones(k))


@_weighing_rare_labels
def propensity_scored_ndcg_at_k(gained: Gained, k: int) -> FloatArray:
    """Compute nDCG at k with a gain of 1/p_l for label l, over the best ranking's.

    Each instance's gain is divided by the discounts of its first min(k, number of relevant labels)
    places; the sum over instances is divided by that of the best ranking.

    Examples
    --------
    >>> propensity_scored_ndcg_at_k([[1, 0, 1]], [[0.9, 0.5, 0.1]], [0.5, 1.0, 0.25], k=1)
    0.5
    """
    return _over_best(gained, k)


def propensities(Y: Any, *, A: float = 0.55, B: float = 1.5) -> FloatArray:
    """Estimate how probable it is that a true label is recorded (Jain et al., KDD 2016).

    p_l = 1 / (1 + C exp(-A log(N_l + B))) with C = (log N - 1)(B + 1)^A, where N_l of the N
    training instances have label l.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Training labels; NaN entries count as absent.
    A, B : float
        0.55 and 1.5 by default; the paper has 0.5, 0.4 for Wikipedia and 0.6, 2.6 for Amazon.

    Returns
    -------
    ndarray of shape (K,)

    References
    ----------
    Jain, Prabhu, Varma (2016). Extreme multi-label loss functions for recommendation, tagging,
    ranking and other missing label applications.

    Examples
    --------
    >>> propensities([[1, 0], [1, 0], [1, 1], [1, 0]]).round(3)
    array([0.8  , 0.721])
    """
    truth = as_truth(Y)
    n, K = truth.shape
    return propensities_of(np.bincount(truth.relevant.columns, minlength=K), n, A=A, B=B)


def propensities_of(frequencies: Any, n: int, *, A: float = 0.55, B: float = 1.5) -> FloatArray:
    """Estimate propensities from how many of n training rows have each label."""
    if n < 3:
        raise DataError(
            f"propensities need at least 3 training rows, where log N exceeds 1; got {n}."
        )
    C = (np.log(n) - 1.0) * (B + 1.0) ** A
    return np.asarray(1.0 / (1.0 + C * (frequencies + B) ** -A), dtype=np.float64)


def _gains(
    truth: Truth, scores: Any, places: FloatArray, ties: Ties, weights: FloatArray | None = None
) -> FloatArray:
    """Add up, by row, what each relevant label gains at its rank."""
    rule = resolve("sklearn", ties, "expected")
    checked = as_scores(scores, truth)
    ranking = rank(truth, checked, rule, stored=checked.sparse)
    gain = np.where(ranking.ranked, _gain_at_rank(ranking, places, rule), 0.0)
    if weights is not None:
        gain = gain * weights[ranking.column]
    return row_sums(ranking, gain, truth.shape[0])


def _gain_at_rank(ranking: Ranking, places: FloatArray, ties: Ties) -> FloatArray:
    k = len(places)
    if ties == "expected":
        total = np.concatenate([[0.0], np.cumsum(places)])
        before = ranking.start + ranking.ahead
        size = ranking.stop - ranking.start + ranking.tied
        inside = total[np.minimum(before + size, k)] - total[np.clip(before, 0, k)]
        expected: FloatArray = inside / size
        return expected
    position = ranking.place + ranking.ahead
    if ties == "pessimistic":
        position = position + ranking.tied
    gain: FloatArray = np.append(places, 0.0)[np.clip(position, 0, k)]
    return gain


def _over_best(gained: Gained, k: int) -> FloatArray:
    """Divide discounted gains by what the row's relevant labels gain in the first places."""
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    total = np.concatenate([[0.0], np.cumsum(discounts)])
    best = total[np.minimum(gained.truth.relevant.counts, k)]
    return np.asarray(gained.gains(discounts) / np.where(best > 0, best, 1.0))


def _best_weighted(truth: Truth, places: FloatArray, weights: FloatArray) -> FloatArray:
    rows = truth.relevant.rows
    weight = weights[truth.relevant.columns]
    order = np.lexsort((-weight, rows))
    place: IntArray = np.arange(len(rows)) - truth.relevant.ptr[rows]
    gain = np.append(places, 0.0)[np.minimum(place, len(places))] * weight[order]
    return np.bincount(rows, weights=gain, minlength=truth.shape[0]).astype(np.float64)


def _inverse_propensities(propensities: Any, n_labels: int) -> FloatArray:
    values = np.asarray(propensities, dtype=np.float64)
    if values.shape != (n_labels,):
        raise DataError(
            f"propensities must give one value for each of the {n_labels} labels; got shape "
            f"{values.shape}."
        )
    if not np.all((values > 0) & (values <= 1)):
        raise DataError(
            f"propensities must lie in (0, 1]; got {values.min():g} to {values.max():g}. "
            "Pass p, not 1/p."
        )
    return np.asarray(1.0 / values, dtype=np.float64)
