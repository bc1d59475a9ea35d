"""SLEEC: sparse local embeddings; neighbours are searched among regressed codes."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._parameters import integer, number, one_of, parameter, with_parameters
from dlst.methods.answers import with_logits
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.shared.convergence import warn_not_converged
from dlst.methods.sleec.local_embedding import SPLIT_STEPS, LocalEmbedding
from dlst.parts import Scores

LARGEST_AUTOMATIC_CODE = 50
ROWS_PER_CLUSTER = 6000


@with_parameters
class SLEEC(MultiLabelClassifier):
    """Sparse local embeddings: codes keep near label sets near, neighbours among codes vote.

        min_Z Σ_(a,b)∈Ω (⟨y_a, y_b⟩/(‖y_a‖‖y_b‖) − ⟨z_a, z_b⟩)²   Ω: near pairs of label sets
        min_V ‖Z − X V‖² + λ ‖V‖² + μ ‖X V‖₁

    in each cluster of features. A row's score for a label is how many of the k training rows with
    the nearest regressed codes have it, the mean over several clusterings.

    Parameters
    ----------
    n_components : int or "auto"
        L̂, dimensions of the codes; ``"auto"`` is K, at most 50.
    n_label_neighbors : int
        n̄, label sets whose inner products with a label set are kept.
    n_neighbors : int
        k, training rows that vote.
    n_clusters : int or "auto"
        C, clusters of each learner; ``"auto"`` is one for each 6000 rows. Those with fewer than
        ``n_neighbors`` rows are dissolved.
    n_learners : int
        Clusterings that are averaged; one cluster is the same every time and fitted once.
    alpha : float or "auto"
        λ; ``"auto"`` is chosen by exact leave-one-out in each cluster.
    l1_penalty : float
        μ, which makes regressed codes sparse; 0 is plain ridge regression.
    max_iter, tol : int, float
        The codes' projected gradient stops after so many steps, or when a step lowers the squared
        error by at most this share of Σ_Ω ⟨y_a, y_b⟩².
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``decision="own"`` is p ≥ ½.
    scaling : str
        See :class:`FeatureScaler`.
    random_state : None, int or RandomState
        Seed of the clusterings.

    Attributes
    ----------
    centres_ : list of ndarray of shape (C, d)
        Of each learner's clusters.
    rows_ : list of list of ndarray
        Training rows of each learner's clusters.
    embeddings_ : list of list of LocalEmbedding
        Each learner's clusters.
    n_iter_ : int
        Most steps taken for codes.

    Notes
    -----
    Cost in a cluster of n rows with m distinct label sets: O(m²) for the label neighbours, in
    blocks; O(|Ω| r + m r²) for each step; O(n d min(n, d)) for the regression; O(n r) for the
    neighbours of a row, whose labels are all that a score touches.

    P is the share of the neighbours, with so little of the label's prevalence mixed in that it
    only breaks ties, above all between labels that no neighbour has. Unknown entries (NaN) are
    refused: label sets that are not known have no inner products. Rows without labels are left
    out.

    The authors embed rows. Here a code belongs to a label set, of which Ω pairs the distinct ones:
    where few sets are frequent, as in Scene, all nearest rows of a row have its own set, and
    nothing would say where other sets lie. Theirs are singular value projection, ADMM, the vote
    and the ensemble (from memory of the paper); ours are λ by leave-one-out with a free intercept,
    the defaults for small data, and the decision p ≥ ½, of which the paper has none.

    References
    ----------
    Bhatia, Jain, Kar, Varma, Jain (2015). Sparse local embeddings for extreme multi-label
    classification.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> Y = [[1, 0, 1], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]]
    >>> model = SLEEC(n_neighbors=3).fit(X, Y)
    >>> model.predict([[0.15], [1.15]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    _takes_unknown = False

    n_components: int | str = parameter(
        default="auto", must_be=integer(at_least=1) | one_of("auto")
    )
    _: KW_ONLY
    n_label_neighbors: int = parameter(default=50, must_be=integer(at_least=1))
    n_neighbors: int = parameter(default=25, must_be=integer(at_least=1))
    n_clusters: int | str = parameter(default="auto", must_be=integer(at_least=1) | one_of("auto"))
    n_learners: int = parameter(default=5, must_be=integer(at_least=1))
    alpha: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    l1_penalty: float = parameter(default=0.0, must_be=number(at_least=0))
    max_iter: int = parameter(default=100, must_be=integer(at_least=1))
    tol: float = parameter(default=1e-3, must_be=number(at_least=0))
    random_state: Any = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        X = self._fit_scaler(X)
        self.labels_ = Y
        self._cluster(X)
        self.embeddings_ = [
            [self._embedding().fit(X[rows], Y[rows]) for rows in clusters]
            for clusters in self.rows_
        ]
        self._tell_convergence()

    def _cluster(self, X: FeatureMatrix) -> None:
        """Split the rows into clusters, once for each learner."""
        n = X.shape[0]
        wanted = self.n_clusters
        if isinstance(wanted, str):
            wanted = max(1, n // ROWS_PER_CLUSTER)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_learners)
        centres = [_centres(X, min(wanted, n), int(s), self.n_neighbors) for s in seeds]
        # One cluster is the same every time.
        self.centres_ = centres[:1] if all(len(found) == 1 for found in centres) else centres
        self.rows_ = []
        for found in self.centres_:
            nearest = _nearest(X, found)
            self.rows_.append([np.flatnonzero(nearest == c) for c in range(len(found))])

    def _embedding(self) -> LocalEmbedding:
        r = self.n_components
        if isinstance(r, str):
            r = min(self.labels_.shape[1], LARGEST_AUTOMATIC_CODE)
        return LocalEmbedding(
            r,
            self.n_label_neighbors,
            self.n_neighbors,
            self.alpha,
            self.l1_penalty,
            self.max_iter,
            self.tol,
        )

    def _tell_convergence(self) -> None:
        fitted = [embedding for learner in self.embeddings_ for embedding in learner]
        self.n_iter_ = max(embedding.n_iter_ for embedding in fitted)
        if not all(embedding.converged_ for embedding in fitted):
            warn_not_converged(
                f"The codes of label sets did not converge in max_iter={self.max_iter}; raise "
                f"max_iter, or tol (now {self.tol:g})."
            )
        if not all(embedding.sparse_converged_ for embedding in fitted):
            warn_not_converged(
                f"The sparse codes did not converge in {SPLIT_STEPS} steps; lower l1_penalty (now "
                f"{self.l1_penalty:g}), or raise alpha."
            )

    def _votes(self, X: FeatureMatrix) -> FloatArray:
        """Return the mean share of neighbours with each label, (n, K)."""
        X = self.scaler_.transform(X)
        shares = np.zeros((X.shape[0], self.labels_.shape[1]))
        for centres, clusters, embeddings in zip(
            self.centres_, self.rows_, self.embeddings_, strict=True
        ):
            nearest = _nearest(X, centres)
            for c, (rows, embedding) in enumerate(zip(clusters, embeddings, strict=True)):
                here = np.flatnonzero(nearest == c)
                if here.size:
                    voters = rows[embedding.neighbours(X[here])]
                    shares[here] += _share_of(voters, self.labels_)
        return shares / len(self.embeddings_)

    def _scores(self, X: FeatureMatrix) -> Scores:
        # Shares differ by at least 1 / (neighbours × learners), or not at all.
        little = 0.5 / (self.n_neighbors * len(self.embeddings_))
        prior = self.prevalence_[self._varying]
        return with_logits(np.clip((1.0 - little) * self._votes(X) + little * prior, 0.0, 1.0))


def _centres(X: FeatureMatrix, n_clusters: int, seed: int, least: int) -> FloatArray:
    """Return the centres of k-means clusters with at least so many rows, or of all rows."""
    if n_clusters > 1:
        with warnings.catch_warnings():
            # Fewer distinct rows than clusters are no trouble: empty clusters are left out.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = KMeans(n_clusters, n_init=1, random_state=seed).fit(_narrow(X))
        centres = found.cluster_centers_
        large = np.bincount(_nearest(X, centres), minlength=n_clusters) >= max(least, 2)
        if large.sum() > 1:
            return np.asarray(centres[large], dtype=np.float64)
    return np.asarray(X.mean(axis=0), dtype=np.float64).reshape(1, -1)


def _narrow(X: FeatureMatrix) -> FeatureMatrix:
    """Return CSR rows with 32-bit indices where they fit: k-means takes no others."""
    if isinstance(X, np.ndarray) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sp.csr_array(parts, shape=X.shape)


def _nearest(X: FeatureMatrix, centres: FloatArray) -> NDArray[np.intp]:
    if len(centres) == 1:
        return np.zeros(X.shape[0], dtype=np.intp)
    return np.asarray(euclidean_distances(X, centres).argmin(axis=1))


def _share_of(voters: IntArray, labels: sp.csr_array) -> FloatArray:
    """Return the share of each row's voters that have each label."""
    n, k = voters.shape
    chosen = sp.csr_array(
        (np.full(n * k, 1.0 / k), voters.ravel(), np.arange(0, n * k + 1, k)),
        shape=(n, labels.shape[0]),
    )
    return np.asarray((chosen @ labels).toarray())
