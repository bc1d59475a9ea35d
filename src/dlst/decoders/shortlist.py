"""Very many labels: likely ones are scored, all others keep their prior."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from dlst._kernels.sampled_products import sampled_products
from dlst._kernels.shortlists import shortlists
from dlst._matrices import FeatureMatrix, FloatArray, IntArray, as_dense
from dlst._parameters import integer, number, parameter, with_parameters
from dlst._seeds import drawn_rows, give_seed
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import Given, as_new, chosen_rows
from dlst.decoders.calibration import LEAST_TOTAL, fit_logistic, mean_log_loss
from dlst.decoders.evidences.direct import stretched_logit
from dlst.decoders.listed_pairs import DirectScores, Pairs, Queries, Voters
from dlst.decoders.search import CosineRows, nearest_codes, nearest_cosines
from dlst.errors import DataError
from dlst.explanation import Explanation, NeighbourVotes, Space
from dlst.parts import OutOfSample, Scores, SearchedCodes

CALIBRATION_ENTRIES, FEWEST_CALIBRATION_ROWS = 4_000_000, 100
"""Rows times labels of the left-out probabilities that decisions are learnt on."""

LEFT_OUT_ENTRIES, FEWEST_LEFT_OUT = 100_000_000, 200
"""Calibration rows times all rows: each has a weight for the labels of each other row."""

LISTED_AT_ONCE = 256
"""Rows whose shortlists are made at once, in arrays of one entry per label."""

SPACES: dict[str, Space] = {"code vote": "codes", "feature vote": "features"}
SOURCES = ("code vote", "feature vote", "read-out", "direct")


@with_parameters
class ShortlistDecoder(CheckedDecoder):
    """Labels of near rows and those with the best regression scores; others keep their prior.

    Rows are near by codes or by features. For each listed label,

        logit p = a + Σ_m b_m · evidence_m,  b >= 0,

    with the code vote, the feature vote, the read-out of the code by the encoder's inverse and the
    label's own regression on the features as evidence; a and b are the same for all labels. For
    tens of thousands of labels or more, of which each row has few: no array is rows by labels, and
    the time per row does not grow with the number of labels. The search among codes takes most of
    it, and is dropped where it gains too little.

    Parameters
    ----------
    direct : SparseMachines, optional
        Regressions of all labels on the features; none by default.
    n_direct : int
        Number of labels that these add to those of near rows.
    least_gain : float
        Share of the log-loss of left-out rows that the regressions, and then the code vote, must
        save to be kept.
    n_code_neighbors, n_feature_neighbors : int
        Near rows that vote: with more of them, more labels are listed, less sharply.
    n_queries : int
        Training rows that weights are learnt on.
    rho : float
        Share of its own target in the code of a row that is searched.
    random_state : int, RandomState or None
        Draws the rows that weights are learnt on.
    n_jobs : int, optional
        Threads of the neighbour searches.

    Attributes
    ----------
    slopes_ : ndarray of shape (3,) or (4,)
        Slopes of code vote, feature vote, read-out and, if any, direct regression; 0 for a vote
        that was dropped.
    evidence_choice_ : dict of str to dict
        Gain of regressions and code vote, as a share of the log-loss, and whether they were kept.
    direct_ : SparseMachines or None
        Fitted; None if not given, or if they save too little.
    log_loss_ : float
        Mean over left-out rows, summed over labels.
    intercept_ : float
    recall_ : float
        Share of the labels of left-out rows that their shortlists hold.
    link_scale_ : ndarray of shape (1,) or (2,)
        Scales of read-out and direct scores in their logits.

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

    direct: Any = None
    n_direct: int = parameter(default=20, must_be=integer(at_least=0))
    least_gain: float = parameter(default=0.001, must_be=number())
    n_code_neighbors: int = parameter(default=80, must_be=integer(at_least=1))
    n_feature_neighbors: int = parameter(default=40, must_be=integer(at_least=1))
    n_queries: int = parameter(default=2_000, must_be=integer(at_least=1))
    rho: float = parameter(default=0.1, must_be=number(at_least=0, at_most=1))
    random_state: Any = None
    n_jobs: int | None = None

    has_shortlist, looks_at_all_labels = True, False

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
        blended = codes if targets is None else (1 - self.rho) * codes + self.rho * targets
        self.voters_: FloatArray | None = blended
        self.feature_rows_, self.n_features_ = CosineRows(X), X.shape[1]
        self.direct_: Any = None
        most = max(FEWEST_LEFT_OUT, LEFT_OUT_ENTRIES // len(codes))
        rows = drawn_rows(labels.labelled_rows, min(self.n_queries, most), self.random_state)
        queries = Queries(codes[rows], X[rows], None, rows)
        voters = self._voters(queries)
        self.evidence_choice_: dict[str, dict[str, Any]] = {}
        self._weigh(queries, voters)
        if self.direct is not None:
            without = dict(vars(self))
            self.direct_ = give_seed(clone(self.direct), self.random_state).fit(X, self._labels)
            weights = self.direct_.left_out_weights(X, rows)
            more = queries._replace(direct=self._scores_by(weights))
            self._weigh(more, voters)
            if self._stays("direct", without["log_loss_"], self.log_loss_):
                queries = more
            else:
                self.__dict__.update(without)
        found = dict(vars(self))
        self.voters_ = None
        self._weigh(queries, {name: voters[name] for name in voters if name != "code vote"})
        if self._stays("code vote", self.log_loss_, found["log_loss_"]):
            self.__dict__.update(found)

    def _stays(self, name: str, without: float, loss: float) -> bool:
        """Return whether evidence saves enough, and record it."""
        gain = 1.0 - loss / max(without, LEAST_TOTAL)
        self.evidence_choice_[name] = {"gain": gain, "kept": gain >= self.least_gain}
        return gain >= self.least_gain

    def _scores_by(self, weights: Any) -> Callable[[slice], DirectScores]:
        """Score labels by the weights of the rows that have them."""
        labels = self._labels.astype(np.float32)
        return lambda block: DirectScores.without_offset(sp.csr_array(weights[block]), labels)

    def shortlist(
        self, codes: Any, *, X: Any = None, at_least: int = 0, handicap: FloatArray | None = None
    ) -> sp.csr_array:
        """Return the logits of listed labels, (n, K); others are not stored.

        Parameters
        ----------
        codes : array-like of shape (n, r)
        X : array-like or sparse of shape (n, d)
        at_least : int
            Least number of labels of a row; missing ones are filled with the most frequent.
        handicap : ndarray of shape (K,), optional
            Ignored: labels of near rows are listed whatever their rank.
        """
        queries = self._checked(codes, X)
        listed = self._listed(self._pairs(queries, self._voters(queries), self._weighing))
        short = np.flatnonzero(np.diff(listed.indptr) < at_least)
        return self._filled(listed, short, at_least) if short.size else listed

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return probabilities and their logits of all labels, both (n, K)."""
        logits = self._spread(self.shortlist(codes, X=X))
        return Scores(expit(logits), logits)

    def explain(self, codes: Any, *, X: Any = None, rows: Any = None) -> Explanation:
        """Explain the logits of listed labels, with the voters; others keep their prior."""
        queries = self._checked(codes, X)
        chosen = chosen_rows(rows, len(queries.codes))
        queries = self._queries(queries.codes[chosen], queries.X[chosen])
        voters = self._voters(queries)
        pairs = self._pairs(queries, voters, self._weighing)
        terms = np.zeros((len(chosen), self._K, 1 + len(self.slopes_)))
        # Listed labels have one intercept, whatever their prior.
        terms[pairs.owner, pairs.labels, 0] = self.intercept_ - self._unlisted_logits[pairs.labels]
        for name, values in self._evidence(pairs).items():
            place = SOURCES.index(name)
            terms[pairs.owner, pairs.labels, 1 + place] = self.slopes_[place] * values
        votes = {
            name: NeighbourVotes(
                kind.rows,
                np.sqrt(kind.squared[:, : kind.rows.shape[1]]),
                kind.weights,
                SPACES[name],
            )
            for name, kind in voters.items()
        }
        constant = np.zeros(self._K, dtype=bool)
        sources = ("listed", *SOURCES[: len(self.slopes_)])
        return Explanation(chosen, sources, self._unlisted_logits, terms, votes, constant)

    def out_of_sample(self) -> OutOfSample:
        """Return probabilities of some training rows, each predicted without itself."""
        return OutOfSample(self.calibration_rows_, expit(self._spread(self._left_out)))

    def searched(self) -> SearchedCodes | None:
        """Return the codes among which neighbours are searched, if any."""
        codes = self.voters_
        return None if codes is None else SearchedCodes(np.arange(len(codes)), codes)

    @property
    def _K(self) -> int:  # noqa: N802
        return len(self.log_prior_)

    def _checked(self, codes: Any, X: Any) -> Queries:
        check_is_fitted(self, "slopes_")
        checked, features = as_new(codes, X, self.readout_.shape[1], self.n_features_)
        if features is None:
            raise DataError(f"X must have the {self.n_features_} columns of the fit; got None.")
        return self._queries(as_dense(checked), features)

    def _queries(self, codes: FloatArray, X: FeatureMatrix) -> Queries:
        machines = self.direct_
        if machines is None:
            return Queries(codes, X, None)
        return Queries(codes, X, lambda rows: DirectScores.of(machines, X[rows]))

    def _weigh(self, queries: Queries, voters: Mapping[str, Voters]) -> None:
        """Learn intercept and slopes on shortlists of left-out rows, and the share these miss."""
        rows = np.asarray(queries.own)
        truth = self._labels[rows]
        pairs = self._pairs(queries, voters, SOURCES)
        present = np.asarray(truth[pairs.owner, pairs.labels], dtype=np.float64).ravel()
        absent = [scores[present == 0] for scores in pairs.scores.values()]
        self.link_scale_ = np.array([part.std() + 1e-3 if part.size else 1.0 for part in absent])
        evidence = self._evidence(pairs)
        entries = np.stack([*evidence.values()])[:, :, None], present[:, None]
        intercepts, slopes = fit_logistic(*entries)
        self.intercept_ = float(intercepts[0])
        self.slopes_ = np.zeros(len(SOURCES) - (queries.direct is None))
        self.slopes_[[SOURCES.index(name) for name in evidence]] = slopes
        self.recall_ = float(present.sum() / max(truth.nnz, 1))
        # The missed share is spread over all labels by their priors; it is never quite 0.
        missed = np.log((truth.nnz - present.sum() + 0.5) / (truth.nnz + 1.0))
        self.unlisted_ = np.minimum(self.log_prior_ + missed, -1e-6)
        listed_loss = mean_log_loss(intercepts, slopes, *entries) * len(present)
        has = sp.csr_array((present, pairs.labels, pairs.starts), shape=truth.shape)
        missed_labels = (truth - has).sum(axis=0)
        self.log_loss_ = float(listed_loss - missed_labels @ self.unlisted_) / len(rows)
        most = min(len(rows), max(FEWEST_CALIBRATION_ROWS, CALIBRATION_ENTRIES // self._K))
        kept = np.unique(np.linspace(0, len(rows) - 1, most).astype(np.int64))
        self.calibration_rows_ = rows[kept]
        self._left_out = self._listed(pairs)[kept]

    @property
    def _weighing(self) -> list[str]:
        """Return the names of evidence with a positive slope."""
        return [name for name, slope in zip(SOURCES, self.slopes_, strict=False) if slope > 0.0]

    def _pairs(
        self, queries: Queries, voters: Mapping[str, Voters], names: Collection[str]
    ) -> Pairs:
        """List the labels of rows, with the named votes and scores."""
        n = len(queries.codes)
        starts = range(0, max(n, 1), LISTED_AT_ONCE)
        blocks = [slice(start, min(start + LISTED_AT_ONCE, n)) for start in starts]
        return Pairs.joined([self._pairs_of(queries, voters, names, rows) for rows in blocks])

    def _pairs_of(
        self, queries: Queries, voters: Mapping[str, Voters], names: Collection[str], rows: slice
    ) -> Pairs:
        codes, ones = queries.codes[rows], self._labels
        direct = DirectScores.nothing(len(codes), self._K)
        if queries.direct is not None:
            direct = queries.direct(rows)
        here = {name: kind.of(rows) for name, kind in voters.items()}
        starts, labels, given, direct_scores = shortlists(
            tuple(kind.weights for kind in here.values()),
            tuple(kind.rows for kind in here.values()),
            ones.indptr,
            ones.indices,
            (direct.rows.indptr, direct.rows.indices, direct.rows.data),
            (direct.weights.indptr, direct.weights.indices, direct.weights.data),
            direct.offset,
            direct.by_offset,
            0 if queries.direct is None else min(self.n_direct, self._K),
        )
        owner = np.repeat(np.arange(len(codes)), np.diff(starts))
        shares = {
            name: kind.share(sums, owner)
            for (name, kind), sums in zip(here.items(), given, strict=True)
            if name in names
        }
        scores = {}
        if "read-out" in names:
            readout = sampled_products(codes, self.readout_, starts, labels)
            scores["read-out"] = readout + self.offset_[labels]
        if "direct" in names and queries.direct is not None:
            scores["direct"] = direct_scores.astype(np.float64)
        return Pairs(starts, labels, owner, shares, scores)

    def _voters(self, queries: Queries) -> dict[str, Voters]:
        """Find rows with near codes, if these are searched, and with near features."""
        own, jobs = queries.own, self.n_jobs
        most = self.feature_rows_.n - (own is not None)
        found = {}
        if self.voters_ is not None:
            wanted = min(self.n_code_neighbors + 1, most)
            near = nearest_codes(self.voters_, wanted, queries.codes, own=own, n_jobs=jobs)
            found["code vote"] = Voters.among(near, self.n_code_neighbors)
        wanted = min(self.n_feature_neighbors + 1, most)
        alike = nearest_cosines(self.feature_rows_, wanted, queries.X, own=own, n_jobs=jobs)
        return found | {"feature vote": Voters.among(alike, self.n_feature_neighbors)}

    def _evidence(self, pairs: Pairs) -> dict[str, FloatArray]:
        """Return the evidence of pairs, in the order of the sources."""
        found = {}
        if pairs.shares:
            prior = np.exp(self.log_prior_[pairs.labels])
            found = {name: share.logit(prior) for name, share in pairs.shares.items()}
        for name, scores in pairs.scores.items():
            scale = self.link_scale_[SOURCES.index(name) - len(SPACES)]
            found[name] = stretched_logit(scores, scale)
        return found

    def _logits(self, pairs: Pairs) -> FloatArray:
        logits = np.full(len(pairs.labels), self.intercept_)
        for name, values in self._evidence(pairs).items():
            logits += self.slopes_[SOURCES.index(name)] * values
        return logits

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
        # The sum of two matrices would drop a logit that is exactly 0 by chance.
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
