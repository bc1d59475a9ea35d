"""Rows in single precision, whose products find candidates for the nearest ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.nearest_tiles import offer
from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst._threads import in_threads, one_blas_thread

TILE_ROWS = 384
"""Products of this many rows with as many, 0.6 MB, stay in the cache while they are read."""

FARTHEST = 1e20
"""Largest squared distance of a query from the centre, over that of the farthest row."""

_UNIT = float(np.finfo(np.float32).eps) / 2
_LEAST = 1e-30


@dataclass(frozen=True, eq=False)
class Candidates:
    """The nearest rows of each of q queries, in single precision.

    Attributes
    ----------
    places : ndarray of shape (q, wanted)
    worst : ndarray of shape (q,)
        q·x − |x|²/2 of the farthest of them.
    squares : ndarray of shape (q,)
        |q|², from the centre; infinite for queries out of the range of single precision.
    scale : float
        Factor by which distances were multiplied.
    n_columns : int
    """

    places: NDArray[np.int32]
    worst: FloatArray
    squares: FloatArray
    scale: float
    n_columns: int

    def are_all(self, block: slice, farthest: FloatArray) -> BoolArray:
        """Return for which queries no other row can be as near as a squared distance."""
        squares = self.squares[block]
        with np.errstate(invalid="ignore"):
            # Another row as near as that would have at least this product, up to rounding, and is
            # no longer than the query and that distance together.
            reach = farthest * self.scale**2
            longest = 2.0 * np.sqrt(squares) + np.sqrt(reach)
            rounding = (self.n_columns + 8) * _UNIT * longest**2 + _LEAST
            return np.asarray(self.worst[block] < 0.5 * (squares - reach) - rounding)


class SingleRows:
    """Rows less their mean, scaled to length 1 at most, in single precision, for products.

    A row x is stored as (x, −|x|²/2, 1). Its product with (y, 1, −|y|²/2) is half the negative
    squared distance, and that with (q, 1, 0) ranks rows by their distance from q.
    """

    def __init__(self, centre: FloatArray, scale: float, rows: NDArray[np.float32]):
        self.centre, self.scale, self.rows = centre, scale, rows

    @property
    def n_columns(self) -> int:
        """Number of columns of the given rows."""
        return int(self.rows.shape[1]) - 2

    @classmethod
    def of(cls, rows: FloatArray) -> SingleRows | None:
        """Return the rows; None if they are all equal, or too far apart."""
        n, d = rows.shape
        centre, squares = rows.mean(axis=0), np.empty(n)
        for block in _tiles(n):
            centred = rows[block] - centre
            squares[block] = np.einsum("ij,ij->i", centred, centred)
        longest = float(squares.max())
        if not 0.0 < longest < np.inf:
            return None
        # A power of two, which rounds nothing.
        scale = float(2.0 ** -np.ceil(0.5 * np.log2(longest)))
        single = cls(centre, scale, np.ones((n, d + 2), dtype=np.float32))
        for block in _tiles(n):
            single.rows[block, :d] = (rows[block] - centre) * scale
        single.rows[:, d] = -0.5 * scale**2 * squares
        return single

    def among_themselves(self, wanted: int, n_jobs: int | None) -> Candidates:
        """Return the candidates of every row, itself excluded; each pair is multiplied once."""
        n, d = len(self.rows), self.n_columns
        blocks = list(_tiles(n))
        values, places = _empty_lists(n, wanted)
        swapped = self.rows.copy()
        swapped[:, d], swapped[:, d + 1] = self.rows[:, d + 1], self.rows[:, d]
        itself, none = np.arange(n), np.full(n, -1)

        def search(pair: tuple[int, int]) -> None:
            left, right = blocks[pair[0]], blocks[pair[1]]
            same = left == right
            offer(
                swapped[left] @ self.rows[right].T,
                left.start,
                right.start,
                (itself if same else none)[left],
                values[left],
                places[left],
                values[right],
                places[right],
                not same,
            )

        with one_blas_thread():
            for pairs in _rounds(len(blocks)):
                list(in_threads(search, pairs, n_jobs))
        squares = -2.0 * self.rows[:, d].astype(np.float64)
        return self._candidates(places, values[:, 0] + 0.5 * squares, squares)

    def of_queries(
        self, queries: FloatArray, own: IntArray, wanted: int, n_jobs: int | None
    ) -> Candidates:
        """Return the candidates of other rows (q, d); ``own`` are left out, -1 for none."""
        shifted = (queries - self.centre) * self.scale
        squares = np.einsum("ij,ij->i", shifted, shifted)
        far = ~(squares < FARTHEST)
        shifted[far], squares[far] = 0.0, np.inf
        single = np.zeros((len(shifted), self.n_columns + 2), np.float32)
        single[:, :-2], single[:, -2] = shifted, 1.0
        values, places = _empty_lists(len(queries), wanted)

        def search(block: slice) -> None:
            for right in _tiles(len(self.rows)):
                offer(
                    single[block] @ self.rows[right].T,
                    block.start,
                    right.start,
                    own[block],
                    values[block],
                    places[block],
                    values[:0],
                    places[:0],
                    False,
                )

        with one_blas_thread():
            list(in_threads(search, _tiles(len(queries)), n_jobs))
        return self._candidates(places, values[:, 0].astype(np.float64), squares)

    def _candidates(
        self, places: NDArray[np.int32], worst: FloatArray, squares: FloatArray
    ) -> Candidates:
        return Candidates(places, worst, squares, self.scale, self.n_columns)


def _empty_lists(n: int, wanted: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    return np.full((n, wanted), -np.inf, np.float32), np.zeros((n, wanted), np.int32)


def _tiles(n: int) -> Iterator[slice]:
    for start in range(0, n, TILE_ROWS):
        yield slice(start, min(start + TILE_ROWS, n))


def _rounds(n: int) -> Iterator[list[tuple[int, int]]]:
    """Pair n blocks, each with itself and with each other once, in rounds as in a tournament.

    No block is twice in a round, so that no two threads write to one list.
    """
    yield [(block, block) for block in range(n)]
    even = n + n % 2
    turning = list(range(1, even))
    for _ in range(even - 1):
        table = [0, *turning]
        pairs = [sorted((table[i], table[-1 - i])) for i in range(even // 2)]
        yield [(low, high) for low, high in pairs if high < n]
        turning = [turning[-1], *turning[:-1]]
