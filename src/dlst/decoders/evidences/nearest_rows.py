"""Evidence of the nearest training rows: by their codes, and by their features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from dlst._matrices import FeatureMatrix, FloatArray, IntArray, as_dense
from dlst._parameters import with_parameters
from dlst.decoders.approximate import Search, index_of
from dlst.decoders.evidences.ballot import (
    Ballot,
    usable_neighbourhoods,
    vote_evidence,
    vote_log_loss,
    weighted_vote,
)
from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.decoders.index import NeighbourIndex
from dlst.decoders.leave_two_out import leave_two_out_neighbours
from dlst.decoders.neighbours import Neighbours
from dlst.explanation import NeighbourVotes, Space
from dlst.parts import SearchedCodes

K_GRID = (10, 15, 20, 30, 40, 60, 80, 120, 160)
RHO_GRID = (0.0, 0.1, 0.2, 0.3)


class _Vote(Evidence):
    """What both votes share, given the neighbours of the calibration rows."""

    space: ClassVar[Space]
    search: Search
    n_jobs_: int | None
    index_: NeighbourIndex
    ballot_: Ballot

    def _choose(
        self, training: TrainingRows, found: Sequence[Neighbours], grid: Sequence[int]
    ) -> tuple[int, FloatArray]:
        """Choose the searched space and k by log-loss; return the space and its evidence."""
        self.n_jobs_ = training.n_jobs
        self.ballot_ = training.ballot()
        self.voting_rows_ = training.labels.labelled_rows
        present, known = training.labels.dense(training.rows)
        weights = training.weights()
        self.log_loss_ = np.array(
            [
                [
                    vote_log_loss(weighted_vote(each, k, self.ballot_), present, known, weights)
                    for k in grid
                ]
                for each in found
            ]
        )
        space, place = divmod(int(np.argmin(self.log_loss_)), len(grid))
        self.k_grid_, self.k_ = tuple(grid), grid[place]
        return space, vote_evidence(found[space], self.k_, self.ballot_)

    def _grid(self, training: TrainingRows, k_grid: Sequence[int]) -> tuple[list[int], int]:
        """Return the numbers of neighbours to try, and of rows to find for them."""
        ballot = training.ballot()
        grid = usable_neighbourhoods(k_grid, ballot.n_voters())
        return grid, min(ballot.rows_needed(grid[-1]), len(training.labels.labelled_rows) - 1)

    def _keep(self, rows: FeatureMatrix, training: TrainingRows, queries: FeatureMatrix) -> None:
        """Index the rows among which neighbours of new rows are searched."""
        wanted = min(self.ballot_.rows_needed(self.k_), rows.shape[0] - 1)
        own = np.searchsorted(training.labels.labelled_rows, training.rows)
        self.index_ = index_of(rows, self.search, wanted, queries[training.rows], own)

    @property
    def recall_(self) -> float:
        """Share of the true neighbours of left-out rows that the search finds."""
        return self.index_.recall

    def _found(self, queries: FeatureMatrix) -> Neighbours:
        wanted = min(self.ballot_.rows_needed(self.k_), self.index_.rows.shape[0])
        return self.index_.nearest(wanted, queries, n_jobs=self.n_jobs_)

    def _values(self, queries: FeatureMatrix) -> FloatArray:
        return vote_evidence(self._found(queries), self.k_, self.ballot_)

    def _voters(self, queries: FeatureMatrix) -> NeighbourVotes:
        return self._named(self._found(queries))

    def _named(self, found: Neighbours) -> NeighbourVotes:
        indices, weights, _ = self.ballot_.cast(found, self.k_)
        distances = np.sqrt(found.squared_distances[:, : indices.shape[1]])
        return NeighbourVotes(self.voting_rows_[indices], distances, weights, self.space)


@with_parameters
class CodeVote(_Vote):
    """Evidence: the weighted vote of the nearest training codes.

    Neighbours are searched among (1 - rho) · code + rho · target of labelled rows. rho and k are
    chosen by the log-loss of the calibration rows, each left out; with a smoother, the codes
    searched do not depend on the query row either (leave-two-out, exact).

    Parameters
    ----------
    k_grid : sequence of int
        Numbers of neighbours to choose from; those below the number of labelled rows are tried.
    rho_grid : sequence of float
        Shares of the target to choose from; only 0 without targets.
    search : {"exact", "approximate"}
        How the neighbours of new rows are found; those of training rows are found exactly.

    Attributes
    ----------
    k_, rho_
        The choice.
    recall_ : float
        Share of the true neighbours that the search finds.
    log_loss_ : ndarray of shape (n_rho, n_k)
        Log-loss of each choice.

    Examples
    --------
    >>> CodeVote(k_grid=(5, 10), rho_grid=(0.0,)).get_params()
    {'k_grid': (5, 10), 'rho_grid': (0.0,), 'search': 'exact'}
    """

    name = "code vote"
    space = "codes"
    votes_among_codes = True

    k_grid: Sequence[int] = K_GRID
    rho_grid: Sequence[float] = RHO_GRID
    search: Search = "exact"

    def fit(self, training: TrainingRows) -> FloatArray:
        """Choose rho and k; return the evidence of ``training.rows``, each row left out."""
        rhos = tuple(float(rho) for rho in self.rho_grid)
        if not rhos or any(not 0.0 <= rho <= 1.0 for rho in rhos):
            raise ValueError(f"rho_grid must hold numbers from 0 to 1; got {self.rho_grid!r}.")
        rows = training.labels.labelled_rows
        grid, wanted = self._grid(training, self.k_grid)
        self.rho_grid_ = rhos if training.targets is not None else (0.0,)
        if training.smoother is not None and training.targets is not None:
            found = leave_two_out_neighbours(
                training.smoother, training.targets, training.rows, rows, wanted, rhos
            )
        else:
            own = np.searchsorted(rows, training.rows)
            found = [
                NeighbourIndex(_blend(training, rho)[rows]).nearest(
                    wanted, training.codes[training.rows], own=own, n_jobs=training.n_jobs
                )
                for rho in self.rho_grid_
            ]
        space, values = self._choose(training, found, grid)
        self._left_out_votes = self._named(found[space]).matrix(training.labels.shape[0])
        self.rho_ = self.rho_grid_[space]
        self._keep(_rows_of(_blend(training, self.rho_), rows), training, training.codes)
        return values

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return self._values(codes)

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes:
        """Return the voters on new rows."""
        return self._voters(codes)

    def searched(self) -> SearchedCodes:
        """Return the labelled rows and their codes, blended with targets."""
        return SearchedCodes(self.voting_rows_, self.index_.rows)


@with_parameters
class FeatureVote(_Vote):
    """Evidence: the weighted vote of the training rows with the nearest features.

    Parameters
    ----------
    k_grid : sequence of int
        Numbers of neighbours to choose from by leave-one-out log-loss.
    search : {"exact", "approximate"}
        How the neighbours of new rows are found, where features are dense; those of training rows
        are found exactly.

    Attributes
    ----------
    k_ : int
        The choice.
    recall_ : float
        Share of the true neighbours that the search finds.
    log_loss_ : ndarray of shape (1, n_k)
        Log-loss of each choice.

    Examples
    --------
    >>> FeatureVote(k_grid=(5, 10)).get_params()
    {'k_grid': (5, 10), 'search': 'exact'}
    """

    name = "feature vote"
    space = "features"

    k_grid: Sequence[int] = K_GRID
    search: Search = "exact"

    def fit(self, training: TrainingRows) -> FloatArray:
        """Choose k; return the evidence of ``training.rows``, each row left out."""
        if training.X is None:
            raise ValueError("the feature vote needs X; got X=None. Pass X, or feature_vote=False.")
        rows = training.labels.labelled_rows
        grid, wanted = self._grid(training, self.k_grid)
        exact = NeighbourIndex(_rows_of(training.X, rows))
        found = exact.nearest(
            wanted,
            training.X[training.rows],
            own=np.searchsorted(rows, training.rows),
            n_jobs=training.n_jobs,
        )
        values = self._choose(training, [found], grid)[1]
        self._keep(exact.rows, training, training.X)
        return values

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return self._values(_required(X))

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes:
        """Return the voters on new rows."""
        return self._voters(_required(X))


def _rows_of(values: FeatureMatrix, rows: IntArray) -> FeatureMatrix:
    """Return some rows; the array itself if these are all."""
    return values if len(rows) == values.shape[0] else values[rows]


def _blend(training: TrainingRows, rho: float) -> FeatureMatrix:
    if training.targets is None or rho == 0.0:
        return training.codes
    return (1.0 - rho) * as_dense(training.codes) + rho * training.targets


def _required(X: FeatureMatrix | None) -> FeatureMatrix:
    if X is None:
        raise ValueError("the feature vote needs X of the new rows; got X=None. Pass X.")
    return X
