"""Distances between label sets, from bits: 64 labels a machine word, unknown labels left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

SQUARED, EUCLIDEAN, NORMALIZED, COSINE = 0, 1, 2, 3
"""Labels that differ; its root; its share of the labels; one minus the cosine."""

Bits = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled()
def pack_labels(indptr: Ints, indices: Ints, marked: NDArray[np.bool_], n_words: int) -> Bits:
    """Set a bit for every marked entry of a CSR pattern; shape (m, n_words)."""
    n_rows = indptr.size - 1
    bits = np.zeros((n_rows, n_words), np.uint64)
    for row in range(n_rows):
        for entry in range(indptr[row], indptr[row + 1]):
            if marked[entry]:
                label = indices[entry]
                bits[row, label >> 6] |= np.uint64(1) << np.uint64(label & 63)
    return bits


@compiled()
def complete_distances(ones: Bits, other_ones: Bits, kind: int, n_labels: int) -> Floats:
    """Distances between fully known sets.

    Parameters
    ----------
    ones, other_ones : ndarray of uint64, shapes (a, n_words) and (b, n_words)
        The labels present.
    kind : int
        ``SQUARED``, ``EUCLIDEAN``, ``NORMALIZED`` or ``COSINE``.
    n_labels : int
        K, for ``NORMALIZED``.

    Returns
    -------
    ndarray of shape (a, b)
    """
    n_rows, n_columns = ones.shape[0], other_ones.shape[0]
    sizes, other_sizes = _sizes(ones), _sizes(other_ones)
    out = np.empty((n_rows, n_columns))
    for i in range(n_rows):
        for j in range(n_columns):
            shared = 0
            for word in range(ones.shape[1]):
                shared += _count_bits(ones[i, word] & other_ones[j, word])
            out[i, j] = _distance(sizes[i], other_sizes[j], shared, n_labels, n_labels, kind)
    return out


@compiled()
def partial_distances(
    ones: Bits,
    unknown: Bits,
    other_ones: Bits,
    other_unknown: Bits,
    kind: int,
    n_labels: int,
    stranger: float,
) -> Floats:
    """Distances between sets over the labels known in both, scaled up to all K labels.

    Parameters
    ----------
    ones, unknown, other_ones, other_unknown : ndarray of uint64
        Labels present and labels unknown, in bits.
    kind, n_labels : int
        As in :func:`complete_distances`.
    stranger : float
        The distance of two sets that have no known label in common.

    Returns
    -------
    ndarray of shape (a, b)
    """
    n_rows, n_columns = ones.shape[0], other_ones.shape[0]
    out = np.empty((n_rows, n_columns))
    for i in range(n_rows):
        for j in range(n_columns):
            shared, size, other_size, hidden = 0, 0, 0, 0
            for word in range(ones.shape[1]):
                veil = unknown[i, word] | other_unknown[j, word]
                shared += _count_bits(ones[i, word] & other_ones[j, word])
                size += _count_bits(ones[i, word] & ~veil)
                other_size += _count_bits(other_ones[j, word] & ~veil)
                hidden += _count_bits(veil)
            known = n_labels - hidden
            if known == 0:
                out[i, j] = stranger
            else:
                out[i, j] = _distance(size, other_size, shared, known, n_labels, kind)
    return out


@compiled()
def _distance(
    size: int, other_size: int, shared: int, known: int, n_labels: int, kind: int
) -> float:
    if kind == COSINE:
        # Half the squared distance of the unit vectors. The empty set has no direction: it stays
        # at the origin, 1/2 from every other set, nearer than two disjoint sets are.
        ends = 0.5 * (int(size > 0) + int(other_size > 0))
        if shared == 0:
            return ends
        return max(ends - shared / float(np.sqrt(float(size) * other_size)), 0.0)
    different = float(size + other_size - 2 * shared)
    if kind == NORMALIZED:
        return different / known
    if known != n_labels:
        different *= n_labels / known
    return float(np.sqrt(different)) if kind == EUCLIDEAN else different


@compiled()
def _sizes(bits: Bits) -> Ints:
    sizes = np.zeros(bits.shape[0], np.int64)
    for row in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            sizes[row] += _count_bits(bits[row, word])
    return sizes


@compiled()
def _count_bits(word: np.uint64) -> int:
    # Sums of neighbouring bits, pairs, nibbles, bytes; LLVM knows the pattern as one instruction.
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56)))
