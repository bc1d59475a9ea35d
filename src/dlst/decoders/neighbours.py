"""Exact nearest neighbours, ties by the lowest index, for dense and sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms
from sklearn.utils.parallel import Parallel, delayed

from dlst._distances import squared_distances
from dlst._kernels.pair_distances import dense_pair_distances, sparse_pair_distances
from dlst._matrices import FeatureMatrix, FloatArray, IntArray

BLOCK_ENTRIES = 4_000_000
"""Distances in memory at once for each job: 32 MB."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest rows of each query, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n_queries, k)
        Indices of the rows searched.
    squared_distances : ndarray of shape (n_queries, k)
    """

    indices: IntArray
    squared_distances: FloatArray


def nearest_neighbours(
    searched: FeatureMatrix,
    n_neighbors: int,
    queries: FeatureMatrix | None = None,
    *,
    own: IntArray | None = None,
    n_jobs: int | None = None,
) -> Neighbours:
    """Find the nearest rows of each query by Euclidean distance, exactly.

    A fast pass (the expansion of the square) keeps every row that may be among the
    nearest; these are then ordered by distances computed from differences, equal distances by the
    lowest index. The result depends neither on the number of jobs nor on the order of equal rows.

    Parameters
    ----------
    searched : ndarray or csr_array of shape (n, d)
    n_neighbors : int
        Below n when a query has an own row, at most n otherwise.
    queries : ndarray or csr_array of shape (n_queries, d), optional
        By default the rows searched, each without itself.
    own : ndarray of shape (n_queries,), optional
        For each query, the searched row that is left out.
    n_jobs : int, optional
        Threads over blocks of queries, as in scikit-learn.

    Returns
    -------
    Neighbours

    Examples
    --------
    >>> found = nearest_neighbours(np.array([[0.0], [1.0], [3.0], [1.0]]), 2)
    >>> found.indices
    array([[1, 3],
           [3, 0],
           [1, 3],
           [1, 0]])
    """
    n = searched.shape[0]
    if queries is None:
        queries, own = searched, np.arange(n)
    if sp.issparse(queries) != sp.issparse(searched):
        queries, searched = sp.csr_array(queries), sp.csr_array(searched)
    if not 1 <= n_neighbors <= n - (own is not None):
        raise ValueError(
            f"n_neighbors must be below n_samples; got n_neighbors={n_neighbors} with "
            f"n_samples={n}. Lower n_neighbors or add samples."
        )
    squared_norms = row_norms(searched, squared=True)

    def search(block: slice) -> tuple[IntArray, FloatArray]:
        left_out = None if own is None else own[block]
        return _search_block(searched, squared_norms, queries[block], left_out, n_neighbors)

    return in_blocks(search, row_blocks(queries.shape[0], n), n_neighbors, n_jobs)


def in_blocks(
    search: Callable[[slice], tuple[IntArray, FloatArray]],
    blocks: Iterable[slice],
    k: int,
    n_jobs: int | None,
) -> Neighbours:
    """Search blocks of queries, in threads if there are several blocks."""
    every = list(blocks)
    if len(every) == 1:
        # A single row must not wait for threads to start.
        return Neighbours(*search(every[0]))
    n = every[-1].stop if every else 0
    found = Neighbours(np.empty((n, k), np.int64), np.empty((n, k)))

    def write(block: slice) -> None:
        found.indices[block], found.squared_distances[block] = search(block)

    Parallel(n_jobs=n_jobs, prefer="threads")(delayed(write)(block) for block in every)
    return found


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut rows into blocks of about ``BLOCK_ENTRIES`` entries."""
    step = max(1, BLOCK_ENTRIES // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def _search_block(
    searched: FeatureMatrix,
    squared_norms: FloatArray,
    queries: FeatureMatrix,
    own: IntArray | None,
    k: int,
) -> tuple[IntArray, FloatArray]:
    fast = squared_distances(queries, searched, squared_norms)
    if own is not None:
        fast[np.arange(len(own)), own] = np.inf
    cut = np.partition(fast, k - 1, axis=1)[:, k - 1]
    # Rounding of the expansion grows with the norms; a neighbour's norm is bounded by the query's
    # and the distance between them.
    slack = 1e-11 * (row_norms(queries, squared=True) + cut)
    rows, columns = np.nonzero(fast <= (cut + slack)[:, None])
    distances = _pair_distances(queries, searched, rows, columns)
    order = np.lexsort((columns, distances, rows))
    first = np.searchsorted(rows, np.arange(queries.shape[0]))
    taken = order[first[:, None] + np.arange(k)]
    return columns[taken], distances[taken]


def _pair_distances(
    queries: FeatureMatrix, searched: FeatureMatrix, rows: IntArray, columns: IntArray
) -> FloatArray:
    distances: FloatArray
    if sp.issparse(queries):
        left, right = _csr_parts(queries), _csr_parts(searched)
        distances = sparse_pair_distances(*left, *right, rows, columns)
    else:
        distances = dense_pair_distances(
            np.ascontiguousarray(queries), np.ascontiguousarray(searched), rows, columns
        )
    return distances


def _csr_parts(matrix: FeatureMatrix) -> tuple[IntArray, IntArray, FloatArray]:
    rows = sp.csr_array(matrix)
    rows.sort_indices()
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data
