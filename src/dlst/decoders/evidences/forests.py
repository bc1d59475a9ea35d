"""Evidence of trees: training rows in the same leaves vote with their labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dlst._kernels.tree_leaves import tree_leaves
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, IntArray, as_dense
from dlst._parameters import with_parameters
from dlst._unknown import impute
from dlst.decoders._inputs import clipped_logit
from dlst.decoders.evidences.ballot import VOTE_MARGIN
from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.decoders.evidences.label_scores import required_features
from dlst.decoders.neighbours import row_blocks

MOST_AXES = 32
"""Maximum number of principal axes of the labels that trees are grown on."""


class Trees(NamedTuple):
    """Splits of a forest, without the predictions of its leaves: nodes of all trees, concatenated.

    ``feature``, ``threshold``, ``left`` and ``right`` have the shape (m,), ``roots`` (n_trees,).
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    roots: IntArray

    @classmethod
    def of(cls, forest: Any) -> Trees:
        """Take the splits of a fitted forest of scikit-learn."""
        trees = [each.tree_ for each in forest.estimators_]
        roots = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])[:-1]])
        sides: list[list[IntArray]] = [[], []]
        for tree, root in zip(trees, roots, strict=True):
            for side, below in zip(sides, (tree.children_left, tree.children_right), strict=True):
                side.append(np.where(below < 0, -1, below + root).astype(np.int64))
        return cls(
            np.concatenate([tree.feature for tree in trees]).astype(np.int64),
            np.concatenate([tree.threshold for tree in trees]),
            np.concatenate(sides[0]),
            np.concatenate(sides[1]),
            roots.astype(np.int64),
        )

    def leaves(self, X: FeatureMatrix) -> IntArray:
        """Return the leaf of each row in each tree, numbered through all trees, (n, n_trees)."""
        blocks = [
            tree_leaves(np.ascontiguousarray(as_dense(X[rows]), dtype=np.float32), *self)
            for rows in row_blocks(X.shape[0], X.shape[1])
        ]
        return np.vstack(blocks) if blocks else np.empty((0, len(self.roots)), np.int64)


@with_parameters
class LeafVote(Evidence):
    """Evidence: the vote of the training rows that share leaves with a row, averaged over trees.

    Trees are grown on bootstrap samples, as regressions of the principal axes of the labels: one
    forest serves all labels. In each tree the sampled rows of the leaf vote; the mean over trees,
    with one additional vote of the prior, becomes a logit. On a training row only the trees that
    have not seen it vote (out of bag), about a third.

    Parameters
    ----------
    n_trees : int
    random_state : int, RandomState or None

    Attributes
    ----------
    trees_ : Trees
    n_voting_ : float
        Mean number of trees that vote on a training row; the prior has one additional vote.

    Notes
    -----
    O(n_trees n log n) comparisons of features, and n_trees · n entries of leaves by labels, sparse.
    """

    n_trees: int = 200
    random_state: Any = None

    @abstractmethod
    def _forest(self, n_jobs: int | None) -> Any:
        """Return the unfitted forest; it samples rows for each tree."""

    def fit(self, training: TrainingRows) -> FloatArray:
        """Grow the trees; return the evidence of ``training.rows`` by trees that left them out."""
        rows = training.labels.labelled_rows
        X, weights = required_features(training.X)[rows], training.labels.row_weights(rows)
        forest = self._forest(training.n_jobs)
        forest.fit(_for_trees(X), _label_axes(training, rows), sample_weight=weights)
        self.trees_ = Trees.of(forest)
        sampled = np.column_stack(
            [np.bincount(chosen, minlength=len(rows)) for chosen in forest.estimators_samples_]
        )
        counts = np.ones(len(rows)) if weights is None else weights
        leaves = self.trees_.leaves(X)
        self._fill(training, leaves, sampled * counts[:, None])
        out_of_bag = sampled == 0
        self.n_voting_ = float(out_of_bag.sum(axis=1).mean())
        places = np.searchsorted(rows, training.rows)
        return self._logits(leaves[places], out_of_bag[places])

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        leaves = self.trees_.leaves(required_features(X))
        return self._logits(leaves, np.ones(leaves.shape, dtype=np.bool_))

    def _fill(self, training: TrainingRows, leaves: IntArray, counts: FloatArray) -> None:
        """Store the share of each label in each leaf, and the share that is unknown."""
        ballot = training.ballot()
        row, tree = np.nonzero(counts)
        members = sp.csr_array(
            (counts[row, tree], (leaves[row, tree], row)),
            shape=(len(self.trees_.left), len(leaves)),
        )
        total = np.asarray(members.sum(axis=1)).ravel()
        shares = sp.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ members
        self.prior_ = ballot.prior
        self.shares_ = sp.csr_array(shares @ sp.csr_array(ballot.values))
        unknown = ballot.unknown
        self.unknown_ = None if unknown is None else sp.csr_array(shares @ unknown)

    def _logits(self, leaves: IntArray, voting: BoolArray) -> FloatArray:
        row, tree = np.nonzero(voting)
        n_trees = voting.sum(axis=1)
        links = sp.csr_array(
            (np.ones(len(row)), leaves[row, tree], np.concatenate([[0], np.cumsum(n_trees)])),
            shape=(len(leaves), self.shares_.shape[0]),
        )
        given = (links @ self.shares_).toarray()
        known = np.repeat(n_trees[:, None].astype(np.float64), given.shape[1], axis=1)
        if self.unknown_ is not None:
            known -= (links @ self.unknown_).toarray()
        # Labels that no tree knows, up to rounding, get the prior.
        is_known = known > 1e-9
        share = np.divide(given, known, out=np.tile(self.prior_, (len(given), 1)), where=is_known)
        # As many votes for a new row as for a training row, so that the logits are comparable.
        smooth = (self.n_voting_ * share + self.prior_) / (self.n_voting_ + 1.0)
        return clipped_logit(smooth, VOTE_MARGIN)


