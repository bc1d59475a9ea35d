"""Rows that are searched again and again: exact, and quick to ask for one row or many."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.nearest import largest
from dlst._kernels.pair_distances import dense_pair_distances
from dlst._matrices import FeatureMatrix
from dlst.decoders._inputs import BoolArray, FloatArray, IntArray
from dlst.decoders.coded_rows import WIDEST, CodedRows
from dlst.decoders.neighbours import Neighbours, in_blocks, nearest_neighbours, row_blocks

ROWS_WORTH_AN_INDEX = 1024
"""Fewer rows are searched at once, without looking twice."""

NUMBERS_WORTH_CODES = 500_000
ALONE = 4
"""So many queries are answered one by one, where there are many numbers to be read."""

MORE_THAN_WANTED = 16
"""Rows that single precision finds beyond those wanted; the nearest of all are then exact."""

FARTHEST = 1e20
"""Squared distance of a query from the centre, over that of the farthest row."""

_UNIT = float(np.finfo(np.float32).eps) / 2
_LEAST = 1e-30


class NeighbourIndex:
    """The rows among which neighbours are searched.

    Products in single precision find somewhat more rows than are wanted; distances of these, by
    differences in double precision, order them. Rounding is bounded, so that it is known whether a
    row outside could belong inside: such a query, of many rows all equally near, is searched once
    more in double precision. So the answer is that of
    :func:`~dlst.decoders.neighbours.nearest_neighbours`, ties by the lowest index.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)

    Examples
    --------
    >>> index = NeighbourIndex(np.array([[0.0], [1.0], [3.0]]))
    >>> index.nearest(2, np.array([[0.9]])).indices
    array([[1, 0]])
    """

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
        if queries is None:
            queries, own = self.rows, np.arange(n)
        left_out = np.full(len(queries), -1) if own is None else np.asarray(own, dtype=np.int64)
        queries = np.ascontiguousarray(queries)

        if len(queries) <= ALONE and self._coded is not None:
            return self._one_by_one(queries, left_out, k)

        def search(block: slice) -> tuple[IntArray, FloatArray]:
            indices, squared, sure = self._search(queries[block], left_out[block], k)
            if not sure.all():
                again = np.flatnonzero(~sure)
                found = nearest_neighbours(
                    self.rows,
                    k,
                    queries[block][again],
                    own=None if own is None else own[block][again],
                )
                indices[again], squared[again] = found.indices, found.squared_distances
            return indices, squared

        return in_blocks(search, row_blocks(len(queries), n), k, n_jobs)

    def _one_by_one(self, queries: FloatArray, own: IntArray, k: int) -> Neighbours:
        """Search for a few queries, each among the rows that can be its nearest."""
        indices, squared = np.empty((len(queries), k), np.int64), np.empty((len(queries), k))
        coded: Any = self._coded
        for row, query in enumerate(queries):
            near = coded.candidates(query, k, int(own[row]))
            asked = np.full(len(near), row)
            distances = dense_pair_distances(queries, self.rows, asked, near)
            order = np.argsort(distances, kind="stable")[:k]
            indices[row], squared[row] = near[order], distances[order]
        return Neighbours(indices, squared)

    @cached_property
    def _coded(self) -> CodedRows | None:
        """The rows in two bytes for each number; None where they are few, or too wide for it."""
        n, d = self.rows.shape
        return CodedRows(self.rows) if n * d >= NUMBERS_WORTH_CODES and d < WIDEST else None

    @cached_property
    def _single(self) -> _SingleRows | None:
        """The rows in single precision; None where they cannot be had."""
        return _SingleRows.of(self.rows)

    def _search(
        self, queries: FloatArray, own: IntArray, k: int
    ) -> tuple[IntArray, FloatArray, BoolArray]:
        """Return the nearest, and of which queries that is sure."""
        single: Any = self._single
        asked = (queries - single.centre) * single.scale
        length = np.einsum("ij,ij->i", asked, asked)
        # Single precision does not reach so far.
        far = ~(length < FARTHEST)
        asked[far] = 0.0
        near = single.nearness(asked)
        wanted = k + MORE_THAN_WANTED
        places = largest(near, own, wanted)
        worst = np.take_along_axis(near, places, axis=1).min(axis=1).astype(np.float64)
        pairs = np.repeat(np.arange(len(places)), wanted)
        squared = dense_pair_distances(
            queries, self.rows, pairs, places.ravel().astype(np.int64)
        ).reshape(places.shape)
        order = np.lexsort((places, squared), axis=1)[:, :k]
        indices = np.take_along_axis(places, order, axis=1).astype(np.int64)
        squared = np.take_along_axis(squared, order, axis=1)
        # A row outside, as near as the k-th, would have a product of at least this but for
        # rounding, and it is no longer than the query and that distance together.
        reach = squared[:, -1] * single.scale**2
        product = 0.5 * (length - reach)
        longest = 2.0 * np.sqrt(length) + np.sqrt(reach)
        rounding = (queries.shape[1] + 8) * _UNIT * longest**2 + _LEAST
        return indices, squared, (worst < product - rounding) & ~far

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows}


class _SingleRows:
    """Rows less their mean, none longer than 1, in single precision, each with half its square."""

    def __init__(self, centre: FloatArray, scale: float, rows: NDArray[np.float32]):
        self.centre, self.scale, self.rows = centre, scale, rows

    @classmethod
    def of(cls, rows: FloatArray) -> _SingleRows | None:
        centre = rows.mean(axis=0)
        longest = 0.0
        for block in row_blocks(*rows.shape):
            centred = rows[block] - centre
            longest = max(longest, float(np.einsum("ij,ij->i", centred, centred).max()))
        if not 0.0 < longest < np.inf:
            return None
        # A power of two: nothing is rounded by it.
        scale = float(2.0 ** -np.ceil(0.5 * np.log2(longest)))
        n, d = rows.shape
        single = np.empty((n, d + 1), dtype=np.float32)
        for block in row_blocks(n, d):
            centred = (rows[block] - centre) * scale
            single[block, :-1] = centred
            single[block, -1] = -0.5 * np.einsum("ij,ij->i", centred, centred)
        return cls(centre, scale, single)

    def nearness(self, queries: FloatArray) -> NDArray[np.float32]:
        """Return q·x − |x|²/2, (queries, n), which is greater for nearer rows x."""
        asked = np.ones((len(queries), self.rows.shape[1]), dtype=np.float32)
        asked[:, :-1] = queries
        return np.asarray(asked @ self.rows.T)
