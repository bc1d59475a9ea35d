"""The interface of evidences, and the training rows that they learn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from dlst._matrices import FeatureMatrix, FloatArray, IntArray, as_dense
from dlst._unknown import impute
from dlst._weights import Weights
from dlst.decoders._inputs import Labels
from dlst.decoders.evidences.ballot import Ballot, Poll
from dlst.decoders.neighbours import Neighbours
from dlst.errors import DataError
from dlst.explanation import NeighbourVotes, Space
from dlst.parts import SearchedCodes, Smoother


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The training rows that evidences learn from.

    Attributes
    ----------
    codes : ndarray or csr_array of shape (n, r)
        Out-of-sample codes.
    labels : Labels
        ``labels.Y`` is the CSR indicator, NaN where unknown.
    targets : ndarray of shape (n, r) or None
        The codes that the regressor was fitted to.
    X : ndarray or csr_array of shape (n, d) or None
    smoother : Smoother or None
        The smoother of the regression.
    rows : ndarray of int
        The calibration rows, for which out-of-sample values are returned.
    enriched : ndarray of shape (n, K) or None
        Labels with estimates in place of some zeros, used by votes and read-out.
    n_jobs : int or None

    Examples
    --------
    >>> from dataclasses import fields
    >>> [field.name for field in fields(TrainingRows)][:4]
    ['codes', 'labels', 'targets', 'X']
    """

    codes: FeatureMatrix
    labels: Labels
    targets: FloatArray | None
    X: FeatureMatrix | None
    smoother: Smoother | None
    rows: IntArray
    enriched: FloatArray | None = None
    n_jobs: int | None = None

    @property
    def Y(self) -> sp.csr_array:  # noqa: N802 - the name of the parameter it comes from
        """The labels as CSR that stores ones and NaN."""
        return self.labels.Y

    def ballot(self) -> Ballot:
        """Return the ballot of the labelled rows."""
        rows = self.labels.labelled_rows
        values = self.labels.ones if self.enriched is None else self.enriched
        unknown = self.labels.unknown
        return Ballot(
            values[rows],
            None if unknown is None else unknown[rows],
            self.labels.prior,
            self.labels.row_weights(rows),
        )

    def weights(self) -> Weights | None:
        """Return the weights of the calibration rows and of labels."""
        given = self.labels.weights
        return None if given is None else given.of_rows(self.rows)

    def filled(self, columns: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return some labels, unknown entries at their mean, and the weights of known zeros."""
        labels = self.Y[:, columns]
        counts = self.labels.row_weights()
        values = as_dense(impute(labels, self.labels.prevalence[columns]))
        if self.enriched is not None:
            # Estimates replace known zeros only, and are 0 elsewhere.
            values = np.maximum(values, self.enriched[:, columns])
        absent = (labels.toarray() == 0).astype(np.float64)
        return values, absent if counts is None else absent * counts[:, None]


@dataclass(eq=False)
class EvidenceCache:
    """Values and neighbours of the rows that are being scored, shared between evidences.

    Attributes
    ----------
    values : dict of Evidence to ndarray of shape (n, K)
    neighbours : dict of Evidence to Neighbours
        The voters on the rows.
    """

    values: dict[Evidence, FloatArray] = field(default_factory=dict)
    neighbours: dict[Evidence, Neighbours] = field(default_factory=dict)


class Evidence(BaseEstimator, ABC):  # type: ignore[misc]
    """Evidence for or against each label of a row, on the scale of a logit.

    Examples
    --------
    >>> from dlst.decoders import CodeVote
    >>> isinstance(CodeVote(), Evidence)
    True
    """

    name: ClassVar[str]

    space: ClassVar[Space | None] = None
    """The space in which its neighbours are searched; None if it is not a vote of near rows."""

    votes_among_codes: ClassVar[bool] = False
    """Whether its neighbours, found by codes, may vote for whole label sets."""

    _left_out_votes: sp.csr_array | None = None

    @abstractmethod
    def fit(self, training: TrainingRows) -> FloatArray:
        """Learn, and return the values of ``training.rows``, (n_rows, K), as if they were new."""

    @abstractmethod
    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the values of new rows, shape (n, K)."""

    def made_of(self) -> Sequence[Evidence]:
        """Return the evidences that its values are computed from."""
        return ()

    def values_given(
        self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache
    ) -> FloatArray:
        """Return the values of new rows, given what the cache holds of ``made_of``."""
        return self.values(codes, X)

    @property
    def takes_polls(self) -> bool:
        """Whether ``poll`` can return the voters on new rows before votes are counted."""
        return False

    def poll(self, codes: FeatureMatrix, X: FeatureMatrix | None, cache: EvidenceCache) -> Poll:
        """Return the voters on new rows; labels that none of these has get the prior's vote."""
        raise DataError(f"evidence {self.name!r} has no poll.")

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes | None:
        """Return the voters on new rows; None for an evidence that is not a vote."""
        return None

    def left_out_votes(self) -> sp.csr_array | None:
        """Return how much training rows voted on the calibration rows; None for no code vote."""
        return self._left_out_votes

    def drop_votes(self) -> None:
        """Delete the votes on calibration rows, which only learning decisions needs."""
        self._left_out_votes = None

    def forget(self) -> None:
        """Delete what only the selection of other evidence needed."""

    def searched(self) -> SearchedCodes | None:
        """Return the codes among which neighbours are searched; None where none are."""
        return None


class OfferingEvidence(Evidence):
    """Evidence whose hyperparameters are chosen by what they add to other evidence."""

    cost: ClassVar[float] = 1.0
    """Share of the usual least gain that it needs to be kept."""

    @abstractmethod
    def prepare(self, training: TrainingRows) -> None:
        """Learn what does not depend on the choice."""

    def choices(self) -> dict[str, Sequence[Any]]:
        """Return the hyperparameters to choose, with their ordered values; none by default."""
        return {}

    @abstractmethod
    def offered(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Return the values of ``training.rows`` with a choice, each row left out."""

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Fix a choice; return the values of ``training.rows``, each left out."""
        return self.offered(training, choice)

    def fit(self, training: TrainingRows) -> FloatArray:
        """Fix the first choices; return the values of ``training.rows``, each left out."""
        self.prepare(training)
        return self.settle(training, {name: grid[0] for name, grid in self.choices().items()})
