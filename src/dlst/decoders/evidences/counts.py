"""Evidence of counts: ML-kNN's posterior among codes, each row left out of its own tables."""

from __future__ import annotations

import numpy as np

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import with_parameters
from dlst._weights import no_place
from dlst.decoders._inputs import Labels, clipped_logit
from dlst.decoders.evidences.ballot import VOTE_MARGIN
from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.decoders.index import NeighbourIndex
from dlst.decoders.leave_two_out import leave_two_out_neighbours
from dlst.decoders.mlknn import MLkNNDecoder
from dlst.decoders.neighbours import Neighbours, nearest_neighbours
from dlst.explanation import NeighbourVotes


@with_parameters
class CountPosterior(Evidence):
    """Evidence: Bayes' rule on how many of the k nearest codes have a label, as in ML-kNN.

    This is the paper's decoder on left-out codes: the codes among which neighbours of a calibration
    row are searched do not depend on that row (leave-two-out, with a smoother), and its posterior
    comes from tables without its own count.

    Parameters
    ----------
    n_neighbors : int
        k.

    Attributes
    ----------
    decoder_ : MLkNNDecoder
        The tables.

    References
    ----------
    Zhang, Zhou (2007). ML-KNN: a lazy learning approach to multi-label learning.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> from dlst.decoders import EvidenceDecoder
    >>> decoder = EvidenceDecoder(extra=[CountPosterior(5)]).fit(X, X > 0, X=X)
    >>> decoder.evidences_[-1].name
    'neighbour counts'
    """

    name = "neighbour counts"

    n_neighbors: int = 10

    def fit(self, training: TrainingRows) -> FloatArray:
        """Count; return the evidence of ``training.rows``, each row left out."""
        if training.labels.weights is not None:
            raise no_place(self)
        rows = training.labels.labelled_rows
        k = min(int(self.n_neighbors), len(rows) - 1)
        found = self._left_out(training, k)
        self.decoder_ = MLkNNDecoder(k, n_jobs=training.n_jobs)
        self.voting_rows_ = rows
        posterior = self.decoder_.learn_counts(
            NeighbourIndex(training.codes[rows]),
            Labels(training.Y[rows]),
            found,
            Labels(training.Y[training.rows]),
        )
        return clipped_logit(posterior, VOTE_MARGIN)

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        return clipped_logit(self.decoder_.scores(codes).probabilities, VOTE_MARGIN)

    def neighbours(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> NeighbourVotes:
        """Return the neighbours whose labels are counted."""
        found = self.decoder_.index_.nearest(
            self.decoder_.n_neighbors_, codes, n_jobs=self.decoder_.n_jobs
        )
        distances = np.sqrt(found.squared_distances)
        ones = np.ones(found.indices.shape)
        return NeighbourVotes(self.voting_rows_[found.indices], distances, ones)

    def _left_out(self, training: TrainingRows, k: int) -> Neighbours:
        rows = training.labels.labelled_rows
        if training.smoother is None or training.targets is None:
            return nearest_neighbours(
                training.codes[rows],
                k,
                training.codes[training.rows],
                own=np.searchsorted(rows, training.rows),
                n_jobs=training.n_jobs,
            )
        return leave_two_out_neighbours(
            training.smoother, training.targets, training.rows, rows, k, (0.0,)
        )[0]
