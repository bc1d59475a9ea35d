"""An exact index of rows, fast for one query and for many."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.nearest_tiles import first_in_order
from dlst._kernels.pair_distances import dense_pair_distances
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.decoders.coded_rows import WIDEST, CodedRows
from dlst.decoders.neighbours import Neighbours, in_blocks, nearest_neighbours, row_blocks
from dlst.decoders.single_rows import Candidates, SingleRows

ROWS_WORTH_AN_INDEX = 1024
"""Fewer rows are searched in double precision at once."""

NUMBERS_WORTH_CODES = 500_000
ALONE = 4
"""Up to this many queries are searched one by one if there are many numbers to read."""

MORE_THAN_WANTED = 4
"""Additional rows found in single precision; the nearest of all are then chosen exactly."""


class NeighbourIndex:
    """An index of rows, for the exact search of neighbours.

    Products in single precision find a few more rows than requested; distances computed from
    differences in double precision order them. A bound on the rounding error tells whether a row
    was missed: such a query, with many equally near rows, is searched again in double precision.
    The result is that of :func:`~dlst.decoders.neighbours.nearest_neighbours`, ties by the lowest
    index.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)

    Examples
    --------
    >>> index = NeighbourIndex(np.array([[0.0], [1.0], [3.0]]))
    >>> index.nearest(2, np.array([[0.9]])).indices
    array([[1, 0]])
    """

    recall = 1.0
    """Share of the true neighbours that are found."""

    def __init__(self, rows: FeatureMatrix):
        self.rows = np.ascontiguousarray(rows) if isinstance(rows, np.ndarray) else rows

    def nearest(
        self,
        k: int,
        queries: FeatureMatrix | None = None,
        *,
        own: IntArray | None = None,
        n_jobs: int | None = None,
    ) -> Neighbours:
        """Find the k nearest rows of each query; parameters are those of `nearest_neighbours`."""
        n = self.rows.shape[0]
        wanted = k + MORE_THAN_WANTED
        dense = isinstance(self.rows, np.ndarray) and isinstance(queries, np.ndarray | None)
        if not dense or n < max(ROWS_WORTH_AN_INDEX, 2 * wanted) or self._single is None:
            return nearest_neighbours(self.rows, k, queries, own=own, n_jobs=n_jobs)
        single: Any = self._single
        if queries is None:
            own = np.arange(n)
            return self._settled(self.rows, own, single.among_themselves(wanted, n_jobs), k, n_jobs)
        left_out = np.full(len(queries), -1) if own is None else np.asarray(own, dtype=np.int64)
        queries = np.ascontiguousarray(queries)
        if len(queries) <= ALONE and self._coded is not None:
            return self._one_by_one(queries, left_out, k)
        candidates = single.of_queries(queries, left_out, wanted, n_jobs)
        return self._settled(queries, own, candidates, k, n_jobs)

    def _settled(
        self,
        queries: FloatArray,
        own: IntArray | None,
        candidates: Candidates,
        k: int,
        n_jobs: int | None,
    ) -> Neighbours:
        """Order candidates by exact distances; search again where other rows may be as near."""

        def settle(block: slice) -> tuple[IntArray, FloatArray]:
            indices, squared = self._ordered(queries[block], candidates.places[block], k)
            again = np.flatnonzero(~candidates.are_all(block, squared[:, -1]))
            if again.size:
                left_out = None if own is None else own[block][again]
                found = nearest_neighbours(self.rows, k, queries[block][again], own=left_out)
                indices[again], squared[again] = found.indices, found.squared_distances
            return indices, squared

        numbers = candidates.places.shape[1] * self.rows.shape[1]
        return in_blocks(settle, row_blocks(len(queries), numbers), k, n_jobs)

    def _ordered(
        self, queries: FloatArray, places: NDArray[np.int32], k: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the k nearest of each query's candidates, and their squared distances."""
        owner = np.repeat(np.arange(len(places)), places.shape[1])
        squared = dense_pair_distances(queries, self.rows, owner, places.ravel())
        found: tuple[IntArray, FloatArray] = first_in_order(
            squared.reshape(places.shape), places, k
        )
        return found

    def _one_by_one(self, queries: FloatArray, own: IntArray, k: int) -> Neighbours:
        """Search for a few queries, each among the rows that can be its nearest."""
        indices, squared = np.empty((len(queries), k), np.int64), np.empty((len(queries), k))
        coded: Any = self._coded
        for row, query in enumerate(queries):
            near = coded.candidates(query, k, int(own[row]))
            owner = np.full(len(near), row)
            distances = dense_pair_distances(queries, self.rows, owner, near)
            order = np.argsort(distances, kind="stable")[:k]
            indices[row], squared[row] = near[order], distances[order]
        return Neighbours(indices, squared)

    @cached_property
    def _coded(self) -> CodedRows | None:
        """The rows in two bytes per number; None if they are few or too wide."""
        n, d = self.rows.shape
        return CodedRows(self.rows) if n * d >= NUMBERS_WORTH_CODES and d < WIDEST else None

    @cached_property
    def _single(self) -> SingleRows | None:
        """The rows in single precision; None if it cannot hold them."""
        return SingleRows.of(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows}
