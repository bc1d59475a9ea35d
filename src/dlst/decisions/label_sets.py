"""Scores of whole label sets, the best of them, and the calibration of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst.decisions._entries import Entries

PRIOR_SHARE = 0.05
"""Share of its prior that a set has in the vote when no neighbour has it."""

MARGIN = 1e-6
"""Probabilities are clipped to this distance from 0 and 1 before their logit is taken."""

SOURCES = ("labels' own", "neighbours", "prior")
BINS = 10
_NEVER = -1e30


class TopSets(NamedTuple):
    """The likeliest label sets of each row, best first.

    Attributes
    ----------
    indices : ndarray of shape (n, k)
        Indices into ``sets``.
    probabilities : ndarray of shape (n, k)
    contributions : ndarray of shape (n, k, 3)
        What the labels' probabilities, the neighbours' vote and the prior add to the set's
        log-probability; only differences between the sets of a row are meaningful.
    sets : csr_array of shape (u, K)
        The label sets of training.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> from dlst.methods import PLST
    >>> model = PLST(decision="subset").fit(data.train.X, data.train.Y)
    >>> model.predict_sets(data.test.X[:2], k=3).probabilities.shape
    (2, 3)
    """

    indices: IntArray
    probabilities: FloatArray
    contributions: FloatArray
    sets: sp.csr_array

    @classmethod
    def joined(cls, parts: Sequence[TopSets], sets: sp.csr_array) -> TopSets:
        """Concatenate blocks of rows."""
        indices, probabilities, contributions = (
            np.concatenate(found) for found in zip(*(part[:3] for part in parts), strict=True)
        )
        return cls(indices, probabilities, contributions, sets)

    def labels(self, row: int, place: int = 0) -> IntArray:
        """Return the columns of the labels of a row's set."""
        number = self.indices[row, place]
        return np.asarray(
            self.sets.indices[self.sets.indptr[number] : self.sets.indptr[number + 1]]
        )

    def to_frame(self, label_names: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a line for each row and set: row, rank, labels, probability, contributions."""
        n, k = self.indices.shape
        names: Any = range(self.sets.shape[1]) if label_names is None else label_names
        named = [
            ", ".join(str(names[label]) for label in self.labels(row, place).tolist())
            for row in range(n)
            for place in range(k)
        ]
        table = pd.DataFrame(
            {
                "row": np.repeat(np.arange(n), k),
                "rank": np.tile(np.arange(1, k + 1), n),
                "labels": named,
                "probability": self.probabilities.ravel(),
            }
        )
        for place, source in enumerate(SOURCES):
            table[source] = self.contributions[:, :, place].ravel()
        return table


@dataclass(frozen=True, eq=False)
class SetScores:
    """Contributions to the scores of u label sets, for some rows: an array of shape (3, n, u)."""

    parts: FloatArray

    @classmethod
    def of(
        cls, entries: Entries, sets: sp.csr_array, log_prior: FloatArray, shares: sp.csr_array
    ) -> SetScores:
        """Compute Σ_j s_j logit p_j, log(v_s + .05 π_s) and log π_s.

        ``log_prior`` has shape (u,), or (n, u) where rows are left out.
        """
        inside = np.clip(entries.values, MARGIN, 1.0 - MARGIN)
        # Entries that are not stored have the least logit; stored ones are above it.
        least = np.log(MARGIN) - np.log1p(-MARGIN)
        above = np.log(inside) - np.log1p(-inside) - least
        spoken = entries.matrix(above) @ sets.T
        parts = np.empty((3, *spoken.shape))
        parts[0] = spoken.toarray() if sp.issparse(spoken) else spoken
        parts[0] += least * np.diff(sets.indptr)
        parts[2] = log_prior
        # Few sets have votes; the logarithm of any other is known.
        np.add(parts[2], np.log(PRIOR_SHARE), out=parts[1])
        votes = shares.tocoo()
        parts[1][votes.coords] = np.log(votes.data + PRIOR_SHARE * np.exp(parts[2][votes.coords]))
        return cls(parts)

    def without(self, rows: IntArray, sets: IntArray) -> SetScores:
        """Remove sets from the candidates of some rows."""
        self.parts[0, rows, sets] = _NEVER
        return self

    def total(self, coef: FloatArray) -> FloatArray:
        """Return the sum of α, γ, δ times the parts."""
        return np.asarray(np.tensordot(coef, self.parts, 1))

    def top(self, coef: FloatArray, k: int, seen: float) -> TopSets:
        """Return the k likeliest sets; ``seen`` is the sum of the probabilities of all sets."""
        total = self.total(coef)
        best = np.argsort(-total, axis=1, kind="stable")[:, :k]
        found = np.take_along_axis(total, best, axis=1)
        probabilities = seen * np.exp(found - to_shares(total)[:, None])
        parts = [
            weight * np.take_along_axis(part, best, axis=1)
            for weight, part in zip(coef, self.parts, strict=True)
        ]
        return TopSets(best, probabilities, np.stack(parts, axis=2), sp.csr_array((0, 0)))


def to_shares(total: FloatArray) -> FloatArray:
    """Normalise log-weights (n, u) to shares of 1, in place; return the logs of their sums.

    Examples
    --------
    >>> total = np.log([[1.0, 3.0]])
    >>> np.exp(to_shares(total)), total
    (array([4.]), array([[0.25, 0.75]]))
    """
    highest = total.max(axis=1)
    total -= highest[:, None]
    np.exp(total, out=total)
    sums = total.sum(axis=1)
    total /= sums[:, None]
    return np.asarray(highest + np.log(sums))


def calibration_error(confidence: FloatArray, right: BoolArray, weights: FloatArray) -> float:
    """Return the expected calibration error: mean |confidence − share right| over ten equal bins.

    Examples
    --------
    >>> calibration_error(np.array([0.5, 0.5, 1.0]), np.array([True, False, True]), np.ones(3))
    0.333...
    """
    order = np.argsort(confidence, kind="stable")
    gap = weights * (confidence - right)
    bins = np.array_split(order, min(BINS, len(order)))
    return float(sum(abs(gap[part].sum()) for part in bins) / weights.sum())
