"""Votes of rows on a cluster: each shard returns its nearest, and the nearest of all vote.

For a block of m queries each shard sends k + 1 neighbours, with distances, indices and labels; no
worker sees all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.decoders import CodeVote, DirectReadout, Evidence, EvidenceDecoder, FeatureVote
from dlst.decoders._inputs import Labels
from dlst.decoders.evidences import TrainingRows
from dlst.decoders.evidences.ballot import Ballot, usable_neighbourhoods
from dlst.decoders.evidences.direct import stretched_logit
from dlst.decoders.neighbours import Neighbours, nearest_neighbours
from dlst.regressors import KernelBasis, Readout


class Candidates(NamedTuple):
    """Indices of the nearest rows of each query, nearest first, and their labels.

    Attributes
    ----------
    found : tuple of Neighbours
        For each space that was searched; ``indices`` are those of training rows.
    rows : ndarray of shape (m,)
        The training rows that occur, ascending.
    labels : csr_array of shape (m, K)
        Labels of ``rows``.
    """

    found: tuple[Neighbours, ...]
    rows: IntArray
    labels: sp.csr_array

    def local(self) -> tuple[Neighbours, ...]:
        """Return neighbours as places in ``rows``."""
        return tuple(
            Neighbours(np.searchsorted(self.rows, each.indices), each.squared_distances)
            for each in self.found
        )


def candidates(found: Sequence[Neighbours], start: int, Y: sp.csr_array) -> Candidates:
    """Return candidates among the rows of one shard, which begins with row ``start``."""
    # If a shard has too few rows, places are empty: infinitely far, so that they never vote.
    found = [Neighbours(np.maximum(each.indices, 0), each.squared_distances) for each in found]
    places = np.unique(np.concatenate([each.indices.ravel() for each in found]))
    renamed = tuple(Neighbours(each.indices + start, each.squared_distances) for each in found)
    return Candidates(renamed, places + start, Y[places])


def merged(parts: Sequence[Candidates], wanted: int, own: IntArray | None = None) -> Candidates:
    """Keep the nearest candidates of several shards, ties by the lowest index.

    Parameters
    ----------
    parts : sequence of Candidates
    wanted : int
        Neighbours to keep.
    own : ndarray of shape (n_queries,), optional
        For each query, the row that is left out.
    """
    found = []
    for spaces in zip(*(part.found for part in parts), strict=True):
        indices = np.hstack([each.indices for each in spaces])
        squared = np.hstack([each.squared_distances for each in spaces])
        if own is not None:
            squared = np.where(indices == own[:, None], np.inf, squared)
        order = np.lexsort((indices, squared), axis=1)[:, :wanted]
        found.append(
            Neighbours(
                np.take_along_axis(indices, order, axis=1),
                np.take_along_axis(squared, order, axis=1),
            )
        )
    rows = np.concatenate([part.rows for part in parts])
    labels = sp.csr_array(sp.vstack([part.labels for part in parts], format="csr"))
    kept = np.unique(np.concatenate([each.indices.ravel() for each in found]))
    ascending = np.argsort(rows)
    places = ascending[np.searchsorted(rows, kept, sorter=ascending)]
    return Candidates(tuple(found), kept, labels[places])


def nearest_in(rows: FeatureMatrix, wanted: int, queries: FeatureMatrix) -> Neighbours:
    """Search one shard; all its rows are returned if they are fewer than wanted."""
    return nearest_neighbours(rows, min(wanted, rows.shape[0]), queries)


class ClusterLabels(Labels):
    """Labels of some rows, with label counts of all rows of a cluster."""

    def __init__(self, Y: sp.csr_array, n_positive: FloatArray, n_known: FloatArray):
        super().__init__(Y)
        vars(self).update(n_positive=n_positive, n_known=n_known)


@dataclass(frozen=True, eq=False)
class CalibrationRows(TrainingRows):
    """What the evidences need of the calibration rows, each left out.

    ``labels`` are those of calibration rows and voters, and ``rows`` places among these.

    Attributes
    ----------
    near : tuple of Neighbours
        Among the codes for each rho, then among the features.
    readouts : ndarray of shape (q, K)
        Left-out read-outs of the labels.
    link_scale : ndarray of shape (K,)
    readout : Readout or None
        Read-out of the labels; None if the codes are the labels less ``code_offset``.
    code_offset : ndarray of shape (K,) or None
    n_training : int
        Number of rows on the cluster.
    """

    near: tuple[Neighbours, ...] = ()
    readouts: FloatArray | None = None
    link_scale: FloatArray | None = None
    readout: Readout | None = None
    code_offset: FloatArray | None = None
    basis: KernelBasis | None = None
    n_training: int = 0


class BasisPredictor(NamedTuple):
    """The smoother of the direct read-out, for new rows."""

    basis: KernelBasis

    def predict(self, X: FeatureMatrix, readout: Readout) -> FloatArray:
        """Predict the labels of new rows."""
        return self.basis.combine(X, readout.weights) + readout.offset


class ClusterReadout(DirectReadout):
    """The direct read-out, regressed on a cluster."""

    def fit(self, training: Any) -> FloatArray:
        """Store the regression; return the values of the calibration rows."""
        self.from_codes_ = False
        self.smoother_ = BasisPredictor(training.basis)  # type: ignore[assignment]
        self.link_scale_ = training.link_scale
        self.code_offset_ = training.code_offset
        self.readouts_ = [] if training.readout is None else [training.readout]
        return stretched_logit(training.readouts, self.link_scale_)


class _FoundVote:
    """A vote whose neighbours are found on the cluster and set before rows are scored."""

    given_: Neighbours

    def _found(self, queries: FeatureMatrix) -> Neighbours:
        return self.given_

    def left_out_votes(self) -> None:
        """Return None: the votes are on the cluster."""


class ClusterCodeVote(_FoundVote, CodeVote):
    """The vote of the nearest codes of a cluster."""

    def fit(self, training: Any) -> FloatArray:
        """Choose rho and k; return the evidence of the calibration rows, each left out."""
        self.rho_grid_ = tuple(float(rho) for rho in self.rho_grid)
        grid = usable_neighbourhoods(self.k_grid, training.n_training)
        space, values = self._choose(training, training.near[: len(self.rho_grid_)], grid)
        self.rho_ = self.rho_grid_[space]
        return values


class ClusterFeatureVote(_FoundVote, FeatureVote):
    """The vote of the nearest features of a cluster."""

    def fit(self, training: Any) -> FloatArray:
        """Choose k; return the evidence of the calibration rows, each left out."""
        grid = usable_neighbourhoods(self.k_grid, training.n_training)
        return self._choose(training, training.near[-1:], grid)[1]


class ClusterDecoder(EvidenceDecoder):
    """The default decoder with voters on a cluster."""

    def _make_evidences(self, training: TrainingRows) -> list[Evidence]:
        evidences: list[Evidence] = []
        if self.direct:
            evidences.append(ClusterReadout())
        if self.code_vote:
            evidences.append(ClusterCodeVote(self.k_grid, self.rho_grid))
        if self.feature_vote:
            evidences.append(ClusterFeatureVote(self.k_grid))
        return evidences

    def given(self, near: Candidates) -> ClusterDecoder:
        """Return a copy for some rows, with their neighbours."""
        other, labels = copy(self), Labels(near.labels)
        other.evidences_ = [copy(evidence) for evidence in self.evidences_]
        spaces = iter(near.local())
        for evidence in other.evidences_:
            if isinstance(evidence, _FoundVote):
                evidence.given_ = next(spaces)
                evidence.ballot_ = Ballot(labels.ones, labels.unknown, self.prior_)
        return other

    def votes(self, codes: Any, *, X: Any = None) -> None:
        """Return None: the votes are on the cluster."""
