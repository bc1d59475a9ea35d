"""Weighted rankings of rows, or of all pairs: total weights at each score and ahead of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst.metrics._inputs import Pattern, Scores, Truth
from dlst.metrics._ranks import pooled_counts


class Levels(NamedTuple):
    """For each distinct score of a relevant entry, best first, the weight of entries.

    Attributes
    ----------
    relevant : ndarray
        Of relevant ones that have it.
    ahead, tied : ndarray
        Of irrelevant ones above it, and of those that have it.
    irrelevant : float
        Of all irrelevant ones.
    """

    relevant: FloatArray
    ahead: FloatArray
    tied: FloatArray
    irrelevant: float

    @property
    def precision(self) -> FloatArray:
        """Precision at each score, tied entries included."""
        found = np.cumsum(self.relevant)
        return np.asarray(found / (found + self.ahead + self.tied))

    def average_precision(self) -> float:
        """Mean precision of the relevant entries; NaN without one."""
        if not len(self.relevant):
            return float("nan")
        return float(np.average(self.precision, weights=self.relevant))

    def eleven_point(self) -> float:
        """Mean, over recalls 0, 0.1, …, 1, of the best precision at this recall or more."""
        if not len(self.relevant):
            return float("nan")
        found = np.cumsum(self.relevant)
        best_from_here = np.maximum.accumulate(self.precision[::-1])[::-1]
        # Tolerance for rounding of sums: 0.1 has no exact double.
        wanted = np.arange(11) / 10 * found[-1] * (1 - 1e-12)
        return float(best_from_here[np.searchsorted(found, wanted)].mean())

    def auc(self) -> float:
        """Share of (relevant, irrelevant) pairs in the right order, ties half; NaN without one."""
        pairs = self.relevant.sum() * self.irrelevant
        if not pairs > 0:
            return float("nan")
        return float(1.0 - self.relevant @ (self.ahead + 0.5 * self.tied) / pairs)


def pooled_levels(
    truth: Truth, scores: Scores, rows: FloatArray | None, labels: FloatArray | None
) -> Levels:
    """Rank all entries in one list, by weights of rows and labels where there are any."""
    if rows is None and labels is None:
        relevant, ahead, tied = (each.astype(np.float64) for each in pooled_counts(truth, scores))
        return Levels(relevant, ahead, tied, float(truth.n_judged.sum() - relevant.sum()))
    of_rows = np.ones(truth.shape[0]) if rows is None else rows
    of_labels = np.ones(truth.shape[1]) if labels is None else labels
    places = truth.relevant

    def others() -> Iterable[tuple[FloatArray, FloatArray]]:
        for first, block in scores.blocks():
            chosen = _irrelevant(truth, first, len(block))
            weights = np.outer(of_rows[first : first + len(block)], of_labels)
            yield block[chosen], weights[chosen]

    return _levels(scores.at(places), of_rows[places.rows] * of_labels[places.columns], others())


def over_labels(
    truth: Truth, scores: Scores, rows: FloatArray, value: Callable[[Levels], float]
) -> tuple[FloatArray, BoolArray]:
    """Return the value of each label's ranking of rows by weight, and whether any row judges it."""
    labels = truth.transposed
    values, judged = np.empty(labels.shape[0]), np.empty(labels.shape[0], dtype=bool)
    for first, block in scores.blocks(by_label=True):
        irrelevant = _irrelevant(labels, first, len(block))
        for place, found in enumerate(block):
            label = first + place
            relevant = _of_row(labels.relevant, label)
            rest = irrelevant[place]
            judged[label] = rows[relevant].any() or rows[rest].any()
            levels = _levels(found[relevant], rows[relevant], [(found[rest], rows[rest])])
            values[label] = value(levels)
    return values, judged


def _levels(
    scores: FloatArray, weights: FloatArray, others: Iterable[tuple[FloatArray, FloatArray]]
) -> Levels:
    """Insert irrelevant scores, part by part, between the scores of relevant entries."""
    counted = weights > 0
    levels, place = np.unique(scores[counted], return_inverse=True)
    size = len(levels)
    relevant = np.bincount(place, weights[counted], size).astype(np.float64)
    between, tied, total = np.zeros(size), np.zeros(size), 0.0
    for values, weight in others:
        total += float(weight.sum())
        below = np.searchsorted(levels, values, side="right") - 1
        reached = below >= 0
        below, weight = below[reached], weight[reached]
        equal = levels[below] == values[reached]
        tied += np.bincount(below[equal], weight[equal], size)
        between += np.bincount(below[~equal], weight[~equal], size)
    relevant, between, tied = relevant[::-1], between[::-1], tied[::-1]
    return Levels(relevant, np.cumsum(between) + np.cumsum(tied) - tied, tied, total)


def _irrelevant(truth: Truth, first: int, n_rows: int) -> BoolArray:
    chosen = np.ones((n_rows, truth.shape[1]), dtype=bool)
    for pattern in (truth.relevant, truth.unjudged):
        starts = pattern.ptr[first : first + n_rows + 1]
        rows = np.repeat(np.arange(n_rows), np.diff(starts))
        chosen[rows, pattern.columns[starts[0] : starts[-1]]] = False
    return chosen


def _of_row(pattern: Pattern, row: int) -> IntArray:
    return pattern.columns[pattern.ptr[row] : pattern.ptr[row + 1]]