class ExtraTreesVote(LeafVote):
    """Leaves of extremely randomised trees, √d of d features tried at each split.

    Parameters
    ----------
    n_trees : int
    random_state : int, RandomState or None

    Attributes
    ----------
    trees_, n_voting_
        As in :class:`~dlst.decoders.evidences.forests.LeafVote`.

    References
    ----------
    Geurts, Ernst, Wehenkel (2006). Extremely randomized trees.

    Examples
    --------
    >>> from dlst.decoders import EvidenceDecoder
    >>> EvidenceDecoder(extra=[ExtraTreesVote(20)]).extra[0].name
    'extra trees'
    """

    name = "extra trees"

    def _forest(self, n_jobs: int | None) -> Any:
        from sklearn.ensemble import ExtraTreesRegressor

        return ExtraTreesRegressor(
            self.n_trees,
            max_features="sqrt",
            bootstrap=True,
            n_jobs=n_jobs,
            random_state=self.random_state,
        )


class RandomForestVote(LeafVote):
    """Leaves of a random forest, a fifth of the features tried at each split.

    Parameters
    ----------
    n_trees : int
    random_state : int, RandomState or None

    Attributes
    ----------
    trees_, n_voting_
        As in :class:`~dlst.decoders.evidences.forests.LeafVote`.

    References
    ----------
    Breiman (2001). Random forests.

    Examples
    --------
    >>> from dlst.decoders import EvidenceDecoder
    >>> EvidenceDecoder(extra=[RandomForestVote(20)]).extra[0].name
    'random forest'
    """

    name = "random forest"

    def _forest(self, n_jobs: int | None) -> Any:
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor(
            self.n_trees, max_features=0.2, n_jobs=n_jobs, random_state=self.random_state
        )


def _for_trees(X: FeatureMatrix) -> Any:
    """Return features; sparse ones with the 32-bit indices that scikit-learn's trees require."""
    if isinstance(X, np.ndarray):
        return X
    columns = sp.csc_array(X)
    parts = (columns.data, columns.indices.astype(np.int32), columns.indptr.astype(np.int32))
    return sp.csc_array(parts, shape=columns.shape)


def _label_axes(training: TrainingRows, rows: IntArray) -> FloatArray:
    """Project the labels on at most 32 axes on which they vary most."""
    labels = impute(training.Y[rows], training.labels.prevalence)
    weights = training.labels.row_weights(rows)
    counts = np.ones(len(rows)) if weights is None else weights
    K, total = labels.shape[1], counts.sum()
    mean = np.asarray(counts @ labels) / total
    scatter = (labels.T @ (sp.diags_array(counts) @ labels)).toarray()
    scatter -= total * np.outer(mean, mean)
    axes = scipy.linalg.eigh(scatter, subset_by_index=(max(0, K - MOST_AXES), K - 1))[1]
    return np.asarray(labels @ axes - mean @ axes)
