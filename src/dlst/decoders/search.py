"""Neighbours at scale: among dense codes by distance, among sparse rows by cosine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._kernels.nearest import largest, largest_products, listed_distances, nearness
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.decoders.neighbours import Neighbours, in_blocks, row_blocks

FEW = 8
"""Up to this many queries are compared by differences: preparing products takes longer."""

OFTEN = 8
"""A feature that is non-zero in more than one of this many rows is read from a full column."""

WORTH_WRITING_OUT = 64
"""Full columns are not worth their time for fewer queries."""


def nearest_codes(
    database: FloatArray,
    k: int,
    queries: FloatArray,
    *,
    own: IntArray | None = None,
    n_jobs: int | None = None,
) -> Neighbours:
    """Find the nearest of dense codes.

    Neighbours are chosen by products in single precision and ordered by distances from differences,
    also in single precision: of two codes whose squared distances differ by less than 1e-6
    of their squared lengths, either may be chosen.

    Parameters
    ----------
    database : ndarray of shape (n, r)
    k : int
        Neighbours of each query.
    queries : ndarray of shape (n_queries, r)
    own : ndarray of shape (n_queries,), optional
        For each query, the searched row that is left out.
    n_jobs : int, optional
        Threads over blocks of queries.

    Examples
    --------
    >>> nearest_codes(np.array([[0.0], [1.0], [3.0]]), 2, np.array([[0.9]])).indices
    array([[1, 0]])
    """
    left_out = _left_out(own, len(queries))
    near = _nearness_to(database, queries)

    def search(block: slice) -> tuple[IntArray, FloatArray]:
        places = largest(near(block), left_out[block], k)
        distances = listed_distances(queries[block], database, places)
        ordered, ascending = _ascending(places, distances)
        return ordered, ascending.astype(np.float64)

    return in_blocks(search, row_blocks(len(queries), len(database)), k, n_jobs)


def _ascending(
    places: NDArray[np.int32], values: NDArray[np.float32]
) -> tuple[IntArray, NDArray[np.float32]]:
    """Sort each row by value, ties by place: both are packed in one integer, fast to sort."""
    # Bits of non-negative singles sort as integers; of negative ones all but the sign are flipped.
    bits = values.view(np.int32)
    keys = bits ^ (bits >> 31 & 0x7FFFFFFF)
    pairs = keys.astype(np.int64) << 32 | places
    pairs.sort(axis=1)
    keys = (pairs >> 32).astype(np.int32)
    ordered = (keys ^ (keys >> 31 & 0x7FFFFFFF)).view(np.float32)
    return pairs & 0xFFFFFFFF, ordered


def _nearness_to(
    database: FloatArray, queries: FloatArray
) -> Callable[[slice], NDArray[np.float32]]:
    """Return the nearness of queries to each row: greater is nearer."""
    if len(queries) <= FEW:
        return lambda block: nearness(queries[block], database)
    centre = database.mean(axis=0)
    columns = np.ascontiguousarray((database - centre).T, dtype=np.float32)
    halves = 0.5 * (columns**2).sum(axis=0)
    single = (queries - centre).astype(np.float32)
    return lambda block: single[block] @ columns - halves


def nearest_cosines(
    database: CosineRows,
    k: int,
    queries: FeatureMatrix,
    *,
    own: IntArray | None = None,
    n_jobs: int | None = None,
) -> Neighbours:
    """Find the rows of least cosine distance; the squared distance is that of unit rows, 2 − 2 cos.

    Parameters
    ----------
    database : CosineRows
    k, own, n_jobs
        As in :func:`nearest_codes`.
    queries : ndarray or csr_array of shape (n_queries, d)

    Examples
    --------
    >>> rows = CosineRows(sp.csr_array([[1.0, 0.0], [0.0, 3.0], [2.0, 2.0]]))
    >>> nearest_cosines(rows, 2, sp.csr_array([[5.0, 0.0]])).indices
    array([[0, 2]])
    """
    unit = unit_rows(queries)
    left_out = _left_out(own, unit.shape[0])
    rows = (unit.indptr.astype(np.int32), unit.indices.astype(np.int32), unit.data)
    columns = (*database.columns, *database.full_columns(unit.shape[0]))

    def search(block: slice) -> tuple[IntArray, FloatArray]:
        places, products = largest_products(*rows, block.start, block.stop, *columns, left_out, k)
        # Subtracted from 0, so that 0 and -0 become equal.
        ordered, negative = _ascending(places, 0.0 - products)
        return ordered, np.maximum(2.0 + 2.0 * negative.astype(np.float64), 0.0)

    return in_blocks(search, row_blocks(unit.shape[0], database.n), k, n_jobs)


class CosineRows:
    """Rows of unit length, kept by columns for the search."""

    def __init__(self, X: FeatureMatrix):
        by_columns = sp.csc_array(unit_rows(X))
        self.n = int(by_columns.shape[0])
        self.columns = (
            by_columns.indptr.astype(np.int64),
            by_columns.indices.astype(np.int32),
            by_columns.data,
        )

    def full_columns(self, n_queries: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return dense copies of the columns with many non-zeros, and the place of each feature.

        They hold at most as many entries as the rows themselves; with few queries there are none.
        """
        starts, rows, values = self.columns
        if n_queries < WORTH_WRITING_OUT:
            return np.empty((0, self.n), np.float32), np.empty(0, np.int32)
        counts = np.diff(starts)
        frequent = np.argsort(-counts, kind="stable")[: len(rows) // self.n]
        frequent = frequent[counts[frequent] * OFTEN > self.n]
        place_of = np.full(len(starts) - 1, -1, np.int32)
        place_of[frequent] = np.arange(len(frequent))
        full = np.zeros((len(frequent), self.n), np.float32)
        for column, feature in zip(full, frequent, strict=True):
            entries = slice(starts[feature], starts[feature + 1])
            column[rows[entries]] = values[entries]
        return full, place_of


def unit_rows(X: FeatureMatrix) -> sp.csr_array:
    """Return rows scaled to length 1 in single precision; rows of zeros are unchanged."""
    rows = X if isinstance(X, sp.csr_array) else sp.csr_array(X)
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    lengths = np.sqrt(np.bincount(row_of, rows.data**2, minlength=rows.shape[0]))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    data = (rows.data * scale[row_of]).astype(np.float32)
    return sp.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def _left_out(own: IntArray | None, n_queries: int) -> IntArray:
    return np.full(n_queries, -1) if own is None else np.asarray(own, dtype=np.int64)
