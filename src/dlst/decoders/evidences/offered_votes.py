"""Votes of the nearest of many rows, among root probabilities and among features.

A vote offers its choices; whoever stacks evidences takes the one that adds most to the others.
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
from dlst.decoders.evidences.contract import Evidence, OfferingEvidence, Said, TrainingRows
from dlst.decoders.evidences.label_scores import ProbabilityCodes, required_features
from dlst.decoders.neighbours import Neighbours
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines
from dlst.explanation import NeighbourVotes, Space

WIDE_K_GRID = (20, 40, 80, 160, 320)
SHARP_K_GRID = (*WIDE_K_GRID, 640, 1280)
WIDE_RHO_GRID = (0.0, 0.1, 0.2)

SHARPNESS, SHARP_ABOVE = 3, 100
"""Of more labels than this many rows vote, and the nearest have most of the vote. Two thirds of the
training rows of delicious and bibtex, asked of the other third, ranked labels better than by
Epanechnikov's weights of at most 320 voters; of texts with fewer labels they gained nothing that
was worth the time."""


def offered_neighbourhoods(n_labels: int) -> Sequence[int]:
    """Return the numbers of voters that are tried where none are given."""
    return SHARP_K_GRID if n_labels > SHARP_ABOVE else WIDE_K_GRID


class OfferingVote(OfferingEvidence):
    """A vote of near rows whose choices are judged by what they add to other evidence.

    Attributes
    ----------
    k_ : int
        Neighbours that vote.
    """

    space: ClassVar[Space]
    k_grid: Sequence[int]

    def prepare(self, training: TrainingRows) -> None:
        """Remember who may vote."""
        self._asked: dict[Any, tuple[IntArray, Neighbours]] = {}
        self.n_jobs_ = training.n_jobs
        self.voting_rows_ = training.labels.labelled_rows
        sharpness = SHARPNESS if training.labels.shape[1] > SHARP_ABOVE else 1
        self.ballot_: Ballot = replace(training.ballot(), sharpness=sharpness)

    def choices(self) -> dict[str, Sequence[Any]]:
        """Name k."""
        return {"k": self._grid()}

    def offered(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Return the evidence of ``training.rows`` with a choice, each row left out."""
        space = self._space_of(choice)
        if space not in self._asked:
            found = self._left_out(training, choice, self.choices()["k"][-1])
            self._asked[space] = training.rows, found
        return vote_evidence(self._asked[space][1], choice["k"], self.ballot_)

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Make a choice for good; return the evidence of ``training.rows``, each left out."""
        self.k_ = int(choice["k"])
        rows, known = self._asked.get(self._space_of(choice), (np.empty(0, np.int64), None))
        asked = np.isin(training.rows, rows)
        others = replace(training, rows=training.rows[~asked])
        found = _joined(asked, known, self._left_out(others, choice, self.k_))
        self._settled = training.rows, found
        if self.votes_among_codes:
            self._left_out_votes = self._named(found).matrix(training.labels.shape[0])
        return vote_evidence(found, self.k_, self.ballot_)

    def forget(self) -> None:
        """Drop the neighbours of training rows."""
        del self._asked, self._settled

    def left_out_neighbours(self, rows: IntArray, wanted: int) -> Neighbours:
        """Return the nearest of some of the rows that it was settled on, each left out."""
        settled, found = self._settled
        nearest = np.ix_(np.searchsorted(settled, rows), np.arange(wanted))
        return Neighbours(found.indices[nearest], found.squared_distances[nearest])

    def found(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Neighbours:
        """Return the k_ + 1 nearest of new rows, searched once for all who ask."""
        if self not in said.neighbours:
            said.neighbours[self] = self._nearest(codes, X, said)
        return said.neighbours[self]

    def _space_of(self, choice: dict[str, Any]) -> Any:
        """Return the part of a choice that says where neighbours are searched."""
        return None

    @abstractmethod
    def _left_out(self, training: TrainingRows, choice: dict[str, Any], k: int) -> Neighbours:
        """Find the k + 1 nearest of ``training.rows``, each row left out."""

    @abstractmethod
    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Neighbours:
        """Find the k_ + 1 nearest of new rows."""

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return self.values_given(codes, X, Said())

    def values_given(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> FloatArray:
        """Return the evidence of new rows, where scores of them may be known."""
        return vote_evidence(self.found(codes, X, said), self.k_, self.ballot_)

    @property
    def takes_polls(self) -> bool:
        """Whether all labels of all voters are known."""
        return self.ballot_.is_plain

    def poll(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Poll:
        """Say who votes on new rows."""
        return Poll.of(self.found(codes, X, said), self.k_, self.ballot_)

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes:
        """Return who votes on new rows."""
        return self._named(self.found(codes, X, Said()))

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
    votes_among_codes = True

    space_of_codes: ProbabilityCodes
    k_grid: Sequence[int] = WIDE_K_GRID
    rho_grid: Sequence[float] = WIDE_RHO_GRID

    def prepare(self, training: TrainingRows) -> None:
        """Place the labelled rows."""
        super().prepare(training)
        self._codes = self.space_of_codes.fit_transform(training)
        self._certain = self.space_of_codes.of_labels(training.labels.ones[self.voting_rows_])

    def choices(self) -> dict[str, Sequence[Any]]:
        """Name k and rho."""
        return {**super().choices(), "rho": [float(rho) for rho in self.rho_grid]}

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Keep the codes of one rho; return the evidence of ``training.rows``, each left out."""
        self.rho_ = float(choice["rho"])
        self.voters_ = self._blend(self.rho_)
        return super().settle(training, choice)

    def forget(self) -> None:
        """Drop the codes that voters are blended from."""
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
        """Return the scores that make the codes."""
        return self.space_of_codes.scores

    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Neighbours:
        queries = self.space_of_codes.transform(codes, X, said)
        wanted = self._wanted(self.k_, left_out=False)
        return nearest_codes(self.voters_, wanted, queries, n_jobs=self.n_jobs_)


