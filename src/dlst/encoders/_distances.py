"""Distances between label sets, as the readings of the paper's d have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._kernels.label_distances import (
    COSINE,
    EUCLIDEAN,
    NORMALIZED,
    SQUARED,
    complete_distances,
    pack_labels,
    partial_distances,
)
from dlst._matrices import FloatArray

DISTANCES = {
    "sqeuclidean": SQUARED,
    "hamming": SQUARED,
    "euclidean": EUCLIDEAN,
    "normalized": NORMALIZED,
    "cosine": COSINE,
}
"""The readings of the paper's d; for binary labels the squared distance is the Hamming distance."""


class LabelDistances:
    """Distances from any label sets to a fixed list of them, block by block.

    Parameters
    ----------
    sets : csr_array of shape (m, K)
    distance : str
        A key of ``DISTANCES``.
    stranger : float
        The distance of two sets that have no known label in common.
    """

    def __init__(self, sets: sp.csr_array, distance: str, stranger: float = np.nan):
        self.n_labels = int(sets.shape[1])
        self.kind = DISTANCES[distance]
        self.root = self.kind == EUCLIDEAN
        self.stranger = stranger
        self.ones, self.unknown = _bits(sets)

    def within(self, rows: slice, columns: slice) -> FloatArray:
        """Distances between two runs of the list itself."""
        return self._distances(self.ones[rows], self.unknown[rows], columns)

    def to(self, sets: sp.csr_array) -> FloatArray:
        """Distances from other sets to the whole list."""
        return self._distances(*_bits(sets), slice(None))

    @property
    def complete(self) -> bool:
        """Whether every label of every set is known."""
        return not self.unknown.any()

    def _distances(self, ones: Any, unknown: Any, columns: slice) -> FloatArray:
        others, others_unknown = self.ones[columns], self.unknown[columns]
        if unknown.any() or others_unknown.any():
            return np.asarray(
                partial_distances(
                    ones, unknown, others, others_unknown, self.kind, self.n_labels, self.stranger
                )
            )
        return np.asarray(complete_distances(ones, others, self.kind, self.n_labels))


def _bits(sets: sp.csr_array) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    indptr, indices = sets.indptr.astype(np.int64), sets.indices.astype(np.int64)
    unknown = np.isnan(sets.data)
    n_words = -(-sets.shape[1] // 64)
    return (
        pack_labels(indptr, indices, ~unknown, n_words),
        pack_labels(indptr, indices, unknown, n_words),
    )
