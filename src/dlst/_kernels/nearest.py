"""The most similar of many rows: of dense codes, and of sparse features; no n × n array."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]


CHUNK = 64
"""Values that are excluded together."""

MANY = 50
"""If more than one in this many values is wanted, they are selected by counting, not comparing."""

Digits: TypeAlias = tuple[Ints, Ints, Ints]
"""Buffers: keys, keys with a common prefix, and counts of each digit, in two lists."""


@compiled()
def _select(
    values: Singles,
    own: int,
    k: int,
    buffer: Singles,
    places: Ints,
    maxima: Singles,
    digits: Digits,
) -> int:
    """Write the k largest values, in their order, to the front of a buffer of more than k.

    Ties by the first. Returns their number.
    """
    if k * MANY > len(values):
        found: int = _select_many(values, own, k, buffer, places, digits)
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
    """Return a lower bound of the ``rank`` largest values, from the maxima of groups."""
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
def _select_many(
    values: Singles, own: int, k: int, buffer: Singles, places: Ints, digits: Digits
) -> int:
    """Do the same as :func:`_select`, in a time that hardly depends on k."""
    keys, near, counts = digits
    bits = values.view(np.int32)
    for c in range(len(bits)):
        # Bits of negative singles sort in reverse order of the values; -0.0 equals 0.0.
        keys[c] = bits[c] if bits[c] >= 0 else -(bits[c] & np.int32(0x7FFFFFFF))
    if own >= 0:
        keys[own] = np.int32(-0x80000000)
    least, wanted = _least_key(keys, k, near, counts)
    count = 0
    for c in range(len(keys)):
        if keys[c] == least:
            if wanted == 0:
                continue
            wanted -= 1
        # No branch, as it would be unpredictable; a value that is not large is overwritten.
        places[count] = c
        count += keys[c] >= least
    for c in range(count):
        buffer[c] = values[places[c]]
    return count


@compiled()
def _least_key(keys: Ints, k: int, near: Ints, counts: Ints) -> tuple[int, int]:
    """Return the least of the k largest keys, and how many equal keys are among them.

    Found digit by digit, by counting the next digit of keys with the same prefix.
    """
    counts[:] = 0
    for c in range(len(keys)):
        # Two lists, as adjacent keys often have the same digit and increments would wait.
        counts[c & 1, (keys[c] >> 21) + 1024] += 1
    for digit in range(counts.shape[1]):
        counts[0, digit] += counts[1, digit]
    digit, wanted = _digit(counts[0], k)
    least, m = digit - 1024, 0
    for c in range(len(keys)):
        near[m] = keys[c]
        m += (keys[c] >> 21) == least
    for low, width in ((10, 11), (0, 10)):
        counts[0] = 0
        for c in range(m):
            counts[0, (near[c] >> low) & ((1 << width) - 1)] += 1
        digit, wanted = _digit(counts[0], wanted)
        least, kept = (least << width) + digit, 0
        for c in range(m):
            near[kept] = near[c]
            kept += (near[c] >> low) == least
        m = kept
    return least, wanted


@compiled()
def _digit(counts: Ints, wanted: int) -> tuple[int, int]:
    """Return the digit of the ``wanted``-th largest key, and its rank among keys of that digit."""
    digit = len(counts) - 1
    while counts[digit] < wanted:
        wanted -= counts[digit]
        digit -= 1
    return digit, wanted


@compiled()
def _digits(n: int, k: int) -> Digits:
    """Allocate the buffers for the keys of n values, if many of them are wanted."""
    m = n if k * MANY > n else 0
    return np.empty(m, np.int32), np.empty(m, np.int32), np.empty((2, 2048), np.int32)


@compiled()
def _groups(n: int, k: int) -> int:
    """Return the number of groups of n values: few, and several times k."""
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

    Ties by the first columns.

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
    digits = _digits(similarities.shape[1], k)
    for i in range(n_rows):
        _select(similarities[i], own[i], k, buffer, places, maxima, digits)
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
        Their range.
    column_starts, column_rows, column_values : CSC of the n rows that are searched
    full : ndarray of shape (m, n)
        Dense copies of columns with many non-zeros, which are added to all sums at once.
    place_of : ndarray of shape (d,) or (0,)
        Place of each column among these; -1 for other columns. Empty: none.
    own : ndarray of shape (queries,)
        A row to leave out; -1 for none.

    Returns
    -------
    rows : ndarray of shape (stop - first, k)
        Ascending; ties by the first rows.
    products : ndarray of the same shape
    """
    n = full.shape[1]
    found = np.empty((stop - first, k), np.int32)
    products = np.empty((stop - first, k), np.float32)
    sums = np.empty(n, np.float32)
    buffer = np.empty(2 * k + 64, np.float32)
    places = np.empty(2 * k + 64, np.int32)
    maxima = np.empty(_groups(n, k), np.float32)
    digits = _digits(n, k)
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
        _select(sums, own[i], k, buffer, places, maxima, digits)
        found[i - first], products[i - first] = places[:k], buffer[:k]
    return found, products
