"""KL divergence between the pair distributions of label sets and codes, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._kernels.alignment import Pairs, panel_forces, panel_labels, panel_mass
from dlst._kernels.held_pairs import held_forces, label_pulls
from dlst._kernels.label_distances import SQUARED, partial_distances
from dlst._matrices import FloatArray, as_indicator
from dlst.encoders._distances import LabelDistances
from dlst.encoders.labelsets import nothing_known

BLOCK = 256
"""Sets in a tile of pairs, which then fits a core's cache."""

HELD_SETS = 512
"""Up to so many sets all pairs are held, in 4 MB at most; above, they are visited."""

DOUBLE_SETS = 2_000
"""Up to so many sets all is float64; above, pairs of squared distances are float32."""

PARTS = 8
"""Sums that are computed apart and added in this order: threads change no digit."""


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
        Right to about 1e-7 of itself where there are more than 2,000 rows: their pairs are compared
        in single precision. Otherwise to the last digits.
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


class PairAlignment:
    """The objective of the encoder, collapsed to weighted label sets.

    Parameters
    ----------
    sets : csr_array of shape (m, K)
    weights : ndarray of shape (m,)
        Instances with each set; a set of which nothing is known takes no part.
    distance : str
        A key of ``DISTANCES``.
    shares : ndarray of shape (m,), optional
        Makes the objective an estimate from pairs with a landmark at one end: half the number of
        instances that each landmark stands for, and zero for other sets. Its cost is linear in m.
    n_threads : int
        Threads that share the work, where it is worth sharing. The result has the same bytes.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        How much each set has to say: how many instances, or what a landmark stands for beside them.
    label_mass : float
        Sum of 1/(1+d) over the ordered pairs of different instances: the normaliser of Q.
    heaviest : float
        Largest share of Q that the pairs of one instance have.
    """

    def __init__(
        self,
        sets: sp.csr_array,
        weights: FloatArray,
        distance: str,
        *,
        shares: FloatArray | None = None,
        n_threads: int = 1,
    ):
        weights = np.where(nothing_known(sets), 0.0, weights)
        shares = 0.5 * weights if shares is None else shares
        self.weights = shares + 0.5 * weights
        self.n_threads = n_threads
        self.distances = LabelDistances(sets, distance)
        single = self.distances.kind == SQUARED and len(weights) > DOUBLE_SETS
        self._sampled = np.count_nonzero(shares) < np.count_nonzero(weights)
        # Heaviest first, where that matters: landmarks before others, then what weighs much.
        self._order = np.argsort(-shares, kind="stable") if single or self._sampled else slice(None)
        pairs = self._pairs(sets[self._order], weights[self._order], shares[self._order])
        if not pairs.complete:
            self.distances.stranger = _mean_distance(pairs)
            pairs = pairs._replace(stranger=self.distances.stranger)
        self._measure_labels(pairs)
        self._pair_groups = _groups(pairs) if single else [pairs]
        few = len(weights) <= HELD_SETS and not self._sampled
        self._pulls: Any = label_pulls(pairs) if few else None

    def value_and_gradient(self, codes: FloatArray) -> tuple[float, FloatArray]:
        """KL divergence and its gradient in the codes, shape (m, r).

        The gradient of code a is 4 sum_b w_a w_b (q_ab - u_ab) (1+d_ab)^-1 d'(s) (z_a - z_b), with
        d'(s) the slope of d in the squared distance: 1 for squared distances.
        """
        if self.label_mass == 0.0:
            return 0.0, np.zeros_like(codes)
        codes = self._arranged(codes)
        if self._pulls is not None:
            return self._held(codes)
        code_mass = self._code_mass(codes)
        log_sum, sums, forces = 0.0, np.zeros(len(codes)), np.zeros_like(codes)
        for pairs in self._pair_groups:
            moved, squares = _in_type(codes, pairs)
            work = partial(_forces, moved, squares, pairs, self.label_mass, code_mass)
            for part_logs, part_sums, part_forces in self._shared(work, pairs):
                log_sum += 2.0 * part_logs
                sums[: len(part_sums)] += part_sums
                forces[: len(part_forces)] += part_forces
        gradient = np.empty_like(codes)
        gradient[self._order] = 4.0 * (sums[:, None] * codes - forces)
        return self._value(log_sum, code_mass), gradient

    def _held(self, codes: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient where all pairs are held."""
        (pairs,) = self._pair_groups
        log_sum, code_mass, gradient = held_forces(
            codes, *self._pulls, pairs.root, self.label_mass, self._same_mass
        )
        return self._value(log_sum, code_mass), gradient

    def _value(self, log_sum: float, code_mass: float) -> float:
        """KL divergence from the sums over all pairs."""
        value = (log_sum - self._label_logs) / self.label_mass
        return float(value + np.log(code_mass / self.label_mass))

    def code_mass(self, codes: FloatArray) -> float:
        """Sum of 1/(1+d) over the ordered pairs of different instances: the normaliser of U."""
        return self._code_mass(self._arranged(codes))

    def _code_mass(self, codes: FloatArray) -> float:
        mass: float = self._same_mass
        for pairs in self._pair_groups:
            moved, squares = _in_type(codes, pairs)
            work = partial(_mass, moved, squares, pairs)
            mass += 2.0 * sum(self._shared(work, pairs))
        return mass

    def _arranged(self, codes: FloatArray) -> FloatArray:
        """Codes in our order, about their middle, where squares are smallest and lose least."""
        return np.asarray(codes[self._order] - codes.mean(axis=0))

    def _shared(self, work: Callable[[range], Any], pairs: Pairs) -> Iterator[Any]:
        """Share out the panels among parts; yield the result of each part, in their order."""
        panels = range(0, pairs.n_rows, pairs.block)
        parts = [panels[part::PARTS] for part in range(min(PARTS, len(panels)))]
        if self.n_threads == 1 or len(parts) == 1:
            yield from map(work, parts)
            return
        with ThreadPoolExecutor(self.n_threads) as pool:
            yield from pool.map(work, parts)

    def _measure_labels(self, pairs: Pairs) -> None:
        """Sum up what depends on labels alone, in float64."""
        masses = np.zeros(len(pairs.weights))
        # Tiles hold each pair once; Q and U have it twice.
        self._label_logs = 2.0 * sum(
            panel_labels(pairs, first, masses) for first in range(0, pairs.n_rows, pairs.block)
        )
        # Instances with one label set are pairs at distance zero, whatever the codes.
        others = np.maximum(pairs.weights - 1.0, 0.0)
        self._same_mass = float(pairs.weights @ others)
        self.label_mass = float(masses.sum()) + self._same_mass
        one = np.divide(masses, pairs.weights, out=others, where=pairs.weights > 0)
        self.heaviest = float(one.max()) / self.label_mass if self.label_mass else 1.0

    def _pairs(self, sets: sp.csr_array, weights: FloatArray, shares: FloatArray) -> Pairs:
        sizes = np.diff(sets.indptr)
        distances = self.distances
        return Pairs(
            weights=weights,
            shares=shares,
            indptr=sets.indptr.astype(np.int64),
            indices=sets.indices.astype(np.int64),
            sizes=sizes.astype(np.float64),
            ones=distances.ones[self._order],
            unknown=distances.unknown[self._order],
            complete=distances.complete,
            kind=distances.kind,
            n_labels=distances.n_labels,
            stranger=float(distances.stranger),
            root=distances.root,
            block=BLOCK,
            n_rows=int(np.count_nonzero(shares)) if self._sampled else len(weights),
            skipped=0,
            counter=np.empty(0, np.uint8 if sizes.max(initial=0) < 256 else np.int32),
        )


def _mass(codes: Any, squares: Any, pairs: Pairs, panels: range) -> float:
    return float(sum(panel_mass(codes, squares, pairs, first) for first in panels))


def _forces(
    codes: Any, squares: Any, pairs: Pairs, label_mass: float, code_mass: float, panels: range
) -> tuple[float, Any, Any]:
    log_sum, sums, forces = 0.0, np.zeros_like(squares), np.zeros_like(codes)
    for first in panels:
        log_sum += panel_forces(codes, squares, pairs, first, label_mass, code_mass, forces, sums)
    return log_sum, sums, forces


def _groups(pairs: Pairs) -> list[Pairs]:
    """Part pairs into those among the heaviest sets, in float64, and all others, in float32.

    Rounding errs this way and that, and over many pairs that evens out, but a few sets may have
    most of the instances.
    """
    heavy = slice(BLOCK)
    arrays = ("weights", "shares", "sizes")
    few = {name: getattr(pairs, name)[heavy] for name in (*arrays, "ones", "unknown")}
    return [
        pairs._replace(**few, indptr=pairs.indptr[: BLOCK + 1], n_rows=min(BLOCK, pairs.n_rows)),
        pairs._replace(
            **{name: getattr(pairs, name).astype(np.float32) for name in arrays}, skipped=BLOCK
        ),
    ]


def _in_type(codes: FloatArray, pairs: Pairs) -> tuple[NDArray[Any], NDArray[Any]]:
    """Codes of the group of pairs, and their squared norms, in its type."""
    codes = codes[: len(pairs.weights)]
    kind: Any = pairs.weights.dtype
    return codes.astype(kind), np.einsum("ij,ij->i", codes, codes).astype(kind)


def _mean_distance(pairs: Pairs) -> float:
    """Mean distance of the pairs of instances that have a known label in common."""
    total, number = 0.0, float(pairs.weights @ np.maximum(pairs.weights - 1.0, 0.0))
    for first in range(0, pairs.n_rows, pairs.block):
        rows = slice(first, min(first + pairs.block, pairs.n_rows))
        for start in range(first, len(pairs.weights), pairs.block):
            columns = slice(start, start + pairs.block)
            distances = partial_distances(
                pairs.ones[rows],
                pairs.unknown[rows],
                pairs.ones[columns],
                pairs.unknown[columns],
                pairs.kind,
                pairs.n_labels,
                np.nan,
            )
            weights = np.outer(pairs.shares[rows], pairs.weights[columns])
            weights += np.outer(pairs.weights[rows], pairs.shares[columns])
            if first == start:
                weights = np.triu(weights, 1)
            weights *= ~np.isnan(distances)
            total += 2.0 * float(np.nansum(weights * distances))
            number += 2.0 * float(weights.sum())
    return total / number if number else 0.0
