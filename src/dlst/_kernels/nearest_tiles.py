"""The nearest of many rows, from tiles of their nearness that are read once, while in the cache.

Half the negative squared distance, x·y − |x|²/2 − |y|²/2, is symmetric, so that one value serves
the lists of both its rows. A list is a heap with its least value in front.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Singles = NDArray[np.float32]

CHUNK = 64
"""Values that are excluded together."""

HALVINGS = 10
"""Attempts to find a threshold of the nearest pairs of a first tile before they are offered."""


@compiled()
def offer(
    tile: Singles,
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
    tile : ndarray of shape (l, r)
        Nearness of left and right rows.
    left_first, right_first : int
        Index of the first left and right row in the lists.
    own : ndarray of shape (l,)
        Right row that is left out of each left row's list; -1 for none.
    left_values, left_places : ndarray of shape (l, wanted)
        The lists, updated in place; -inf in empty places.
    right_values, right_places : ndarray of shape (r, wanted)
        Those of the right rows.
    """
    n_left, n_right = tile.shape
    least = np.full(n_right, np.float32(np.inf))
    if both:
        least[:] = right_values[:, 0]
    for i in range(n_left):
        low = left_values[i, 0]
        floor = low
        if low == -np.inf:
            low = floor = _exceeded(tile[i], left_values.shape[1] + 1)
        for first in range(0, n_right, CHUNK):
            part, bounds = tile[i, first : first + CHUNK], least[first : first + CHUNK]
            hits = np.int32(0)
            for c in range(len(part)):
                hits += np.int32(part[c] > min(low, bounds[c]))
            if hits == 0:
                continue
            for c in range(len(part)):
                near = part[c]
                if near <= min(low, bounds[c]):
                    continue
                if near > low and right_first + first + c != own[i]:
                    _replace(left_values[i], left_places[i], near, right_first + first + c)
                    low = max(left_values[i, 0], floor)
                if near > bounds[c]:
                    other = first + c
                    _replace(right_values[other], right_places[other], near, left_first + i)
                    bounds[c] = right_values[other, 0]


@compiled(fastmath={"nnan", "nsz"})
def _exceeded(row: Singles, wanted: int) -> Any:
    """Return a threshold that the wanted number of values of a row exceed, and few more."""
    low, high = row[0], row[0]
    for near in row:
        low, high = min(low, near), max(high, near)
    low = np.nextafter(low, np.float32(-np.inf))
    for _ in range(HALVINGS):
        middle = np.float32(0.5) * (low + high)
        above = np.int32(0)
        for near in row:
            above += np.int32(near > middle)
        if above < wanted:
            high = middle
        else:
            low = middle
            if above < 2 * wanted:
                break
    return low


@compiled()
def _replace(values: Singles, places: Ints, value: float, place: int) -> None:
    """Replace the least value of a heap."""
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


@compiled()
def first_in_order(
    squared: NDArray[np.float64], places: Ints, k: int
) -> tuple[Longs, NDArray[np.float64]]:
    """Return the first k of each row of candidates by distance, then by place, both (rows, k)."""
    found = np.empty((len(squared), k), np.int64)
    distances = np.empty((len(squared), k))
    for i in range(len(squared)):
        count = 0
        for c in range(squared.shape[1]):
            distance, place = squared[i, c], places[i, c]
            at = count
            while at > 0 and (
                distances[i, at - 1] > distance
                or (distances[i, at - 1] == distance and found[i, at - 1] > place)
            ):
                if at < k:
                    distances[i, at], found[i, at] = distances[i, at - 1], found[i, at - 1]
                at -= 1
            if at < k:
                distances[i, at], found[i, at] = distance, place
                count = min(count + 1, k)
    return found, distances
