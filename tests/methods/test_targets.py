"""Targets of every kind become one indicator, and decisions come back in their form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from dlst.errors import DataError
from dlst.methods.targets import read_targets

INDICATOR = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    "target",
    [
        INDICATOR,
        INDICATOR.tolist(),
        INDICATOR.astype(bool),
        INDICATOR.astype(np.float32),
        INDICATOR.astype(object),
        sp.csr_array(INDICATOR),
        sp.csr_matrix(INDICATOR),
        sp.coo_array(INDICATOR),
        sp.dok_array(INDICATOR),
        pd.DataFrame(INDICATOR, columns=["a", "b", "c"]),
        pd.DataFrame({"a": [True, False, True], "b": [0, 0, 1], "c": [1.0, 1.0, 0.0]}),
    ],
    ids=lambda target: type(target).__name__,
)
def test_an_indicator_of_any_kind_is_read_alike(target):
    Y, targets = read_targets(target)
    assert isinstance(Y, sp.csr_array)
    assert Y.dtype == np.float64
    np.testing.assert_array_equal(Y.toarray(), INDICATOR)
    assert targets.is_indicator
    assert targets.sparse == sp.issparse(target)
    assert targets.label_names == (("a", "b", "c") if hasattr(target, "columns") else ())


def test_zeros_are_not_stored_and_unknown_entries_are():
    given = np.array([[np.nan, 0.0], [1.0, 0.0]])
    for target in (given, sp.csr_array(given), pd.DataFrame(given)):
        Y, _ = read_targets(target)
        assert Y.nnz == 2
        np.testing.assert_array_equal(Y.toarray(), given)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
def test_decisions_take_the_type_of_the_indicator(dtype):
    chosen = sp.csr_array(INDICATOR.astype(bool))
    for target in (INDICATOR.astype(dtype), sp.csr_array(INDICATOR.astype(dtype))):
        decided = read_targets(target)[1].decided(chosen)
        assert decided.dtype == dtype
        assert sp.issparse(decided) == sp.issparse(target)


def test_single_precision_survives_unknown_entries():
    given = np.array([[np.nan, 0.0], [1.0, 0.0]], dtype=np.float32)
    assert read_targets(given)[1].dtype == np.dtype(np.float32).str


def test_objects_are_decided_as_integers():
    assert read_targets(INDICATOR.astype(object))[1].dtype == np.dtype(np.int64).str


def test_three_classes_become_three_columns():
    Y, targets = read_targets(["c", "a", "b", "a"])
    assert not targets.is_indicator
    assert targets.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(Y.toarray(), [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    with pytest.raises(TypeError, match="by their probabilities"):
        targets.decided(Y)


def test_two_classes_become_one_column_of_the_second():
    Y, targets = read_targets(np.array([5, 3, 5]))
    assert targets.classes.tolist() == [3, 5]
    np.testing.assert_array_equal(Y.toarray(), [[1], [0], [1]])


def test_one_class_is_always_present():
    Y, targets = read_targets(["only", "only"])
    assert targets.classes.tolist() == ["only"]
    np.testing.assert_array_equal(Y.toarray(), [[1], [1]])


@pytest.mark.parametrize("column", [[["b"], ["a"], ["b"]], [[5], [3], [5]]])
def test_a_column_of_classes_is_read_as_one_dimensional(column):
    Y, targets = read_targets(column)
    assert not targets.is_indicator
    np.testing.assert_array_equal(Y.toarray(), [[1], [0], [1]])


def test_a_column_of_zeros_ones_and_unknown_is_an_indicator():
    Y, targets = read_targets([[1.0], [np.nan], [0.0]])
    assert targets.is_indicator
    np.testing.assert_array_equal(Y.toarray(), [[1], [np.nan], [0]])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (None, "the target y is None"),
        ([1.5, 2.5, 3.5], "Unknown label type: continuous"),
        ([[0.5, 1.0], [0.0, 1.0]], "Unknown label type: continuous"),
        ([1.0, np.nan], "contains NaN"),
        ([[0, 2], [1, 1]], "got 2 in row 0, column 1"),
        (sp.csr_array([[0, -1], [1, 1]]), "For -1/\\+1 labels use Y > 0"),
        ([["a", "b"], ["c", "d"]], "must hold 0, 1 or NaN"),
        ([[0.2, 0.9], [0.0, 1.0]], "Unknown label type: continuous"),
        (sp.csr_array([[0.2, 0.9], [0.0, 1.0]]), "Decide first, such as Y > 0.5"),
        (np.zeros((2, 2, 2)), "array with dim(ension)? 3|dim <= 2 is required"),
        (np.zeros((2, 0)), r"a column for each label; got none, in shape \(2, 0\)"),
        (sp.csr_array((2, 0)), "a column for each label; got none"),
        ([["sky"], ["sky", "sea"]], "got a list of labels for each row.*MultiLabelBinarizer"),
        ([{"sky"}, {"sky", "sea"}], "got a list of labels for each row"),
        (pd.Series([["sky"], ["sea"]]), "got a list of labels for each row"),
        ([[0, 4], [1, 2]], "got 4 in row 0, column 1. Lists of labels become columns with"),
    ],
)
def test_what_is_no_target_is_one_clear_error(target, message):
    with pytest.raises(ValueError, match=message):
        read_targets(target)


def test_a_wrong_indicator_is_an_error_of_the_data():
    with pytest.raises(DataError):
        read_targets([[0, 3], [1, 1]])


def test_a_frame_of_polars_names_its_labels():
    Y = pl.DataFrame({"sky": [1, 0], "sea": [0, 1]})
    found, targets = read_targets(Y)
    assert targets.label_names == ("sky", "sea")
    np.testing.assert_array_equal(found.toarray(), [[1, 0], [0, 1]])
