"""Rows for an estimator, checked as scikit-learn does, and new ones no more often than needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from dlst._matrices import NOT_NUMERIC, FeatureMatrix, without_mask
from dlst.errors import DataError


def checked_training_rows(estimator: Any, X: Any) -> FeatureMatrix:
    """Return at least two rows of finite numbers; the estimator remembers how wide they are."""
    checked = _checked(estimator, X)
    check_enough_rows(checked.shape[0])
    return checked


def check_enough_rows(n: int) -> None:
    """Refuse to learn from fewer rows than two."""
    if n < 2:
        got = "1 sample" if n else "none"
        raise DataError(f"expected at least 2 rows to learn from, got {got}. Give more rows.")


def checked_rows(estimator: Any, X: Any) -> FeatureMatrix:
    """Return rows of finite numbers, as wide as those of the fit.

    What has passed such a check passes again at a glance: for one row scikit-learn's own takes as
    long as its prediction, and each part of a method asks anew.
    """
    if _is_plain(X) and X.shape[1] == estimator.n_features_in_ and X.shape[0]:
        values = X if isinstance(X, np.ndarray) else X.data
        if not hasattr(estimator, "feature_names_in_") and np.isfinite(values).all():
            return X
    return _checked(estimator, X, reset=False)


def _checked(estimator: Any, X: Any, **options: Any) -> FeatureMatrix:
    # A frame's array lies by columns, and BLAS rounds by how an array lies.
    try:
        checked = validate_data(
            estimator, without_mask(X), accept_sparse="csr", dtype=np.float64, order="C", **options
        )
    except ValueError as error:
        if not str(error).startswith("could not convert string"):
            raise
        raise DataError(NOT_NUMERIC.format(error=error)) from error
    return _with_short_indices(sp.csr_array(checked)) if sp.issparse(checked) else checked


def _with_short_indices(X: sp.csr_array) -> sp.csr_array:
    """Return indices of 32 bits where these will do: some of scikit-learn's machines need them."""
    if X.indices.dtype == np.int32 or max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    indices, indptr = (part.astype(np.int32) for part in (X.indices, X.indptr))
    return sp.csr_array((X.data, indices, indptr), shape=X.shape)


def _is_plain(X: Any) -> bool:
    if type(X) is np.ndarray:
        return X.ndim == 2 and X.dtype == np.float64 and X.flags.c_contiguous
    if type(X) is not sp.csr_array or X.ndim != 2:
        return False
    return bool(X.dtype == np.float64 and X.indices.dtype == np.int32)
