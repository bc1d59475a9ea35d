"""Positions of the relevant labels, the tie rules, and the means over rows or labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from dlst._kernels.ranking import (
    BY_SCORE,
    FIRST_INDEX,
    LAST_INDEX,
    count_irrelevant,
    rank_dense_rows,
    rank_stored_rows,
)
from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst._weights import as_weights
from dlst.metrics._families import Unit, family
from dlst.metrics._inputs import Pattern, Scores, Truth, align

Ties: TypeAlias = Literal["pessimistic", "optimistic", "expected", "first", "last", "mulan"]
"""How ties are ranked.

``pessimistic``: irrelevant labels first; ``optimistic``: relevant labels first; ``expected``: the
mean over all orders; ``first``, ``last``: the lower or the higher index is ranked better;
``mulan``: as ``last``, and scores closer than 1e-6 are equal (as Weka sorts). In average precision
``pessimistic`` gives all tied labels the worst rank of the tie, as scikit-learn does.
"""

Convention: TypeAlias = Literal["sklearn", "mulan"]
Empty: TypeAlias = float | Literal["skip"] | None
Average: TypeAlias = Literal["mean"] | None

_ORDER = {"first": FIRST_INDEX, "last": LAST_INDEX, "mulan": LAST_INDEX}
_WEKA_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Ranking:
    """The relevant labels of all rows, each row's best first; one array entry per label.

    Attributes
    ----------
    row : ndarray of int64
        Row of the label.
    place : ndarray of int64
        0-based place among the relevant labels of its row.
    column : ndarray of int64
        The label.
    ahead, tied : ndarray of int64
        Irrelevant labels ahead of it, and tied with it.
    start, stop : ndarray of int64
        Range of places of the relevant labels tied with it (itself included).
    ranked : ndarray of bool
        False for a label that has no score.
    """

    row: IntArray
    place: IntArray
    column: IntArray
    ahead: IntArray
    tied: IntArray
    start: IntArray
    stop: IntArray
    ranked: BoolArray


class Ranked(NamedTuple):
    """The input of a metric of rankings."""

    truth: Truth
    ranking: Ranking
    ties: Ties
    convention: Convention


class RowValues(NamedTuple):
    """The value of each row, where it is undefined, and the default there."""

    values: FloatArray
    undefined: BoolArray
    empty: float | Literal["skip"] = 0.0


def resolve(
    convention: Convention, ties: Ties | None, sklearn: Ties, mulan: Ties = "mulan"
) -> Ties:
    """Check both parameters; return the given tie rule, else the convention's."""
    if convention not in ("sklearn", "mulan"):
        raise ValueError(f"convention must be 'sklearn' or 'mulan'; got {convention!r}.")
    if ties is None:
        return sklearn if convention == "sklearn" else mulan
    if ties not in get_args(Ties):
        raise ValueError(f"ties must be one of {', '.join(get_args(Ties))}; got {ties!r}.")
    return ties


def rank(
    truth: Truth, scores: Scores, ties: Ties, by_label: bool = False, stored: bool = False
) -> Ranking:
    """Rank the labels of each row, or the rows of each label.

    Entries that a sparse matrix does not store count as 0; with ``stored`` they have no rank.
    """
    order = _ORDER.get(ties, BY_SCORE)
    tolerance = _WEKA_TOLERANCE if ties == "mulan" else 0.0
    key = (truth, by_label, stored, order, tolerance)
    if key not in scores.rankings:
        sides = truth.transposed if by_label else truth
        size = len(sides.relevant.columns)
        found = tuple(np.zeros(size, np.int64) for _ in range(5))
        rest = (*sides.relevant, *sides.unjudged, order, tolerance, *found)
        if stored:
            values = scores.values
            pattern = (part.astype(np.int64) for part in (values.indptr, values.indices))
            rank_stored_rows(*pattern, values.data.astype(np.float64), *rest)
        else:
            for first, block in scores.blocks(by_label):
                rank_dense_rows(block, first, *rest)
        scores.rankings[key] = _ranking(sides.relevant, *found)
    ranking: Ranking = scores.rankings[key]
    return ranking


