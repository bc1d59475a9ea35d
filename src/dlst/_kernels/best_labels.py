"""The best labels by score, ties by the lowest label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Integers = NDArray[np.integer]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled()
def insert_label(best: NDArray[Any], labels: Longs, score: Any, label: int) -> None:
    """Insert a label into the sorted best so far, dropping the last of them."""
    place = len(best) - 1
    if score < best[place] or (score == best[place] and label > labels[place]):
        return
    while place > 0 and (
        score > best[place - 1] or (score == best[place - 1] and label < labels[place - 1])
    ):
        best[place], labels[place] = best[place - 1], labels[place - 1]
        place -= 1
    best[place], labels[place] = score, label


@compiled()
def best_of_rows(
    starts: Integers, labels: Integers, scores: Floats, k: int
) -> tuple[Longs, Floats]:
    """Return labels and scores of the k best entries of each CSR row, best first, both (n, k).

    Each row has at least k; for small k.
    """
    n = len(starts) - 1
    found, best = np.full((n, k), np.iinfo(np.int64).max), np.full((n, k), -np.inf)
    for i in range(n):
        best_here, found_here = best[i], found[i]
        for p in range(starts[i], starts[i + 1]):
            if scores[p] >= best_here[-1]:
                insert_label(best_here, found_here, scores[p], labels[p])
    return found, best
