"""The top-r rule, the threshold, and the ceiling of top-r."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_problems import problems

from dlst import metrics as m
from dlst.errors import DataError

NAN = float("nan")


@settings(max_examples=60, deadline=None)
@given(problem=problems(), r=st.integers(1, 5))
def test_top_r_takes_the_r_best_and_of_ties_the_first_or_last_index(problem, r):
    _, S = problem
    n, K = S.shape
    r = min(r, K)
    for ties, sign in (("first", 1), ("last", -1)):
        expected = np.zeros((n, K))
        for i in range(n):
            order = sorted(range(K), key=lambda j, i=i, sign=sign: (-S[i, j], sign * j))
            expected[i, order[:r]] = 1
        found = m.top_r_decisions(S, r, ties=ties)
        assert isinstance(found, sp.csr_array)
        np.testing.assert_array_equal(found.toarray(), expected)
        top = np.argsort(-S, axis=1)
        pair = (top, np.take_along_axis(S, top, axis=1))
        found = m.top_r_decisions(pair, r, ties=ties, n_labels=K)
        np.testing.assert_array_equal(found.toarray(), expected)


def test_top_r_of_sparse_scores_takes_stored_labels_only():
    scores = sp.csr_array(([-1.0, -2.0], [2, 0], [0, 2, 2]), shape=(2, 3))
    np.testing.assert_array_equal(m.top_r_decisions(scores, 1).toarray(), [[0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(m.top_r_decisions(scores, 3).toarray(), [[1, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize("r", [0, 3, 1.0, True])
def test_r_must_be_a_number_of_labels(r):
    for function in (
        lambda: m.top_r_decisions([[0.1, 0.2]], r),
        lambda: m.top_r_ceiling([[1, 0]], r),
    ):
        with pytest.raises(ValueError, match="r must be an integer from 1"):
            function()


def test_top_r_refuses_other_tie_rules_and_top_labels_without_their_number():
    with pytest.raises(ValueError, match="ties must be 'first' or 'last'"):
        m.top_r_decisions([[0.1, 0.2]], 1, ties="expected")
    with pytest.raises(ValueError, match="n_labels must be given"):
        m.top_r_decisions(([[0]], [[0.1]]), 1)


def test_a_score_equal_to_the_threshold_reaches_it_and_unstored_scores_are_0():
    S = np.array([[0.5, 0.0, -1.0], [0.2, 0.0, 0.7]])
    for scores in (S, sp.csr_array(S)):
        for threshold in (0.5, 0.0, [0.2, 0.1, 0.7]):
            found = m.threshold_decisions(scores, threshold)
            np.testing.assert_array_equal(found.toarray(), np.greater_equal(S, threshold))


@pytest.mark.parametrize("threshold", [[0.1, 0.2], NAN])
def test_a_threshold_is_a_number_or_one_per_label(threshold):
    with pytest.raises(ValueError, match="threshold must be"):
        m.threshold_decisions([[0.1, 0.2, 0.3]], threshold)


def test_labels_per_row_rounds_the_cardinality():
    Y = np.zeros((4, 5))
    Y[:2, :5] = 1  # cardinality 2.5
    assert m.labels_per_row(Y) == m.labels_per_row(Y, rounding="round") == 3
    assert m.labels_per_row(cardinality=2.4, rounding="round") == 2
    assert m.labels_per_row(cardinality=2.0) == 2
    assert m.labels_per_row(cardinality=0.0) == 1
    assert m.labels_per_row([[1, 1], [NAN, NAN]]) == 2


def test_labels_per_row_refuses_what_has_no_cardinality():
    with pytest.raises(ValueError, match="either Y or cardinality"):
        m.labels_per_row()
    with pytest.raises(ValueError, match="either Y or cardinality"):
        m.labels_per_row([[1]], cardinality=1.0)
    with pytest.raises(ValueError, match="rounding must be"):
        m.labels_per_row(cardinality=1.0, rounding="floor")
    with pytest.raises(ValueError, match="cardinality must be a number"):
        m.labels_per_row(cardinality=NAN)
    with pytest.raises(DataError, match="judged"):
        m.labels_per_row([[NAN]])


@settings(max_examples=60, deadline=None)
@given(problem=problems(max_rows=3, max_labels=4), r=st.integers(1, 4))
def test_the_ceiling_is_the_best_of_all_decisions_and_encloses_macro_f1(problem, r):
    Y, _ = problem
    n, K = Y.shape
    r = min(r, K)
    choices = []
    for chosen in itertools.combinations(range(K), r):
        row = np.zeros(K)
        row[list(chosen)] = 1
        choices.append(row)
    best = {"micro_f1": -1.0, "macro_f1": -1.0, "instance_f1": -1.0}
    for rows in itertools.product(choices, repeat=n):
        P = np.array(rows)
        for name in best:
            best[name] = max(best[name], getattr(m, name)(Y, P))
    ceiling = m.top_r_ceiling(Y, r)
    if np.isnan(Y).all():
        assert np.isnan(ceiling["macro_f1_upper_bound"])
        return
    assert ceiling["micro_f1"] == pytest.approx(best["micro_f1"])
    assert ceiling["instance_f1"] == pytest.approx(best["instance_f1"])
    assert ceiling["macro_f1_reached"] <= best["macro_f1"] + 1e-12
    assert best["macro_f1"] <= ceiling["macro_f1_upper_bound"] + 1e-12


def test_the_macro_bound_holds_where_one_label_has_both_wrong_and_missed_decisions():
    Y = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 1]]
    # All label-free rows go to the second label, which the last row gives up for the third.
    P = [[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert m.macro_f1(Y, P) == pytest.approx(7 / 9)
    ceiling = m.top_r_ceiling(Y, 1)
    assert ceiling["macro_f1_reached"] == pytest.approx(7 / 9)
    assert ceiling["macro_f1_upper_bound"] >= 7 / 9


def test_the_macro_ceiling_is_exact_where_rows_have_r_labels():
    ceiling = m.top_r_ceiling([[1, 1, 0], [0, 1, 1]], 2)
    assert set(ceiling.values()) == {1.0}


def test_the_ceiling_leaves_out_unjudged_rows_and_counts_rows_without_label_0():
    with_unjudged = m.top_r_ceiling([[1, 0], [NAN, NAN]], 1)
    assert set(with_unjudged.values()) == {1.0, 0.5}  # the second label has no positive
    assert with_unjudged["instance_f1"] == 1.0
    assert m.top_r_ceiling([[1, 0], [0, 0]], 1)["instance_f1"] == 0.5


@pytest.mark.golden
def test_the_ceiling_of_scene_is_that_of_its_cardinality(golden):
    Y = np.load(golden / "metrics.npz")["mlknn_scene_k10__Y"]
    c = Y.sum() / len(Y)
    ceiling = m.top_r_ceiling(Y, 2)
    # Exact if no row has more than r labels.
    assert ceiling["micro_f1"] == pytest.approx(2 * c / (2 + c), abs=1e-3)
    assert ceiling["micro_f1"] == pytest.approx(0.704, abs=1e-3)
    assert ceiling["macro_f1_reached"] < ceiling["macro_f1_upper_bound"] < 1
