"""What the metrics accept as truth, scores and decisions, and how they refuse the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from dlst import metrics as m
from dlst.errors import DataError
from dlst.metrics import _inputs

NAN = float("nan")
Y, S = np.array([[1.0, 0.0, NAN], [0.0, 1.0, 1.0]]), np.array([[0.9, 0.1, 0.5], [0.2, 0.3, 0.4]])


@pytest.mark.parametrize("function", [m.instance_average_precision, m.precision_at_k, m.log_loss])
@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        ([[1, 0]], [[0.1, 0.2], [0.3, 0.4]], r"scores must have the shape of Y, \(1, 2\)"),
        ([1, 0], [[0.1, 0.2]], r"Y must be 2-D.*got shape \(2,\)"),
        ([[1, 0]], [0.1, 0.2], r"scores must be 2-D.*got shape \(2,\)"),
        ([[1, 2]], [[0.1, 0.2]], "Y must hold 0, 1 or NaN .*got 2 in row 0, column 1"),
        ([[1, -1]], [[0.1, 0.2]], "got -1 in row 0, column 1. For -1/\\+1 labels"),
        ([["a", "b"]], [[0.1, 0.2]], "Y must hold 0, 1 or NaN"),
        ([[1, 0]], [["a", "b"]], "scores must be numbers"),
        ([[1, 0], [0, 1]], [[0.1, 0.2], [0.3, NAN]], "scores must not be NaN.*row 1"),
        (np.empty((0, 2)), np.empty((0, 2)), r"Y must have rows and columns; got shape \(0, 2\)"),
        ([[1, 0], [0, 1]], sp.csr_array([[np.inf, -np.inf], [NAN, 0]]), "must not be NaN.*row 1"),
        ([[1, 0], [0, 1]], [[np.inf, -np.inf], [NAN, 0]], "must not be NaN.*row 1"),
    ],
)
def test_bad_input_gives_one_clear_error(function, truth, scores, message):
    with pytest.raises(DataError, match=message):
        function(truth, scores)


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        ([[0.5, 1]], "Y_pred must hold 0 or 1; got 0.5"),
        ([[NAN, 1]], "Y_pred must hold 0 or 1; got nan"),
        ([[1]], "Y_pred must have the shape of Y"),
        ([1, 0], "Y_pred must be 2-D"),
    ],
)
def test_bad_decisions_give_one_clear_error(decisions, message):
    with pytest.raises(DataError, match=message):
        m.micro_f1([[1, 0]], decisions)


def test_all_forms_of_truth_and_scores_give_the_same_value():
    names = ["a", "b", "c"]
    expected = m.macro_average_precision(Y, S)
    for truth in (
        Y.tolist(),
        Y.astype(object),
        sp.csr_array(Y),
        sp.csr_matrix(Y),
        sp.coo_array(Y),
        pd.DataFrame(Y, columns=names),
    ):
        for scores in (S, np.asfortranarray(S), sp.csc_array(S), S.astype(object).tolist()):
            assert m.macro_average_precision(truth, scores) == expected


def test_integer_boolean_and_float32_input_work():
    scores = [[3, 1, 2], [1, 2, 3]]
    truth = [[True, False, False], [False, True, True]]
    for kind in (np.int8, np.uint16, np.float32):
        assert m.one_error(truth, np.array(scores, dtype=kind)) == 0


def test_duplicate_sparse_entries_are_summed_and_the_input_is_left_alone():
    twice = sp.csr_array(
        (np.array([0.2, 0.3, 0.4]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2)
    )
    assert m.one_error([[1, 0]], twice) == 0
    assert twice.nnz == 3
    stored_zero = sp.csr_array(
        (np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2)
    )
    assert m.micro_f1(stored_zero, [[1, 0]]) == 1
    assert stored_zero.nnz == 2


def test_frames_are_matched_by_the_names_of_their_columns():
    truth = pd.DataFrame([[1, 0], [0, 0]], columns=["a", "b"])
    scores = pd.DataFrame([[0.1, 0.9], [0.3, 0.2]], columns=["b", "a"])
    assert m.one_error(truth, scores, empty="skip") == 0
    assert m.micro_f1(truth, (scores > 0.5).astype(int)) == 1
    with pytest.raises(
        DataError, match=r"must name the same labels; got a difference in \['b', 'c'\]"
    ):
        m.one_error(truth, scores.rename(columns={"b": "c"}))


def test_top_labels_are_refused_where_all_scores_are_needed():
    top = (np.array([[0]]), np.array([[0.5]]))
    for function in (m.one_error, m.macro_auc, m.micro_auc, m.log_loss):
        with pytest.raises(DataError, match="needs a score for every label"):
            function([[1, 0]], top)


def test_values_do_not_depend_on_the_size_of_the_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    truth = np.where(rng.random((50, 7)) < 0.1, NAN, rng.random((50, 7)) < 0.4)
    scores = rng.integers(0, 5, (50, 7)) / 4
    before = m.evaluate(truth, scores, "all")
    monkeypatch.setattr(_inputs, "_BLOCK_ENTRIES", 20)
    for form in (scores, sp.csr_array(scores)):
        after = m.evaluate(truth, form, [n for n in m.available() if "_at_" not in n])
        assert after == pytest.approx({name: before[name] for name in after})
