"""Decisions: twins, scikit-learn, and the sentences on empty rows and labels."""

from __future__ import annotations

import math

import metric_twins as twin
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from hypothesis import given, settings
from metric_problems import problems

from dlst import metrics as m

NAN = float("nan")
MEASURES = ("precision", "recall", "f1", "jaccard")
FUNCTIONS = {
    ("labels", "precision"): m.macro_precision,
    ("labels", "recall"): m.macro_recall,
    ("labels", "f1"): m.macro_f1,
    ("labels", "jaccard"): m.macro_jaccard,
    ("instances", "precision"): m.instance_precision,
    ("instances", "recall"): m.instance_recall,
    ("instances", "f1"): m.instance_f1,
    ("instances", "jaccard"): m.jaccard,
}
POOLED = {"precision": m.micro_precision, "recall": m.micro_recall, "f1": m.micro_f1}


def value(measure, y, p, empty, convention="sklearn"):
    tp, fp, fn = twin.counts(y, p)
    if convention == "mulan" and tp + fp + fn:
        empty = 0.0
    upper, lower = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "jaccard": (tp, tp + fp + fn),
    }[measure]
    return upper / lower if lower else empty


@settings(max_examples=80, deadline=None)
@given(problem=problems())
def test_averaged_measures_equal_their_slow_twins(problem):
    Y, S = problem
    P = S >= 0.5
    for (by, measure), function in FUNCTIONS.items():
        lists = [*zip(Y.T, P.T, strict=True)] if by == "labels" else [*zip(Y, P, strict=True)]
        lists = [(y, p) for y, p in lists if not np.isnan(y).all()]
        for convention, empty, given_empty in (
            ("sklearn", 0.0, None),
            ("sklearn", 1.0, 1.0),
            ("mulan", 1.0, None),
            ("sklearn", None, "skip"),
        ):
            values = [value(measure, y, p, empty, convention) for y, p in lists]
            values = [v for v in values if v is not None]
            expected = sum(values) / len(values) if values else NAN
            found = function(Y, P, convention=convention, empty=given_empty)
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
            sparse = function(sp.csr_array(Y), sp.csr_array(P), convention=convention)
            assert sparse == pytest.approx(function(Y, P, convention=convention), nan_ok=True)


@settings(max_examples=80, deadline=None)
@given(problem=problems())
def test_pooled_measures_equal_their_slow_twins(problem):
    Y, S = problem
    P = S >= 0.5
    for measure, function in POOLED.items():
        assert function(Y, P) == pytest.approx(value(measure, Y.ravel(), P.ravel(), 0.0))
        assert function(Y, P, empty=1) == pytest.approx(value(measure, Y.ravel(), P.ravel(), 1.0))
    judged = ~np.isnan(Y)
    wrong = judged & (Y != P)
    per_label = [w[j].mean() if j.any() else NAN for w, j in zip(wrong.T, judged.T, strict=True)]
    np.testing.assert_allclose(m.hamming_loss(Y, P, average=None), per_label)
    expected = wrong.sum() / judged.sum() if judged.any() else NAN
    assert m.hamming_loss(Y, P) == pytest.approx(expected, nan_ok=True)
    exact = [not w.any() for w, j in zip(wrong, judged, strict=True) if j.any()]
    expected = np.mean(exact) if exact else NAN
    assert m.subset_accuracy(Y, P) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(problem=problems(max_rows=7, max_labels=6, unknown=False))
def test_equals_scikit_learn(problem):
    Y, S = problem
    Y, P = Y.astype(int), (S >= 0.5).astype(int)
    if Y.shape[1] == 1:  # scikit-learn takes one column for a binary problem
        return
    for zero in (0.0, 1.0):
        for by, sk_average in (("labels", "macro"), ("instances", "samples")):
            for measure in MEASURES:
                reference = getattr(sk, f"{measure}_score")
                expected = reference(Y, P, average=sk_average, zero_division=zero)
                assert FUNCTIONS[by, measure](Y, P, empty=zero) == pytest.approx(expected)
        for measure, function in POOLED.items():
            expected = getattr(sk, f"{measure}_score")(Y, P, average="micro", zero_division=zero)
            assert function(Y, P, empty=zero) == pytest.approx(expected)
    assert m.hamming_loss(Y, P) == pytest.approx(sk.hamming_loss(Y, P))
    assert m.subset_accuracy(Y, P) == pytest.approx(sk.accuracy_score(Y, P))


def test_a_label_neither_present_nor_predicted_counts_0_and_1_with_mulan():
    Y, P = [[1, 0], [1, 0]], [[1, 0], [1, 0]]
    for measure in MEASURES:
        function = FUNCTIONS["labels", measure]
        assert function(Y, P) == 0.5
        assert function(Y, P, convention="mulan") == 1.0
        assert function(Y, P, empty="skip") == 1.0


def test_a_row_neither_labelled_nor_predicted_counts_0_and_1_with_mulan():
    Y, P = [[1, 1], [0, 0]], [[1, 1], [0, 0]]
    for measure in MEASURES:
        function = FUNCTIONS["instances", measure]
        assert function(Y, P) == 0.5
        assert function(Y, P, convention="mulan") == 1.0
    assert m.subset_accuracy(Y, P) == 1.0
    assert m.hamming_loss(Y, P) == 0.0


def test_mulan_precision_of_a_present_label_never_predicted_is_0():
    assert m.macro_precision([[1]], [[0]], convention="mulan") == 0.0
    assert m.macro_recall([[0]], [[1]], convention="mulan") == 0.0


def test_a_decision_on_an_unjudged_entry_is_neither_right_nor_wrong():
    Y, P = [[1, NAN], [0, NAN]], [[1, 1], [0, 0]]
    assert m.micro_f1(Y, P) == m.macro_f1(Y, P) == m.subset_accuracy(Y, P) == 1.0
    assert m.hamming_loss(Y, P) == 0.0
    np.testing.assert_array_equal(m.macro_f1(Y, P, average=None), [1.0, NAN])


def test_nothing_judged_at_all_gives_nan():
    Y, P = [[NAN, NAN]], [[1, 0]]
    assert math.isnan(m.hamming_loss(Y, P))
    assert math.isnan(m.subset_accuracy(Y, P))
    assert math.isnan(m.macro_f1(Y, P))
