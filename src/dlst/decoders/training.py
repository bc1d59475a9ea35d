"""What an evidence learns from, and what it must offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst.decoders._inputs import FloatArray, IntArray, Labels
from dlst.decoders.soft_vote import Ballot


@dataclass(frozen=True, eq=False)
class Training:
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
    smoother : object or None
        The regressor's ridge smoother.
    rows : ndarray of int
        The calibration rows: where out-of-sample values are wanted.
    enriched : ndarray of shape (n, K) or None
        Labels with guesses in place of some zeros; votes and read-out then use them.
    n_jobs : int or None
    """

    codes: FeatureMatrix
    labels: Labels
    targets: FloatArray | None
    X: FeatureMatrix | None
    smoother: Any
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
        return Ballot(values[rows], None if unknown is None else unknown[rows], self.labels.prior)

    def imputed(self, columns: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return some labels with unknown entries at their mean, and ones at the known zeros."""
        ones = self.labels.ones[:, columns].toarray()
        values = ones if self.enriched is None else self.enriched[:, columns]
        if self.labels.unknown is None:
            return values, 1.0 - ones
        unknown = self.labels.unknown[:, columns].toarray() == 1
        filled = np.where(unknown, self.labels.prevalence[columns], values)
        return filled, np.where(unknown, 0.0, 1.0 - ones)


@runtime_checkable
class Evidence(Protocol):
    """Something that speaks for or against each label of a row, on the scale of a logit.

    An evidence may also have ``neighbours(codes, X) -> NeighbourVotes``, which explanations show.
    """

    name: str

    def fit(self, training: Training) -> FloatArray:
        """Learn, and return the values of ``training.rows``, (n_rows, K), as if they were new."""

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the values of new rows, shape (n, K)."""
