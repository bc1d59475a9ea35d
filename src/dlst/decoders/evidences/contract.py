"""What an evidence learns from, and what it offers."""

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
    """The training rows as the evidences get them.

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
        That of the regression.
    rows : ndarray of int
        The calibration rows: where out-of-sample values are wanted.
    enriched : ndarray of shape (n, K) or None
        Labels with guesses in place of some zeros; votes and read-out then use them.
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
        """The labels, ones and NaN stored."""
        return self.labels.Y

    def ballot(self) -> Ballot:
        """Return what the labelled rows vote with."""
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
        """Return how often the calibration rows, and labels, count."""
        given = self.labels.weights
        return None if given is None else given.of_rows(self.rows)

    def filled(self, columns: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return some labels, unknown entries at their mean, and how often known zeros count."""
        labels = self.Y[:, columns]
        counts = self.labels.row_weights()
        values = as_dense(impute(labels, self.labels.prevalence[columns]))
        if self.enriched is not None:
            # Guesses stand in place of known zeros only, and are 0 elsewhere.
            values = np.maximum(values, self.enriched[:, columns])
        absent = (labels.toarray() == 0).astype(np.float64)
        return values, absent if counts is None else absent * counts[:, None]


@dataclass(eq=False)
class Said:
    """What evidences said of the rows that are asked about, kept for others that are made of it.

    Attributes
    ----------
    values : dict of Evidence to ndarray of shape (n, K)
    neighbours : dict of Evidence to Neighbours
        Who votes on them.
    """

    values: dict[Evidence, FloatArray] = field(default_factory=dict)
    neighbours: dict[Evidence, Neighbours] = field(default_factory=dict)


class Evidence(BaseEstimator, ABC):  # type: ignore[misc]
    """Something that speaks for or against each label of a row, on the scale of a logit.

    Examples
    --------
    >>> from dlst.decoders import CodeVote
    >>> isinstance(CodeVote(), Evidence)
    True
    """

    name: ClassVar[str]

    space: ClassVar[Space | None] = None
    """Where its neighbours are searched; None for an evidence that is no vote of near rows."""

    votes_among_codes: ClassVar[bool] = False
    """Whether its neighbours, found among codes, may vote for whole label sets."""

    _left_out_votes: sp.csr_array | None = None

    @abstractmethod
    def fit(self, training: TrainingRows) -> FloatArray:
        """Learn, and return the values of ``training.rows``, (n_rows, K), as if they were new."""

    @abstractmethod
    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the values of new rows, shape (n, K)."""

    def made_of(self) -> Sequence[Evidence]:
        """Return the evidences whose values its own are made of."""
        return ()

    def values_given(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> FloatArray:
        """Return the values of new rows, where others of which they are made may be known."""
        return self.values(codes, X)

    @property
    def takes_polls(self) -> bool:
        """Whether ``poll`` can say who votes on new rows before votes are counted."""
        return False

    def poll(self, codes: FeatureMatrix, X: FeatureMatrix | None, said: Said) -> Poll:
        """Say who votes on new rows; labels that none of them has have the prior's vote alone."""
        raise DataError(f"evidence {self.name!r} takes no polls.")

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes | None:
        """Return who votes on new rows; None for an evidence that is no vote."""
        return None

    def left_out_votes(self) -> sp.csr_array | None:
        """Return how much training rows voted on the calibration rows; None for no code vote."""
        return self._left_out_votes

    def drop_votes(self) -> None:
        """Drop the votes on calibration rows, from which decisions are learnt, for good."""
        self._left_out_votes = None

    def forget(self) -> None:
        """Drop what was only needed while other evidence joined."""

    def searched(self) -> SearchedCodes | None:
        """Return the codes among which neighbours are searched; None where none are."""
        return None


class OfferingEvidence(Evidence):
    """Evidence whose choices are judged by what they add to other evidence."""

    cost: ClassVar[float] = 1.0
    """Share of the usual gain that it must bring to be worth its time."""

    @abstractmethod
    def prepare(self, training: TrainingRows) -> None:
        """Learn what does not depend on the choice."""

    def choices(self) -> dict[str, Sequence[Any]]:
        """Name what can be chosen, each with its values in order; nothing by default."""
        return {}

    @abstractmethod
    def offered(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Return the values of ``training.rows`` with a choice, each row left out."""

    def settle(self, training: TrainingRows, choice: dict[str, Any]) -> FloatArray:
        """Make a choice for good; return the values of ``training.rows``, each left out."""
        return self.offered(training, choice)

    def fit(self, training: TrainingRows) -> FloatArray:
        """Take the first choices; return the values of ``training.rows``, each left out."""
        self.prepare(training)
        return self.settle(training, {name: grid[0] for name, grid in self.choices().items()})
