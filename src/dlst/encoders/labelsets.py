"""The distinct label sets of a label matrix: a code is a function of the set, not of the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import BoolArray, as_indicator


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The m distinct rows of a label matrix, in lexicographic order (0 before 1 before NaN).

    Attributes
    ----------
    sets : csr_array of shape (m, K)
        The distinct label sets; an unknown (NaN) entry is part of the set.
    counts : ndarray of shape (m,)
        How many rows have each set, by weight.
    inverse : ndarray of shape (n,)
        The set of each row.
    first : ndarray of shape (m,)
        The first row with each set.

    Examples
    --------
    >>> found = distinct_label_sets([[0, 1], [1, 1], [0, 1]])
    >>> found.sets.toarray().tolist(), found.counts.tolist(), found.inverse.tolist()
    ([[0.0, 1.0], [1.0, 1.0]], [2, 1], [0, 1, 0])
    """

    sets: sp.csr_array
    counts: NDArray[Any]
    inverse: NDArray[np.intp]
    first: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows that were counted, and labels."""
        return int(self.counts.sum()), int(self.sets.shape[1])

    def find(self, Y: Any) -> NDArray[np.intp]:
        """Return the number of each row's set, -1 for a set that is not here."""
        numbers = {key: number for number, key in enumerate(_keys(self.sets))}
        keys = _keys(as_indicator(Y))
        return np.array([numbers.get(key, -1) for key in keys], dtype=np.intp)


def distinct_label_sets(Y: Any, sample_weight: Any = None) -> LabelSets:
    """Collapse rows with equal labels.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Zeros, ones and NaN (unknown).
    sample_weight : ndarray of shape (n,), optional
        How often each row counts.

    Returns
    -------
    LabelSets

    Examples
    --------
    >>> found = distinct_label_sets([[1, 0], [0, 1], [1, 0]])
    >>> found.sets.toarray()
    array([[0., 1.],
           [1., 0.]])
    >>> found.counts, found.inverse, found.first
    (array([1, 2]), array([1, 0, 1]), array([1, 0]))
    """
    labels = as_indicator(Y)
    keys = _keys(labels)
    first_of: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        first_of.setdefault(key, row)
    ordered = sorted(first_of)
    numbers = {key: number for number, key in enumerate(ordered)}
    inverse = np.array([numbers[key] for key in keys], dtype=np.intp)
    first = np.array([first_of[key] for key in ordered], dtype=np.intp)
    counts = np.bincount(inverse, sample_weight, minlength=len(ordered))
    return LabelSets(sets=labels[first], counts=counts, inverse=inverse, first=first)


def nothing_known(sets: sp.csr_array) -> BoolArray:
    """Mark the rows in which every label is unknown: unlabelled instances."""
    unknown = sp.csr_array((np.isnan(sets.data), sets.indices, sets.indptr), shape=sets.shape)
    return np.asarray(np.asarray(unknown.sum(axis=1)).ravel() == sets.shape[1])


def _keys(labels: sp.csr_array) -> list[bytes]:
    """Map each row to bytes that compare as the dense row would.

    Where two rows first differ, the one with an entry in the earlier column is the greater, and
    NaN is greater than 1; a row that ends is the smaller.
    """
    codes = 2 * (labels.shape[1] - labels.indices.astype(np.int64)) + np.isnan(labels.data)
    stream = codes.astype(">u8").tobytes()
    bounds = (8 * labels.indptr.astype(np.int64)).tolist()
    return [stream[bounds[row] : bounds[row + 1]] for row in range(labels.shape[0])]
