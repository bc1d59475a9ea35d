"""Approximate neighbours: most of the true ones, found much faster in very many rows.

Faiss divides the rows into cells by k-means, and a query searches the cells nearest to it. Of the
libraries compared on real codes (``benchmarks/neighbours.py``), it was the fastest to build and, at
the same recall, the fastest to search. Needs the extra ``dlst[ann]``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.pair_distances import dense_pair_distances
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.decoders.index import NeighbourIndex
from dlst.decoders.neighbours import Neighbours, nearest_neighbours
from dlst.errors import DataError

Search: TypeAlias = Literal["exact", "approximate"]

LEAST_RECALL = 0.95
"""Share of the true neighbours that must be found, on average over the rows tried."""

ROWS_TRIED = 500
ROWS_IN_A_CELL = 39
"""Minimum; fewer rows do not determine the centre of a cell well."""

ROWS_OF_A_CENTRE = 64
"""Rows per centre that k-means is trained on."""

_SEED = 0


def index_of(
    rows: FeatureMatrix, search: Search, k: int, queries: FeatureMatrix, own: IntArray
) -> NeighbourIndex:
    """Return the index to search; sparse rows, which have no cells, are searched exactly.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)
    search : {"exact", "approximate"}
    k : int
        Neighbours that will be searched.
    queries : ndarray of shape (m, d)
        Typical queries, each without the row ``own`` (m,), on a sample of which an approximate
        index is tuned.
    """
    if search == "exact" or not isinstance(rows, np.ndarray):
        return NeighbourIndex(rows)
    tried = np.linspace(0, len(own) - 1, min(ROWS_TRIED, len(own))).astype(np.intp)
    return ApproximateIndex(rows).tuned(k, np.asarray(queries)[tried], own[tried])


class ApproximateIndex(NeighbourIndex):
    """Rows in cells: a query searches the nearest cells, and orders what it finds exactly.

    Parameters
    ----------
    rows : ndarray of shape (n, d)

    Attributes
    ----------
    n_looked_into : int
        Cells searched for each query.
    recall : float
        Share of the true neighbours of left-out rows found with that many cells.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(2000, 3))
    >>> index = ApproximateIndex(rows).tuned(10, rows[:50], np.arange(50))
    >>> index.recall >= 0.95, index.nearest(10, rows[:2]).indices.shape
    (True, (2, 10))
    """

    def __init__(self, rows: FloatArray):
        super().__init__(rows)
        self.n_looked_into = 1

    def tuned(self, k: int, queries: FloatArray, own: IntArray) -> ApproximateIndex:
        """Choose the smallest power of two of cells that finds enough neighbours of queries."""
        exact = NeighbourIndex(self.rows).nearest(k, queries, own=own)
        reach = exact.squared_distances[:, -1:]
        while True:
            found = self.nearest(k, queries, own=own)
            # Compared by distance, so that any of several equally near rows counts.
            self.recall = float((found.squared_distances <= reach).mean())
            if self.recall >= LEAST_RECALL or self.n_looked_into >= self._cells.nlist:
                return self
            self.n_looked_into *= 2

    def nearest(
        self,
        k: int,
        queries: FeatureMatrix | None = None,
        *,
        own: IntArray | None = None,
        n_jobs: int | None = None,
    ) -> Neighbours:
        """Find near rows of each query; parameters are those of `nearest_neighbours`."""
        from joblib import effective_n_jobs

        if queries is None:
            queries, own = self.rows, np.arange(len(self.rows))
        queries = np.ascontiguousarray(queries)
        wanted = min(k + (own is not None), len(self.rows))
        _faiss().omp_set_num_threads(effective_n_jobs(n_jobs))
        self._cells.nprobe = min(self.n_looked_into, self._cells.nlist)
        places = self._cells.search(self._centred(queries), wanted)[1]
        # The cells may hold fewer than k rows.
        few = np.flatnonzero((places < 0).any(axis=1))
        owner = np.repeat(np.arange(len(places)), wanted)
        squared = dense_pair_distances(
            queries, self.rows, owner, np.maximum(places, 0).ravel()
        ).reshape(places.shape)
        if own is not None:
            squared[places == own[:, None]] = np.inf
        order = np.lexsort((places, squared), axis=1)[:, :k]
        indices = np.take_along_axis(places, order, axis=1)
        squared = np.take_along_axis(squared, order, axis=1)
        if few.size:
            left_out = None if own is None else own[few]
            found = nearest_neighbours(self.rows, k, queries[few], own=left_out, n_jobs=n_jobs)
            indices[few], squared[few] = found.indices, found.squared_distances
        return Neighbours(indices, squared)

    @cached_property
    def _centre(self) -> FloatArray:
        centre: FloatArray = self.rows.mean(axis=0)
        return centre

    def _centred(self, rows: FloatArray) -> NDArray[np.float32]:
        return np.ascontiguousarray(rows - self._centre, dtype=np.float32)

    @cached_property
    def _cells(self) -> Any:
        """The cells; built in one thread, so that they do not depend on the number of threads."""
        faiss = _faiss()
        faiss.omp_set_num_threads(1)
        n, d = self.rows.shape
        n_cells = max(1, min(int(2 * np.sqrt(n)), n // ROWS_IN_A_CELL))
        cells = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_cells)
        cells.cp.seed, cells.cp.niter = _SEED, 10
        cells.cp.min_points_per_centroid = 1
        cells.cp.max_points_per_centroid = ROWS_OF_A_CENTRE
        rows = self._centred(self.rows)
        cells.train(rows)
        cells.add(rows)
        return cells

    def __getstate__(self) -> dict[str, Any]:
        # Objects of Faiss are not saved; they are rebuilt from the rows in about a second.
        return {"rows": self.rows, "n_looked_into": self.n_looked_into, "recall": self.recall}


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise DataError(
            "an approximate search needs the package faiss. Install it: pip install 'dlst[ann]', "
            "or search exactly."
        ) from error
    return faiss
