"""Rows with the labels of their shortlists, and the votes and scores of each pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.decoders._inputs import clipped_logit
from dlst.decoders.evidences.ballot import vote_weights
from dlst.decoders.neighbours import Neighbours

VOTE_MARGIN = 1e-5


class DirectScores(NamedTuple):
    """Scores of rows, offset + X W, computed only where needed.

    Attributes
    ----------
    rows, weights : csr_array of float32, shape (n, d) and (d, K)
    offset : ndarray of shape (K,)
    by_offset : ndarray of shape (K,)
        Labels, largest offset first.
    """

    rows: sp.csr_array
    weights: sp.csr_array
    offset: NDArray[np.float32]
    by_offset: NDArray[np.int32]

    @classmethod
    def of(cls, machines: Any, X: FeatureMatrix) -> DirectScores:
        """Return the scores of rows by sparse machines."""
        rows = sp.csr_array(X, dtype=np.float32)
        return cls(rows, machines.coef_, machines.intercept_, machines.by_intercept_)

    @classmethod
    def without_offset(cls, rows: sp.csr_array, weights: sp.csr_array) -> DirectScores:
        """Return X W."""
        K = weights.shape[1]
        return cls(rows, weights, np.zeros(K, np.float32), np.arange(K, dtype=np.int32))

    @classmethod
    def nothing(cls, n: int, K: int) -> DirectScores:
        """Return scores of 0 for all labels."""
        empty = (sp.csr_array(shape, dtype=np.float32) for shape in ((n, 0), (0, K)))
        return cls.without_offset(*empty)


class Queries(NamedTuple):
    """Rows to be scored; ``own`` are their indices if they are training rows."""

    codes: FloatArray
    X: FeatureMatrix
    direct: Callable[[slice], DirectScores] | None
    own: IntArray | None = None


class Share(NamedTuple):
    """Shares of the votes for each pair, and their effective numbers of votes."""

    share: FloatArray
    n_eff: FloatArray

    def logit(self, prior: FloatArray) -> FloatArray:
        """Return the logit of the share, with the label's prior as one additional vote."""
        smoothed = (self.n_eff * self.share + prior) / (self.n_eff + 1.0)
        return clipped_logit(smoothed, VOTE_MARGIN)


class Voters(NamedTuple):
    """Training rows (n, k) that vote on each row, their weights, and squared distances."""

    rows: IntArray
    weights: FloatArray
    squared: FloatArray

    @classmethod
    def among(cls, found: Neighbours, k: int) -> Voters:
        """Return the k nearest as voters, weighted by distance."""
        weights = vote_weights(found.squared_distances, k)
        rows = np.ascontiguousarray(found.indices[:, : weights.shape[1]])
        return cls(rows, weights, found.squared_distances)

    def of(self, rows: slice) -> Voters:
        """Return the voters of some rows."""
        return Voters(self.rows[rows], self.weights[rows], self.squared[rows])

    def share(self, sums: FloatArray, owner: IntArray) -> Share:
        """Divide the weights summed for each pair by the total weight of its row."""
        total = self.weights.sum(axis=1)
        n_eff = total**2 / (self.weights**2).sum(axis=1)
        return Share(sums / total[owner], n_eff[owner])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows with the labels of their shortlists.

    Attributes
    ----------
    starts, labels : ndarrays of shape (n + 1,) and (m,)
        The shortlists as in CSR.
    owner : ndarray of shape (m,)
        The row of each pair.
    shares : dict of str to Share
        Votes, by kind of voters.
    scores : dict of str to ndarray of shape (m,)
        Scores, by regression.
    """

    starts: IntArray
    labels: IntArray
    owner: IntArray
    shares: Mapping[str, Share]
    scores: Mapping[str, FloatArray]

    @classmethod
    def joined(cls, parts: Sequence[Pairs]) -> Pairs:
        """Concatenate blocks of rows."""
        lengths = np.concatenate([np.diff(part.starts) for part in parts])
        shares = {
            name: Share(
                np.concatenate([part.shares[name].share for part in parts]),
                np.concatenate([part.shares[name].n_eff for part in parts]),
            )
            for name in parts[0].shares
        }
        scores = {
            name: np.concatenate([part.scores[name] for part in parts]) for name in parts[0].scores
        }
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([part.labels for part in parts]),
            np.repeat(np.arange(len(lengths)), lengths),
            shares,
            scores,
        )
