"""The base of calibrated decoders: fit evidences, learn their weights, add up, explain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._seeds import drawn_rows
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import Given, as_new, chosen_rows
from dlst.decoders.calibration import fit_logistic
from dlst.decoders.contenders import contenders
from dlst.decoders.evidences import Evidence, TrainingRows
from dlst.decoders.evidences.contract import EvidenceCache
from dlst.explanation import CONSTANT_LOGIT, Explanation, add_contributions
from dlst.parts import OutOfSample, Scores, SearchedCodes

PLAIN_LINK_SCALE = 0.05
"""Link scale of scores used alone: p is the score itself, kept smoothly in (0, 1)."""

AUTO_QUERIES = 1000
AUTO_PAIRS = 25_000_000
"""``n_queries="auto"``: as many rows as keep their pairs with all rows below this, and at least
1000. All 4000 instead of 1000 raised the average precision of left-out training rows of bibtex from
.618 to .626, in a third more time."""


LISTED_LABELS = 500
"""With fewer labels, scoring all of them is as fast."""


class StackedDecoder(CheckedDecoder):
    """Base of the decoders that calibrate evidences: logit p = a_j + Σ b_m · evidence_m, b >= 0.

    A subclass has the parameters ``n_queries``, ``random_state`` and ``n_jobs``, and chooses its
    evidences in ``_learn``.

    Attributes
    ----------
    evidences_ : list of Evidence
        Fitted, in the order of the slopes.
    intercept_ : ndarray of shape (K,)
    slopes_ : ndarray of shape (m,), or (m, K) where labels have slopes of their own
    calibration_rows_ : ndarray of shape (q,)
        Training rows that intercepts and slopes were learnt on.
    out_of_sample_proba_ : ndarray of shape (q, K)
        Probabilities of these rows, each predicted without itself.
    """

    takes_weights = True

    n_queries: int | Literal["auto", "all"]
    random_state: Any
    n_jobs: int | None

    def _fit(self, given: Given) -> None:
        self.calibrate(
            TrainingRows(
                given.codes,
                given.labels,
                given.targets,
                given.X,
                given.smoother,
                rows=self._draw_rows(given.labels.labelled_rows),
                n_jobs=self.n_jobs,
            )
        )

    def calibrate(self, training: TrainingRows) -> None:
        """Fit the evidences to checked rows, and learn their weights."""
        labels = training.labels
        self.n_rows_, self.n_codes_ = training.codes.shape
        self.n_features_ = None if training.X is None else training.X.shape[1]
        self.constant_, self.prevalence_ = labels.constant, labels.prevalence
        self.prior_, self.calibration_rows_ = labels.prior, training.rows
        self._learn(training)

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return probabilities and ranking scores, both (n, K), in one pass.

        Parameters
        ----------
        codes : array-like of shape (n, r)
            Predicted codes of new rows.
        X : array-like or sparse of shape (n, d), optional
            Their features; needed if an evidence uses them.
        """
        logits = self._logits(codes, X)
        return Scores(self._probabilities(logits), logits)

    @property
    def has_shortlist(self) -> bool:  # type: ignore[override]
        """Whether there are many labels, and votes, which most of them lack, come last."""
        polled = [evidence.takes_polls for _, evidence in self._weighing()]
        many = len(self.intercept_) >= LISTED_LABELS and not self.constant_.any()
        return many and any(polled) and polled == sorted(polled)

    def shortlist(
        self, codes: Any, *, X: Any = None, at_least: int = 0, handicap: FloatArray | None = None
    ) -> sp.csr_array:
        """Return the logits of all labels that can rank among the best.

        Parameters
        ----------
        codes, X
            As in ``scores``.
        at_least : int
            Number of best labels, by logit less handicap, that must be included.
        handicap : ndarray of shape (K,), optional
            Zeros by default.
        """
        codes, X = self._check_new(codes, X)
        cache = EvidenceCache()
        weighing = self._weighing()
        whole = [pair for pair in weighing if not pair[1].takes_polls]
        terms = self._contributions(codes, X, whole, cache)
        known = add_contributions(self.intercept_, terms, codes.shape[0])
        polls = [
            (slope, evidence.poll(codes, X, cache))
            for slope, evidence in weighing
            if evidence.takes_polls
        ]
        return contenders(known, polls, max(at_least, 1), handicap)

    def out_of_sample(self) -> OutOfSample:
        """Return probabilities of the calibration rows, each predicted without itself."""
        found = (evidence.left_out_votes() for evidence in self.evidences_)
        votes = next((given for given in found if given is not None), None)
        return OutOfSample(self.calibration_rows_, self.out_of_sample_proba_, votes)

    def votes(self, codes: Any, *, X: Any = None) -> sp.csr_array | None:
        """Return the votes of training rows on new rows, by the first vote among codes."""
        codes, X = self._check_new(codes, X)
        for evidence in self.evidences_:
            if evidence.votes_among_codes:
                voters = evidence.neighbours(codes, X)
                return None if voters is None else voters.matrix(self.n_rows_)
        return None

    def forget(self) -> None:
        """Delete what only learning decisions needs."""
        for evidence in self.evidences_:
            evidence.drop_votes()

    def searched(self) -> SearchedCodes | None:
        """Return the codes searched by the first vote among codes."""
        found = (evidence.searched() for evidence in self.evidences_)
        return next((searched for searched in found if searched is not None), None)

    def explain(self, codes: Any, *, X: Any = None, rows: Any = None) -> Explanation:
        """Explain the probabilities: intercept, evidences, and the neighbours that voted.

        Parameters
        ----------
        codes, X
            As in ``scores``.
        rows : array-like of int, optional
            The rows to explain; all by default.
        """
        codes, X = self._check_new(codes, X)
        chosen = chosen_rows(rows, codes.shape[0])
        codes, X = codes[chosen], None if X is None else X[chosen]
        votes = {part.name: part.neighbours(codes, X) for part in self.evidences_}
        terms = list(self._contributions(codes, X))
        shape = (len(chosen), len(self.intercept_), 0)
        return Explanation(
            chosen,
            tuple(evidence.name for evidence in self.evidences_),
            self.intercept_,
            np.stack(terms, axis=2) if terms else np.empty(shape),
            {name: vote for name, vote in votes.items() if vote is not None},
            self.constant_,
        )

    @abstractmethod
    def _learn(self, training: TrainingRows) -> None:
        """Fit evidences, intercepts and slopes, and store ``out_of_sample_proba_``."""

    def _stack(
        self, training: TrainingRows, evidences: Sequence[Evidence], *, weigh: bool = True
    ) -> FloatArray:
        """Fit evidences and their weights; return probabilities of the calibration rows."""
        # Where all labels are constant there is nothing to learn: they keep their prevalence.
        wanted = [] if self.constant_.all() else evidences
        self.evidences_: list[Evidence] = [clone(evidence, safe=False) for evidence in wanted]
        shape = (len(training.rows), training.labels.shape[1])
        evidence = np.zeros((len(self.evidences_), *shape))
        for place, part in enumerate(self.evidences_):
            evidence[place] = _checked(part, part.fit(training), shape)
        evidence[:, :, self.constant_] = 0.0
        self._start_from_prevalence()
        self.slopes_ = np.ones(len(self.evidences_))
        if weigh and self.evidences_:
            self._weigh(evidence, training)
        return self._added_up(evidence, training)

    def _start_from_prevalence(self) -> None:
        """Set the intercepts of constant labels by their prevalence, of others to 0."""
        logits = np.clip(logit(self.prevalence_), -CONSTANT_LOGIT, CONSTANT_LOGIT)
        self.intercept_ = np.where(self.constant_, logits, 0.0)

    def _added_up(
        self, evidence: Sequence[FloatArray] | FloatArray, training: TrainingRows
    ) -> FloatArray:
        """Return and store the probabilities of the calibration rows by all evidences."""
        terms = (slope * part for slope, part in zip(self.slopes_, evidence, strict=True))
        logits = add_contributions(self.intercept_, terms, len(training.rows))
        self.out_of_sample_proba_ = self._probabilities(logits)
        return self.out_of_sample_proba_

    def _weigh(self, evidence: FloatArray, training: TrainingRows) -> None:
        present, known = training.labels.dense(training.rows)
        weights = training.weights()
        varying = np.flatnonzero(~self.constant_)
        if len(varying) < evidence.shape[2]:
            evidence, present = evidence[:, :, varying], present[:, varying]
            known = None if known is None else known[:, varying]
            weights = None if weights is None else weights.of_labels(varying)
        self.intercept_[varying], self.slopes_ = fit_logistic(evidence, present, known, weights)

    def _contributions(
        self,
        codes: FeatureMatrix,
        X: FeatureMatrix | None,
        parts: Iterable[tuple[Any, Evidence]] | None = None,
        cache: EvidenceCache | None = None,
    ) -> Iterator[FloatArray]:
        """Yield slope times values of each evidence, or of the given ``parts``.

        Values that other evidences are computed from are kept for these in ``cache``.
        """
        shape = (codes.shape[0], len(self.intercept_))
        cache = EvidenceCache() if cache is None else cache
        needed = [one for part in self.evidences_ for one in part.made_of()]
        pairs = zip(self.slopes_, self.evidences_, strict=True) if parts is None else parts
        for slope, evidence in pairs:
            values = _checked(evidence, evidence.values_given(codes, X, cache), shape)
            if any(evidence is one for one in needed):
                cache.values[evidence] = values
            contribution = slope * values
            if self.constant_.any():
                contribution[:, self.constant_] = 0.0
            yield contribution

    def _weighing(self) -> list[tuple[Any, Evidence]]:
        """Return the evidences with a slope other than 0, and their slopes."""
        pairs = zip(self.slopes_, self.evidences_, strict=True)
        return [(slope, evidence) for slope, evidence in pairs if np.any(slope)]

    def _logits(self, codes: Any, X: Any) -> FloatArray:
        codes, X = self._check_new(codes, X)
        terms = self._contributions(codes, X, self._weighing())
        return add_contributions(self.intercept_, terms, codes.shape[0])

    def _probabilities(self, logits: FloatArray) -> FloatArray:
        return np.where(self.constant_, self.prevalence_, expit(logits))

    def _check_new(self, codes: Any, X: Any) -> tuple[FeatureMatrix, FeatureMatrix | None]:
        check_is_fitted(self, "intercept_")
        return as_new(codes, X, self.n_codes_, self.n_features_)

    def _draw_rows(self, labelled: IntArray) -> IntArray:
        n, wanted = len(labelled), self.n_queries
        if wanted == "all":
            return labelled
        if wanted == "auto":
            wanted = max(AUTO_QUERIES, AUTO_PAIRS // n)
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1:
            raise ValueError(
                f"n_queries must be 'auto', 'all' or an integer of at least 1; got {wanted!r}."
            )
        return drawn_rows(labelled, int(wanted), self.random_state)


def _checked(evidence: Evidence, values: Any, shape: tuple[int, int]) -> FloatArray:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != shape:
        raise ValueError(
            f"evidence {evidence.name!r} must give values of shape {shape}; got {found.shape}."
        )
    if not np.isfinite(found).all():
        raise ValueError(
            f"evidence {evidence.name!r} must give finite values; got NaN or infinity. "
            "Clip probabilities before their logit is taken."
        )
    return found
