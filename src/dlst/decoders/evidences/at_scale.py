"""Evidence where codes are the labels' own scores: their link, and votes for many rows.

A vote offers its choices; whoever stacks evidences takes the one that adds most to the others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg
from scipy.special import expit

from dlst._matrices import FeatureMatrix, as_dense
from dlst.decoders._inputs import FloatArray, IntArray, clipped_logit
from dlst.decoders.evidences.ballot import (
    VOTE_MARGIN,
    Ballot,
    usable_neighbourhoods,
    vote_weights,
    weighted_vote,
)
from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.decoders.evidences.direct import stretched_logit
from dlst.decoders.neighbours import Neighbours, row_blocks
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines
from dlst.explanation import NeighbourVotes

WIDE_K_GRID = (20, 40, 80, 160, 320)
WIDE_RHO_GRID = (0.0, 0.1, 0.2)
MOST_AXES = 100


class LabelScores(Evidence):
    """Evidence: the labels' own scores, regressed to 0 (absent) and 1, made a logit.

    The link is that of :class:`~dlst.decoders.evidences.DirectReadout`: a logit that goes on
    linearly outside 0 … 1, for each label on the scale of its left-out scores of rows without it.

    Parameters
    ----------
    link_scale : float, optional
        Of all labels; learnt by default.

    Attributes
    ----------
    link_scale_ : ndarray of shape (K,)
    """

    name = "direct"

    def __init__(self, link_scale: float | None = None):
        self.link_scale = link_scale

    def fit(self, training: TrainingRows) -> FloatArray:
        """Learn the link; return the evidence of ``training.rows``."""
        n, K = training.codes.shape
        if self.link_scale is not None:
            self.link_scale_ = np.full(K, float(self.link_scale))
        else:
            count, total, squares = np.zeros(K), np.zeros(K), np.zeros(K)
            for block in row_blocks(n, K):
                absent = (training.Y[block].toarray() == 0).astype(np.float64)
                share = as_dense(training.codes[block])
                count += absent.sum(axis=0)
                total += (share * absent).sum(axis=0)
                squares += (share**2 * absent).sum(axis=0)
            count = np.maximum(count, 1.0)
            variance = np.maximum(squares / count - (total / count) ** 2, 0.0)
            self.link_scale_ = np.sqrt(variance) + 1e-3
        return self.values(training.codes[training.rows], None)

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return stretched_logit(as_dense(codes), self.link_scale_)


class ProbabilityCodes:
    """Root probabilities of labels, their first principal axes where there are many labels.

    Distances between roots are Hellinger's; labels are compared on one scale.

    Parameters
    ----------
    scores : LabelScores
        Fitted.
    intercept : ndarray of shape (K,)
    slope : float
        logit p = intercept + slope · evidence.
    n_axes : int
        Most dimensions of a code.
    """

    def __init__(self, scores: LabelScores, intercept: FloatArray, slope: float, n_axes: int):
        self.scores, self.intercept, self.slope, self.n_axes = scores, intercept, slope, n_axes

    def fit_transform(self, codes: FeatureMatrix) -> FloatArray:
        """Find the axes of the training rows, and return their codes (n, r)."""
        n, K = codes.shape
        self.mean_, gram = np.zeros(K), np.zeros((K, K))
        blocks = list(row_blocks(n, K))
        for block in blocks:
            roots = self._roots(codes[block])
            self.mean_ += roots.sum(axis=0) / n
            if self.n_axes < K:
                gram += roots.T @ roots
        if self.n_axes < K:
            gram -= n * np.outer(self.mean_, self.mean_)
            last = (K - self.n_axes, K - 1)
            self.axes_ = scipy.linalg.eigh(gram, subset_by_index=last)[1][:, ::-1]
        else:
            self.axes_ = np.eye(K)
        return np.vstack([self.transform(codes[block]) for block in blocks])

    def transform(self, codes: FeatureMatrix) -> FloatArray:
        """Return the codes (n, r) of rows from their scores (n, K)."""
        return self._on_axes(self._roots(codes))

    def of_labels(self, ones: Any) -> FloatArray:
        """Return the codes (n, r) of rows whose labels are certain, (n, K)."""
        blocks = row_blocks(*ones.shape)
        return np.vstack([self._on_axes(ones[block].toarray()) for block in blocks])

    def _roots(self, codes: FeatureMatrix) -> FloatArray:
        logits = self.intercept + self.slope * self.scores.values(codes, None)
        return np.asarray(np.sqrt(expit(logits)))

    def _on_axes(self, roots: FloatArray) -> FloatArray:
        return np.ascontiguousarray((roots - self.mean_) @ self.axes_)


class Offer(NamedTuple):
    """One choice of a vote, and its evidence for the rows that were asked about."""

    choice: dict[str, Any]
    values: FloatArray


class OfferingVote(Evidence):
    """A vote of near rows whose choices are judged by what they add to other evidence.

    Attributes
    ----------
    k_ : int
        Neighbours that vote.
    """

    space: ClassVar[Any]
    k_grid: Sequence[int]

    def prepare(self, training: TrainingRows) -> None:
        """Remember who may vote."""
        self.n_jobs_ = training.n_jobs
        self.voting_rows_ = training.labels.labelled_rows
        self.ballot_: Ballot = training.ballot()

    @abstractmethod
    def offers(self, training: TrainingRows) -> Iterator[Offer]:
        """Give each choice with its evidence of ``training.rows``, each row left out."""

    @abstractmethod
    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Make a choice for good; return the evidence of ``training.rows``, each left out."""

    def fit(self, training: TrainingRows) -> FloatArray:
        """Not for a stack that fits evidence by evidence: choices need the others."""
        raise NotImplementedError("an offering vote is settled by the stack that it joins")

    @abstractmethod
    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> Neighbours:
        """Find the k_ + 1 nearest of new rows."""

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return self._evidence(self._nearest(codes, X), self.k_)

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes:
        """Return who votes on new rows."""
        found = self._nearest(codes, X)
        return NeighbourVotes(
            self.voting_rows_[found.indices[:, : self.k_]],
            np.sqrt(found.squared_distances[:, : self.k_]),
            vote_weights(found.squared_distances, self.k_),
            self.space,
        )

    def _evidence(self, found: Neighbours, k: int) -> FloatArray:
        return clipped_logit(weighted_vote(found, k, self.ballot_), VOTE_MARGIN)

    def _grid(self) -> list[int]:
        return usable_neighbourhoods(self.k_grid, len(self.voting_rows_))

    def _own(self, training: TrainingRows) -> IntArray:
        return np.searchsorted(self.voting_rows_, training.rows)

    def _wanted(self, k: int, *, left_out: bool) -> int:
        return min(k + 1, len(self.voting_rows_) - left_out)


