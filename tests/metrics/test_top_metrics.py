"""The first k labels: twins, scikit-learn, unscored labels, top-label pairs and small memory."""

from __future__ import annotations

import math
import tracemalloc

import metric_twins as twin
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_problems import problems

from dlst import metrics as m
from dlst.errors import DataError

RULES = ("pessimistic", "optimistic", "expected", "first", "last")
NAN = float("nan")


def ideal(y, k, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    gains = sorted((a * b for a, b in zip(y, weights, strict=True)), reverse=True)[:k]
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def rows_of(Y, S):
    rows = [twin.judged(y, s) for y, s in zip(Y, S, strict=True)]
    return [(y, s) for y, s in rows if y]


def mean(values):
    return sum(values) / len(values) if values else NAN


@pytest.mark.parametrize("ties", RULES)
@settings(max_examples=40, deadline=None)
@given(problem=problems(), k=st.integers(1, 6))
def test_precision_and_ndcg_equal_their_slow_twins(ties, problem, k):
    Y, S = problem
    rows = rows_of(Y, S)
    expected = mean([twin.hits_at(y, s, k, ties) for y, s in rows])
    assert m.precision_at_k(Y, S, k, ties=ties) == pytest.approx(expected, nan_ok=True)
    expected = mean([twin.gain_at(y, s, k, ties) / (ideal(y, k) or 1) for y, s in rows])
    assert m.ndcg_at_k(Y, S, k, ties=ties) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("ties", ["expected", "first"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(), k=st.integers(1, 6), seed=st.integers(0, 99))
def test_propensity_scored_metrics_equal_their_slow_twins(ties, problem, k, seed):
    Y, S = problem
    p = np.random.default_rng(seed).uniform(0.1, 1, Y.shape[1])
    gained = best = gained_n = best_n = 0.0
    for y_row, s_row in zip(Y, S, strict=True):
        keep = ~np.isnan(y_row)
        y, s, w = list(y_row[keep]), list(s_row[keep]), list(1 / p[keep])
        if not sum(y):
            continue
        weighted = [a * b for a, b in zip(y, w, strict=True)]
        values = [sum(weighted[j] for j in order[:k]) for order in twin.orders(y, s, ties)]
        gained += sum(values) / len(values)
        best += sum(sorted(weighted, reverse=True)[:k])
        gained_n += twin.gain_at(y, s, k, ties, w) / ideal(y, k)
        best_n += ideal(y, k, w) / ideal(y, k)
    found = m.propensity_scored_precision_at_k(Y, S, p, k, ties=ties)
    assert found == pytest.approx(gained / best if best else NAN, nan_ok=True)
    found = m.propensity_scored_ndcg_at_k(Y, S, p, k, ties=ties)
    assert found == pytest.approx(gained_n / best_n if best_n else NAN, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(problem=problems(max_rows=6, max_labels=8, unknown=False), k=st.integers(1, 9))
def test_ndcg_equals_scikit_learn(problem, k):
    Y, S = problem
    if Y.shape[1] > 1:
        assert m.ndcg_at_k(Y, S, k) == pytest.approx(sk.ndcg_score(Y, S, k=k))


@pytest.mark.parametrize("ties", [*RULES, "mulan"])
@settings(max_examples=30, deadline=None)
@given(problem=problems(), k=st.integers(1, 6))
def test_fully_stored_sparse_scores_and_top_labels_equal_dense_ones(ties, problem, k):
    Y, S = problem
    n, K = S.shape
    stored = sp.csr_array((S.ravel(), np.tile(np.arange(K), n), np.arange(n + 1) * K), shape=(n, K))
    shuffled = np.argsort(-S, axis=1)
    top = m.TopLabels(shuffled, np.take_along_axis(S, shuffled, axis=1))
    for function in (m.precision_at_k, m.ndcg_at_k):
        expected = function(Y, S, k, ties=ties)
        for given_scores in (stored, top):
            found = function(sp.csr_array(Y), given_scores, k, ties=ties)
            assert found == pytest.approx(expected, nan_ok=True)


def test_tied_labels_share_the_places_and_by_rule_the_index_decides():
    Y, S = [[1, 0]], [[0.5, 0.5]]
    p = [0.5, 0.5]
    for function, options in (
        (m.precision_at_k, {}),
        (m.ndcg_at_k, {}),
        (m.propensity_scored_precision_at_k, {"propensities": p}),
        (m.propensity_scored_ndcg_at_k, {"propensities": p}),
    ):
        values = [
            function(Y, S, k=1, ties=ties, **options) for ties in ("expected", "first", "last")
        ]
        assert values == [0.5, 1.0, 0.0]


def test_a_row_without_relevant_label_counts_0_or_as_stated():
    Y, S = [[1, 0], [0, 0]], [[0.9, 0.1], [0.9, 0.1]]
    assert m.precision_at_k(Y, S, 1) == m.ndcg_at_k(Y, S, 1) == 0.5
    assert m.precision_at_k(Y, S, 1, empty="skip") == m.ndcg_at_k(Y, S, 1, empty="skip") == 1.0
    p = [0.5, 0.5]
    assert m.propensity_scored_precision_at_k(Y, S, p, 1) == 1.0
    assert m.propensity_scored_ndcg_at_k(Y, S, p, 1) == 1.0
    assert math.isnan(m.propensity_scored_precision_at_k([[0, 0]], S[:1], p, 1))


def test_an_unstored_label_ranks_below_stored_negative_scores():
    Y = [[0, 1, 0]]
    scores = sp.csr_array(
        (np.array([-1.0, -2.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 3)
    )
    assert m.precision_at_k(Y, scores, 1) == 0.0
    assert m.precision_at_k(Y, scores, 2) == 0.5


def test_a_stored_zero_is_a_score():
    scores = sp.csr_array((np.array([0.0]), np.array([1]), np.array([0, 1])), shape=(1, 3))
    assert m.precision_at_k([[0, 1, 0]], scores, 1) == 1.0


def test_places_beyond_the_scored_labels_are_misses():
    Y = [[1, 1, 1]]
    scores = sp.csr_array((np.array([0.5]), np.array([1]), np.array([0, 1])), shape=(1, 3))
    assert m.precision_at_k(Y, scores, 2) == 0.5
    assert m.precision_at_k(Y, [[3.0, 2.0, 1.0]], 6) == 0.5
    nothing = sp.csr_array((1, 3))
    assert m.precision_at_k(Y, nothing, 2) == m.ndcg_at_k(Y, nothing, 2) == 0.0


def test_an_unjudged_label_gives_its_place_to_the_next():
    Y, S = [[NAN, 1, 0]], [[0.9, 0.8, 0.1]]
    assert m.precision_at_k(Y, S, 1) == 1.0
    top = (np.array([[0, 1]]), np.array([[0.9, 0.8]]))
    assert m.precision_at_k(Y, top, 1) == 1.0


def test_empty_places_of_top_labels_are_misses():
    top = (np.array([[1, -1], [-1, -1]]), np.array([[0.9, NAN], [NAN, NAN]]))
    assert m.precision_at_k([[0, 1, 1], [1, 0, 0]], top, 2) == 0.25


@pytest.mark.parametrize("kind", ["sparse", "top"])
def test_a_million_labels_need_little_memory(kind):
    n, K, k = 2000, 10**6, 10
    rng = np.random.default_rng(0)
    labels = np.sort(rng.integers(0, K // k, (n, k)) + np.arange(k) * (K // k), axis=1)
    scores = rng.random((n, k))
    ptr = np.arange(n + 1) * k
    Y = sp.csr_array((np.ones(n * 3), labels[:, :3].ravel(), ptr[: n + 1] // k * 3), shape=(n, K))
    given_scores = (
        (labels, scores)
        if kind == "top"
        else sp.csr_array((scores.ravel(), labels.ravel(), ptr), shape=(n, K))
    )
    p = np.full(K, 0.5)
    m.precision_at_k(Y[:2], sp.csr_array((2, K)), 1)  # compiled before memory is watched
    tracemalloc.start()
    try:
        precision = m.precision_at_k(Y, given_scores, 5)
        ndcg = m.ndcg_at_k(Y, given_scores, 5)
        weighted = m.propensity_scored_precision_at_k(Y, given_scores, p, 5)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    hits = np.argsort(np.argsort(-scores, axis=1), axis=1)[:, :3] < 5
    assert precision == pytest.approx(hits.sum() / (n * 5))
    assert weighted == pytest.approx(hits.sum() / (n * 3))
    assert 0 < ndcg < 1
    # A dense float64 matrix would have 16 GB; the propensities alone have 8 MB.
    assert peak < 40e6


def test_propensities_follow_the_published_formula():
    Y = np.zeros((1000, 3))
    Y[:500, 0] = 1
    Y[:1, 1] = 1
    for A, B in ((0.55, 1.5), (0.5, 0.4)):
        C = (math.log(1000) - 1) * (B + 1) ** A
        expected = [1 / (1 + C * math.exp(-A * math.log(N + B))) for N in (500, 1, 0)]
        np.testing.assert_allclose(m.propensities(Y, A=A, B=B), expected, rtol=1e-14)


def test_a_perfect_ranking_has_propensity_scored_value_1():
    rng = np.random.default_rng(3)
    Y = (rng.random((30, 12)) < 0.3).astype(float)
    p = m.propensities(Y)
    perfect = Y / p
    for k in (1, 3, 5):
        assert m.propensity_scored_precision_at_k(Y, perfect, p, k) == pytest.approx(1)
        assert m.propensity_scored_ndcg_at_k(Y, perfect, p, k) == pytest.approx(1)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3"])
def test_k_must_be_a_positive_integer(k):
    with pytest.raises(ValueError, match="k must be an integer of at least 1"):
        m.precision_at_k([[1, 0]], [[0.1, 0.2]], k)


@pytest.mark.parametrize("p", [[0.5], [0.0, 0.5], [2.0, 0.5], [NAN, 0.5]])
def test_propensities_must_be_one_per_label_and_in_0_to_1(p):
    with pytest.raises(DataError, match="propensities must"):
        m.propensity_scored_precision_at_k([[1, 0]], [[0.1, 0.2]], p, 1)


def test_propensities_need_three_rows():
    with pytest.raises(DataError, match="at least 3 training rows"):
        m.propensities([[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([[0, 2]], [[1.0, 0.5]], "columns 0 to 1"),
        ([[-2, 1]], [[1.0, 0.5]], "columns 0 to 1"),
        ([[1, 1]], [[1.0, 0.5]], "distinct"),
        ([[0, 1]], [[1.0]], "shape of their scores"),
        ([[0.0, 1.0]], [[1.0, 0.5]], "integer array"),
        ([[0, 1]], [[1.0, NAN]], "NaN"),
    ],
)
def test_bad_top_labels_are_refused(labels, scores, message):
    with pytest.raises(DataError, match=message):
        m.precision_at_k([[1, 0]], (np.array(labels), np.array(scores)), 1)
