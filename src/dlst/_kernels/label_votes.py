"""Votes of near rows on the labels that they have, added up without sparse products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Integers = NDArray[np.integer]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled()
def label_sums(
    weights: Floats,
    voters: Integers,
    indptr: Integers,
    indices: Integers,
    data: Floats,
    n_labels: int,
) -> Floats:
    """Add up the CSR rows of voters (n, k) by weight, shape (n, n_labels)."""
    sums = np.zeros((len(voters), n_labels))
    for i in range(len(voters)):
        for c in range(voters.shape[1]):
            row, weight = voters[i, c], weights[i, c]
            for p in range(indptr[row], indptr[row + 1]):
                sums[i, indices[p]] += weight * data[p]
    return sums


@compiled()
def label_counts(voters: Integers, indptr: Integers, indices: Integers, n_labels: int) -> Longs:
    """Count the voters (n, k) that have each label, of CSR rows without data; (n, n_labels)."""
    counts = np.zeros((len(voters), n_labels), np.int64)
    for i in range(len(voters)):
        for row in voters[i]:
            for p in range(indptr[row], indptr[row + 1]):
                counts[i, indices[p]] += 1
    return counts
