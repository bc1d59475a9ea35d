"""Very many labels: the likely ones are scored, all others have their prior."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from dlst._kernels.label_votes import listed_sums
from dlst._kernels.nearest import largest
from dlst._kernels.sampled_products import sampled_products
from dlst._matrices import FeatureMatrix, as_dense
from dlst._parameters import Constraints, integer, number
from dlst._seeds import drawn_rows, give_seed
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import FloatArray, Given, IntArray, as_new, chosen_rows
from dlst.decoders.calibration import fit_logistic, mean_log_loss
from dlst.decoders.evidences.direct import stretched_logit
from dlst.decoders.listed_pairs import Asked, DirectScores, Pairs, Voters
from dlst.decoders.neighbours import row_blocks
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines
from dlst.errors import DataError
from dlst.explanation import Explanation, NeighbourVotes, Space
from dlst.parts import OutOfSample, Scores, SearchedCodes

TOLD_ENTRIES, FEWEST_TOLD = 4_000_000, 100
"""Rows times labels of left-out probabilities that are told, for whoever learns decisions."""

LEFT_OUT_ENTRIES, FEWEST_LEFT_OUT = 100_000_000, 200
"""Rows to weigh by, times all rows: each has a weight for the labels of each other row."""

SPACES: dict[str, Space] = {"code vote": "codes", "feature vote": "features"}
SOURCES = ("code vote", "feature vote", "read-out", "direct")


class ShortlistDecoder(CheckedDecoder):
    """Labels of near rows, and those with the best scores of their own; others keep their prior.

    Near are rows by codes and by features. For each label that is listed,

        logit p = a + Σ_m b_m · evidence_m,  b >= 0,

    with the code vote, the feature vote, the read-out of the code by the encoder's inverse and the
    label's own regression on the features as evidence; a and b are the same for all labels. For
    tens of thousands of labels and more, of which each row has few; nothing is rows by labels.

    Parameters
    ----------
    direct : SparseMachines, optional
        Regressions of all labels on the features; none by default.
    n_direct : int
        Labels that these find, besides those of near rows.
    least_gain : float
        Share of the log-loss of left-out rows that the regressions must save to stay.
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
    slopes_ : ndarray of shape (3,) or (4,)
        Of code vote, feature vote, read-out and, where there is one, direct regression.
    direct_ : SparseMachines or None
        Fitted; None where they were not asked for, or save too little.
    log_loss_ : float
        Of a left-out row, all labels together.
    intercept_ : float
    recall_ : float
        Share of the labels of left-out rows that their shortlists hold.
    link_scale_ : ndarray of shape (1,) or (2,)
        What read-out and direct scores are divided by on their way to a logit.

    Examples
    --------
    >>> from dlst.encoders import SketchedCode
    >>> Y = sp.csr_array(np.kron(np.eye(3), np.ones((9, 1))))
    >>> encoder = SketchedCode(3, random_state=0)
    >>> Z = encoder.fit_transform(Y)
    >>> decoder = ShortlistDecoder(n_code_neighbors=5, n_feature_neighbors=5)
    >>> decoder = decoder.fit(Z, Y, targets=Z, X=Y, encoder=encoder)
    >>> decoder.shortlist(Z[:1], X=Y[:1]).indices.tolist()
    [0]
    """

    _constraints: ClassVar[Constraints] = {
        "n_direct": integer(at_least=0),
        "n_code_neighbors": integer(at_least=1),
        "n_feature_neighbors": integer(at_least=1),
        "n_queries": integer(at_least=1),
        "least_gain": number(),
        "rho": number(at_least=0, at_most=1),
    }

    has_shortlist = True

    def __init__(
        self,
        direct: Any = None,
        n_direct: int = 20,
        least_gain: float = 0.001,
        n_code_neighbors: int = 80,
        n_feature_neighbors: int = 40,
        n_queries: int = 2_000,
        rho: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.direct = direct
        self.n_direct = n_direct
        self.least_gain = least_gain
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
        self.direct_: Any = None
        most = max(FEWEST_LEFT_OUT, LEFT_OUT_ENTRIES // len(codes))
        rows = drawn_rows(labels.labelled_rows, min(self.n_queries, most), self.random_state)
        asked = Asked(codes[rows], X[rows], None, rows)
        voters = self._voters(asked)
        self._weigh(asked, voters)
        if self.direct is not None:
            without, loss = dict(vars(self)), self.log_loss_
            self.direct_ = give_seed(clone(self.direct), self.random_state).fit(X, self._labels)
            weights = self.direct_.left_out_weights(X, rows)
            self._weigh(asked._replace(direct=self._scores_by(weights)), voters)
            if self.log_loss_ > (1.0 - self.least_gain) * loss:
                self.__dict__.update(without)

    def _scores_by(self, weights: Any) -> DirectScores:
        """Score labels by weights of all rows that have them."""
        return lambda block: np.asarray(weights[block] @ self._labels, dtype=np.float32)

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
        asked = self._checked(codes, X)
        listed = self._listed(self._pairs(asked, self._voters(asked)))
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
        asked = self._asked(asked.codes[chosen], asked.X[chosen])
        voters = self._voters(asked)
        pairs = self._pairs(asked, voters)
        terms = np.zeros((len(chosen), self._K, 1 + len(self.slopes_)))
        # A list starts from one intercept, whatever the prior of its labels.
        listed = pairs.owner, pairs.labels
        terms[*listed, 0] = self.intercept_ - self._unlisted_logits[pairs.labels]
        terms[*listed, 1:] = (self.slopes_[:, None] * self._evidence(pairs)).T
        votes = {
            name: NeighbourVotes(
                kind.rows, np.sqrt(kind.squared[:, : kind.rows.shape[1]]), kind.weights, space
            )
            for (name, space), kind in zip(SPACES.items(), voters, strict=True)
        }
        constant = np.zeros(self._K, dtype=bool)
        sources = ("listed", *SOURCES[: len(self.slopes_)])
        return Explanation(chosen, sources, self._unlisted_logits, terms, votes, constant)

    def out_of_sample(self) -> OutOfSample:
        """Return probabilities of some training rows, each predicted without itself."""
        return OutOfSample(self.calibration_rows_, expit(self._spread(self._left_out)))

    def searched(self) -> SearchedCodes:
        """Return the codes among which neighbours are searched."""
        return SearchedCodes(np.arange(len(self.voters_)), self.voters_)

    @property
    def _K(self) -> int:  # noqa: N802
        return len(self.log_prior_)

    def _checked(self, codes: Any, X: Any) -> Asked:
        check_is_fitted(self, "slopes_")
        checked, features = as_new(codes, X, self.voters_.shape[1], self.n_features_)
        if features is None:
            raise DataError(f"X must have the {self.n_features_} columns of the fit; got None.")
        return self._asked(as_dense(checked), features)

    def _asked(self, codes: FloatArray, X: FeatureMatrix) -> Asked:
        machines = self.direct_
        return Asked(codes, X, None if machines is None else lambda rows: machines.scores(X[rows]))

    def _weigh(self, asked: Asked, voters: list[Voters]) -> None:
        """Learn intercept and slopes on the shortlists of left-out rows, and what these miss."""
        rows = np.asarray(asked.own)
        truth = self._labels[rows]
        pairs = self._pairs(asked, voters)
        present = np.asarray(truth[pairs.owner, pairs.labels], dtype=np.float64).ravel()
        absent = pairs.scores[:, present == 0]
        self.link_scale_ = absent.std(axis=1) + 1e-3 if absent.size else np.ones(len(absent))
        entries = self._evidence(pairs)[:, :, None], present[:, None]
        intercepts, self.slopes_ = fit_logistic(*entries)
        self.intercept_ = float(intercepts[0])
        self.recall_ = float(present.sum() / max(truth.nnz, 1))
        # What lists miss is spread over all labels by their priors; half a label is never missed.
        missed = np.log((truth.nnz - present.sum() + 0.5) / (truth.nnz + 1.0))
        self.unlisted_ = np.minimum(self.log_prior_ + missed, -1e-6)
        listed_loss = mean_log_loss(intercepts, self.slopes_, *entries) * len(present)
        has = sp.csr_array((present, pairs.labels, pairs.starts), shape=truth.shape)
        missed_labels = (truth - has).sum(axis=0)
        self.log_loss_ = float(listed_loss - missed_labels @ self.unlisted_) / len(rows)
        most = min(len(rows), max(FEWEST_TOLD, TOLD_ENTRIES // self._K))
        told = np.unique(np.linspace(0, len(rows) - 1, most).astype(np.int64))
        self.calibration_rows_ = rows[told]
        self._left_out = self._listed(pairs)[told]

    def _pairs(self, asked: Asked, voters: list[Voters]) -> Pairs:
        blocks = row_blocks(len(asked.codes), self._K)
        return Pairs.joined([self._pairs_of(asked, voters, rows) for rows in blocks])

    def _pairs_of(self, asked: Asked, voters: list[Voters], rows: slice) -> Pairs:
        """List the labels of some rows, with votes and scores."""
        codes, ones = asked.codes[rows], self._labels
        direct = None if asked.direct is None else asked.direct(rows)
        named = np.empty((len(codes), 0), np.int32)
        if direct is not None and self.n_direct:
            named = largest(direct, np.full(len(codes), -1), min(self.n_direct, self._K))
        here = [kind.of(rows) for kind in voters]
        starts, labels, *sums = listed_sums(
            tuple(kind.weights for kind in here),
            tuple(kind.rows for kind in here),
            named,
            ones.indptr,
            ones.indices,
            self._K,
        )
        owner = np.repeat(np.arange(len(codes)), np.diff(starts))
        readout = sampled_products(codes, self.readout_, starts, labels) + self.offset_[labels]
        scores = [readout] if direct is None else [readout, direct[owner, labels]]
        shares = [kind.share(total, owner) for kind, total in zip(here, sums, strict=True)]
        return Pairs(starts, labels, owner, shares, np.array(scores, dtype=np.float64))

    def _voters(self, asked: Asked) -> list[Voters]:
        """Find both kinds of voters: rows with near codes, and rows with near features."""
        most = len(self.voters_) - (asked.own is not None)
        codes, features = (
            min(k + 1, most) for k in (self.n_code_neighbors, self.n_feature_neighbors)
        )
        near = nearest_codes(self.voters_, codes, asked.codes, own=asked.own, n_jobs=self.n_jobs)
        alike = nearest_cosines(
            self.feature_rows_, features, asked.X, own=asked.own, n_jobs=self.n_jobs
        )
        return [
            Voters.among(near, self.n_code_neighbors),
            Voters.among(alike, self.n_feature_neighbors),
        ]

    def _evidence(self, pairs: Pairs) -> FloatArray:
        prior = np.exp(self.log_prior_[pairs.labels])
        votes = [share.logit(prior) for share in pairs.shares]
        return np.stack([*votes, *map(stretched_logit, pairs.scores, self.link_scale_)])

    def _logits(self, pairs: Pairs) -> FloatArray:
        return np.asarray(self.intercept_ + self.slopes_ @ self._evidence(pairs))

    def _listed(self, pairs: Pairs) -> sp.csr_array:
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
