"""The nearest of many rows from tiles of products, each read once while it lies in the cache.

Half the negative squared distance, x·y − |x|²/2 − |y|²/2, is the same from either side, so that
one product serves the lists of both its rows. A list is a heap with its least value in front.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Singles = NDArray[np.float32]

CHUNK = 64
"""Values that are refused together."""


@compiled()
def offer(
    products: Singles,
    left_halves: Singles,
    right_halves: Singles,
    left_first: int,
    right_first: int,
    own: Longs,
    left_values: Singles,
    left_places: Ints,
    right_values: Singles,
    right_places: Ints,
    both: bool,
) -> None:
    """Offer the pairs of a tile to the lists of its left rows, and of its right ones if ``both``.

    Parameters
    ----------
    products : ndarray of shape (l, r)
        Of left and right rows.
    left_halves, right_halves : ndarray of shape (l,) and (r,)
        Half the squared length of each row.
    left_first, right_first : int
        What the first left and right row is called in the lists.
    own : ndarray of shape (l,)
        A right row that is left out of each left row's list; -1 for none.
    left_values, left_places : ndarray of shape (l, wanted)
        The lists, which are changed; -inf where nothing was offered yet.
    right_values, right_places : ndarray of shape (r, wanted)
        Those of the right rows.
    """
    n_left, n_right = products.shape
    least = np.full(n_right, np.float32(np.inf))
    if both:
        least[:] = right_values[:, 0]
    for i in range(n_left):
        row, half, low = products[i], left_halves[i], left_values[i, 0]
        for first in range(0, n_right, CHUNK):
            part = row[first : first + CHUNK]
            halves = right_halves[first : first + CHUNK]
            bounds = least[first : first + CHUNK]
            hits = np.int32(0)
            for c in range(len(part)):
                hits += np.int32(part[c] - half - halves[c] > min(low, bounds[c]))
            if hits == 0:
                continue
            for c in range(len(part)):
                near = part[c] - half - halves[c]
                if near > low and right_first + first + c != own[i]:
                    _replace(left_values[i], left_places[i], near, right_first + first + c)
                    low = left_values[i, 0]
                if near > bounds[c]:
                    other = first + c
                    _replace(right_values[other], right_places[other], near, left_first + i)
                    bounds[c] = right_values[other, 0]


@compiled()
def _replace(values: Singles, places: Ints, value: float, place: int) -> None:
    """Put a value in the place of the least of a heap."""
    size, hole = len(values), 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and values[child + 1] < values[child]:
            child += 1
        if values[child] >= value:
            break
        values[hole], places[hole] = values[child], places[child]
        hole = child
    values[hole], places[hole] = value, place
