"""Rankings: every rule against a slow twin, scikit-learn, and the sentences of the docstrings."""

from __future__ import annotations

import math

import metric_twins as twin
import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from metric_problems import problems

from dlst import metrics as m

RULES = ("pessimistic", "optimistic", "expected", "first", "last")
NAN = float("nan")


def twin_mean(lists, value, undefined, empty):
    """Mean of a twin over rows; `undefined(y)` rows count `empty` or are skipped."""
    values = []
    for y, s in lists:
        y, s = twin.judged(y, s)
        if not y:
            continue
        if undefined(y):
            if empty != "skip":
                values.append(empty)
        else:
            values.append(value(y, s))
    return sum(values) / len(values) if values else NAN


def no_relevant(y):
    return sum(y) == 0


def no_pair(y):
    return sum(y) in (0, len(y))


@pytest.mark.parametrize("ties", RULES)
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_instance_metrics_equal_their_slow_twins(ties, problem):
    Y, S = problem
    rows = list(zip(Y, S, strict=True))
    for function, value, undefined, default in (
        (m.instance_average_precision, twin.average_precision, no_relevant, 1.0),
        (m.one_error, twin.top_is_wrong, no_relevant, 1.0),
        (m.coverage, twin.depth, no_relevant, 0.0),
        (m.error_set_size, twin.wrong_pairs, no_pair, 0.0),
    ):
        expected = twin_mean(rows, lambda y, s, v=value: v(y, s, ties), undefined, default)
        assert function(Y, S, ties=ties) == pytest.approx(expected, abs=1e-12, nan_ok=True)

    def loss(y, s):
        return twin.wrong_pairs(y, s, ties) / (sum(y) * (len(y) - sum(y)))

    for empty in (0.0, 0.5, "skip"):
        expected = twin_mean(rows, loss, no_pair, empty)
        found = m.ranking_loss(Y, S, ties=ties, empty=empty)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_label_and_pooled_metrics_equal_their_slow_twins(problem):
    Y, S = problem
    columns = list(zip(Y.T, S.T, strict=True))
    for ties in RULES:
        expected = twin_mean(
            columns, lambda y, s, t=ties: twin.average_precision(y, s, t), no_relevant, 0.0
        )
        found = m.macro_average_precision(Y, S, ties=ties)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = twin_mean(columns, twin.eleven_points, no_relevant, 0.0)
    found = m.eleven_point_average_precision(Y, S)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)

    def auc(y, s):
        pairs = [(a > b) + (a == b) / 2 for a, i in zip(s, y, strict=True) if i
                 for b, j in zip(s, y, strict=True) if not j]  # fmt: skip
        return sum(pairs) / len(pairs)

    flat = [(Y.ravel(), S.ravel())]
    for function, lists in ((m.macro_auc, columns), (m.micro_auc, flat)):
        expected = twin_mean(lists, auc, no_pair, "skip")
        assert function(Y, S) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = twin_mean(zip(Y, S, strict=True), auc, no_pair, "skip")
    assert m.instance_auc(Y, S) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = twin_mean(flat, twin.average_precision, no_relevant, 0.0)
    if not math.isnan(expected):
        assert m.micro_average_precision(Y, S) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(problem=problems(max_rows=8, max_labels=8, unknown=False))
def test_equals_scikit_learn(problem):
    Y, S = problem
    if Y.shape[1] > 1:  # scikit-learn takes one column for a binary problem
        close = pytest.approx
        assert m.instance_average_precision(Y, S) == close(
            sk.label_ranking_average_precision_score(Y, S)
        )
        assert m.ranking_loss(Y, S) == close(sk.label_ranking_loss(Y, S))
        assert m.coverage(Y, S) == close(sk.coverage_error(Y, S))
    if Y.any(axis=0).all():
        expected = sk.average_precision_score(Y, S, average=None)
        np.testing.assert_allclose(m.macro_average_precision(Y, S, average=None), expected)
        expected = sk.average_precision_score(Y.ravel(), S.ravel())
        assert m.micro_average_precision(Y, S) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(problem=problems())
def test_the_order_of_rows_and_of_labels_does_not_matter_by_default(problem):
    Y, S = problem
    for function in (m.instance_average_precision, m.ranking_loss, m.coverage, m.one_error,
                     m.macro_average_precision, m.micro_average_precision):  # fmt: skip
        value = function(Y, S)
        assert function(Y[::-1, ::-1], S[::-1, ::-1]) == pytest.approx(value, nan_ok=True)


