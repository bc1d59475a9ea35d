from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dlst.encoders import distinct_label_sets

label_matrices = arrays(
    float,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7),
    elements=st.sampled_from([0.0, 1.0, np.nan]),
)


def ranked(Y):
    """NaN as 2: numbers whose order is the order of the sets."""
    return np.nan_to_num(Y, nan=2.0)


@given(label_matrices)
def test_the_sets_are_the_sorted_distinct_rows(Y):
    found = distinct_label_sets(Y)
    sets, first, inverse, counts = np.unique(
        ranked(Y), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    np.testing.assert_array_equal(ranked(found.sets.toarray()), sets)
    np.testing.assert_array_equal(found.first, first)
    np.testing.assert_array_equal(found.inverse, inverse.ravel())
    np.testing.assert_array_equal(found.counts, counts)
    assert len(found) == len(sets)


@given(label_matrices)
def test_every_row_finds_its_own_set(Y):
    found = distinct_label_sets(Y)
    np.testing.assert_array_equal(found.find(Y), found.inverse)


def test_a_set_that_is_not_there_is_minus_one():
    found = distinct_label_sets([[0, 1], [1, 1]])
    assert found.find([[1, 0], [1, 1], [np.nan, 1], [0, 0]]).tolist() == [-1, 1, -1, -1]


@pytest.mark.parametrize("wrap", [sp.csr_array, sp.csc_matrix, pd.DataFrame, np.ndarray.tolist])
def test_any_form_of_labels_gives_the_same_sets(wrap):
    Y = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]])
    found = distinct_label_sets(wrap(Y))
    assert isinstance(found.sets, sp.csr_array)
    assert found.sets.toarray().tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert found.counts.tolist() == [1, 2, 1]
