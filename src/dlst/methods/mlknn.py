"""ML-kNN as a classifier: on raw features (the authors'), or on scaled ones (DLST₂)."""

from __future__ import annotations

from dataclasses import KW_ONLY

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst._parameters import with_parameters
from dlst.decoders import MLkNNDecoder
from dlst.methods.answers import with_logits
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.methods.scaling import Scaling
from dlst.parts import Scores


@with_parameters
class MLkNN(MultiLabelClassifier):
    """Label by label, Bayes' rule on how many of the k nearest training rows carry it.

        p_j(x) = P(A_j) P(m_j | A_j) / (P(A_j) P(m_j | A_j) + P(¬A_j) P(m_j | ¬A_j))

    where m_j counts the neighbours with label j. Faithful to the authors' program: a row is no
    neighbour of itself, ties in distance go to the lower row, a posterior of 1/2 is a yes.

    Parameters
    ----------
    n_neighbors : int
        k. With fewer rows than that, all others are neighbours.
    smoothing : float
        s, added to every count.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``"own"``, p ≥ ½, is the authors'.
    scaling : str
        See :class:`FeatureScaler`; ``"none"`` is the authors'.
    n_jobs : int, optional
        Threads of the neighbour search.

    References
    ----------
    Zhang, Zhou (2007). ML-kNN: a lazy learning approach to multi-label learning.

    Examples
    --------
    >>> X, Y = [[0], [1], [2], [10], [11], [12]], [[1], [1], [0], [0], [0], [0]]
    >>> model = MLkNN(n_neighbors=2).fit(X, Y)
    >>> model.predict_proba([[0.4]]).round(6)
    array([[0.295775]])
    """

    n_neighbors: int = 10
    _: KW_ONLY
    smoothing: float = 1.0
    scaling: Scaling = "none"
    n_jobs: int | None = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater:
        X = self._fit_scaler(X)
        self.decoder_ = MLkNNDecoder(self.n_neighbors, self.smoothing, n_jobs=self.n_jobs)
        return self.decoder_.fit(X, Y).out_of_sample

    def _scores(self, X: FeatureMatrix) -> Scores:
        return with_logits(self.decoder_.predict_proba(self.scaler_.transform(X)))


@with_parameters
class DLST2(MLkNN):
    """The paper's second variant: no transformation, ML-kNN in feature space.

    :class:`MLkNN` on features scaled as :class:`DLST` scales them.

    Parameters
    ----------
    n_neighbors, smoothing, decision, cardinality, tau, scaling, n_jobs
        As in :class:`MLkNN`.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = DLST2(n_neighbors=5).fit(data.train.X[:200], data.train.Y[:200])
    >>> model.predict_proba(data.test.X[:2]).shape
    (2, 10)
    """

    scaling: Scaling = "auto"
