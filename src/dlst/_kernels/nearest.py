"""The most similar of many rows: of dense codes, and of sparse features; no n × n array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]


CHUNK = 64
"""Values that are refused together."""

MANY = 25
"""Where more than one in so many values is wanted, they are counted, not compared."""

DIGITS = ((21, 11), (10, 11), (0, 10))
"""Where the digits of a key begin, and how many bits they have; the highest first."""


@compiled()
def _select(
    values: Singles, own: int, k: int, buffer: Singles, places: Ints, maxima: Singles
) -> int:
    """Gather the k largest values, in their order, in the front of a buffer of more than k.

    Of equal values the first are taken. Returns their number.
    """
    if k * MANY > len(values):
        found: int = _select_many(values, own, k, buffer, places)
        return found
    least = _bound(values, k + (own >= 0), maxima)
    count = 0
    for first in range(0, len(values), CHUNK):
        part = values[first : first + CHUNK]
        hits = np.int32(0)
        for c in range(len(part)):
            hits += np.int32(part[c] > least)
        if hits == 0:
            continue
        for c in range(len(part)):
            if part[c] <= least or first + c == own:
                continue
            buffer[count], places[count] = part[c], first + c
            count += 1
            if count == len(buffer):
                count, least = _shrink(buffer, places, count, k)
    if count > k:
        count, _ = _shrink(buffer, places, count, k)
    return count


@compiled()
def _bound(values: Singles, rank: int, maxima: Singles) -> np.float32:
    """Return what at least ``rank`` of the values exceed: the largest of as many groups do."""
    groups = len(maxima)
    maxima[:] = values[:groups]
    for first in range(groups, len(values) - groups + 1, groups):
        part = values[first : first + groups]
        for g in range(groups):
            maxima[g] = max(part[g], maxima[g])
    reached = np.partition(maxima, groups - rank)[groups - rank]
    below: np.float32 = np.nextafter(reached, np.float32(-np.inf))
    return below


@compiled()
def _select_many(values: Singles, own: int, k: int, buffer: Singles, places: Ints) -> int:
    """Do what :func:`_select` does, in a time that hardly depends on k."""
    bits = values.view(np.int32)
    least, wanted = _least_key(bits, own, k)
    count = 0
    for c in range(len(bits)):
        key = _key(bits[c])
        if key < least or c == own:
            continue
        if key == least:
            if wanted == 0:
                continue
            wanted -= 1
        buffer[count], places[count] = values[c], c
        count += 1
    return count


@compiled()
def _least_key(bits: Ints, own: int, k: int) -> tuple[int, int]:
    """Return the least key of the k largest values, and how many with that key are among them.

    It is found digit by digit: how many keys that begin like it go on with each.
    """
    least, wanted = 0, k
    counts = np.empty(1 << 11, np.int64)
    for low, width in DIGITS:
        counts[:] = 0
        for c in range(len(bits)):
            key = _key(bits[c])
            if key >> (low + width) == least:
                counts[(key >> low) & ((1 << width) - 1)] += 1
        if own >= 0 and _key(bits[own]) >> (low + width) == least:
            counts[(_key(bits[own]) >> low) & ((1 << width) - 1)] -= 1
        digit = (1 << width) - 1
        while counts[digit] < wanted:
            wanted -= counts[digit]
            digit -= 1
        least = (least << width) + digit
    return least, wanted


@compiled()
def _key(bits: np.int32) -> np.int64:
    """Turn the bits of a single into a number from 0 to 2³² that orders as singles do."""
    if bits < 0:
        # Those below 0 are as their amounts, upside down; -0.0 is 0.0.
        return (np.int64(1) << 31) - (np.int64(bits) & 0x7FFFFFFF)
    return np.int64(bits) + (np.int64(1) << 31)


@compiled()
def _groups(n: int, k: int) -> int:
    """Return in how many groups n values are looked at: few, and several times k."""
    return min(max(4 * (k + 1), n // CHUNK), n)


@compiled()
def _shrink(buffer: Singles, places: Ints, count: int, k: int) -> tuple[int, float]:
    """Keep the k largest of a buffer, in their order, and return k and the least of them."""
    least = np.partition(buffer[:count], count - k)[count - k]
    equal = k
    for c in range(count):
        if buffer[c] > least:
            equal -= 1
    kept = 0
    for c in range(count):
        if buffer[c] == least:
            if equal == 0:
                continue
            equal -= 1
        elif buffer[c] < least:
            continue
        buffer[kept], places[kept] = buffer[c], places[c]
        kept += 1
    return kept, least


@compiled()
def largest(similarities: Singles, own: Longs, k: int) -> Ints:
    """Return the columns of the k largest values of each row, ascending, shape (rows, k).

    Of equal values the first columns are taken.

    Parameters
    ----------
    similarities : ndarray of shape (rows, n)
    own : ndarray of shape (rows,)
        A column to leave out of each row; -1 for none.
    k : int
        At most n, or n - 1 where a column is left out.
    """
    n_rows = similarities.shape[0]
    found = np.empty((n_rows, k), np.int32)
    buffer = np.empty(2 * k + 64, np.float32)
    places = np.empty(2 * k + 64, np.int32)
    maxima = np.empty(_groups(similarities.shape[1], k), np.float32)
    for i in range(n_rows):
        _select(similarities[i], own[i], k, buffer, places, maxima)
        found[i] = places[:k]
    return found


@compiled(fastmath={"contract", "reassoc"})
def nearness(queries: Doubles, rows: Doubles) -> Singles:
    """Return minus the squared distance of each query to each row, shape (queries, n)."""
    found = np.empty((queries.shape[0], rows.shape[0]), np.float32)
    for i in range(queries.shape[0]):
        for c in range(rows.shape[0]):
            total = 0.0
            for f in range(rows.shape[1]):
                difference = queries[i, f] - rows[c, f]
                total += difference * difference
            found[i, c] = -total
    return found


@compiled(fastmath={"contract", "reassoc"})
def listed_distances(queries: Doubles, rows: Doubles, places: Ints) -> Singles:
    """Return the squared distance of each query to the rows listed for it, shape (queries, k)."""
    found = np.empty(places.shape, np.float32)
    for i in range(places.shape[0]):
        for c in range(places.shape[1]):
            row, total = rows[places[i, c]], 0.0
            for f in range(rows.shape[1]):
                difference = queries[i, f] - row[f]
                total += difference * difference
            found[i, c] = total
    return found


@compiled(fastmath={"contract"})
def largest_products(
    indptr: Ints,
    indices: Ints,
    data: Singles,
    first: int,
    stop: int,
    column_starts: Longs,
    column_rows: Ints,
    column_values: Singles,
    full: Singles,
    place_of: Ints,
    own: Longs,
    k: int,
) -> tuple[Ints, Singles]:
    """Return the rows with the k largest products for the sparse queries first … stop - 1.

    Parameters
    ----------
    indptr, indices, data : CSR of the queries
    first, stop : int
        Which of them.
    column_starts, column_rows, column_values : CSC of the n rows that are searched
    full : ndarray of shape (m, n)
        Columns that many rows have a value in, zeros written out: such a column is added to all
        sums at once, sooner than to one after the other.
    place_of : ndarray of shape (d,) or (0,)
        Where each column stands among these; -1 for those that do not. Empty: none does.
    own : ndarray of shape (queries,)
        A row to leave out; -1 for none.

    Returns
    -------
    rows : ndarray of shape (stop - first, k)
        Ascending; of equal products the first rows are taken.
    products : ndarray of the same shape
    """
    n = full.shape[1]
    found = np.empty((stop - first, k), np.int32)
    products = np.empty((stop - first, k), np.float32)
    sums = np.empty(n, np.float32)
    buffer = np.empty(2 * k + 64, np.float32)
    places = np.empty(2 * k + 64, np.int32)
    maxima = np.empty(_groups(n, k), np.float32)
    for i in range(first, stop):
        sums[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            f, x = indices[p], data[p]
            if len(place_of) > 0 and place_of[f] >= 0:
                column = full[place_of[f]]
                for c in range(n):
                    sums[c] += x * column[c]
                continue
            for q in range(column_starts[f], column_starts[f + 1]):
                sums[column_rows[q]] += x * column_values[q]
        _select(sums, own[i], k, buffer, places, maxima)
        found[i - first], products[i - first] = places[:k], buffer[:k]
    return found, products
