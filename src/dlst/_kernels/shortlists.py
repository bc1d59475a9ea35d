"""Lists of labels: those of near rows, and those with the best scores.

There may be very many labels, so that no step is done for every pair of row and label: a row visits
the labels of its near rows and those that its features have weights for, and arrays with an entry
per label are reset only where it changed them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._kernels.best_labels import insert_label

Bools = NDArray[np.bool_]
Integers = NDArray[np.integer]
Longs = NDArray[np.int64]
Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

LOG_CHUNK = 7
CHUNK = 1 << LOG_CHUNK
"""Labels whose scores are searched and reset together if one of them was touched."""


@compiled(fastmath={"contract"})
def shortlists(
    votes: tuple[Floats, ...],
    voters: tuple[Integers, ...],
    label_starts: Integers,
    labels_of: Integers,
    rows: tuple[Integers, Integers, Singles],
    weights: tuple[Integers, Integers, Singles],
    offset: Singles,
    by_offset: Integers,
    n_best: int,
) -> tuple[Longs, Longs, Floats, Singles]:
    """List the labels of voters and those with the best scores, offset + X W, of each row.

    Parameters
    ----------
    votes, voters : tuples of ndarrays of shape (n, k)
        One array for each kind of voters; k may differ.
    label_starts, labels_of : labels of the voters, CSR without data
    rows, weights : CSR of X (n, d) and of W (d, K)
    offset : ndarray of shape (K,)
        Scores of labels that a row has no weights for.
    by_offset : ndarray of shape (K,)
        Labels, largest offset first, equal ones in their order.
    n_best : int
        Number of labels that are listed by score, ties by the lowest label; at most K.

    Returns
    -------
    starts, labels : ndarrays of shape (n + 1,) and (m,)
        CSR of the lists, in the order in which labels were found.
    given : ndarray of shape (kinds, m)
        Sums of the votes of each kind.
    scores : ndarray of shape (m,)
    """
    n, n_kinds, n_labels = len(voters[0]), len(voters), len(offset)
    most = n * n_best
    for kind in range(n_kinds):
        for i in range(n):
            for voter in voters[kind][i]:
                most += label_starts[voter + 1] - label_starts[voter]
    starts, labels = np.zeros(n + 1, np.int64), np.empty(most, np.int64)
    given, scores = np.zeros((n_kinds, most)), np.empty(most, np.float32)
    place, sums = np.full(n_labels, -1), offset.copy()
    touched = np.zeros(n_labels // CHUNK + 1, np.bool_)
    # One extra place: a chunk that was found before is written behind the last.
    chunks = np.empty(len(touched) + 1, np.int64)
    best, best_labels = np.empty(n_best, np.float32), np.empty(n_best, np.int64)
    count = 0
    for i in range(n):
        n_chunks = _add_scores(i, rows, weights, sums, touched, chunks)
        if n_best > 0:
            _find_best(sums, chunks[:n_chunks], touched, offset, by_offset, best, best_labels)
        for kind in range(n_kinds):
            for c in range(voters[kind].shape[1]):
                voter, vote = voters[kind][i, c], votes[kind][i, c]
                for p in range(label_starts[voter], label_starts[voter + 1]):
                    count = _list(labels_of[p], place, labels, count)
                    given[kind, place[labels_of[p]]] += vote
        for label in best_labels:
            count = _list(label, place, labels, count)
        starts[i + 1] = count
        for q in range(starts[i], count):
            place[labels[q]] = -1
            scores[q] = sums[labels[q]]
        _wipe(sums, chunks[:n_chunks], touched, offset)
    return starts, labels[:count], given[:, :count], scores[:count]


@compiled(fastmath={"contract"})
def _add_scores(
    i: int,
    rows: tuple[Integers, Integers, Singles],
    weights: tuple[Integers, Integers, Singles],
    sums: Singles,
    touched: Bools,
    chunks: Longs,
) -> int:
    """Add a row's scores to the offsets; write the chunks touched, and return their number."""
    row_starts, features, values = rows
    weight_starts, weight_labels, weight_values = weights
    count = 0
    for p in range(row_starts[i], row_starts[i + 1]):
        feature, value = features[p], values[p]
        for q in range(weight_starts[feature], weight_starts[feature + 1]):
            label = weight_labels[q]
            sums[label] += value * weight_values[q]
            chunk = label >> LOG_CHUNK
            # No branch, as it would be unpredictable whether a chunk is new.
            chunks[count] = chunk
            count += not touched[chunk]
            touched[chunk] = True
    return count


@compiled()
def _wipe(sums: Singles, chunks: Longs, touched: Bools, offset: Singles) -> None:
    """Reset touched chunks to the offsets."""
    for chunk in chunks:
        part = sums[chunk * CHUNK : chunk * CHUNK + CHUNK]
        untouched = offset[chunk * CHUNK : chunk * CHUNK + CHUNK]
        for c in range(len(part)):
            part[c] = untouched[c]
        touched[chunk] = False


@compiled()
def _find_best(
    sums: Singles,
    chunks: Longs,
    touched: Bools,
    offset: Singles,
    by_offset: Integers,
    best: Singles,
    labels: Longs,
) -> None:
    """Find the labels with the best scores, in touched chunks and by offset among all others."""
    best[:], labels[:] = -np.inf, len(offset)
    for chunk in chunks:
        part = sums[chunk * CHUNK : chunk * CHUNK + CHUNK]
        least, hits = best[-1], np.int32(0)
        for c in range(len(part)):
            hits += np.int32(part[c] >= least)
        if hits == 0:
            continue
        for c in range(len(part)):
            if part[c] >= least:
                insert_label(best, labels, part[c], chunk * CHUNK + c)
                least = best[-1]
    for label in by_offset:
        if offset[label] < best[-1]:
            return
        if not touched[label >> LOG_CHUNK]:
            insert_label(best, labels, offset[label], label)


@compiled()
def _list(label: int, place: Longs, labels: Longs, count: int) -> int:
    """Append a label to the list unless it is there; return the length of the list."""
    if place[label] < 0:
        place[label], labels[count] = count, label
        return count + 1
    return count
