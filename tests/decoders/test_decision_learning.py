"""Learned thresholds against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from decoder_problems import NAN
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from dlst.decoders import DecisionRule
from dlst.decoders.decisions import best_f1_threshold
from dlst.errors import DataError


def f1(threshold, values, present, c):
    chosen = values >= threshold
    return 2 * (present * chosen).sum() / (c * chosen.sum() + present.sum())


@settings(max_examples=100, deadline=None)
@given(
    entries=st.lists(st.tuples(st.sampled_from(np.linspace(0, 1, 7)), st.booleans()), min_size=1),
    c=st.sampled_from([1.0, 0.5, 0.1]),
)
def test_no_threshold_is_better_than_the_learned_one(entries, c):
    values, present = (np.array(part, dtype=float) for part in zip(*entries, strict=True))
    found = best_f1_threshold(values, present, c)
    if present.sum() == 0:
        assert not (values >= found).any() or values.max() == 1.0
        return
    best = max(f1(t, values, present, c) for t in values)
    assert f1(found, values, present, c) == pytest.approx(best)


def test_thresholds_lie_between_the_values_and_the_highest_of_equals_wins():
    assert best_f1_threshold(np.array([0.8, 0.4]), np.array([1.0, 0.0])) == pytest.approx(0.6)
    assert best_f1_threshold(np.array([0.8, 0.4, 0.2]), np.array([1.0, 0, 1])) == 0.2
    near = np.array([np.nextafter(0.5, 1), 0.5])
    assert best_f1_threshold(near, np.array([1.0, 0.0])) == near[0]
    assert best_f1_threshold(np.array([]), np.array([])) == 1.0


def shared_threshold(P, Y, c):
    judged = ~np.isnan(Y)
    values, present = P[judged], Y[judged]
    reached = best_f1_threshold(values, present, c)
    best = f1(reached, values, present, c)
    middle = expit(0.5 * (logit(reached) + logit(0.5 * c * best)))
    slack = np.sqrt(best * (1 - best) / present.sum())
    return middle if f1(middle, values, present, c) >= best - slack else reached


def test_right_probabilities_put_both_estimates_of_the_threshold_together():
    rng = np.random.default_rng(1)
    P = rng.random((20_000, 2))
    Y = (rng.random(P.shape) < P).astype(float)
    rule = DecisionRule("micro").fit(P, Y)
    best = f1(best_f1_threshold(P.ravel(), Y.ravel()), P.ravel(), Y.ravel(), 1.0)
    assert rule.threshold_ == pytest.approx(best / 2, abs=0.03)


def test_a_middle_that_costs_too_much_is_not_taken():
    rule = DecisionRule("micro").fit([[0.9, 0.1], [0.2, 0.1]], [[1, 0], [1, 0]])
    assert rule.threshold_ == pytest.approx(0.15)


def brute_macro(P, Y, c, kappa):
    judged = ~np.isnan(Y)
    t = shared_threshold(P, Y, c)
    limits = []
    for j in range(Y.shape[1]):
        rows = judged[:, j]
        positives = Y[rows, j].sum()
        own = best_f1_threshold(P[rows, j], Y[rows, j], c) if positives else t
        w = positives / (positives + kappa)
        limits.append(expit(w * logit(own) + (1 - w) * logit(t)))
    return np.array(limits)


def test_each_kind_follows_its_formula_and_unjudged_entries_do_not_count():
    rng = np.random.default_rng(0)
    P = rng.random((60, 4)) * 0.9 + 0.05
    Y = (rng.random((60, 4)) < P * 0.5).astype(float)
    Y[:, 3] = 0
    Y[rng.random(Y.shape) < 0.1] = NAN
    judged = ~np.isnan(Y)
    c = np.nansum(Y) / (judged.sum() / 4 * 2.5)
    rules = {
        kind: DecisionRule(kind, cardinality=2.5).fit(P, Y)
        for kind in ("hamming", "micro", "macro", "top")
    }
    assert rules["micro"].observed_share_ == pytest.approx(c)
    grid = np.linspace(0, 1, 2001)
    best = max(f1(t, P[judged], Y[judged], c) for t in grid)
    slack = np.sqrt(best * (1 - best) / np.nansum(Y))
    assert f1(rules["micro"].threshold_, P[judged], Y[judged], c) >= best - slack
    assert rules["micro"].threshold_ == pytest.approx(shared_threshold(P, Y, c))
    np.testing.assert_allclose(rules["macro"].threshold_, brute_macro(P, Y, c, 30.0))
    np.testing.assert_array_equal(rules["hamming"].apply(P).toarray() == 1, c / 2 < P)
    scores = -P
    top = rules["top"].apply(P, scores).toarray()
    assert (top.sum(axis=1) == 3).all()
    assert (np.sort(P, axis=1)[:, :3] == np.sort(np.where(top == 1, P, 9), axis=1)[:, :3]).all()
    np.testing.assert_array_equal(rules["top"].apply(P).toarray().argmin(axis=1), P.argmin(axis=1))


def test_complete_labels_need_no_correction():
    rng = np.random.default_rng(1)
    P = rng.random((30, 3))
    Y = (rng.random((30, 3)) < P).astype(float)
    known = DecisionRule("micro", cardinality=Y.sum() / 30).fit(P, Y)
    assert known.observed_share_ == pytest.approx(1.0)
    assert known.threshold_ == DecisionRule("micro").fit(P, Y).threshold_
    assert DecisionRule("micro", cardinality=0.01).fit(P, Y).observed_share_ == 1.0
    assert DecisionRule("hamming", cardinality=3).fit(P, Y, n=60).observed_share_ == pytest.approx(
        Y.sum() / 180
    )
    half = DecisionRule("hamming").fit(P, Y)
    np.testing.assert_array_equal(half.apply([[0.5, 0.51, 0.49]]).toarray(), [[0, 1, 0]])


def test_dropped_positives_are_decided_for_when_the_cardinality_is_known():
    rng = np.random.default_rng(2)
    truth_p = rng.beta(0.5, 1.5, size=(3000, 4))
    Y = (rng.random(truth_p.shape) < truth_p).astype(float)
    seen = Y * (rng.random(Y.shape) < 0.3)
    naive = DecisionRule("hamming").fit(0.3 * truth_p, seen)
    informed = DecisionRule("hamming", cardinality=Y.sum() / 3000).fit(0.3 * truth_p, seen)
    wrong = [np.mean(rule.apply(0.3 * truth_p).toarray() != Y) for rule in (naive, informed)]
    assert wrong[1] < 0.8 * wrong[0]


def test_top_without_a_cardinality_takes_that_of_the_labels():
    rule = DecisionRule("top").fit(np.ones((2, 3)), [[1, 1, 0], [1, 0, 0]])
    assert rule.n_top_ == 2
    assert (
        DecisionRule("top", cardinality=9).fit(np.ones((2, 3)), [[1, 1, 0], [1, 0, 0]]).n_top_ == 3
    )


def test_labels_without_a_positive_are_never_decided_for():
    P = np.zeros((5, 2))
    for kind in ("hamming", "micro", "macro"):
        rule = DecisionRule(kind, cardinality=2).fit(P, np.zeros((5, 2)))
        assert rule.apply(P).nnz == 0


def test_mistakes_are_named():
    P, Y = np.ones((3, 2)), np.eye(3)[:, :2]
    with pytest.raises(ValueError, match="kind must be one of hamming, micro, macro, top"):
        DecisionRule("best").fit(P, Y)
    with pytest.raises(ValueError, match="cardinality must be a number above 0"):
        DecisionRule(cardinality=0).fit(P, Y)
    with pytest.raises(DataError, match="same shape"):
        DecisionRule().fit(P, np.eye(3))
    with pytest.raises(DataError, match="each of the 2 labels"):
        DecisionRule().fit(P, Y).apply(np.ones((1, 3)))
