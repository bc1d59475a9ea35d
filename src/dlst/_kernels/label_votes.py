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


@compiled()
def listed_sums(
    weights: tuple[Floats, Floats],
    voters: tuple[Integers, Integers],
    named: Integers,
    indptr: Integers,
    indices: Integers,
    n_labels: int,
) -> tuple[Longs, Longs, Floats, Floats]:
    """Add up what two kinds of voters give to the labels that any of them has, or that are named.

    Parameters
    ----------
    weights, voters : pairs of ndarrays of shape (n, k)
        k may differ.
    named : ndarray of shape (n, m)
        Labels that are listed whether or not a voter has them.
    indptr, indices : labels of the voters, CSR without data
    n_labels : int

    Returns
    -------
    starts, labels : ndarrays of shape (n + 1,) and (m,)
        CSR of the labels of each row, in the order in which they were met.
    first, second : ndarrays of shape (m,)
        What voters of each kind gave.
    """
    n = len(voters[0])
    most = named.size
    for kind in range(2):
        for i in range(n):
            for row in voters[kind][i]:
                most += indptr[row + 1] - indptr[row]
    starts, labels = np.zeros(n + 1, np.int64), np.empty(most, np.int64)
    sums = np.zeros((2, most))
    place = np.full(n_labels, -1)
    count = 0
    for i in range(n):
        for kind in range(2):
            for c in range(voters[kind].shape[1]):
                row = voters[kind][i, c]
                for p in range(indptr[row], indptr[row + 1]):
                    label = indices[p]
                    if place[label] < 0:
                        place[label] = count
                        labels[count] = label
                        count += 1
                    sums[kind, place[label]] += weights[kind][i, c]
        for label in named[i]:
            if place[label] < 0:
                place[label] = count
                labels[count] = label
                count += 1
        starts[i + 1] = count
        for q in range(starts[i], count):
            place[labels[q]] = -1
    return starts, labels[:count], sums[0, :count], sums[1, :count]