TIED_Y, TIED_S = [[1, 0, 1]], [[0.5, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("function", "default", "mulan"),
    [
        (m.instance_average_precision, 2 / 3, (1 + 2 / 3) / 2),
        (m.ranking_loss, 1.0, 0.5),
        (m.error_set_size, 2.0, 1.0),
        (m.coverage, 3.0, 2.0),
        (m.one_error, 1.0, 0.0),
    ],
)
def test_tied_labels_take_the_worst_rank_and_with_mulan_the_last_index_is_best(
    function, default, mulan
):
    assert function(TIED_Y, TIED_S) == pytest.approx(default)
    assert function(TIED_Y, TIED_S, convention="mulan") == pytest.approx(mulan)


def test_tied_instances_of_a_label_take_the_worst_rank_and_with_mulan_the_earlier_row_is_best():
    Y, S = [[1], [0]], [[0.5], [0.5]]
    assert m.macro_average_precision(Y, S) == 0.5
    assert m.macro_average_precision(Y, S, convention="mulan") == 1.0
    assert m.micro_average_precision(Y, S) == 0.5
    assert m.eleven_point_average_precision(Y, S) == 0.5


def test_a_tied_pair_is_half_right_in_auc():
    assert m.instance_auc([[1, 0]], [[0.5, 0.5]]) == 0.5
    assert m.macro_auc([[1], [0]], [[0.5], [0.5]]) == 0.5
    assert m.micro_auc([[1, 0]], [[0.5, 0.5]]) == 0.5


def test_mulan_ties_are_runs_within_1e_6_of_their_lowest_score():
    # 0 and 6e-7 are one run; 1.2e-6 is too far from 0, though near to 6e-7, and starts its own.
    S = [[1.2e-6, 6e-7, 0.0]]
    ranks = [m.coverage(y, S, convention="mulan") for y in ([[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]])]
    assert ranks == [0, 2, 1]


def test_an_unjudged_label_does_not_bridge_two_mulan_runs():
    S = [[1.2e-6, 6e-7, 0.0]]
    assert m.coverage([[1, NAN, 0]], S, convention="mulan") == 0
    assert m.coverage([[0, NAN, 1]], S, convention="mulan") == 1


def test_infinite_scores_rank_at_the_ends():
    for convention in ("sklearn", "mulan"):
        S = [[np.inf, 0.0, -np.inf]]
        assert m.ranking_loss([[1, 0, 0]], S, convention=convention) == 0
        assert m.ranking_loss([[0, 0, 1]], S, convention=convention) == 1


@pytest.mark.parametrize(
    ("function", "default", "mulan"),
    [
        (m.instance_average_precision, 1.0, NAN),
        (m.ranking_loss, 0.0, 0.0),
        (m.error_set_size, 0.0, 0.0),
        (m.coverage, 0.0, 0.0),
        (m.one_error, 1.0, 1.0),
    ],
)
def test_a_row_without_relevant_label_has_the_documented_value(function, default, mulan):
    Y, S = [[0, 0]], [[0.1, 0.2]]
    assert function(Y, S) == default
    assert function(Y, S, convention="mulan") == pytest.approx(mulan, nan_ok=True)


def test_a_row_without_irrelevant_label_has_the_documented_value():
    Y, S = [[1, 1]], [[0.1, 0.2]]
    assert m.instance_average_precision(Y, S) == 1.0
    assert m.ranking_loss(Y, S) == m.error_set_size(Y, S) == 0.0
    assert m.coverage(Y, S) == 2.0
    assert m.one_error(Y, S) == 0.0
    assert math.isnan(m.instance_auc(Y, S))
    assert m.instance_auc(Y, S, empty=0.5) == 0.5


def test_a_label_without_positives_counts_0_and_is_left_out_by_mulan():
    Y, S = [[1, 0], [0, 0]], [[0.9, 0.8], [0.1, 0.2]]
    assert m.macro_average_precision(Y, S) == 0.5
    assert m.eleven_point_average_precision(Y, S) == 0.5
    assert m.macro_average_precision(Y, S, convention="mulan") == 1.0
    assert m.eleven_point_average_precision(Y, S, empty="skip") == 1.0
    assert m.macro_auc(Y, S) == 1.0


def test_no_relevant_entry_at_all_gives_0_for_micro_ap_and_nan_for_micro_auc():
    assert m.micro_average_precision([[0, 0]], [[0.9, 0.8]]) == 0.0
    assert math.isnan(m.micro_auc([[0, 0]], [[0.9, 0.8]]))


def test_values_left_out_are_nan_when_asked_for_one_by_one():
    Y = [[1, 0], [0, 0], [NAN, NAN]]
    S = [[0.9, 0.8], [0.1, 0.2], [0.3, 0.4]]
    found = m.instance_average_precision(Y, S, empty="skip", average=None)
    np.testing.assert_array_equal(found, [1.0, NAN, NAN])
    np.testing.assert_array_equal(m.coverage(Y, S, average=None), [1.0, 0.0, NAN])


def test_eleven_point_precision_takes_recall_in_whole_numbers():
    # Ten positives then ten negatives then nothing: recall 0.3 is reached at exactly 3 positives.
    y = np.r_[np.ones(3), np.zeros(7), np.ones(7)]
    S = -np.arange(17.0).reshape(-1, 1)
    expected = (4 * 1.0 + 7 * 10 / 17) / 11
    assert m.eleven_point_average_precision(y.reshape(-1, 1), S) == pytest.approx(expected)


@pytest.mark.parametrize(
    "options", [{"ties": "random"}, {"convention": "weka"}, {"empty": "drop"}, {"average": "macro"}]
)
def test_a_wrong_parameter_is_refused_with_its_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} must be"):
        m.ranking_loss([[1, 0]], [[0.1, 0.2]], **options)
