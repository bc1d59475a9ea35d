"""The frozen data set: what it accepts, what it refuses, and how."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from dlst.data import Dataset, NumberedNames, Provenance, Split, join_train_test
from dlst.errors import DataError

Y2 = [[1, 0], [0, 1], [1, 1]]


def test_it_is_frozen():
    data = Dataset(np.eye(3), Y2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.X = np.eye(2)


def test_sparse_stays_sparse_and_y_is_canonical_csr():
    X = sp.coo_matrix(([1.0, 2.0], ([0, 2], [1, 0])), shape=(3, 2))
    Y = sp.csr_array(([1.0, 0.0, 1.0], [1, 0, 0], [0, 2, 2, 3]), shape=(3, 2))
    data = Dataset(X, Y)
    assert isinstance(data.X, sp.csr_array)
    assert isinstance(data.Y, sp.csr_array)
    assert data.Y.nnz == 2
    assert Y.nnz == 3, "the caller's matrix is left as it was"


def test_unknown_entries_are_stored():
    data = Dataset(np.eye(2), [[np.nan, 0], [1, np.nan]])
    assert data.Y.nnz == 3
    np.testing.assert_array_equal(data.Y.toarray(), [[np.nan, 0], [1, np.nan]])
    assert data.statistics().n_unknown == 2


def test_a_frame_names_its_columns():
    X, Y = pd.DataFrame({"a": [1.0], "b": [2.0]}), pd.DataFrame({"sky": [1]})
    data = Dataset(X, Y)
    assert data.feature_names == ("a", "b")
    assert data.label_names == ("sky",)


def test_a_billion_default_names_cost_nothing():
    data = Dataset(sp.csr_array((2, 10**9)), [[1], [0]])
    assert len(data.feature_names) == 10**9
    assert data.feature_names[-1] == "x999999999"


def test_numbered_names_are_a_sequence():
    names = NumberedNames("x", 3)
    assert list(names) == ["x0", "x1", "x2"]
    assert names == ("x0", "x1", "x2")
    assert names != ("x0", "x1", "y2")
    assert names != NumberedNames("y", 3)
    assert names != 3
    assert names[1:] == ("x1", "x2")
    assert "x2" in names
    assert repr(names) == "NumberedNames('x', 3)"
    with pytest.raises(IndexError):
        names[3]


@pytest.mark.parametrize(
    ("X", "Y", "names", "message"),
    [
        (np.eye(3), [[1], [0]], {}, "same number of rows; got 3 and 2"),
        (
            np.eye(1),
            [[2]],
            {},
            r"Y must hold 0, 1 or NaN \(unknown entry\); got 2 in row 0, column 0",
        ),
        (np.eye(2), [[0, 1], [1, -1]], {}, "got -1 in row 1, column 1"),
        (np.eye(1), [1], {}, r"Y must be 2-D, one column per label; got shape \(1,\)"),
        (
            np.eye(1),
            [["a"]],
            {},
            r"Y must hold 0, 1 or NaN \(unknown entry\); got other things.* Y == 'yes'",
        ),
        ([1.0], [[1]], {}, r"X must be 2-D, rows are instances; got shape \(1,\)"),
        ([["red"]], [[1]], {}, "X must be numeric"),
        (np.eye(2), Y2[:2], {"label_names": ["a"]}, "label_names must name each of the 2"),
        (np.eye(2), Y2[:2], {"feature_names": ["a", "a"]}, "must be distinct; got 'a' twice"),
        (np.eye(2), Y2[:2], {"label_parents": [-1]}, "label_parents must give"),
        (np.eye(2), Y2[:2], {"label_parents": [-1, 2]}, "label_parents must give"),
        (np.eye(2), Y2[:2], {"split": Split([0], [2])}, "rows 0 to 1; got rows 0 to 2"),
    ],
)
def test_wrong_input_gets_one_clear_error(X, Y, names, message):
    with pytest.raises(DataError, match=message):
        Dataset(X, Y, **names)


def test_a_split_is_disjoint_integers():
    with pytest.raises(DataError, match="must be disjoint; got 1 rows in both"):
        Split([0, 1], [1])
    with pytest.raises(DataError, match="1-D array of row numbers"):
        Split([True, False], [1])
    assert repr(Split([0], [1, 2])) == "Split('official', train=1, test=2)"


def test_subsets_by_numbers_slice_and_mask():
    data = Dataset(np.arange(3.0)[:, None], Y2, name="d")
    for rows in ([1, 2], slice(1, None), np.array([False, True, True])):
        part = data.subset(rows)
        np.testing.assert_array_equal(part.X, [[1], [2]])
        np.testing.assert_array_equal(part.Y.toarray(), Y2[1:])


def test_train_and_test_follow_the_split():
    data = Dataset(np.arange(3.0)[:, None], Y2, name="d").with_split(Split([2], [0, 1]))
    assert data.train.X.tolist() == [[2.0]]
    assert data.test.n_samples == 2
    assert data.train.split is None
    assert data.train.name == "d (train)"
    assert "split=1/2" in repr(data)


def test_without_a_split_train_says_how_to_make_one():
    with pytest.raises(DataError, match=r"no official split.*random_split"):
        _ = Dataset(np.eye(3), Y2).train


def test_images_are_rows_in_their_shape():
    data = Dataset(np.arange(12.0).reshape(2, 6), [[1], [0]], image_shape=(2, 3))
    assert data.images.shape == (2, 2, 3)
    assert Dataset(np.eye(2), [[1], [0]]).images is None


def test_joining_matches_labels_by_name():
    train = Dataset(np.eye(2), [[1, 0], [0, 0]], label_names=["a", "b"])
    test = Dataset(np.eye(2), [[1, 0], [0, 0]], label_names=["b", "a"])
    both = join_train_test(train, test, name="pair")
    np.testing.assert_array_equal(both.Y.toarray(), [[1, 0], [0, 0], [0, 1], [0, 0]])
    assert both.split.train.tolist() == [0, 1]
    assert both.split.test.tolist() == [2, 3]
    assert both.label_names == ("a", "b")


def test_joining_sparse_text_files_widens_unnamed_columns():
    train = Dataset(sp.csr_array(np.eye(2)), [[1], [0]])
    test = Dataset(sp.csr_array(np.eye(3)), [[1, 0], [0, 1], [0, 0]])
    both = join_train_test(train, test)
    assert both.X.shape == (5, 3)
    assert both.Y.shape == (5, 2)


def test_joining_strangers_is_refused():
    train = Dataset(np.eye(2), [[1], [0]], ["p", "q"], ["a"])
    with pytest.raises(DataError, match="same features; got 2 and 2, first difference 'q' and 'r'"):
        join_train_test(train, Dataset(np.eye(2), [[1], [0]], ["p", "r"], ["a"]))
    with pytest.raises(DataError, match="same labels; got 1 and 1, first difference 'a' and 'b'"):
        join_train_test(train, Dataset(np.eye(2), [[1], [0]], ["p", "q"], ["b"]))


def test_provenance_collects_notes():
    assert Provenance(notes=("a",)).with_notes("b", "c").notes == ("a", "b", "c")
