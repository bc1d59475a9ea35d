"""Weighted votes of near rows: nearer rows weigh more, and the prior counts as one vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._kernels.label_votes import label_sums
from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst._weights import Weights
from dlst.decoders._inputs import clipped_logit
from dlst.decoders.neighbours import Neighbours

LEAST_WEIGHT = 1e-6
VOTE_MARGIN = 1e-3
"""Votes are clipped to this distance from 0 and 1 before their logit or log-loss is taken."""


class Cast(NamedTuple):
    """Votes on queries: the voters, their weights, and the nearness that is a factor of these."""

    indices: IntArray
    weights: FloatArray
    nearness: FloatArray


@dataclass(frozen=True, eq=False)
class Ballot:
    """The labels that near rows vote with, and how the votes are weighted.

    Attributes
    ----------
    values : csr_array or ndarray of shape (n, K)
        Votes in [0, 1]; 0 where unknown.
    unknown : csr_array of shape (n, K) or None
        Ones where a row has no vote.
    prior : ndarray of shape (K,)
        The value of the additional vote that the prior has.
    weights : ndarray of shape (n,) or None
        Number of equal rows that each stands for; None: one.
    sharpness : int
        Power of the nearness: a higher one gives the nearest voters more of the vote.
    """

    values: Any
    unknown: sp.csr_array | None
    prior: FloatArray
    weights: FloatArray | None = None
    sharpness: int = 1

    def cast(self, found: Neighbours, k: int) -> Cast:
        """Return the votes of the k nearest; a row of weight w counts as w, the last in part."""
        squared = found.squared_distances
        if self.weights is None:
            nearness = vote_weights(squared, k, self.sharpness)
            return Cast(found.indices[:, :k], nearness, nearness)
        counts = self.weights[found.indices]
        until = np.cumsum(counts, axis=1)
        votes = np.clip(k - (until - counts), 0.0, counts)
        last = int((votes > 0).sum(axis=1).max(initial=1))
        # The first vote after the k nearest sets the width.
        beyond = np.minimum((until <= k).sum(axis=1), squared.shape[1] - 1)
        width = np.take_along_axis(squared, beyond[:, None], 1)
        nearness = _nearness(squared[:, :last], width, self.sharpness)
        return Cast(found.indices[:, :last], votes[:, :last] * nearness, nearness)

    def rows_needed(self, k: int) -> int:
        """Return how many rows are sure to have k + 1 votes."""
        if self.weights is None:
            return k + 1
        fewest = np.cumsum(np.sort(self.weights))
        return min(len(fewest), int(np.searchsorted(fewest, k + 1)) + 1)

    @property
    def is_plain(self) -> bool:
        """Whether all votes are known, and most labels have none."""
        return self.unknown is None and sp.issparse(self.values)

    def n_voters(self) -> int:
        """Return one more than the number of votes without the row of largest weight."""
        if self.weights is None:
            return int(self.values.shape[0])
        others = self.weights.sum() - self.weights.max()
        return max(int(others) + 1, min(2, len(self.weights)))


def vote_weights(squared_distances: FloatArray, k: int, sharpness: int = 1) -> FloatArray:
    """Return weights of the k nearest: a power of Epanechnikov's 1 - d²/d²_(k+1), plus 1e-6.

    Parameters
    ----------
    squared_distances : ndarray of shape (n, at least k)
        Ascending. Without a (k+1)-th neighbour the k-th sets the width; where the width is 0 (only
        duplicates) all weights are equal.
    k : int
    sharpness : int
        The power.

    Examples
    --------
    >>> vote_weights(np.array([[0.0, 1.0, 4.0]]), 2).round(3)
    array([[1.  , 0.75]])
    """
    width = squared_distances[:, min(k, squared_distances.shape[1] - 1), None]
    return _nearness(squared_distances[:, :k], width, sharpness)


def _nearness(near: FloatArray, width: FloatArray, sharpness: int) -> FloatArray:
    share = np.divide(near, width, out=np.zeros_like(near), where=width > 0)
    inside = np.subtract(1.0, share, out=share)
    weights = inside.copy()
    for _ in range(sharpness - 1):
        # NumPy computes a third power by a logarithm, which takes ten times as long.
        weights *= inside
    weights += LEAST_WEIGHT
    return weights


def weighted_vote(found: Neighbours, k: int, ballot: Ballot) -> FloatArray:
    """Return the votes on each label, shape (n, K), strictly inside (0, 1).

    With weights w, the share of the vote for a label counts as n_eff = (Σw)²/Σw² observations, and
    the prior as one: v = (n_eff · share + prior) / (n_eff + 1). Unknown entries do not vote.
    """
    voters, weights, nearness = ballot.cast(found, k)
    given = _weighted_sums(weights, voters, ballot.values)
    total, squares = _sums_of(weights, nearness)
    if ballot.unknown is not None:
        total = total - _weighted_sums(weights, voters, ballot.unknown)
        squares = squares - _weighted_sums(weights * nearness, voters, ballot.unknown)
        # If only the farthest neighbour is known, the difference is rounding error.
        squares = np.maximum(squares, LEAST_WEIGHT**2)
    # Every weight exceeds LEAST_WEIGHT, so that less than half of it is rounding error of no vote.
    voted = total > 0.5 * LEAST_WEIGHT
    share = np.divide(given, total, out=np.zeros_like(given), where=voted)
    n_eff = np.divide(total**2, squares, out=np.zeros_like(total), where=voted)
    return _with_prior(share, n_eff, ballot.prior)


@dataclass(frozen=True, eq=False)
class Poll:
    """The votes on queries before they are counted, where all labels of all voters are known.

    Attributes
    ----------
    voters : ndarray of shape (n, k)
    weights : ndarray of shape (n, k)
    total, n_eff : ndarray of shape (n,)
        Sum of the weights, and the number of observations that it counts as.
    ballot : Ballot
        With sparse values, all known.
    """

    voters: IntArray
    weights: FloatArray
    total: FloatArray
    n_eff: FloatArray
    ballot: Ballot

    @classmethod
    def of(cls, found: Neighbours, k: int, ballot: Ballot) -> Poll:
        """Return the votes of the k nearest."""
        voters, weights, nearness = ballot.cast(found, k)
        total, squares = (sums[:, 0] for sums in _sums_of(weights, nearness))
        return cls(np.ascontiguousarray(voters), weights, total, total**2 / squares, ballot)

    def evidence(self, given: FloatArray, rows: IntArray, labels: IntArray) -> FloatArray:
        """Return the logits of votes on pairs of rows and labels, (m,), from sums of weights."""
        share, n_eff = given / self.total[rows], self.n_eff[rows]
        return _vote_logit(_with_prior(share, n_eff, self.ballot.prior[labels]))

    def unvoted(self, n_eff: float) -> FloatArray:
        """Return the logits (K,) of labels without a vote; they fall with ``n_eff``."""
        return _vote_logit(_with_prior(np.zeros(1), np.array(n_eff), self.ballot.prior))


def vote_evidence(found: Neighbours, k: int, ballot: Ballot) -> FloatArray:
    """Return the logits of votes on each label, shape (n, K)."""
    return _vote_logit(weighted_vote(found, k, ballot))


def _vote_logit(votes: FloatArray) -> FloatArray:
    return clipped_logit(votes, VOTE_MARGIN)


def _sums_of(weights: FloatArray, nearness: FloatArray) -> tuple[FloatArray, FloatArray]:
    return weights.sum(axis=1, keepdims=True), (weights * nearness).sum(axis=1, keepdims=True)


def _with_prior(share: FloatArray, n_eff: FloatArray, prior: FloatArray) -> FloatArray:
    votes: FloatArray = np.clip((n_eff * share + prior) / (n_eff + 1.0), 0.0, 1.0)
    return votes


def _weighted_sums(weights: FloatArray, voters: IntArray, values: Any) -> FloatArray:
    """Return weighted sums (n, K) of the values (n_voters, K) of voters (n, k)."""
    n, k = weights.shape
    if not sp.issparse(values):
        shape = (n, values.shape[0])
        links = sp.csr_array((weights.ravel(), voters.ravel(), np.arange(n + 1) * k), shape=shape)
        return np.asarray(links @ values)
    labels = (values.indptr, values.indices, values.data)
    sums: FloatArray = label_sums(weights, voters, *labels, values.shape[1])
    return sums


def vote_log_loss(
    votes: FloatArray,
    present: FloatArray,
    known: BoolArray | None,
    weights: Weights | None = None,
) -> float:
    """Return the mean log-loss of votes on known entries, votes clipped off 0 and 1."""
    inside = np.clip(votes, VOTE_MARGIN, 1.0 - VOTE_MARGIN)
    losses = -np.log(np.where(present == 1, inside, 1.0 - inside))
    if weights is not None:
        counts = np.outer(*weights) if known is None else np.outer(*weights) * known
        return float((losses * counts).sum() / counts.sum())
    return float(losses.mean() if known is None else losses[known].mean())


def usable_neighbourhoods(k_grid: Sequence[int], n_rows: int) -> list[int]:
    """Return the k of a grid that are below the number of rows, or the largest such k.

    Examples
    --------
    >>> usable_neighbourhoods((10, 20, 40), 30), usable_neighbourhoods((10, 20, 40), 8)
    ([10, 20], [7])
    """
    grid = sorted(set(k_grid))
    if not grid or any(isinstance(k, bool) or k != int(k) or k < 1 for k in grid):
        raise ValueError(f"k_grid must hold integers of at least 1; got {tuple(k_grid)!r}.")
    if n_rows < 2:
        raise ValueError(
            f"a neighbour vote needs at least 2 labelled rows; got {n_rows}. Add samples."
        )
    return [int(k) for k in grid if k < n_rows] or [n_rows - 1]
