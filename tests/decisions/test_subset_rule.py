"""The rule for whole label sets against a slow twin, and what it promises of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from rule_problems import NAN, all_decisions, probabilities
from scipy.optimize import check_grad
from scipy.special import expit, logit

from dlst.decisions import SubsetRule, make_rule
from dlst.decisions._entries import as_entries
from dlst.decisions.label_sets import SetScores, calibration_error
from dlst.decisions.subset import set_loss
from dlst.errors import DataError
from dlst.metrics import subset_accuracy


def correlated(n=300, K=4, seed=0):
    """Labels that come in few sets; probabilities of each label; neighbours by hidden place."""
    rng = np.random.default_rng(seed)
    patterns = np.unique((rng.random((5, K)) < 0.5).astype(float), axis=0)
    kind = rng.integers(len(patterns), size=n)
    Y = patterns[kind]
    P = expit(3 * (Y - 0.5) + 2.5 * rng.normal(size=Y.shape))
    place = kind + 0.6 * rng.normal(size=n)
    distance = np.abs(place[:, None] - place)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1)[:, :10]
    votes = sp.csr_array(
        (np.full(n * 10, 0.1), (np.repeat(np.arange(n), 10), near.ravel())), (n, n)
    )
    return P, Y, votes


def slow_scores(P, Y, votes, coef):
    sets, inverse, counts = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
    prior = counts / counts.sum()
    found = np.empty((len(P), len(sets)))
    for i in range(len(P)):
        for s, members in enumerate(sets):
            share = votes.toarray()[i, inverse == s].sum()
            found[i, s] = (
                coef[0] * sum(logit(P[i, j]) for j in np.flatnonzero(members))
                + coef[1] * np.log(share + 0.05 * prior[s])
                + coef[2] * np.log(prior[s])
            )
    return sets, found


def test_sets_are_scored_as_by_the_formula_and_their_probabilities_add_up():
    P, Y, votes = correlated(40)
    rule = SubsetRule().fit(P, Y, votes=votes)
    sets, slow = slow_scores(P, Y, votes, rule.coef_)
    np.testing.assert_array_equal(rule.sets_.toarray(), sets)
    np.testing.assert_array_equal(rule.apply(P, votes=votes).toarray(), sets[slow.argmax(axis=1)])
    top = rule.top_sets(P, k=99, votes=votes)
    np.testing.assert_allclose(top.probabilities.sum(axis=1), 1 - rule.unseen_)
    np.testing.assert_array_equal(top.indices, np.argsort(-slow, axis=1, kind="stable"))
    np.testing.assert_allclose(
        top.contributions.sum(axis=2), np.take_along_axis(slow, top.indices, axis=1)
    )


def test_the_gradient_of_the_likelihood_is_right():
    rng = np.random.default_rng(0)
    scores = SetScores(tuple(rng.normal(size=(30, 6)) for _ in range(3)))
    own, weights = rng.integers(6, size=30), rng.random(30)

    def value(coef):
        return set_loss(coef, scores, own, weights)[0]

    def gradient(coef):
        return set_loss(coef, scores, own, weights)[1]

    for coef in rng.random((5, 3)) * 2:
        assert check_grad(value, gradient, coef) < 1e-6


def test_the_weights_are_an_optimum_of_the_left_out_likelihood():
    P, Y, votes = correlated()
    rule = SubsetRule().fit(P, Y, votes=votes)
    sets, inverse, counts = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
    prior = np.tile(counts.astype(float), (len(Y), 1))
    prior[np.arange(len(Y)), inverse] -= 1
    prior /= len(Y) - 1
    shares = sp.csr_array(votes @ np.eye(len(sets))[inverse])
    scores = SetScores.of(as_entries(P), sp.csr_array(sets), np.log(prior), shares)
    gradient = set_loss(rule.coef_, scores, inverse, np.ones(len(Y)))[1]
    inside = rule.coef_ > 0
    assert inside[:2].all()
    np.testing.assert_allclose(gradient[inside], 0, atol=1e-4)
    assert (gradient[~inside] > -1e-4).all()


def test_likely_sets_beat_likely_labels_and_neighbours_beat_none():
    P, Y, votes = correlated(600)
    plain = subset_accuracy(Y, make_rule("hamming").fit(None, Y).apply(P))
    alone = subset_accuracy(Y, SubsetRule().fit(P, Y).apply(P))
    voted = SubsetRule().fit(P, Y, votes=votes)
    assert plain + 0.1 < alone
    assert alone + 0.05 < subset_accuracy(Y, voted.apply(P, votes=votes))
    assert voted.calibration_error_ < 0.05


def test_with_all_sets_at_hand_and_nothing_else_it_takes_the_likelier_of_each_label():
    P, _ = probabilities(8, 3)
    Y = all_decisions(1, 3).reshape(8, 3)
    rule = SubsetRule().fit(P, Y)
    np.testing.assert_array_equal(rule.coef_, [1, 0, 0])
    assert rule.unseen_ == 1.0
    np.testing.assert_array_equal(rule.apply(P).toarray(), P > 0.5)


def test_rows_with_unknown_labels_have_no_set_and_cast_no_vote():
    P, Y, votes = correlated(60)
    hidden = Y.copy()
    hidden[::3, 0] = NAN
    known = np.flatnonzero(~np.isnan(hidden).any(axis=1))
    partly = SubsetRule().fit(P, hidden, votes=votes)
    without = SubsetRule().fit(P[known], Y[known], votes=sp.csr_array(votes[known][:, known]))
    np.testing.assert_allclose(partly.coef_, without.coef_, rtol=1e-5)
    np.testing.assert_array_equal(partly.sets_.toarray(), without.sets_.toarray())
    with pytest.raises(DataError, match="needs rows with all labels known"):
        SubsetRule().fit([[0.5, 0.5]], [[NAN, 1]])


def test_votes_are_needed_where_they_were_learnt_from():
    P, Y, votes = correlated()
    rule = SubsetRule().fit(P, Y, votes=votes)
    with pytest.raises(DataError, match="votes must be given"):
        rule.apply(P)
    with pytest.raises(DataError, match="votes must have a column for each of the 300"):
        rule.apply(P, votes=votes[:, :5])


def test_blocks_of_rows_change_nothing(monkeypatch):
    P, Y, votes = correlated()
    rule = SubsetRule().fit(P, Y, votes=votes)
    whole = rule.top_sets(P, 2, votes=votes)
    monkeypatch.setattr("dlst.decisions.subset.BLOCK_PAIRS", 50)
    parts = rule.top_sets(P, 2, votes=votes)
    np.testing.assert_array_equal(whole.indices, parts.indices)
    np.testing.assert_allclose(whole.probabilities, parts.probabilities)


def test_sets_are_told_by_names_with_what_speaks_for_them():
    P, Y, votes = correlated(60)
    rule = SubsetRule().fit(P, Y, votes=votes)
    frame = rule.top_sets(P[:2], 2, votes=votes[:2]).to_frame(["a", "b", "c", "d"])
    assert list(frame.columns) == [
        "row", "rank", "labels", "probability", "labels' own", "neighbours", "prior",
    ]  # fmt: skip
    first = rule.apply(P[:1], votes=votes[:1]).indices
    assert frame.loc[0, "labels"] == ", ".join("abcd"[j] for j in first)


def slow_calibration_error(confidence, right, bins=10):
    order = np.argsort(confidence, kind="stable")
    total = 0.0
    for part in np.array_split(order, bins):
        total += len(part) * abs(confidence[part].mean() - right[part].mean())
    return total / len(confidence)


def test_calibration_error_is_that_of_its_bins():
    rng = np.random.default_rng(0)
    confidence = rng.random(200)
    right = rng.random(200) < confidence**2
    found = calibration_error(confidence, right, np.ones(200))
    assert found == pytest.approx(slow_calibration_error(confidence, right))
