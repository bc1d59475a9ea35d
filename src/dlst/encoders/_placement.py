"""Codes for label sets that were not in training, with the training codes fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._kernels.alignment import placement_terms
from dlst._matrices import BoolArray, FloatArray
from dlst.encoders._distances import LabelDistances

_BLOCK_PAIRS = 2**21
"""Pairs held at once, 16 MB an array."""

_MOST_ITERATIONS = 500
_SHORTEST_STEP = 1e-7
"""A code stops when its safe step (see ``_State``) is shorter than this."""

_START_POWERS = (4, 16)
"""How steeply the shares of the training codes in a start fall with the distance of their sets."""

_CURVATURE = {False: 0.5, True: 2.0}
"""Largest curvature of 1/(1+d) as a function of the code, for squared and for root distances."""


@dataclass(eq=False)
class Placement:
    """Minimises the encoder's objective over the code of one added instance at a time.

    The training codes are fixed, and new sets do not see each other: they are moved together only
    for speed.

    Parameters
    ----------
    codes : ndarray of shape (m, r)
        Codes of the training sets.
    weights : ndarray of shape (m,)
        Instances with each training set.
    distances : LabelDistances
        Distances to the training sets.
    label_mass, code_mass : float
        Normalisers of the training distributions.
    """

    codes: FloatArray
    weights: FloatArray
    distances: LabelDistances
    label_mass: float
    code_mass: float

    def __post_init__(self) -> None:
        self._squares = np.einsum("ij,ij->i", self.codes, self.codes)
        self._padded = np.column_stack([self.codes, np.ones(len(self.codes))])

    def place(self, sets: sp.csr_array, guess: FloatArray) -> FloatArray:
        """Return a code for each set.

        Parameters
        ----------
        sets : csr_array of shape (u, K)
        guess : ndarray of shape (u, r)
            One start; the others are means of the training codes, weighted towards near sets.
        """
        placed = np.empty_like(guess)
        step = max(1, _BLOCK_PAIRS // len(self.weights))
        for start in range(0, len(guess), step):
            rows = slice(start, start + step)
            wanted = self.distances.to(sets[rows])
            placed[rows] = self._descend(self._best_start(guess[rows], wanted), wanted)
        return placed

    def evaluate(self, codes: FloatArray, wanted: FloatArray) -> _State:
        """Evaluate the objective of each new code, given its distances (u, m) to the sets."""
        push, pull = codes @ self.codes.T, wanted.copy()
        log_sum, mass, label_mass = placement_terms(
            push,
            pull,
            np.einsum("ij,ij->i", codes, codes),
            self._squares,
            self.weights,
            self.distances.root,
        )
        # The added instance makes two ordered pairs with each of the others.
        label_total = self.label_mass + 2.0 * label_mass
        code_total = self.code_mass + 2.0 * mass
        attraction = pull @ self._padded / label_total[:, None]
        repulsion = push @ self._padded / code_total[:, None]
        force = attraction - repulsion
        curvature = 2.0 * _CURVATURE[self.distances.root] * self.weights.sum() / code_total
        return _State(
            codes=codes,
            value=2.0 * log_sum / label_total + np.log(code_total),
            gradient=4.0 * (force[:, -1:] * codes - force[:, :-1]),
            safe_rate=1.0 / (4.0 * attraction[:, -1] + curvature),
        )

    def _best_start(self, guess: FloatArray, wanted: FloatArray) -> FloatArray:
        best = self.evaluate(guess, wanted)
        for power in _START_POWERS:
            # Relative to the nearest set, so that high powers do not underflow.
            nearness = (1.0 + wanted.min(axis=1, keepdims=True)) / (1.0 + wanted)
            shares = self.weights * nearness**power
            local = shares @ self.codes / shares.sum(axis=1, keepdims=True)
            other = self.evaluate(local, wanted)
            best = best.replaced(other.value < best.value, other)
        return best.codes

    def _descend(self, start: FloatArray, wanted: FloatArray) -> FloatArray:
        """Take Barzilai-Borwein steps; where one would go up, a safe step instead."""
        codes = start.copy()
        rows = np.arange(len(codes))
        now = self.evaluate(start, wanted)
        rate = now.safe_rate
        for _ in range(_MOST_ITERATIONS):
            safe_step = np.linalg.norm(now.gradient, axis=1) * now.safe_rate
            moving = safe_step > _SHORTEST_STEP
            codes[rows[~moving]] = now.codes[~moving]
            if not moving.any():
                return codes
            rows, wanted, rate, now = rows[moving], wanted[moving], rate[moving], now.at(moving)
            trial = self.evaluate(now.codes - rate[:, None] * now.gradient, wanted)
            down = trial.value <= now.value
            moved, turned = trial.codes - now.codes, trial.gradient - now.gradient
            bend = np.einsum("ij,ij->i", moved, turned)
            length = np.einsum("ij,ij->i", moved, moved)
            curved = down & (bend > 0)
            now = now.replaced(down, trial)
            rate = np.where(curved, length / np.where(curved, bend, 1.0), now.safe_rate)
        codes[rows] = now.codes
        return codes


class _State(NamedTuple):
    """New codes with their values and gradients.

    A step of ``safe_rate`` times the gradient minimises a quadratic that lies above the objective
    and touches it at the code: it cannot go up, but is short.
    """

    codes: FloatArray
    value: FloatArray
    gradient: FloatArray
    safe_rate: FloatArray

    def at(self, rows: BoolArray) -> _State:
        return _State(*(field[rows] for field in self))

    def replaced(self, rows: BoolArray, other: _State) -> _State:
        return _State(
            *(
                np.where(rows[:, None] if ours.ndim == 2 else rows, theirs, ours)
                for ours, theirs in zip(self, other, strict=True)
            )
        )
