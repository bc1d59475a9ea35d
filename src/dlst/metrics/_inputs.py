"""Checks of truth, scores and decisions, and their common form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._matrices import BoolArray, FloatArray, IntArray, as_indicator, column_names, row_of_entry
from dlst.errors import DataError

# About 32 MiB of float64: large enough to be fast, small beside the scores themselves.
_BLOCK_ENTRIES = 2**22

_NEEDS_ALL = (
    "this metric needs a score for every label; got (labels, scores) of the top labels only. "
    "Pass the whole score matrix, or use a metric at k."
)


class TopLabels(NamedTuple):
    """The best labels of each row and their scores, as ``predict_top(X, k)`` gives them.

    Attributes
    ----------
    labels : ndarray of int, shape (n, k)
        Columns, distinct inside a row, in any order; -1 marks an empty place.
    scores : ndarray of float, shape (n, k)
        Their scores; those of empty places are ignored.

    Examples
    --------
    >>> from dlst.metrics import precision_at_k
    >>> best = TopLabels(np.array([[2, 0], [1, -1]]), np.array([[0.9, 0.4], [0.7, 0.0]]))
    >>> precision_at_k([[1, 0, 1], [0, 0, 1]], best, 1)
    0.5
    """

    labels: Any
    scores: Any


class Pattern(NamedTuple):
    """The stored places of a CSR matrix, sorted inside each row."""

    ptr: IntArray
    columns: IntArray

    @property
    def counts(self) -> IntArray:
        """Stored entries of each row."""
        return np.diff(self.ptr)

    @property
    def rows(self) -> IntArray:
        """Row of each stored entry."""
        return np.repeat(np.arange(len(self.ptr) - 1), self.counts)

    def matrix(self, shape: tuple[int, int]) -> sp.csr_array:
        """Return the CSR matrix with ones at these places."""
        return sp.csr_array((np.ones(len(self.columns)), self.columns, self.ptr), shape=shape)


@dataclass(frozen=True, eq=False)
class Truth:
    """Relevant and unjudged entries of a label matrix; every other entry is irrelevant."""

    shape: tuple[int, int]
    relevant: Pattern
    unjudged: Pattern
    names: tuple[str, ...] | None = None

    @cached_property
    def transposed(self) -> Truth:
        """The same with labels as rows."""
        n, K = self.shape
        return Truth((K, n), _transpose(self.relevant, K), _transpose(self.unjudged, K))

    @property
    def n_judged(self) -> IntArray:
        """Judged entries of each row."""
        return self.shape[1] - self.unjudged.counts


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of all labels (dense) or of some (CSR: an entry not stored is unscored)."""

    values: Any
    top_only: bool = False
    # Cached rankings, shared by the metrics of one call.
    rankings: dict[Any, Any] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, K)."""
        return (int(self.values.shape[0]), int(self.values.shape[1]))

    @property
    def sparse(self) -> bool:
        """Whether only some entries are stored."""
        return bool(sp.issparse(self.values))

    def blocks(self, by_label: bool = False) -> Iterator[tuple[int, FloatArray]]:
        """Yield (first row, dense float64 rows), or columns as rows; unscored entries are 0."""
        if self.top_only:
            raise DataError(_NEEDS_ALL)
        values = self.values.T if by_label else self.values
        if self.sparse:
            values = values.tocsr()
        n, width = values.shape
        step = max(1, _BLOCK_ENTRIES // width)
        for start in range(0, n, step):
            block = values[start : start + step]
            dense = block.toarray() if self.sparse else block
            yield start, np.ascontiguousarray(dense, dtype=np.float64)

    def at(self, pattern: Pattern) -> FloatArray:
        """Return the scores at these places, 0 where unscored."""
        if self.top_only:
            raise DataError(_NEEDS_ALL)
        found = self.values[pattern.rows, pattern.columns]
        return np.asarray(
            found.toarray() if sp.issparse(found) else found, dtype=np.float64
        ).ravel()


def align(Y: Any, scores: Any) -> tuple[Truth, Scores]:
    """Check truth and scores, and that their shapes and names agree."""
    truth = as_truth(Y)
    return truth, as_scores(scores, truth)


def as_truth(Y: Any) -> Truth:
    """Check an indicator of 0, 1 and NaN (not judged): dense, sparse or frame."""
    if isinstance(Y, Truth):
        return Y
    matrix = as_indicator(Y, "Y", unknown="not judged")
    _check_2d(matrix.shape, "Y")
    unknown = np.isnan(matrix.data)
    return Truth(
        matrix.shape, _pattern(matrix, ~unknown), _pattern(matrix, unknown), column_names(Y) or None
    )


def as_decisions(Y_pred: Any, truth: Truth) -> Pattern:
    """Check an indicator of decisions (0 and 1) of the same shape as the truth."""
    if isinstance(Y_pred, Pattern):
        return Y_pred
    Y_pred = _by_name(Y_pred, truth, "Y_pred")
    matrix = as_indicator(Y_pred, "Y_pred", unknown=None)
    _check_shape(matrix.shape, truth.shape, "Y_pred")
    return _pattern(matrix, np.ones(matrix.nnz, dtype=bool))


def as_scores(scores: Any, truth: Truth | None = None, n_labels: int | None = None) -> Scores:
    """Check scores: dense, frame, sparse, or a :class:`TopLabels`-like pair of 2-D arrays."""
    if isinstance(scores, Scores):
        return scores
    if _is_top(scores):
        n_labels = truth.shape[1] if truth is not None else n_labels
        checked = Scores(_top_to_csr(scores, n_labels), top_only=True)
    else:
        if truth is not None:
            scores = _by_name(scores, truth, "scores")
        checked = Scores(_score_matrix(scores))
    if truth is not None:
        _check_shape(checked.shape, truth.shape, "scores")
    return checked


def _score_matrix(scores: Any) -> Any:
    if sp.issparse(scores):
        matrix = sp.csr_array(scores)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        stored = matrix.data
    else:
        matrix = stored = np.asarray(scores)
    if stored.dtype.kind not in "fiub":
        try:
            matrix = stored = np.asarray(stored, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"scores must be numbers; got values that are not ({error})."
            ) from error
    _check_2d(matrix.shape, "scores")
    # min() propagates NaN, and needs no mask of the size of the scores.
    if stored.size and stored.dtype.kind == "f" and np.isnan(stored.min()):
        at = int(np.argmax(np.isnan(stored)))
        row = row_of_entry(matrix.indptr, at) if sp.issparse(matrix) else at // matrix.shape[1]
        raise DataError(
            f"scores must not be NaN; got NaN, the first in row {row}. "
            "Give unscored labels the lowest score, or leave them out of a sparse matrix."
        )
    return matrix


def _is_top(scores: Any) -> bool:
    return (
        isinstance(scores, tuple)
        and len(scores) == 2
        and all(np.ndim(part) == 2 for part in scores)
    )


def _top_to_csr(top: tuple[Any, Any], n_labels: int | None) -> sp.csr_array:
    labels, scores = np.asarray(top[0]), np.asarray(top[1], dtype=np.float64)
    if n_labels is None:
        raise ValueError("n_labels must be given with (labels, scores); got None.")
    if labels.shape != scores.shape or labels.dtype.kind not in "iu":
        raise DataError(
            "top labels must be an integer array of the shape of their scores; got "
            f"{labels.dtype} {labels.shape} and scores {scores.shape}."
        )
    _check_2d(labels.shape, "top labels")
    if labels.min() < -1 or labels.max() >= n_labels:
        raise DataError(
            f"top labels must be columns 0 to {n_labels - 1}, or -1 for an empty place; "
            f"got {labels.min()} to {labels.max()}."
        )
    used = labels >= 0
    if np.isnan(scores[used]).any():
        raise DataError("scores must not be NaN; got NaN among the top labels' scores. Use -1.")
    ptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    matrix = sp.csr_array((scores[used], labels[used], ptr), shape=(len(labels), n_labels))
    matrix.sort_indices()
    same_row = np.diff(np.repeat(np.arange(len(labels)), np.diff(matrix.indptr))) == 0
    if np.any(same_row & (np.diff(matrix.indices) == 0)):
        raise DataError("top labels must be distinct inside a row; got one twice.")
    return matrix


def _check_2d(shape: tuple[int, ...], what: str) -> None:
    if len(shape) != 2:
        raise DataError(
            f"{what} must be 2-D, rows are instances and columns labels; got shape {shape}. "
            f"For a single label use reshape(-1, 1)."
        )
    if 0 in shape:
        raise DataError(f"{what} must have rows and columns; got shape {shape}.")


def _check_shape(shape: tuple[int, ...], expected: tuple[int, int], what: str) -> None:
    if tuple(shape) != tuple(expected):
        raise DataError(
            f"{what} must have the shape of Y, {tuple(expected)}; got {tuple(shape)}. "
            "Pass the same rows and labels to both."
        )


def _by_name(table: Any, truth: Truth, what: str) -> Any:
    """Bring a frame's columns into the order of the truth's, where both have names."""
    names = column_names(table)
    if not names or truth.names is None or names == truth.names:
        return table
    if len(set(names)) != len(names) or set(names) != set(truth.names):
        odd = sorted(set(names) ^ set(truth.names))
        raise DataError(
            f"{what} and Y must name the same labels; got a difference in {odd[:3]}. "
            "Rename the columns, or pass arrays to match by position."
        )
    position = {name: column for column, name in enumerate(names)}
    return table.iloc[:, [position[name] for name in truth.names]]


def _pattern(matrix: sp.csr_array, keep: BoolArray) -> Pattern:
    kept = np.concatenate([[0], np.cumsum(keep)])
    return Pattern(
        kept[matrix.indptr].astype(np.int64), matrix.indices[keep].astype(np.int64, copy=False)
    )


def _transpose(pattern: Pattern, n_columns: int) -> Pattern:
    order = np.argsort(pattern.columns, kind="stable")
    counts = np.bincount(pattern.columns, minlength=n_columns)
    return Pattern(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), pattern.rows[order])
