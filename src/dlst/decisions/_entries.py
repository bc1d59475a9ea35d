"""Probabilities as rules use them: all entries of a matrix, or only the stored ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst.errors import DataError

LEAST = float(np.finfo(np.float64).tiny)
"""Lowest threshold: labels with probability 0 are never decided for, stored or not."""


@dataclass(frozen=True, eq=False)
class Entries:
    """A matrix (n, K) of probabilities: an array, or the stored entries of a CSR matrix.

    Rules compute arrays of the shape of ``values``; :meth:`of_rows` and :meth:`of_labels` bring one
    number for each row or label to that shape.

    Attributes
    ----------
    values : ndarray of shape (n, K), or of shape (stored,)
    shape : (int, int)
    indptr, indices : ndarray, or None when all entries are there
    weights : ndarray of shape (n,)
        Weight of each row.
    label_weights : ndarray of shape (K,) or None
        Weight of each label; None: 1.
    """

    values: FloatArray
    shape: tuple[int, int]
    indptr: IntArray | None
    indices: IntArray | None
    weights: FloatArray
    label_weights: FloatArray | None = None

    @property
    def n_rows(self) -> float:
        """Number of rows, by weight."""
        return float(self.weights.sum())

    def of_rows(self, numbers: FloatArray) -> FloatArray:
        """Return for each entry the number of its row."""
        if self.indptr is None:
            return numbers[:, None]
        return np.repeat(numbers, np.diff(self.indptr))

    def of_labels(self, numbers: FloatArray) -> FloatArray:
        """Return for each entry the number of its label."""
        return numbers[None, :] if self.indices is None else numbers[self.indices]

    def row_sums(self, numbers: Any) -> FloatArray:
        """Add up values of entries by row, labels by weight, shape (n,)."""
        if self.label_weights is not None:
            numbers = numbers * self.of_labels(self.label_weights)
        if self.indptr is None:
            return np.asarray(numbers.sum(axis=1), dtype=np.float64)
        running = np.concatenate([[0.0], np.cumsum(numbers)])
        return np.asarray(running[self.indptr[1:]] - running[self.indptr[:-1]])

    def label_sums(self, numbers: Any) -> FloatArray:
        """Add up values of entries by label, rows by weight, shape (K,)."""
        if self.indices is None:
            return np.asarray(self.weights @ numbers)
        weighted = numbers * self.of_rows(self.weights)
        return np.bincount(self.indices, weighted, self.shape[1]).astype(np.float64, copy=False)

    def total(self, of_labels: FloatArray) -> float:
        """Add up values of labels (K,), by weight."""
        return float(
            of_labels.sum() if self.label_weights is None else self.label_weights @ of_labels
        )

    @property
    def n_labels(self) -> float:
        """Number of labels, by weight."""
        return self.total(np.ones(self.shape[1]))

    def rows(self, chosen: IntArray) -> Entries:
        """Return the entries of some rows."""
        if self.indptr is None:
            values, indptr, indices = self.values[chosen], None, None
        else:
            matrix = self.matrix(self.values)[chosen]
            values, indptr, indices = matrix.data, matrix.indptr, matrix.indices
        shape = (len(chosen), self.shape[1])
        return Entries(values, shape, indptr, indices, self.weights[chosen], self.label_weights)

    def decided(self, chosen: BoolArray) -> sp.csr_array:
        """Return ones at the chosen entries, shape (n, K)."""
        if self.indptr is None or self.indices is None:
            return sp.csr_array(chosen.astype(np.float64))
        kept = np.concatenate([[0], np.cumsum(chosen)])[self.indptr]
        columns = self.indices[chosen]
        return sp.csr_array((np.ones(len(columns)), columns, kept), shape=self.shape)

    def matrix(self, values: FloatArray) -> Any:
        """Return values as a matrix (n, K) of the kind given, CSR or dense."""
        if self.indptr is None:
            return values
        return sp.csr_array((values, self.indices, self.indptr), shape=self.shape)


class BestFraction(NamedTuple):
    """For groups of entries: value = max_D Σ_D p / (|D| + Σ p), and the size of that D."""

    value: FloatArray
    size: FloatArray
    total: FloatArray


def best_fraction(entries: Entries, group: Literal["rows", "labels", "all"]) -> BestFraction:
    """Find half the best expected F1 of each group of entries, and the size that reaches it.

    max_D TP(D) / (|D| + s), with s the expected positives of the group, is reached by the entries
    above its own value t. Dinkelbach's iteration t ← TP(p > t) / (|p > t| + s) rises from 0 to it
    in a few steps, each a pass over the entries; no sorting.

    Examples
    --------
    >>> best_fraction(as_entries([[0.9, 0.4, 0.1]]), "rows")
    BestFraction(value=array([0.3823...]), size=array([2.]), total=array([1.4]))
    """

    def sums(numbers: Any) -> FloatArray:
        if group == "rows":
            return entries.row_sums(numbers)
        found = entries.label_sums(numbers)
        return found if group == "labels" else np.array([entries.total(found)])

    def spread(numbers: FloatArray) -> FloatArray:
        if group == "rows":
            return entries.of_rows(numbers)
        return numbers if group == "all" else entries.of_labels(numbers)

    p = entries.values
    total = sums(p)
    value, size = np.zeros_like(total), np.full_like(total, np.inf)
    while True:
        chosen = p > spread(value)
        now = sums(chosen.astype(np.float64))
        # The chosen entries only decrease; if their number is unchanged, so are they.
        if not (now < size).any():
            return BestFraction(value, now, total)
        size = now
        found = sums(np.where(chosen, p, 0.0))
        value = np.divide(found, size + total, out=np.zeros_like(total), where=size > 0)


def as_entries(
    probabilities: Any, *, n_labels: int | None = None, any_score: bool = False
) -> Entries:
    """Check probabilities, dense or sparse; entries that a sparse matrix does not store are 0.

    With ``any_score``, all numbers are accepted.
    """
    indptr = indices = None
    if sp.issparse(probabilities):
        matrix = sp.csr_array(probabilities, dtype=np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        values, shape = matrix.data, matrix.shape
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    else:
        values = np.asarray(probabilities, dtype=np.float64)
        shape = values.shape
    if len(shape) != 2 or shape[1] == 0:
        raise DataError(
            f"probabilities must be 2-D with a column for each label; got shape {shape}."
        )
    if n_labels is not None and shape[1] != n_labels:
        raise DataError(
            f"probabilities must have a column for each of the {n_labels} labels; got {shape[1]}."
        )
    # min() and max() propagate NaN, and need no mask of the size of the probabilities.
    least, most = (values.min(), values.max()) if values.size else (0.0, 1.0)
    if any_score and np.isnan(least):
        raise DataError("scores must be numbers; got NaN.")
    if not any_score and not (least >= 0.0 and most <= 1.0):
        raise DataError(
            f"probabilities must lie in [0, 1]; got {least:g} to {most:g}. "
            "Calibrate scores first, or take the rule 'top', which needs none."
        )
    return Entries(values, shape, indptr, indices, np.ones(shape[0]))