def pooled_counts(truth: Truth, scores: Scores) -> tuple[IntArray, IntArray, IntArray]:
    """Rank all entries of the matrix in one list.

    Returns
    -------
    relevant, ahead, tied : ndarray of int64
        For each distinct score of a relevant entry, best first: the relevant entries that have it,
        the irrelevant ones above it, the irrelevant ones that have it.
    """
    key = (truth, "pooled")
    if key not in scores.rankings:
        levels, relevant = np.unique(scores.at(truth.relevant), return_counts=True)
        levels, relevant = levels[::-1].copy(), relevant[::-1]
        above, tied = np.zeros(len(levels), np.int64), np.zeros(len(levels), np.int64)
        if len(levels):
            for first, block in scores.blocks():
                count_irrelevant(
                    block, first, *truth.relevant, *truth.unjudged, levels, above, tied
                )
        ahead = np.cumsum(above) + np.concatenate([[0], np.cumsum(tied)[:-1]])
        scores.rankings[key] = (relevant, ahead, tied)
    found: tuple[IntArray, IntArray, IntArray] = scores.rankings[key]
    return found


def row_sums(ranking: Ranking, values: FloatArray, n_rows: int) -> FloatArray:
    """Add up values of relevant labels by row."""
    return np.bincount(ranking.row, weights=values, minlength=n_rows).astype(np.float64)


def summarise(
    values: FloatArray,
    undefined: BoolArray,
    judged: BoolArray,
    empty: float | Literal["skip"],
    average: Average,
    weights: FloatArray | None = None,
) -> float | FloatArray:
    """Fill undefined values, leave out the unjudged, and take the mean.

    With ``average=None`` the values themselves, NaN where left out. ``weights`` are how often each
    value counts.
    """
    if average not in ("mean", None):
        raise ValueError(f"average must be 'mean' or None; got {average!r}.")
    if isinstance(empty, str) and empty != "skip":
        raise ValueError(f"empty must be a number or 'skip'; got {empty!r}.")
    values = np.where(undefined, np.nan if empty == "skip" else empty, values)
    values[~judged] = np.nan
    if average is None:
        return values
    counted = judged & ~undefined if empty == "skip" else judged
    if weights is not None:
        counted = counted & (weights > 0)
    if not counted.any():
        return float("nan")
    return float(np.average(values[counted], weights=None if weights is None else weights[counted]))


def _averaged(
    compute: Callable[[Ranked], RowValues],
    unit: Unit,
    Y: Any,
    scores: Any,
    *,
    convention: Convention = "sklearn",
    ties: Ties | None = None,
    empty: Empty = None,
    average: Average = "mean",
    sample_weight: Any = None,
) -> float | FloatArray:
    """Take the mean over instances of what the rankings of their labels are worth.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    scores : array-like, sparse or frame of shape (n, K)
        Higher is more relevant; entries that a sparse matrix does not store are 0.
    convention : {{"sklearn", "mulan"}}
        Sets the defaults of ``ties`` and ``empty``.
    ties : {{"pessimistic", "optimistic", "expected", "first", "last", "mulan"}}, optional
        Order of equal scores; overrides the convention.
    empty : float or "skip", optional
        Value of an instance for which the metric is not defined; overrides the convention.
    average : {{"mean", None}}
        None gives the value of each instance, NaN where left out.
    sample_weight : array-like of shape (n,), optional
        How often each instance counts in the mean.

    Returns
    -------
    float, or ndarray of shape (n,) with ``average=None``
    """
    rule = resolve(convention, ties, "pessimistic")
    truth, checked = align(Y, scores)
    found = compute(Ranked(truth, rank(truth, checked, rule), rule, convention))
    weights = as_weights(sample_weight, truth.shape[0], "sample_weight")
    return average_of(found, truth, empty, average, weights)


mean_over_rankings = family(_averaged, "instance")


def average_of(
    found: RowValues,
    truth: Truth,
    empty: Empty,
    average: Average,
    weights: FloatArray | None = None,
) -> float | FloatArray:
    """Summarise the values of rows, with ``empty`` for undefined ones if it is given."""
    otherwise = found.empty if empty is None else empty
    return summarise(found.values, found.undefined, truth.n_judged > 0, otherwise, average, weights)


def _ranking(
    relevant: Pattern,
    entry: IntArray,
    ahead: IntArray,
    tied: IntArray,
    start: IntArray,
    stop: IntArray,
) -> Ranking:
    place = np.arange(len(entry)) - np.repeat(relevant.ptr[:-1], relevant.counts)
    column = relevant.columns[entry]
    return Ranking(relevant.rows, place, column, ahead, tied, start, stop, ranked=ahead >= 0)
