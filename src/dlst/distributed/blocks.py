"""Dask arrays as blocks of rows, and sums over them by a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from dask import delayed

from dlst._matrices import FeatureMatrix, IntArray, as_features, as_indicator, refuse_huge
from dlst.errors import DataError

FAN_IN = 8
"""Number of sums that one task adds up."""

Sum = TypeVar("Sum")


class Block(NamedTuple):
    """Some training rows: the index of the first, features, and labels, NaN where unknown."""

    start: int
    X: FeatureMatrix
    Y: sp.csr_array

    @property
    def rows(self) -> IntArray:
        """The indices of the rows."""
        return np.arange(self.start, self.start + self.X.shape[0])


def row_lengths(X: Any) -> list[int]:
    """Return the rows of each block of a Dask array that is cut by rows alone.

    Raises
    ------
    DataError
        If Dask does not know the lengths.
    """
    if len(X.shape) != 2:
        raise DataError(f"a Dask array must have rows and columns; got {len(X.shape)} dimensions.")
    if np.isnan(X.shape[0]):
        raise DataError(
            "a Dask array must know the lengths of its blocks; got unknown ones. "
            "Call X.compute_chunk_sizes() first."
        )
    return [int(length) for length in X.chunks[0]]


def feature_blocks(X: Any) -> list[Any]:
    """Return the blocks of rows of a Dask array, lazily."""
    whole = X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})
    return [delayed(_features)(block) for block in whole.to_delayed()[:, 0]]


def training_blocks(X: Any, Y: Any) -> tuple[list[Any], int, int]:
    """Return lazy :class:`Block` of features and labels, and the numbers of rows and labels.

    Labels are split like the features.
    """
    lengths = row_lengths(X)
    if not hasattr(Y, "__dask_graph__"):
        raise DataError(
            f"Y must be a Dask array where X is one; got {type(Y).__name__}. "
            "dask.array.from_array(Y, chunks=...) makes one."
        )
    if len(Y.shape) != 2:
        raise DataError(
            f"Y must be an indicator with a column for each label; got {len(Y.shape)} dimensions."
        )
    if row_lengths(Y) != lengths:
        if Y.shape[0] != X.shape[0]:
            raise DataError(f"X and Y must have the same rows; got {X.shape[0]} and {Y.shape[0]}.")
        Y = Y.rechunk({0: tuple(lengths)})
    Y = Y if len(Y.chunks[1]) == 1 else Y.rechunk({1: -1})
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    blocks = [
        delayed(_block)(start, *pair)
        for start, *pair in zip(starts, feature_blocks(X), Y.to_delayed()[:, 0], strict=True)
        # Blocks without rows are left out.
    ]
    kept = [block for block, length in zip(blocks, lengths, strict=True) if length]
    return kept, sum(lengths), int(Y.shape[1])


def tree_sum(add: Callable[[Sequence[Sum]], Sum], parts: Sequence[Any]) -> Any:
    """Add up lazy parts, few at a time, so that no worker holds all of them."""
    parts = list(parts)
    while len(parts) > 1:
        parts = [
            delayed(add)(parts[start : start + FAN_IN]) for start in range(0, len(parts), FAN_IN)
        ]
    return parts[0]


def _features(X: Any) -> FeatureMatrix:
    checked = as_features(X)
    values = checked if isinstance(checked, np.ndarray) else checked.data
    if not np.isfinite(values).all():
        raise DataError("X must be finite; got NaN or infinity. Remove or impute those values.")
    refuse_huge(checked)
    return checked


def _block(start: int, X: FeatureMatrix, Y: Any) -> Block:
    labels = as_indicator(Y)
    unknown = np.bincount(
        np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))[np.isnan(labels.data)],
        minlength=labels.shape[0],
    )
    if (unknown == labels.shape[1]).any():
        row = start + int(np.argmax(unknown == labels.shape[1]))
        raise DataError(
            f"rows on a cluster must have a known label; got NaN only in row {row}. Leave it out."
        )
    return Block(start, X, labels)
