"""Very many labels: those of near rows are scored, all others have their prior."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from dlst._kernels.label_votes import listed_sums
from dlst._matrices import FeatureMatrix, as_dense
from dlst._parameters import Constraints, integer, number
from dlst._seeds import drawn_rows
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import (
    FloatArray,
    Given,
    IntArray,
    as_new,
    chosen_rows,
    clipped_logit,
)
from dlst.decoders.calibration import fit_logistic
from dlst.decoders.evidences.ballot import vote_weights
from dlst.decoders.evidences.direct import stretched_logit
from dlst.decoders.neighbours import Neighbours
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines
from dlst.errors import DataError
from dlst.explanation import Explanation, NeighbourVotes, Space
from dlst.parts import OutOfSample, Scores, SearchedCodes

VOTE_MARGIN = 1e-5

TOLD_ENTRIES, FEWEST_TOLD = 4_000_000, 100
"""Rows times labels of left-out probabilities that are told, for whoever learns decisions."""

PAIR_BLOCK = 1_000_000
SOURCES = ("code vote", "feature vote", "read-out")


class ShortlistDecoder(CheckedDecoder):
    """Labels of the nearest rows, by codes and by features, scored; nothing is rows by labels.

    A label that none of them has keeps its prior. For each label that some have,

        logit p = a + Σ_m b_m · evidence_m,  b >= 0,

    with the code vote, the feature vote and the read-out of the code by the encoder's inverse as
    evidence; a and b are the same for all labels. For tens of thousands of labels and more, of
    which each row has few.

    Parameters
    ----------
    n_code_neighbors, n_feature_neighbors : int
        Near rows that vote: more find more labels, and blur them.
    n_queries : int
        Training rows that weights are learnt on.
    rho : float
        Share of its own target in the code of a row that is searched.
    random_state : int, RandomState or None
        Draws these rows.
    n_jobs : int, optional
        Threads of the neighbour searches.

    Attributes
    ----------
    slopes_ : ndarray of shape (3,)
        Of code vote, feature vote and read-out.
    intercept_ : float
    recall_ : float
        Share of the labels of left-out rows that their shortlists hold.
    link_scale_ : float
        What the read-out is divided by on its way to a logit.

    Examples
    --------
    >>> from dlst.encoders import SketchedCode
    >>> Y = sp.csr_array(np.kron(np.eye(3), np.ones((9, 1))))
    >>> encoder = SketchedCode(3, random_state=0)
    >>> Z = encoder.fit_transform(Y)
    >>> decoder = ShortlistDecoder(5, 5).fit(Z, Y, targets=Z, X=Y, encoder=encoder)
    >>> decoder.shortlist(Z[:1], X=Y[:1]).indices.tolist()
    [0]
    """

    _constraints: ClassVar[Constraints] = {
        "n_code_neighbors": integer(at_least=1),
        "n_feature_neighbors": integer(at_least=1),
        "n_queries": integer(at_least=1),
        "rho": number(at_least=0, at_most=1),
    }

    has_shortlist = True

    def __init__(
        self,
        n_code_neighbors: int = 80,
        n_feature_neighbors: int = 40,
        n_queries: int = 2_000,
        rho: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_code_neighbors = n_code_neighbors
        self.n_feature_neighbors = n_feature_neighbors
        self.n_queries = n_queries
        self.rho = rho
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, given: Given) -> None:
        X, targets, inverse = given.X, given.targets, given.inverse
        if X is None or inverse is None:
            raise DataError(
                "ShortlistDecoder must have X and a linear encoder, such as SketchedCode; got "
                f"X={'None' if X is None else 'features'} and {given.encoder!r}."
            )
        codes, labels = as_dense(given.codes), given.labels
        self._labels, self.log_prior_ = labels.ones, np.log(labels.prior)
        self.readout_, self.offset_ = np.ascontiguousarray(inverse.decoding.T), inverse.offset
        self.voters_ = codes if targets is None else (1 - self.rho) * codes + self.rho * targets
        self.feature_rows_, self.n_features_ = CosineRows(X), X.shape[1]
        rows = drawn_rows(labels.labelled_rows, self.n_queries, self.random_state)
        self._weigh(_Asked(codes[rows], X[rows], rows), rows)

    def shortlist(
        self, codes: Any, *, X: Any = None, at_least: int = 0, handicap: FloatArray | None = None
    ) -> sp.csr_array:
        """Return the logits of the labels that near rows have, (n, K); nothing is said of others.

        Parameters
        ----------
        codes : array-like of shape (n, r)
        X : array-like or sparse of shape (n, d)
        at_least : int
            Labels of a row: where near rows have fewer, the most frequent are added.
        handicap : ndarray of shape (K,), optional
            Changes no list: labels of near rows are on it whatever they rank.
        """
        listed = self._listed(self._pairs(self._checked(codes, X)))
        short = np.flatnonzero(np.diff(listed.indptr) < at_least)
        return self._filled(listed, short, at_least) if short.size else listed

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return probabilities and their logits of all labels, both (n, K)."""
        logits = self._spread(self.shortlist(codes, X=X))
        return Scores(expit(logits), logits)

    def explain(self, codes: Any, *, X: Any = None, rows: Any = None) -> Explanation:
        """Say what made the logits of listed labels, and who voted; others keep their prior."""
        asked = self._checked(codes, X)
        chosen = chosen_rows(rows, len(asked.codes))
        asked = _Asked(asked.codes[chosen], asked.X[chosen], None)
        pairs = self._pairs(asked)
        owner = np.repeat(np.arange(len(chosen)), np.diff(pairs.starts))
        terms = np.zeros((len(chosen), self._K, 1 + len(SOURCES)))
        # A list starts from one intercept, whatever the prior of its labels.
        terms[owner, pairs.labels, 0] = self.intercept_ - self._unlisted_logits[pairs.labels]
        terms[owner, pairs.labels, 1:] = (self.slopes_[:, None] * self._evidence(pairs)).T
        votes = {
            name: NeighbourVotes(voters, np.sqrt(squared[:, : voters.shape[1]]), weights, space)
            for name, space, voters, squared, weights in self._voters(asked)
        }
        constant = np.zeros(self._K, dtype=bool)
        return Explanation(
            chosen, ("listed", *SOURCES), self._unlisted_logits, terms, votes, constant
        )

    def out_of_sample(self) -> OutOfSample:
        """Return probabilities of some training rows, each predicted without itself."""
        return OutOfSample(self.calibration_rows_, expit(self._spread(self._left_out)))

    def searched(self) -> SearchedCodes:
        """Return the codes among which neighbours are searched."""
        return SearchedCodes(np.arange(len(self.voters_)), self.voters_)

    @property
    def _K(self) -> int:  # noqa: N802
        return len(self.log_prior_)

    def _checked(self, codes: Any, X: Any) -> _Asked:
        check_is_fitted(self, "slopes_")
        checked, features = as_new(codes, X, self.voters_.shape[1], self.n_features_)
        if features is None:
            raise DataError(f"X must have the {self.n_features_} columns of the fit; got None.")
        return _Asked(as_dense(checked), features, None)

    def _weigh(self, asked: _Asked, rows: IntArray) -> None:
        """Learn intercept and slopes on the shortlists of left-out rows, and what these miss."""
        truth = self._labels[rows]
        pairs = self._pairs(asked)
        owner = np.repeat(np.arange(len(rows)), np.diff(pairs.starts))
        present = np.asarray(truth[owner, pairs.labels], dtype=np.float64).ravel()
        absent = pairs.readout[present == 0]
        self.link_scale_ = float(absent.std()) + 1e-3 if absent.size else 1.0
        intercepts, self.slopes_ = fit_logistic(self._evidence(pairs)[:, :, None], present[:, None])
        self.intercept_ = float(intercepts[0])
        self.recall_ = float(present.sum() / max(truth.nnz, 1))
        # What lists miss is spread over all labels by their priors; half a label is never missed.
        missed = np.log((truth.nnz - present.sum() + 0.5) / (truth.nnz + 1.0))
        self.unlisted_ = np.minimum(self.log_prior_ + missed, -1e-6)
        most = min(len(rows), max(FEWEST_TOLD, TOLD_ENTRIES // self._K))
        told = np.unique(np.linspace(0, len(rows) - 1, most).astype(np.int64))
        self.calibration_rows_ = rows[told]
        self._left_out = self._listed(pairs)[told]

    def _pairs(self, asked: _Asked) -> _Pairs:
        _, _, voters, _, weights = zip(*self._voters(asked), strict=True)
        ones = self._labels
        starts, labels, *sums = listed_sums(weights, voters, ones.indptr, ones.indices, self._K)
        owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        votes = [_votes(total, each, owner) for total, each in zip(sums, weights, strict=True)]
        readout = np.empty(len(labels))
        for first in range(0, len(labels), PAIR_BLOCK):
            part = slice(first, first + PAIR_BLOCK)
            readout[part] = np.einsum(
                "ij,ij->i", asked.codes[owner[part]], self.readout_[labels[part]]
            )
        return _Pairs(starts, labels, votes, readout + self.offset_[labels])

    def _voters(self, asked: _Asked) -> list[tuple[str, Space, IntArray, FloatArray, FloatArray]]:
        """Return name, space, rows, squared distances and weights of both kinds of voters."""
        kinds: list[tuple[str, Space, int]] = [
            ("code vote", "codes", self.n_code_neighbors),
            ("feature vote", "features", self.n_feature_neighbors),
        ]
        voters = []
        for found, (name, space, k) in zip(self._neighbours(asked), kinds, strict=True):
            weights = vote_weights(found.squared_distances, k)
            rows = np.ascontiguousarray(found.indices[:, : weights.shape[1]])
            voters.append((name, space, rows, found.squared_distances, weights))
        return voters

    def _neighbours(self, asked: _Asked) -> tuple[Neighbours, Neighbours]:
        most = len(self.voters_) - (asked.own is not None)
        codes, features = (
            min(k + 1, most) for k in (self.n_code_neighbors, self.n_feature_neighbors)
        )
        return (
            nearest_codes(self.voters_, codes, asked.codes, own=asked.own, n_jobs=self.n_jobs),
            nearest_cosines(
                self.feature_rows_, features, asked.X, own=asked.own, n_jobs=self.n_jobs
            ),
        )

    def _evidence(self, pairs: _Pairs) -> FloatArray:
        prior = np.exp(self.log_prior_[pairs.labels])
        votes = (
            clipped_logit((n_eff * share + prior) / (n_eff + 1.0), VOTE_MARGIN)
            for share, n_eff in pairs.votes
        )
        return np.stack([*votes, stretched_logit(pairs.readout, np.array(self.link_scale_))])

    def _logits(self, pairs: _Pairs) -> FloatArray:
        return np.asarray(self.intercept_ + self.slopes_ @ self._evidence(pairs))

    def _listed(self, pairs: _Pairs) -> sp.csr_array:
        shape = (len(pairs.starts) - 1, self._K)
        return sp.csr_array((self._logits(pairs), pairs.labels, pairs.starts), shape=shape)

    def _filled(self, listed: sp.csr_array, short: IntArray, at_least: int) -> sp.csr_array:
        frequent = np.argsort(-self.log_prior_, kind="stable")[: 2 * at_least]
        rows, columns = [], []
        for row in short.tolist():
            has = listed.indices[listed.indptr[row] : listed.indptr[row + 1]]
            more = frequent[~np.isin(frequent, has)][: at_least - len(has)]
            rows += [row] * len(more)
            columns += more.tolist()
        # No logit is exactly 0 but by chance; the sum of two matrices would drop it.
        data = np.where(listed.data == 0.0, np.finfo(np.float64).tiny, listed.data)
        known = sp.csr_array((data, listed.indices, listed.indptr), shape=listed.shape)
        added = sp.csr_array((self._unlisted_logits[columns], (rows, columns)), listed.shape)
        return sp.csr_array(known + added)

    @property
    def _unlisted_logits(self) -> FloatArray:
        return np.asarray(self.unlisted_ - np.log(-np.expm1(self.unlisted_)))

    def _spread(self, listed: sp.csr_array) -> FloatArray:
        logits = np.tile(self._unlisted_logits, (listed.shape[0], 1))
        rows = np.repeat(np.arange(listed.shape[0]), np.diff(listed.indptr))
        logits[rows, listed.indices] = listed.data
        return logits


class _Asked:
    """Rows that are asked about; ``own`` are their numbers among the training rows, if they are."""

    def __init__(self, codes: FloatArray, X: FeatureMatrix, own: IntArray | None):
        self.codes, self.X, self.own = codes, X, own


class _Pairs:
    """Rows with the labels of their lists, CSR, and what near rows and codes say of them."""

    def __init__(
        self,
        starts: NDArray[np.int64],
        labels: NDArray[np.int64],
        votes: list[tuple[FloatArray, FloatArray]],
        readout: FloatArray,
    ):
        self.starts, self.labels, self.votes, self.readout = starts, labels, votes, readout


def _votes(sums: FloatArray, weights: FloatArray, owner: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of the votes, and how many votes that share is worth."""
    total = weights.sum(axis=1)
    n_eff = total**2 / (weights**2).sum(axis=1)
    return sums / total[owner], n_eff[owner]