@with_parameters
class NearVote(OfferingVote):
    """Evidence: the vote of the nearest of those who vote on a row in another vote.

    Many voters know which labels rows of a kind have, the nearest few which of these a row has;
    together they ranked labels better than a vote of any number between. Nothing is searched.

    Parameters
    ----------
    wide : OfferingVote
        Settled before this one is asked.

    Attributes
    ----------
    k_ : the choice
    """

    name = "near code vote"
    space = "codes"
    cost = 0.1

    wide: OfferingVote

    def prepare(self, training: TrainingRows) -> None:
        """Take over who may vote."""
        self._asked: dict[Any, tuple[IntArray, Neighbours]] = {}
        self.voting_rows_, self.ballot_ = self.wide.voting_rows_, self.wide.ballot_

    def choices(self) -> dict[str, Sequence[Any]]:
        """Name k; there is none where the other vote has as few as can be."""
        return {"k": [k for k in self.wide.choices()["k"] if k < self.wide.k_]}

    def _left_out(self, training: TrainingRows, choice: dict[str, Any], k: int) -> Neighbours:
        return self.wide.left_out_neighbours(training.rows, self._wanted(k, left_out=True))

    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Neighbours:
        return self.wide.found(codes, X, said)


def votes_within(vote: OfferingVote) -> list[NearVote]:
    """Return the vote of its nearest voters, where these are fewer and labels are many.

    With fewer labels than for sharp votes it added little to a vote of a few hundred rows.
    """
    near = NearVote(vote)
    return [near] if vote.ballot_.sharpness > 1 and near.choices()["k"] else []


@with_parameters
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

    k_grid: Sequence[int] = WIDE_K_GRID

    def prepare(self, training: TrainingRows) -> None:
        """Turn the labelled rows into columns."""
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

    def _nearest(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Neighbours:
        wanted = self._wanted(self.k_, left_out=False)
        return nearest_cosines(self.voters_, wanted, required_features(X), n_jobs=self.n_jobs_)


def _joined(asked: BoolArray, known: Neighbours | None, found: Neighbours) -> Neighbours:
    """Return neighbours of rows of which some, with at least as many, are known already."""
    if known is None:
        return found
    k = found.indices.shape[1]
    indices = np.empty((len(asked), k), np.int64)
    squared = np.empty((len(asked), k))
    indices[asked], indices[~asked] = known.indices[:, :k], found.indices
    squared[asked], squared[~asked] = known.squared_distances[:, :k], found.squared_distances
    return Neighbours(indices, squared)
