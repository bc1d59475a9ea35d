"""Rows with the labels of their shortlists, and what voters and regressions say of each pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix
from dlst.decoders._inputs import FloatArray, IntArray, clipped_logit
from dlst.decoders.evidences.ballot import vote_weights
from dlst.decoders.neighbours import Neighbours

VOTE_MARGIN = 1e-5

DirectScores: TypeAlias = Callable[[slice], NDArray[np.float32]]
"""From a block of the rows that are asked about to their scores of all labels."""


class Asked(NamedTuple):
    """Rows that are asked about; ``own`` are their numbers among the training rows, if they are."""

    codes: FloatArray
    X: FeatureMatrix
    direct: DirectScores | None
    own: IntArray | None = None


class Share(NamedTuple):
    """Shares of the votes that pairs have, and how many votes each is worth."""

    share: FloatArray
    n_eff: FloatArray

    def logit(self, prior: FloatArray) -> FloatArray:
        """Return the logit of the share, the label's prior being one vote more."""
        told = (self.n_eff * self.share + prior) / (self.n_eff + 1.0)
        return clipped_logit(told, VOTE_MARGIN)


class Voters(NamedTuple):
    """Training rows (n, k) that vote on each row, their weights, and squared distances."""

    rows: IntArray
    weights: FloatArray
    squared: FloatArray

    @classmethod
    def among(cls, found: Neighbours, k: int) -> Voters:
        """Let the k nearest vote, by distance."""
        weights = vote_weights(found.squared_distances, k)
        rows = np.ascontiguousarray(found.indices[:, : weights.shape[1]])
        return cls(rows, weights, found.squared_distances)

    def of(self, rows: slice) -> Voters:
        """Return the voters on some of the rows."""
        return Voters(self.rows[rows], self.weights[rows], self.squared[rows])

    def share(self, sums: FloatArray, owner: IntArray) -> Share:
        """Divide what pairs were given by all that was to be given in their row."""
        total = self.weights.sum(axis=1)
        n_eff = total**2 / (self.weights**2).sum(axis=1)
        return Share(sums / total[owner], n_eff[owner])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows with the labels of their lists.

    Attributes
    ----------
    starts, labels : ndarrays of shape (n + 1,) and (m,)
        CSR of the lists.
    owner : ndarray of shape (m,)
        The row of each pair.
    shares : list of Share
        Of each kind of voters.
    scores : ndarray of shape (s, m)
        Of each regression.
    """

    starts: IntArray
    labels: IntArray
    owner: IntArray
    shares: list[Share]
    scores: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[Pairs]) -> Pairs:
        """Put blocks of rows one below the other."""
        lengths = np.concatenate([np.diff(part.starts) for part in parts])
        shares = [
            Share(*(np.concatenate(values) for values in zip(*kind, strict=True)))
            for kind in zip(*(part.shares for part in parts), strict=True)
        ]
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([part.labels for part in parts]),
            np.repeat(np.arange(len(lengths)), lengths),
            shares,
            np.concatenate([part.scores for part in parts], axis=1),
        )
