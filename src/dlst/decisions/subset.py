"""The rule for whole label sets: of the sets seen in training, the likeliest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from dlst._matrices import FloatArray, IntArray
from dlst._parameters import parameter, with_parameters
from dlst.decisions._entries import Entries
from dlst.decisions.base import CARDINALITY, DecisionRule, Examples, as_votes
from dlst.decisions.label_sets import SetScores, TopSets, calibration_error, to_shares
from dlst.encoders.labelsets import distinct_label_sets
from dlst.errors import DataError

FEWEST_ROWS = 10
LEARNT_PAIRS = 2_000_000
"""Maximum number of rows times sets that weights are learnt on; more change little."""

BLOCK_PAIRS = 4_000_000


@with_parameters
class SubsetRule(DecisionRule):
    """The likeliest label set of those that occur in training.

    Objective: the expected share of rows with every label right, Σ_i P(s_i | x_i).
    It is a sum over rows: each takes its likeliest set. Independent labels would give log P(s|x) =
    Σ_j s_j logit p_j + const; neighbours and training know which labels occur together, so
    log P(s|x) = α Σ_j s_j logit p_j + γ log(v_s + .05 π_s) + δ log π_s + const, α, γ, δ ≥ 0.
    Cost: O(n u k̄) for u sets of k̄ labels on average, in blocks of rows.

    v_s is the share of set s in the votes on a row, π_s its share among the training rows. The
    weights maximise the conditional likelihood of left-out training rows whose set occurs again (a
    row is never its own candidate; at most 2 million pairs of row and set are used); with fewer
    than 10 such rows they are (1, 0, 0), and without votes γ = 0. A set that was never seen cannot
    be found: the share of training rows whose set is theirs alone says how often that happens, and
    probabilities of the others are lowered by it.

    Positives missing from Y are missing from its sets, too; ``cardinality`` does not correct that.

    Parameters
    ----------
    cardinality : float, optional
        Corrects the probabilities of labels, as in the other rules.

    Attributes
    ----------
    sets_ : csr_array of shape (u, K)
        The label sets of training.
    prior_ : ndarray of shape (u,)
        π.
    coef_ : ndarray of shape (3,)
        α, γ, δ.
    unseen_ : float
        Expected share of rows whose set is none of these.
    calibration_error_ : float
        Expected calibration error of the likeliest set's probability on the left-out rows, in ten
        bins of equal counts.

    References
    ----------
    Dembczyński, Waegeman, Cheng, Hüllermeier (2012). On label dependence and loss minimization in
    multi-label classification.

    Examples
    --------
    >>> P = [[0.9, 0.6], [0.9, 0.4], [0.2, 0.8], [0.1, 0.7]]
    >>> rule = SubsetRule().fit(P, [[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> rule.apply([[0.9, 0.6]]).toarray()
    array([[1., 0.]])
    >>> rule.top_sets([[0.9, 0.6]], k=2).probabilities.round(2)
    array([[0.86, 0.14]])
    """

    takes_votes = True

    cardinality: float | None = parameter(default=None, must_be=CARDINALITY)

    def top_sets(self, probabilities: Any, k: int = 5, *, votes: Any = None) -> TopSets:
        """Return the k likeliest label sets of each row, or all if there are fewer.

        Parameters
        ----------
        probabilities : array-like or sparse of shape (n, K)
        k : int
        votes : sparse of shape (n, n_training), optional
        """
        entries = self._new(probabilities)
        k = min(k, self.sets_.shape[0])
        found = [
            scores.top(self.coef_, k, 1.0 - self.unseen_) for scores in self._blocks(entries, votes)
        ]
        return TopSets.joined(found, self.sets_)

    def _decide(self, entries: Entries, scores: Any, votes: Any) -> sp.csr_array:
        best = [block.total(self.coef_).argmax(axis=1) for block in self._blocks(entries, votes)]
        return self.sets_[np.concatenate(best)]

    def _learn(self, examples: Examples) -> None:
        whole = _whole_rows(examples.labels, examples.weights)
        found = distinct_label_sets(examples.labels[whole])
        self.sets_ = found.sets
        self._set_of_row = np.full(examples.labels.shape[0], -1)
        self._set_of_row[whole] = found.inverse
        weights = examples.weights[whole]
        counts = np.bincount(found.inverse, weights).astype(np.float64)
        self.prior_ = counts / counts.sum()
        self.unseen_ = float(counts[counts <= 1.0].sum() / counts.sum())
        self._weigh(examples, counts)

    def _weigh(self, examples: Examples, counts: FloatArray) -> None:
        """Learn α, γ, δ on rows that share their set, and the calibration error on all."""
        self.coef_, self._takes_votes = np.array([1.0, 0.0, 0.0]), examples.votes is not None
        own = self._set_of_row[examples.rows]
        weight = examples.entries.weights
        usable = np.flatnonzero((own >= 0) & (weight > 0))
        # A row that is left out must leave another.
        if not usable.size or counts.sum() <= 1.0:
            self.calibration_error_ = float("nan")
            return
        most = max(FEWEST_ROWS, LEARNT_PAIRS // len(counts))
        usable = usable[np.unique(np.linspace(0, len(usable) - 1, most).astype(int))]
        own, weight = own[usable], weight[usable]
        scores = self._left_out(examples, usable, own, counts)
        again = counts[own] >= 2.0
        if again.sum() >= FEWEST_ROWS:
            self.coef_ = _fitted(scores, own, weight * again, with_votes=self._takes_votes)
        total = scores.total(self.coef_)
        best = total.argmax(axis=1)
        to_shares(total)
        likely = (1.0 - self.unseen_) * total[np.arange(len(best)), best]
        self.calibration_error_ = calibration_error(likely, best == own, weight)

    def _left_out(
        self, examples: Examples, rows: IntArray, own: IntArray, counts: FloatArray
    ) -> SetScores:
        """Score the sets of some rows as if each row had not been counted."""
        place, others = (np.arange(len(rows)), own), counts[own] - 1.0
        prior = np.tile(np.log(counts), (len(rows), 1))
        prior[place] = np.log(np.where(others > 0, others, 1.0))
        prior -= np.log(counts.sum() - 1.0)
        votes = None if examples.votes is None else examples.votes[rows]
        scores = SetScores.of(
            examples.entries.rows(rows), self.sets_, prior, self._shares(votes, len(rows))
        )
        gone = np.flatnonzero(others <= 0)
        return scores.without(gone, own[gone])

    def _blocks(self, entries: Entries, votes: Any) -> Iterator[SetScores]:
        if votes is None and self._takes_votes and self.coef_[1] > 0:
            raise DataError(
                "votes must be given, as they were to fit; got None. Pass votes=, or fit without."
            )
        n = entries.shape[0]
        checked = as_votes(votes, n, len(self._set_of_row))
        step = max(1, BLOCK_PAIRS // self.sets_.shape[0])
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            shares = self._shares(None if checked is None else checked[rows], len(rows))
            yield SetScores.of(entries.rows(rows), self.sets_, np.log(self.prior_), shares)

    def _shares(self, votes: sp.csr_array | None, n: int) -> sp.csr_array:
        """Turn votes of training rows into shares of their label sets."""
        u = self.sets_.shape[0]
        if votes is None:
            return sp.csr_array((n, u))
        rows = np.flatnonzero(self._set_of_row >= 0)
        member = sp.csr_array(
            (np.ones(len(rows)), (rows, self._set_of_row[rows])), shape=(len(self._set_of_row), u)
        )
        given = sp.csr_array(votes @ member)
        total = np.asarray(given.sum(axis=1)).ravel()
        return sp.csr_array(sp.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ given)


def _fitted(
    scores: SetScores, own: IntArray, weights: FloatArray, *, with_votes: bool
) -> FloatArray:
    """Maximise the conditional likelihood of the rows' own sets: concave, three weights >= 0."""
    bounds = [(0.0, None), (0.0, None if with_votes else 0.0), (0.0, None)]
    start = np.array([1.0, 0.5 if with_votes else 0.0, 0.5])
    found = minimize(
        set_loss, start, (scores, own, weights), jac=True, method="L-BFGS-B", bounds=bounds
    )
    return np.asarray(found.x)


def set_loss(
    coef: FloatArray, scores: SetScores, own: IntArray, weights: FloatArray
) -> tuple[float, FloatArray]:
    """Return the mean of −log P(own set | x), and its gradient by α, γ, δ."""
    rows, share = np.arange(len(own)), weights / weights.sum()
    total = scores.total(coef)
    at_own = total[rows, own]
    normaliser = to_shares(total)
    gradient = [
        share @ (np.einsum("ij,ij->i", total, part) - part[rows, own]) for part in scores.parts
    ]
    return float(share @ (normaliser - at_own)), np.array(gradient)


def _whole_rows(labels: sp.csr_array, weights: FloatArray) -> IntArray:
    """Return the rows that count and have every label known."""
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    unknown = np.bincount(rows[np.isnan(labels.data)], minlength=labels.shape[0])
    whole = np.flatnonzero((unknown == 0) & (weights > 0))
    if not whole.size:
        raise DataError(
            "the rule 'subset' needs rows with all labels known; got an unknown entry in each. "
            "Take another rule, such as 'f1'."
        )
    return whole