class ProbabilityVote(OfferingVote):
    """Evidence: the vote of the training rows with the nearest root probabilities.

    Searched is (1 - rho) · code + rho · labels of each labelled row. These codes are the vote's
    own, not those that features are regressed onto.

    Parameters
    ----------
    space_of_codes : ProbabilityCodes
        Fitted by ``prepare``.
    k_grid, rho_grid : sequence
        Choices.

    Attributes
    ----------
    k_, rho_ : the choice
    """

    name = "code vote"
    space = "codes"

    def __init__(
        self,
        space_of_codes: ProbabilityCodes,
        k_grid: Sequence[int] = WIDE_K_GRID,
        rho_grid: Sequence[float] = WIDE_RHO_GRID,
    ):
        self.space_of_codes = space_of_codes
        self.k_grid = k_grid
        self.rho_grid = rho_grid

    def prepare(self, training: TrainingRows) -> None:
        """Place the labelled rows."""
        super().prepare(training)
        self._codes = self.space_of_codes.fit_transform(training.codes)
        self._certain = self.space_of_codes.of_labels(training.labels.ones[self.voting_rows_])

    def offers(self, training: TrainingRows) -> Iterator[Offer]:
        """Give each rho and k with its evidence of ``training.rows``, each row left out."""
        grid = self._grid()
        for rho in self.rho_grid:
            found = self._left_out(training, self._blend(rho), grid[-1])
            for k in grid:
                yield Offer({"k": k, "rho": float(rho)}, self._evidence(found, k))

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Keep the codes of one rho; return the evidence of ``training.rows``, each left out."""
        self.k_, self.rho_ = int(choice["k"]), float(choice["rho"])
        self.voters_ = self._blend(self.rho_)
        found = self._left_out(training, self.voters_, self.k_)
        del self._codes, self._certain
        return self._evidence(found, self.k_)

    def _blend(self, rho: float) -> FloatArray:
        return (1.0 - rho) * self._codes[self.voting_rows_] + rho * self._certain

    def _left_out(self, training: TrainingRows, voters: FloatArray, k: int) -> Neighbours:
        return nearest_codes(
            voters,
            self._wanted(k, left_out=True),
            self._codes[training.rows],
            own=self._own(training),
            n_jobs=self.n_jobs_,
        )

    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> Neighbours:
        queries = self.space_of_codes.transform(codes)
        wanted = self._wanted(self.k_, left_out=False)
        return nearest_codes(self.voters_, wanted, queries, n_jobs=self.n_jobs_)


class CosineVote(OfferingVote):
    """Evidence: the vote of the training rows with the most similar features, by cosine.

    Parameters
    ----------
    k_grid : sequence of int
        Choices.

    Attributes
    ----------
    k_ : the choice
    """

    name = "feature vote"
    space = "features"

    def __init__(self, k_grid: Sequence[int] = WIDE_K_GRID):
        self.k_grid = k_grid

    def prepare(self, training: TrainingRows) -> None:
        """Turn the labelled rows into columns."""
        super().prepare(training)
        self.voters_ = CosineRows(_required(training.X)[self.voting_rows_])

    def offers(self, training: TrainingRows) -> Iterator[Offer]:
        """Give each k with its evidence of ``training.rows``, each row left out."""
        grid = self._grid()
        found = self._left_out(training, grid[-1])
        for k in grid:
            yield Offer({"k": k}, self._evidence(found, k))

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Keep one k; return the evidence of ``training.rows``, each left out."""
        self.k_ = int(choice["k"])
        return self._evidence(self._left_out(training, self.k_), self.k_)

    def _left_out(self, training: TrainingRows, k: int) -> Neighbours:
        return nearest_cosines(
            self.voters_,
            self._wanted(k, left_out=True),
            _required(training.X)[training.rows],
            own=self._own(training),
            n_jobs=self.n_jobs_,
        )

    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> Neighbours:
        wanted = self._wanted(self.k_, left_out=False)
        return nearest_cosines(self.voters_, wanted, _required(X), n_jobs=self.n_jobs_)


def _required(X: FeatureMatrix | None) -> FeatureMatrix:
    if X is None:
        raise ValueError("the feature vote needs X; got X=None. Pass X, or feature_vote=False.")
    return X
