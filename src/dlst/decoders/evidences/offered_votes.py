"""Votes of the nearest of many rows, among root probabilities and among features.

A vote offers choices of its hyperparameters; the stacking decoder takes the one that adds most to
the other evidences.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, IntArray
from dlst._parameters import with_parameters
from dlst.decoders.evidences.ballot import Ballot, Poll, usable_neighbourhoods, vote_evidence
from dlst.decoders.evidences.contract import Evidence, EvidenceCache, OfferingEvidence, TrainingRows
from dlst.decoders.evidences.label_scores import ProbabilityCodes, required_features
from dlst.decoders.neighbours import Neighbours
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines
from dlst.explanation import NeighbourVotes, Space

WIDE_K_GRID = (20, 40, 80, 160, 320)
SHARP_K_GRID = (*WIDE_K_GRID, 640, 1280)
WIDE_RHO_GRID = (0.0, 0.1, 0.2)

SHARPNESS, SHARP_ABOVE = 3, 100
"""With more labels than this, many rows vote, and the nearest have most of the vote. Trained on two
thirds of the training rows of delicious and bibtex and measured on the other third, this ranked
labels better than Epanechnikov weights of at most 320 voters; on texts with fewer labels it gained
too little for its time."""


def offered_neighbourhoods(n_labels: int) -> Sequence[int]:
    """Return the default numbers of voters to try."""
    return SHARP_K_GRID if n_labels > SHARP_ABOVE else WIDE_K_GRID


class OfferingVote(OfferingEvidence):
    """A vote of near rows whose hyperparameters are chosen by what they add to other evidence.

    Attributes
    ----------
    k_ : int
        Number of neighbours that vote.
    """

    space: ClassVar[Space]
    k_grid: Sequence[int]

    def prepare(self, training: TrainingRows) -> None:
        """Store the rows that may vote."""
        self._evaluated: dict[Any, tuple[IntArray, Neighbours]] = {}
        self.n_jobs_ = training.n_jobs
        self.voting_rows_ = training.labels.labelled_rows
        sharpness = SHARPNESS if training.labels.shape[1] > SHARP_ABOVE else 1
        self.ballot_: Ballot = replace(training.ballot(), sharpness=sharpness)

    def choices(self) -> dict[str, Sequence[Any]]:
        """Return the grid of k."""
        return {"k": self._grid()}

    def offered(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Return the evidence of ``training.rows`` with a choice, each row left out."""
        space = self._space_of(choice)
        if space not in self._evaluated:
            found = self._left_out(training, choice, self.choices()["k"][-1])
            self._evaluated[space] = training.rows, found
        return vote_evidence(self._evaluated[space][1], choice["k"], self.ballot_)

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Fix a choice; return the evidence of ``training.rows``, each left out."""
        self.k_ = int(choice["k"])
        rows, known = self._evaluated.get(self._space_of(choice), (np.empty(0, np.int64), None))
        evaluated = np.isin(training.rows, rows)
        others = replace(training, rows=training.rows[~evaluated])
        found = _joined(evaluated, known, self._left_out(others, choice, self.k_))
        self._settled = training.rows, found
        if self.votes_among_codes:
            self._left_out_votes = self._named(found).matrix(training.labels.shape[0])
        return vote_evidence(found, self.k_, self.ballot_)

    def forget(self) -> None:
        """Delete the neighbours of training rows."""
        del self._evaluated, self._settled

    def left_out_neighbours(self, rows: IntArray, wanted: int) -> Neighbours:
        """Return the nearest of some of the rows of ``settle``, each left out."""
        settled, found = self._settled
        nearest = np.ix_(np.searchsorted(settled, rows), np.arange(wanted))
        return Neighbours(found.indices[nearest], found.squared_distances[nearest])

    def found(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> Neighbours:
        """Return the k_ + 1 nearest of new rows, from the cache if they are there."""
        if self not in cache.neighbours:
            cache.neighbours[self] = self._nearest(codes, X, cache)
        return cache.neighbours[self]

    def _space_of(self, choice: dict[str, Any]) -> Any:
        """Return the part of a choice that determines the codes searched."""
        return None

    @abstractmethod
    def _left_out(self, training: TrainingRows, choice: dict[str, Any], k: int) -> Neighbours:
        """Find the k + 1 nearest of ``training.rows``, each row left out."""

    @abstractmethod
    def _nearest(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> Neighbours:
        """Find the k_ + 1 nearest of new rows."""

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return self.values_given(codes, X, EvidenceCache())

    def values_given(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> FloatArray:
        """Return the evidence of new rows, given cached values and neighbours."""
        return vote_evidence(self.found(codes, X, cache), self.k_, self.ballot_)

    @property
    def takes_polls(self) -> bool:
        """Whether all labels of all voters are known."""
        return self.ballot_.is_plain

    def poll(self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache) -> Poll:
        """Return the votes on new rows before they are counted."""
        return Poll.of(self.found(codes, X, cache), self.k_, self.ballot_)

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes:
        """Return the voters on new rows."""
        return self._named(self.found(codes, X, EvidenceCache()))

    def _named(self, found: Neighbours) -> NeighbourVotes:
        indices, weights, _ = self.ballot_.cast(found, self.k_)
        distances = np.sqrt(found.squared_distances[:, : indices.shape[1]])
        return NeighbourVotes(self.voting_rows_[indices], distances, weights, self.space)

    def _grid(self) -> list[int]:
        return usable_neighbourhoods(self.k_grid, self.ballot_.n_voters())

    def _own(self, training: TrainingRows) -> IntArray:
        return np.searchsorted(self.voting_rows_, training.rows)

    def _wanted(self, k: int, *, left_out: bool) -> int:
        return min(self.ballot_.rows_needed(k), len(self.voting_rows_) - left_out)


@with_parameters
class ProbabilityVote(OfferingVote):
    """Evidence: the vote of the training rows with the nearest roots of label probabilities.

    Neighbours are searched among (1 - rho) · code + rho · labels of labelled rows. These codes are
    made for the vote; they are not the regression's targets.

    Parameters
    ----------
    space_of_codes : ProbabilityCodes
        Fitted by ``prepare``.
    k_grid, rho_grid : sequence
        Values to choose from.

    Attributes
    ----------
    k_, rho_
        The choice.
    """

    name = "code vote"
    space = "codes"
    votes_among_codes = True

    space_of_codes: ProbabilityCodes
    k_grid: Sequence[int] = WIDE_K_GRID
    rho_grid: Sequence[float] = WIDE_RHO_GRID

    def prepare(self, training: TrainingRows) -> None:
        """Compute the codes of the training rows."""
        super().prepare(training)
        self._codes = self.space_of_codes.fit_transform(training)
        self._certain = self.space_of_codes.of_labels(training.labels.ones[self.voting_rows_])

    def choices(self) -> dict[str, Sequence[Any]]:
        """Return the grids of k and rho."""
        return {**super().choices(), "rho": [float(rho) for rho in self.rho_grid]}

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Blend the codes by one rho; return the evidence of ``training.rows``, each left out."""
        self.rho_ = float(choice["rho"])
        self.voters_ = self._blend(self.rho_)
        return super().settle(training, choice)

    def forget(self) -> None:
        """Delete the codes that voters were blended from."""
        super().forget()
        del self._codes, self._certain

    def _space_of(self, choice: dict[str, Any]) -> Any:
        return choice["rho"]

    def _blend(self, rho: float) -> FloatArray:
        return (1.0 - rho) * self._codes[self.voting_rows_] + rho * self._certain

    def _left_out(self, training: TrainingRows, choice: dict[str, Any], k: int) -> Neighbours:
        return nearest_codes(
            self._blend(choice["rho"]),
            self._wanted(k, left_out=True),
            self._codes[training.rows],
            own=self._own(training),
            n_jobs=self.n_jobs_,
        )

    def made_of(self) -> Sequence[Evidence]:
        """Return the scores that the codes are computed from."""
        return self.space_of_codes.scores

    def _nearest(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> Neighbours:
        queries = self.space_of_codes.transform(codes, X, cache)
        wanted = self._wanted(self.k_, left_out=False)
        return nearest_codes(self.voters_, wanted, queries, n_jobs=self.n_jobs_)


@with_parameters
class NearVote(OfferingVote):
    """Evidence: the vote of the nearest of the voters of another vote.

    Many voters give the labels of a kind of rows, and the few nearest those of the row itself;
    together they ranked labels better than one vote of any number between. No search is needed.

    Parameters
    ----------
    wide : OfferingVote
        Fixed by ``settle`` before this one is evaluated.

    Attributes
    ----------
    k_ : int
        The choice.
    """

    name = "near code vote"
    space = "codes"
    cost = 0.1

    wide: OfferingVote

    def prepare(self, training: TrainingRows) -> None:
        """Take over the rows that may vote."""
        self._evaluated: dict[Any, tuple[IntArray, Neighbours]] = {}
        self.voting_rows_, self.ballot_ = self.wide.voting_rows_, self.wide.ballot_

    def choices(self) -> dict[str, Sequence[Any]]:
        """Return the grid of k; empty if the other vote has the fewest voters already."""
        return {"k": [k for k in self.wide.choices()["k"] if k < self.wide.k_]}

    def _left_out(self, training: TrainingRows, choice: dict[str, Any], k: int) -> Neighbours:
        return self.wide.left_out_neighbours(training.rows, self._wanted(k, left_out=True))

    def _nearest(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> Neighbours:
        return self.wide.found(codes, X, cache)


def votes_within(vote: OfferingVote) -> list[NearVote]:
    """Return the vote of its nearest voters, if these are fewer and there are many labels.

    With fewer labels, where votes are not sharpened, it added little to a few hundred voters.
    """
    near = NearVote(vote)
    return [near] if vote.ballot_.sharpness > 1 and near.choices()["k"] else []


@with_parameters
class CosineVote(OfferingVote):
    """Evidence: the vote of the training rows with the most similar features, by cosine.

    Parameters
    ----------
    k_grid : sequence of int
        Values to choose from.

    Attributes
    ----------
    k_ : int
        The choice.
    """

    name = "feature vote"
    space = "features"

    k_grid: Sequence[int] = WIDE_K_GRID

    def prepare(self, training: TrainingRows) -> None:
        """Store the labelled rows by columns."""
        super().prepare(training)
        self.voters_ = CosineRows(required_features(training.X)[self.voting_rows_])

    def _left_out(self, training: TrainingRows, choice: dict[str, Any], k: int) -> Neighbours:
        return nearest_cosines(
            self.voters_,
            self._wanted(k, left_out=True),
            required_features(training.X)[training.rows],
            own=self._own(training),
            n_jobs=self.n_jobs_,
        )

    def _nearest(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> Neighbours:
        wanted = self._wanted(self.k_, left_out=False)
        return nearest_cosines(self.voters_, wanted, required_features(X), n_jobs=self.n_jobs_)


def _joined(evaluated: BoolArray, known: Neighbours | None, found: Neighbours) -> Neighbours:
    """Join found neighbours with known ones of other rows, of which there are at least as many."""
    if known is None:
        return found
    k = found.indices.shape[1]
    indices = np.empty((len(evaluated), k), np.int64)
    squared = np.empty((len(evaluated), k))
    indices[evaluated], indices[~evaluated] = known.indices[:, :k], found.indices
    squared[evaluated], squared[~evaluated] = (
        known.squared_distances[:, :k],
        found.squared_distances,
    )
    return Neighbours(indices, squared)
