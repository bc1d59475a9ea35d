"""Greedy choice of rows by mutual information, in the features' dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._matrices import FloatArray
from dlst._progress import progress_bar

LARGEST_NUMBER_OF_SIGNALS = 12
"""More signals than this are grouped, neighbours by size together."""
FAINT = 1e-3
"""A direction whose variance over all rows is less than this share of the noise is left out."""


def greedy_information(
    F: FloatArray, gram: FloatArray, signals: FloatArray, noise: float, n: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Choose the rows that tell most about those that stay unlabelled.

    The labels of all rows, known and pool, have Cov⁻¹(vec Y) = I ⊗ A + C⁻¹ ⊗ ΦᵀΦ with
    C = FFᵀ + vI. With the eigenvectors of A^(−1/2) ΦᵀΦ A^(−1/2) they fall into K independent
    signals, each with the covariance C(C + λI)⁻¹ over the rows. That is αI + F B Fᵀ, a linear
    model with noise α = v/(v + λ): given a set of rows whose features are G, a row f has variance
    α (1 + β fᵀRf) with β = λ/v and R = (FᵀF + (v + λ)I + β GᵀG)⁻¹; a row of the set has, given the
    others in it, α/(1 − β fᵀRf). Taking a row from one set to the other changes R by rank one.

    Parameters
    ----------
    F : ndarray of shape (m, p)
        Features of the pool, scaled so that FFᵀ is their covariance.
    gram : ndarray of shape (p, p)
        Gram matrix of the features of the rows that have labels.
    signals : ndarray of shape (K,)
        λ; those that are 0 say nothing.
    noise : float
        v.
    n : int
        How many rows to choose.

    Returns
    -------
    indices, gains : ndarray of shape (n,)
        Rows in the order chosen, and H(y_x | Y_A) − H(y_x | Y_rest) in nats.
    """
    levels, weights = _grouped(signals[signals > 1e-12 * signals.max(initial=0.0)])
    F, gram = _without_faint_directions(F, gram, noise)
    pool = F.T @ F
    known = [_Set(F, gram + pool, gram, level, noise) for level in levels]
    rest = [_Set(F, gram + pool, pool, level, noise) for level in levels]
    free = np.ones(len(F), dtype=bool)
    indices, gains = np.empty(n, dtype=np.intp), np.empty(n)
    with progress_bar("rows to label", n) as advance:
        for step in range(n):
            gain = np.full(len(F), -np.inf)
            gain[free] = sum(
                0.5 * weight * (np.log1p(before.share[free]) + np.log1p(-after.share[free]))
                for weight, before, after in zip(weights, known, rest, strict=True)
            )
            chosen = int(np.argmax(gain))
            indices[step], gains[step], free[chosen] = chosen, gain[chosen], False
            for before, after in zip(known, rest, strict=True):
                before.add(chosen)
                after.remove(chosen)
            advance(1)
    return indices, gains


def signal_strengths(phi: FloatArray | None, spread: FloatArray) -> FloatArray:
    """Return the eigenvalues λ of A^(−1/2) ΦᵀΦ A^(−1/2), for the diagonal ``spread`` of A⁻¹."""
    if phi is None:
        return spread
    return np.asarray(np.linalg.svd(phi * np.sqrt(spread), compute_uv=False) ** 2)


class _Set:
    """R of one signal and one set of rows, and what each row of the pool has of it.

    Attributes
    ----------
    share : ndarray of shape (m,)
        β fᵀRf.
    """

    def __init__(
        self, F: FloatArray, everything: FloatArray, members: FloatArray, level: float, noise: float
    ):
        self.F, self.beta = F, level / noise
        precision = everything + (noise + level) * np.eye(F.shape[1]) + self.beta * members
        self.R = np.linalg.inv(precision)
        self.share = self.beta * ((F @ self.R) * F).sum(axis=1)

    def add(self, row: int) -> None:
        """Take a row of the pool in."""
        self._move(row, 1.0)

    def remove(self, row: int) -> None:
        """Take a row of the pool out."""
        self._move(row, -1.0)

    def _move(self, row: int, sign: float) -> None:
        direction = self.R @ self.F[row]
        scale = self.beta / (1.0 + sign * self.share[row])
        self.R -= sign * scale * np.outer(direction, direction)
        self.share -= sign * self.beta * scale * (self.F @ direction) ** 2


def _without_faint_directions(
    F: FloatArray, gram: FloatArray, noise: float
) -> tuple[FloatArray, FloatArray]:
    """Leave out directions in which all rows together say less than the noise."""
    eigenvalues, V = np.linalg.eigh(F.T @ F + gram)
    V = V[:, eigenvalues > FAINT * noise]
    return F @ V, V.T @ gram @ V


def _grouped(signals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return levels and how many signals each stands for: all of them, or means of neighbours."""
    levels, counts = np.unique(signals, return_counts=True)
    if len(levels) > LARGEST_NUMBER_OF_SIGNALS:
        groups = np.array_split(np.sort(signals), LARGEST_NUMBER_OF_SIGNALS)
        levels = np.array([np.exp(np.log(group).mean()) for group in groups])
        counts = np.array([len(group) for group in groups])
    return levels, counts.astype(np.float64)
