"""Counts over blocks of rows, which are added up: spreads, kinds of features, label sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from dlst._matrices import FloatArray, as_dense
from dlst.distributed.blocks import Block
from dlst.encoders import LabelSets, distinct_label_sets


class Spread(NamedTuple):
    """Counts, means and sums of squared differences from the mean, of numbers or of columns.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [6.0]])
    >>> joined = Spread.joined([Spread.of(x[:1]), Spread.of(x[1:])])
    >>> joined.mean, joined.variance, x.var(axis=0)
    (array([3.]), array([4.66666667]), array([4.66666667]))
    """

    count: Any
    mean: Any
    squares: Any

    @classmethod
    def of(cls, values: FloatArray, counted: FloatArray | None = None) -> Spread:
        """Spread of each column, of all rows or of the entries that are counted (ones)."""
        ones = np.ones_like(values) if counted is None else counted
        count = ones.sum(axis=0)
        mean = (values * ones).sum(axis=0) / np.maximum(count, 1.0)
        return cls(count, mean, ((values - mean) ** 2 * ones).sum(axis=0))

    @property
    def variance(self) -> Any:
        """Mean squared difference from the mean; 0 where nothing was counted."""
        return self.squares / np.maximum(self.count, 1.0)

    @classmethod
    def joined(cls, parts: Sequence[Spread]) -> Spread:
        """Spread of the union of the parts."""
        return reduce(cls._pair, parts)

    @classmethod
    def _pair(cls, a: Spread, b: Spread) -> Spread:
        count = a.count + b.count
        share = b.count / np.maximum(count, 1.0)
        gap = b.mean - a.mean
        return cls(count, a.mean + gap * share, a.squares + b.squares + gap**2 * a.count * share)


class Looks(NamedTuple):
    """Statistics that :class:`~dlst.methods.FeatureScaler` chooses and fits a scaling by."""

    n_rows: int
    nonzeros: int
    smallest: float
    row_sums: Spread
    n_long: int
    lengths_one: bool
    columns: Spread
    documents: FloatArray
    largest: FloatArray

    @classmethod
    def of(cls, block: Block) -> Looks:
        """Compute the statistics of a block's features."""
        X = block.X
        lengths = row_norms(X, squared=True)
        longer = lengths[lengths > 0]
        values = X if isinstance(X, np.ndarray) else X.data
        positive = X > 0
        return cls(
            X.shape[0],
            int(np.count_nonzero(values)),
            float(values.min()) if values.size else 0.0,
            Spread.of(np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)),
            len(longer),
            bool(np.allclose(longer, 1.0, atol=1e-5)),
            Spread.of(as_dense(X)) if isinstance(X, np.ndarray) else _sparse_spread(X),
            np.asarray(positive.sum(axis=0), dtype=np.float64).ravel(),
            np.asarray(abs(X).max(axis=0).toarray() if sp.issparse(X) else abs(X).max(axis=0)),
        )

    @classmethod
    def joined(cls, parts: Sequence[Looks]) -> Looks:
        """Combine the statistics of parts."""
        n, nonzeros, smallest, row_sums, n_long, ones, columns, documents, largest = zip(
            *parts, strict=True
        )
        return cls(
            sum(n),
            sum(nonzeros),
            min(smallest),
            Spread.joined(row_sums),
            sum(n_long),
            all(ones),
            Spread.joined(columns),
            np.sum(documents, axis=0),
            np.max([each.ravel() for each in largest], axis=0),
        )


def _sparse_spread(X: sp.csr_array) -> Spread:
    n = X.shape[0]
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray(X.multiply(X).sum(axis=0)).ravel() - n * mean**2
    return Spread(np.full(X.shape[1], float(n)), mean, np.maximum(squares, 0.0))


def label_sets_of(block: Block) -> LabelSets:
    """Count the label sets of a block; ``first`` and ``inverse`` refer to this block only."""
    return _without_rows(distinct_label_sets(block.Y))


def joined_label_sets(parts: Sequence[LabelSets]) -> LabelSets:
    """Add up the counts of label sets."""
    stacked = sp.csr_array(sp.vstack([part.sets for part in parts], format="csr"))
    counts = np.concatenate([part.counts for part in parts])
    found = distinct_label_sets(stacked)
    total = np.bincount(found.inverse, weights=counts, minlength=len(found)).astype(np.int64)
    return _without_rows(LabelSets(found.sets, total, found.inverse, found.first))


def counts_of(sets: LabelSets) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of rows with each label, and where it is known; both (K,)."""
    unknown = np.isnan(sets.sets.data)
    counts, shape = sets.counts.astype(np.float64), sets.sets.shape

    def total(chosen: Any) -> FloatArray:
        parts = (chosen.astype(np.float64), sets.sets.indices, sets.sets.indptr)
        return np.asarray(counts @ sp.csr_array(parts, shape=shape))

    return total(~unknown), counts.sum() - total(unknown)


def _without_rows(found: LabelSets) -> LabelSets:
    nothing = np.empty(0, dtype=np.intp)
    return LabelSets(found.sets, found.counts, nothing, nothing)
