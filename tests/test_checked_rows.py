"""Rows that were checked pass again; all others are checked as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from dlst._checked_rows import checked_rows, checked_training_rows
from dlst._matrices import as_features, as_indicator

ROWS = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])


def with_long_indices() -> sp.csr_array:
    X = sp.csr_array(ROWS)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def fitted(X: Any = ROWS) -> BaseEstimator:
    estimator = BaseEstimator()
    checked_training_rows(estimator, X)
    return estimator


@pytest.mark.parametrize("X", [ROWS, sp.csr_array(ROWS)])
def test_plain_rows_pass_as_they_are(X: Any) -> None:
    assert checked_rows(fitted(), X) is X


@pytest.mark.parametrize(
    "X",
    [
        ROWS.tolist(),
        ROWS.astype(np.float32),
        np.asfortranarray(ROWS),
        pd.DataFrame(ROWS),
        sp.csc_array(ROWS),
        sp.csr_matrix(ROWS),
        with_long_indices(),
    ],
)
def test_others_become_plain(X: Any) -> None:
    found = checked_rows(fitted(), X)
    if sp.issparse(X):
        assert type(found) is sp.csr_array
        assert found.indices.dtype == found.indptr.dtype == np.int32
        np.testing.assert_array_equal(found.toarray(), ROWS)
    else:
        assert type(found) is np.ndarray
        assert found.dtype == np.float64
        assert found.flags.c_contiguous
        np.testing.assert_array_equal(found, ROWS)


@pytest.mark.parametrize("X", [ROWS[:, :1], np.full((1, 2), np.nan), ROWS[:0]])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_what_does_not_fit_is_refused(X: Any, kind: Any) -> None:
    with pytest.raises(ValueError, match=r"features|NaN|minimum of 1"):
        checked_rows(fitted(), kind(X))


def test_rows_without_the_names_of_the_fit_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="feature names"):
        checked_rows(fitted(pd.DataFrame(ROWS, columns=["a", "b"])), ROWS)


def test_one_training_row_is_too_few() -> None:
    with pytest.raises(ValueError, match="at least 2 rows"):
        fitted(ROWS[:1])


def test_what_a_mask_hides_is_unknown_not_its_old_value() -> None:
    hidden = np.ma.MaskedArray([[1, 1], [0, 1]], mask=[[False, True], [False, False]])
    assert np.isnan(as_indicator(hidden).toarray()[0, 1])
    assert np.isnan(as_features(hidden)[0, 1])
    with pytest.raises(ValueError, match="contains NaN"):
        checked_training_rows(BaseEstimator(), hidden)
