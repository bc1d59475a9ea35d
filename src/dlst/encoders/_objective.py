"""KL divergence between the pair distributions of label sets and codes, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._kernels.alignment import code_kernels, pair_forces, pair_sums
from dlst._kernels.label_distances import (
    COSINE,
    EUCLIDEAN,
    NORMALIZED,
    SQUARED,
    complete_distances,
    pack_labels,
    partial_distances,
)
from dlst._matrices import as_indicator
from dlst.encoders.labelsets import nothing_known

FloatArray = NDArray[np.float64]

DISTANCES = {
    "sqeuclidean": SQUARED,
    "hamming": SQUARED,
    "euclidean": EUCLIDEAN,
    "normalized": NORMALIZED,
    "cosine": COSINE,
}
"""The readings of the paper's d; for binary labels the squared distance is the Hamming distance."""

BLOCK = 256
"""Sets in a block of pairs, which then fits a core's cache: half a megabyte."""

HELD_PAIRS = 4_000_000
"""Up to so many pairs are held in memory, twice 32 MB; more are computed anew when needed."""


def kl_divergence(
    Y: Any, codes: Any, *, weights: Any = None, distance: str = "sqeuclidean"
) -> tuple[float, FloatArray]:
    """KL divergence KL(Q || U) of code pairs U from label pairs Q, in nats, and its gradient.

    Q and U spread one unit of mass over the ordered pairs of different instances, in proportion to
    1 / (1 + d) with d the distance of their labels or of their codes.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Labels; NaN entries are left out of the comparison, rows of nothing else altogether.
    codes : array-like of shape (n, r)
        One code for each row of ``Y``.
    weights : array-like of shape (n,), optional
        How many instances each row stands for; default one.
    distance : {"sqeuclidean", "hamming", "euclidean", "normalized", "cosine"}
        See :class:`DistributionEncoder`.

    Returns
    -------
    value : float
    gradient : ndarray of shape (n, r)

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> value, gradient = kl_divergence([[0, 0], [0, 1], [1, 1]], [[0.0], [1.0], [1.0]])
    >>> round(value, 4)
    0.0442
    """
    labels = as_indicator(Y)
    counts = np.ones(labels.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
    return PairAlignment(labels, counts, distance).value_and_gradient(
        np.asarray(codes, dtype=np.float64)
    )


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
        self._ones, self._unknown = _bits(sets)

    def within(self, rows: slice, columns: slice) -> FloatArray:
        """Distances between two runs of the list itself."""
        return self._distances(self._ones[rows], self._unknown[rows], columns)

    def to(self, sets: sp.csr_array) -> FloatArray:
        """Distances from other sets to the whole list."""
        return self._distances(*_bits(sets), slice(None))

    @property
    def complete(self) -> bool:
        """Whether every label of every set is known."""
        return not self._unknown.any()

    def _distances(self, ones: Any, unknown: Any, columns: slice) -> FloatArray:
        others, others_unknown = self._ones[columns], self._unknown[columns]
        if unknown.any() or others_unknown.any():
            return np.asarray(
                partial_distances(
                    ones, unknown, others, others_unknown, self.kind, self.n_labels, self.stranger
                )
            )
        return np.asarray(complete_distances(ones, others, self.kind, self.n_labels))


class PairAlignment:
    """The objective of the encoder, collapsed to weighted label sets.

    Parameters
    ----------
    sets : csr_array of shape (m, K)
    weights : ndarray of shape (m,)
        Instances with each set; a set of which nothing is known takes no part.
    distance : str
        A key of ``DISTANCES``.

    Attributes
    ----------
    label_mass : float
        Sum of 1/(1+d) over the ordered pairs of different instances: the normaliser of Q.
    heaviest : float
        Largest share of Q that the pairs of one instance have.
    """

    def __init__(self, sets: sp.csr_array, weights: FloatArray, distance: str):
        self.weights = weights = np.where(nothing_known(sets), 0.0, weights)
        self.distances = LabelDistances(sets, distance)
        if not self.distances.complete:
            self.distances.stranger = self._mean_distance()
        self._held = len(weights) ** 2 <= 2 * HELD_PAIRS
        self._wanted = _Blocks(self.distances.within, self._held)
        # Instances with one label set are pairs at distance zero, whatever the codes.
        row_mass = np.maximum(weights - 1.0, 0.0)
        for rows, columns in _blocks(len(weights)):
            kernel = 1.0 / (1.0 + self._wanted.at(rows, columns))
            if rows == columns:
                np.fill_diagonal(kernel, 0.0)
            else:
                row_mass[columns] += kernel.T @ weights[rows]
            row_mass[rows] += kernel @ weights[columns]
        self.label_mass = float(weights @ row_mass)
        self.heaviest = float(row_mass.max()) / self.label_mass if self.label_mass else 1.0

    def value_and_gradient(self, codes: FloatArray) -> tuple[float, FloatArray]:
        """KL divergence and its gradient in the codes, shape (m, r).

        The gradient of code a is 4 sum_b w_a w_b (q_ab - u_ab) (1+d_ab)^-1 d'(s) (z_a - z_b), with
        d'(s) the slope of d in the squared distance: 1 for squared distances.
        """
        if self.label_mass == 0.0:
            return 0.0, np.zeros_like(codes)
        kernels = _Blocks(self._code_kernels(codes), self._held)
        log_ratio, gap = self._sums(kernels)
        value = log_ratio / self.label_mass + np.log1p(gap / self.label_mass)
        force = self._forces(codes, kernels, self.label_mass + gap)
        return float(value), 4.0 * (force[:, -1:] * codes - force[:, :-1])

    def code_mass(self, codes: FloatArray) -> float:
        """Sum of 1/(1+d) over the ordered pairs of different instances: the normaliser of U."""
        return self.label_mass + self._sums(_Blocks(self._code_kernels(codes), held=False))[1]

    def _code_kernels(self, codes: FloatArray) -> Callable[[slice, slice], FloatArray]:
        squares = np.einsum("ij,ij->i", codes, codes)

        def block(rows: slice, columns: slice) -> FloatArray:
            kernel = codes[rows] @ codes[columns].T
            code_kernels(kernel, squares[rows], squares[columns], self.distances.root)
            return np.asarray(kernel)

        return block

    def _sums(self, kernels: _Blocks) -> tuple[float, float]:
        log_ratio = gap = 0.0
        for rows, columns in _blocks(len(self.weights)):
            same = rows == columns
            block_log_ratio, block_gap = pair_sums(
                kernels.at(rows, columns),
                self._wanted.at(rows, columns),
                self.weights[rows],
                self.weights[columns],
                same,
            )
            times = 1.0 if same else 2.0
            log_ratio += times * block_log_ratio
            gap += times * block_gap
        return log_ratio, gap

    def _forces(self, codes: FloatArray, kernels: _Blocks, code_mass: float) -> FloatArray:
        # A column of ones makes the row sums part of the same matrix product.
        padded = np.column_stack([codes, np.ones(len(codes))])
        force = np.zeros_like(padded)
        for rows, columns in _blocks(len(codes)):
            same = rows == columns
            block = kernels.at(rows, columns)
            pair_forces(
                block,
                self._wanted.at(rows, columns),
                self.weights[rows],
                self.weights[columns],
                self.label_mass,
                code_mass,
                same,
                self.distances.root,
            )
            force[rows] += block @ padded[columns]
            if not same:
                force[columns] += block.T @ padded[rows]
        return force

    def _mean_distance(self) -> float:
        total = pairs = 0.0
        for rows, columns in _blocks(len(self.weights)):
            distances = self.distances.within(rows, columns)
            weights = np.outer(self.weights[rows], self.weights[columns])
            if rows == columns:
                np.fill_diagonal(weights, self.weights[rows] * (self.weights[rows] - 1.0))
            weights *= ~np.isnan(distances)
            times = 1.0 if rows == columns else 2.0
            total += times * float(np.nansum(weights * distances))
            pairs += times * float(weights.sum())
        return total / pairs if pairs else 0.0


class _Blocks:
    """Blocks of a matrix of pairs, kept or made anew each time they are asked for."""

    def __init__(self, make: Callable[[slice, slice], FloatArray], held: bool):
        self._make = make
        self._kept: dict[tuple[int, int], FloatArray] | None = {} if held else None

    def at(self, rows: slice, columns: slice) -> FloatArray:
        if self._kept is None:
            return self._make(rows, columns)
        place = (rows.start, columns.start)
        if place not in self._kept:
            self._kept[place] = self._make(rows, columns)
        return self._kept[place]


def _bits(sets: sp.csr_array) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    indptr, indices = sets.indptr.astype(np.int64), sets.indices.astype(np.int64)
    unknown = np.isnan(sets.data)
    n_words = -(-sets.shape[1] // 64)
    return (
        pack_labels(indptr, indices, ~unknown, n_words),
        pack_labels(indptr, indices, unknown, n_words),
    )


def _blocks(n_sets: int) -> Iterator[tuple[slice, slice]]:
    """Yield the blocks on and above the diagonal: the others are their mirror images."""
    runs = [slice(start, min(start + BLOCK, n_sets)) for start in range(0, n_sets, BLOCK)]
    for position, rows in enumerate(runs):
        for columns in runs[position:]:
            yield rows, columns
