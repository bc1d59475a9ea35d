"""Labels that can rank among the best of their row, found by bounds for most labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
Longs = NDArray[np.int64]

CHUNK = 64
"""Labels without a vote that are excluded together."""


@compiled()
def contending_labels(
    known: Floats,
    handicap: Floats,
    slopes: Floats,
    floors: Floats,
    ceilings: Floats,
    voters: tuple[Integers, ...],
    weights: tuple[Floats, ...],
    totals: Floats,
    n_eff: Floats,
    prior: Floats,
    indptr: Integers,
    indices: Integers,
    margin: float,
    limits: tuple[float, float, float],
    k: int,
) -> tuple[Longs, Longs, Floats]:
    """Find all labels that can be among the k of largest logit less handicap.

    Parameters
    ----------
    known : ndarray of shape (n, K)
        Logits without the votes.
    handicap : ndarray of shape (K,)
    slopes : ndarray of shape (m, K)
        Slopes of the logits of each kind of votes.
    floors, ceilings : ndarray of shape (K,)
        Bounds of what votes add to a label without a vote.
    voters, weights : m ndarrays of shape (n, ·)
    totals, n_eff : ndarrays of shape (m, n)
        Sums of weights, and the numbers of observations that they count as.
    prior : ndarray of shape (K,)
    indptr, indices : labels of the voters, CSR without data
    margin : float
        Votes are clipped to this distance from 0 and 1.
    limits : least, sure, slack
        Logits are at least ``least``; labels above ``sure`` are always kept; other logits are exact
        up to ``slack``.
    k : int

    Returns
    -------
    starts, labels : ndarrays of shape (n + 1,) and (c,)
        CSR of the contenders of each row, in no order.
    given : ndarray of shape (m, c)
        Their sums of votes of each kind.
    """
    least, sure, slack = limits
    n, n_labels = known.shape
    n_kinds = len(voters)
    starts, labels = np.zeros(n + 1, np.int64), np.empty(4 * n * k + n_labels, np.int64)
    given = np.empty((n_kinds, len(labels)))
    sums, met = np.zeros((n_kinds, n_labels)), np.zeros(n_labels, np.bool_)
    ahead = ceilings - handicap + slack
    never_less = least + slack - handicap.min()
    upper, best = np.empty(n_labels), np.empty(k)
    count = 0
    for i in range(n):
        if count + n_labels > len(labels):
            labels = np.concatenate((labels, np.empty(count + n_labels, np.int64)))
            given = np.concatenate((given, np.empty((n_kinds, count + n_labels))), axis=1)
        best[:] = -np.inf
        first = count
        for kind in range(n_kinds):
            for c in range(voters[kind].shape[1]):
                row, weight = voters[kind][i, c], weights[kind][i, c]
                for p in range(indptr[row], indptr[row + 1]):
                    j = indices[p]
                    if not met[j]:
                        met[j] = True
                        labels[count] = j
                        count += 1
                    sums[kind, j] += weight
        for place in range(first, count):
            j = labels[place]
            logit = known[i, j]
            for kind in range(n_kinds):
                worth = n_eff[kind, i]
                vote = (worth * (sums[kind, j] / totals[kind, i]) + prior[j]) / (worth + 1.0)
                vote = min(max(vote, margin), 1.0 - margin)
                logit += slopes[kind, j] * np.log(vote / (1.0 - vote))
            upper[j] = np.inf if logit > sure else max(logit, least) + slack - handicap[j]
            _insert(best, min(max(logit, least), sure) - slack - handicap[j])
        for start in range(0, n_labels, CHUNK):
            here, more = known[i, start : start + CHUNK], ahead[start : start + CHUNK]
            most = ceilings[start : start + CHUNK]
            if best[k - 1] > never_less:
                reached = np.int32(0)
                for c in range(len(here)):
                    reached += np.int32(here[c] + more[c] >= best[k - 1])
                    reached += np.int32(here[c] + most[c] > sure)
                if reached == 0:
                    continue
            for c in range(len(here)):
                j = start + c
                if met[j]:
                    continue
                high, low = here[c] + most[c], here[c] + floors[j]
                upper[j] = np.inf if high > sure else max(high, least) + slack - handicap[j]
                if upper[j] >= best[k - 1]:
                    labels[count] = j
                    count += 1
                    _insert(best, min(max(low, least), sure) - slack - handicap[j])
        last, count = count, first
        for place in range(first, last):
            j = labels[place]
            if upper[j] >= best[k - 1]:
                labels[count] = j
                for kind in range(n_kinds):
                    given[kind, count] = sums[kind, j]
                count += 1
        starts[i + 1] = count
        for kind in range(n_kinds):
            for c in range(voters[kind].shape[1]):
                row = voters[kind][i, c]
                for p in range(indptr[row], indptr[row + 1]):
                    met[indices[p]] = False
                    sums[kind, indices[p]] = 0.0
    return starts, labels[:count].copy(), given[:, :count].copy()


@compiled()
def _insert(best: Floats, value: float) -> None:
    """Insert a value into the largest so far, in descending order, dropping the least."""
    place = len(best) - 1
    if value <= best[place]:
        return
    while place > 0 and best[place - 1] < value:
        best[place] = best[place - 1]
        place -= 1
    best[place] = value
