"""Predictions of a fitted method: probabilities, rankings, decisions, label sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from dlst._checked_rows import checked_rows
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, refuse_huge
from dlst._parameters import integer, one_of
from dlst.decisions import DECISIONS, DecisionLayer, OwnOrRule, SubsetRule, Tau, TopSets
from dlst.errors import DataError
from dlst.methods.elsewhere import also_on_a_cluster
from dlst.methods.targets import Targets
from dlst.methods.top_labels import best_of_all, best_of_listed
from dlst.metrics import TopLabels
from dlst.parts import Scores

ROWS_AT_ONCE = 1024
ENTRIES_AT_ONCE = 16_000_000
"""Rows, and rows times labels, scored at once by ``predict_top`` and ``predict``, whose memory does
not grow with n·K."""

# A probability of exactly 0 or 1 has no logit.
_EPSILON = 1e-12


class Predictions(NamedTuple):
    """What a method says of some rows: decisions, probabilities, ranking scores.

    Attributes
    ----------
    labels : csr_array or ndarray of shape (n, K)
    probabilities : ndarray of shape (n, K)
    scores : ndarray of shape (n, K)
        What labels are ranked by.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> from dlst.methods import PLST
    >>> found = PLST().fit(data.train.X, data.train.Y).predict_all(data.test.X[:2])
    >>> found.labels.shape, found.probabilities.shape, found.scores.shape
    ((2, 10), (2, 10), (2, 10))
    """

    labels: Any
    probabilities: FloatArray
    scores: FloatArray


class _Scored(NamedTuple):
    """Rows with the scores of the labels that vary, and those that all labels are given."""

    X: FeatureMatrix
    P: FloatArray
    S: FloatArray
    probabilities: FloatArray
    ranking: FloatArray


class Answers(ABC):
    """The answers of a method, from what it implements of labels that vary.

    ``_scores(X)`` is all that it must; ``_own_decisions(X, P, S)`` and ``_row_votes(X)`` are there
    for those that have their own.
    """

    decision: Any
    cardinality: float | None
    tau: Any

    decisions_: DecisionLayer
    prevalence_: FloatArray
    classes_: NDArray[Any]
    n_labels_: int
    _targets: Targets
    _varying: NDArray[np.intp]

    @also_on_a_cluster
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each label.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)

        Returns
        -------
        ndarray of shape (n, K)
            For a 1-D target the probabilities of its classes, which add up to 1.
        """
        P = self._all_probabilities(self._checked_features(X))
        return P if self._targets.is_indicator else self._class_probabilities(P)

    @also_on_a_cluster
    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores by which labels are ranked within a row: higher is more relevant.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)

        Returns
        -------
        ndarray of shape (n, K)
            For a 1-D target of two classes the logit of the second, shape (n,); of more classes
            the logarithms of their probabilities.
        """
        X = self._checked_features(X)
        if self._targets.is_indicator:
            return self._scored(X).ranking
        P = self._class_probabilities(self._all_probabilities(X))
        logarithms: FloatArray = np.log(np.maximum(P, _EPSILON))
        return logarithms[:, 1] - logarithms[:, 0] if P.shape[1] == 2 else logarithms

    @also_on_a_cluster
    def predict(self, X: Any, decision: OwnOrRule | None = None) -> Any:
        """Decide; indicator in, indicator out, sparse stays sparse.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        decision : str, optional
            Another rule than the model's parameter says. It is learnt when it is first asked for;
            a model that was fitted without any has ``"own"`` and ``"top"``.
        """
        name = self._decision_settings()[0] if decision is None else decision
        return self.predict_by_rules(X, [name])[name]

    @also_on_a_cluster
    def predict_by_rules(self, X: Any, decisions: Sequence[str] | None = None) -> dict[str, Any]:
        """Decide by several rules, for little more than the cost of one.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        decisions : sequence of str, optional
            Names; by default the method's own decisions and all rules that were learnt.

        Returns
        -------
        dict of str to decisions
            As :meth:`predict` gives them.
        """
        X = self._checked_features(X)
        names = self._learnt_decisions() if decisions is None else tuple(decisions)
        for name in names:
            one_of(*DECISIONS).check("decision", name)
        if not self._targets.is_indicator:
            P = self._class_probabilities(self._all_probabilities(X))
            return dict.fromkeys(names, self.classes_[P.argmax(axis=1)])
        found: dict[str, list[sp.csr_array]] = {name: [] for name in names}
        for block in self._row_blocks(X):
            scored = self._scored(block)
            for name, parts in found.items():
                parts.append(sp.csr_array(self._decided(scored, name)))
        return {
            name: self._targets.decided(sp.csr_array(sp.vstack(parts, format="csr")))
            for name, parts in found.items()
        }

    @also_on_a_cluster
    def predict_all(self, X: Any) -> Predictions:
        """Return decisions, probabilities and ranking scores, for little more than the cost of one.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)

        Returns
        -------
        Predictions
            ``labels``, ``probabilities`` and ``scores``, as :meth:`predict`, :meth:`predict_proba`
            and :meth:`decision_function` give them.
        """
        check_is_fitted(self)
        if not self._targets.is_indicator:
            return Predictions(self.predict(X), self.predict_proba(X), self.decision_function(X))
        scored = self._scored(self._checked_features(X))
        decided = self._decided(scored, self._decision_settings()[0])
        labels = self._targets.decided(sp.csr_array(decided))
        return Predictions(labels, scored.probabilities, scored.ranking)

    @also_on_a_cluster
    def predict_sets(self, X: Any, k: int = 5) -> TopSets:
        """Return the k likeliest label sets of each row, of those that occur in training.

        The rule "subset" must have been learnt: any ``decision`` that learns will do.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        k : int
            How many sets of each row.

        Returns
        -------
        TopSets
            ``indices`` into ``sets``, ``probabilities``, and what speaks for each set;
            ``to_frame(model.label_names_)`` tells them by names.
        """
        X = self._checked_features(X)
        integer(at_least=1).check("k", k)
        if not self._varying.size:
            raise DataError("there is one label set only: every label is constant in training.")
        rule: SubsetRule = self.decisions_.rule("subset")
        parts = []
        for block in self._row_blocks(X):
            P = self.decisions_.calibrated(self._scores(block).probabilities)
            parts.append(rule.top_sets(P, k, votes=self._row_votes(block)))
        sets = self._over_all(parts[0].sets.toarray(), self.prevalence_ >= 0.5)
        return TopSets.joined(parts, sp.csr_array(sets.astype(np.float64)))

    @also_on_a_cluster
    def predict_top(self, X: Any, k: int = 5) -> TopLabels:
        """Return the k best labels of each row and their scores, best first, in memory O(n·k).

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        k : int
            How many labels of each row.

        Returns
        -------
        TopLabels
            ``labels`` (column numbers) and ``scores`` (those of :meth:`decision_function`), both
            of shape (n, k).
        """
        X = self._checked_features(X)
        integer(at_least=1).check("k", k)
        if k > self.n_labels_:
            raise ValueError(
                f"k must be at most the number of labels; got k={k} with {self.n_labels_} labels."
            )
        # A label that every row has is before all others, and on no list.
        listed = k <= self._varying.size and not (self.prevalence_ == 1.0).any()
        at_once = self._rows_listed_at_once() if listed else 0
        blocks = self._row_blocks(X, at_once or self.rows_at_once)
        found = [self._top_of(block, k, listed=at_once > 0) for block in blocks]
        labels, scores = (np.vstack(parts) for parts in zip(*found, strict=True))
        return TopLabels(labels, scores)

    @property
    def rows_at_once(self) -> int:
        """Rows whose scores of all labels are held at once; ask for more in blocks of so many."""
        return max(1, min(ROWS_AT_ONCE, ENTRIES_AT_ONCE // self.n_labels_))

    def learnt_rules(self) -> tuple[str, ...]:
        """Name the rules that can decide besides "own" and "top": all, or none."""
        check_is_fitted(self)
        rules = self.decisions_.rules_ if self._varying.size else ()
        return tuple(name for name in rules if name != "top")

    def decided_by(self) -> tuple[str, float]:
        """Say what ``predict`` decides by, and the prior correction of the ranking."""
        check_is_fitted(self)
        tau = self.decisions_.prior_correction_.tau_ if self._varying.size else 0.0
        return self._decision_settings()[0], tau

    @also_on_a_cluster
    def explain(self, X: Any) -> Any:
        """Say what made the scores of rows; methods without such an account refuse."""
        raise DataError(
            f"{type(self).__name__} does not explain its scores. Fit DLST, which does "
            "(--method dlst in the shell)."
        )

    # What a method implements.

    @abstractmethod
    def _scores(self, X: FeatureMatrix) -> Scores:
        """Return probabilities and ranking scores of the labels that vary; see `with_logits`."""

    def _own_decisions(self, X: FeatureMatrix, P: FloatArray, S: FloatArray) -> BoolArray:
        """Decide as the method's authors do, from probabilities and own scores: p >= 1/2."""
        return P >= 0.5

    def _row_votes(self, X: FeatureMatrix) -> sp.csr_array | None:
        """Return how much training rows vote on rows, (n, n_training); None where none do."""
        return None

    def _rows_listed_at_once(self) -> int:
        """Return for how many rows there are shortlists at once; 0 where all labels are scored."""
        return 0

    def _shortlist(self, X: FeatureMatrix, k: int) -> sp.csr_array:
        """Return logits of k labels or more that may be the best, where rows are listed."""
        raise DataError(f"{type(self).__name__} has no shortlist of labels.")

    # What they share.

    def _top_of(self, X: FeatureMatrix, k: int, *, listed: bool) -> TopLabels:
        if not listed:
            return best_of_all(self._scored(X).ranking, k)
        found = self._shortlist(X, k)
        P = expit(found.data)
        found.data = self.decisions_.rank(P, found.data, labels=found.indices)
        best = best_of_listed(found, k)
        return TopLabels(self._varying[best.labels], best.scores)

    def _decision_settings(self) -> tuple[OwnOrRule, Tau]:
        """Return the decision and the prior correction that the parameters mean."""
        return self.decision, self.tau

    def _learnt_decisions(self) -> tuple[str, ...]:
        return ("own", *(self.decisions_.rules_ if self._varying.size else ()))

    def _row_blocks(self, X: FeatureMatrix, step: int | None = None) -> Iterator[FeatureMatrix]:
        step = self.rows_at_once if step is None else step
        for start in range(0, X.shape[0], step):
            yield X[start : start + step]

    def _checked_features(self, X: Any) -> FeatureMatrix:
        check_is_fitted(self)
        X = checked_rows(self, X)
        refuse_huge(X)
        return X

    def _all_probabilities(self, X: FeatureMatrix) -> FloatArray:
        """Probabilities of all labels; those that did not vary have their prevalence."""
        if not self._varying.size:
            return np.tile(self.prevalence_, (X.shape[0], 1))
        return self._over_all(self._scores(X).probabilities, self.prevalence_)

    def _scored(self, X: FeatureMatrix) -> _Scored:
        if not self._varying.size:
            P = self._all_probabilities(X)
            return _Scored(X, P[:, :0], P[:, :0], P, logit(P))
        P, S = self._scores(X)
        ranking = self.decisions_.rank(P, S)
        prior = self.prevalence_
        return _Scored(X, P, S, self._over_all(P, prior), self._over_all(ranking, logit(prior)))

    def _over_all(self, values: NDArray[Any], constant: NDArray[Any]) -> NDArray[Any]:
        """Add the labels that did not vary, each with one value."""
        if self._varying.size == self.n_labels_:
            return values
        found = np.tile(constant.astype(values.dtype), (len(values), 1))
        found[:, self._varying] = values
        return found

    def _decided(self, scored: _Scored, name: str) -> BoolArray:
        """Decide for all labels; those that did not vary by their prevalence."""
        X, P, S = scored[:3]
        if not self._varying.size:
            return scored.probabilities >= 0.5
        if name == "own":
            return self._over_all(self._own_decisions(X, P, S), self.prevalence_ >= 0.5)
        rule = self.decisions_.rule(name)
        votes = self._row_votes(X) if rule.takes_votes else None
        decided = self.decisions_.decide(rule, P, scored.ranking[:, self._varying], votes)
        return self._over_all(decided.toarray() == 1, self.prevalence_ >= 0.5)

    def _class_probabilities(self, P: FloatArray) -> FloatArray:
        if len(self.classes_) == 1:
            return np.ones((P.shape[0], 1))
        if len(self.classes_) == 2:
            return np.hstack([1.0 - P, P])
        total = P.sum(axis=1, keepdims=True)
        shares: FloatArray = np.where(
            total > 0, P / np.where(total > 0, total, 1.0), self.prevalence_
        )
        return shares


def with_logits(P: FloatArray) -> Scores:
    """Return probabilities, and their logits as ranking scores."""
    return Scores(P, logit(P))


def logit(P: FloatArray) -> FloatArray:
    """Return log p/(1-p), finite for 0 and 1."""
    P = np.clip(P, _EPSILON, 1.0 - _EPSILON)
    logits: FloatArray = np.log(P) - np.log1p(-P)
    return logits
