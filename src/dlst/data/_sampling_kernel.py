"""Draws in a random order under rules that look at what was drawn before."""

from __future__ import annotations

import numpy as np

from dlst._compiled import compiled
from dlst._matrices import BoolArray, IntArray


@compiled()
def drop_entries(
    rows: IntArray,
    columns: IntArray,
    order: IntArray,
    row_spare: IntArray,
    column_spare: IntArray,
    n_wanted: int,
) -> BoolArray:
    """Mark entries to drop, in the given order, while their row and column can spare one.

    ``row_spare`` and ``column_spare`` say how many entries each may lose; they are used up in
    place. Stops after ``n_wanted`` entries.
    """
    dropped = np.zeros(rows.size, np.bool_)
    n_dropped = 0
    for entry in order:
        if n_dropped == n_wanted:
            break
        row, column = rows[entry], columns[entry]
        if row_spare[row] > 0 and column_spare[column] > 0:
            row_spare[row] -= 1
            column_spare[column] -= 1
            dropped[entry] = True
            n_dropped += 1
    return dropped


@compiled()
def fill_quotas(
    indptr: IntArray, indices: IntArray, order: IntArray, quotas: IntArray
) -> BoolArray:
    """Take rows in the given order if they hold a column that is below its quota.

    ``quotas`` says how many rows of each column are still wanted; it is used up in place and ends
    at or below zero for every column that has enough rows.
    """
    taken = np.zeros(order.size, np.bool_)
    for row in order:
        wanted = False
        for entry in range(indptr[row], indptr[row + 1]):
            wanted = wanted or quotas[indices[entry]] > 0
        if wanted:
            taken[row] = True
            for entry in range(indptr[row], indptr[row + 1]):
                quotas[indices[entry]] -= 1
    return taken
