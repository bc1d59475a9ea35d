"""Features and label indicators in the two shapes that everything below a file uses."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst.errors import DataError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FeatureMatrix: TypeAlias = FloatArray | sp.csr_array
"""Features as the methods get them: dense, or CSR when the file was sparse."""

LARGEST_FEATURE = 1e100
"""Cubes of smaller numbers, which polynomial kernels need, do not overflow either."""

NOT_NUMERIC = (
    "X must be numeric; got values that are not ({error}). "
    "Give texts, categories and dates to dlst.Tagger, which encodes them."
)


def as_features(X: Any) -> FeatureMatrix:
    """Return ``X`` as a float64 array, or CSR when it is sparse."""
    if sp.issparse(X):
        plain = type(X) is sp.csr_array and X.dtype == np.float64
        return canonical(X if plain else sp.csr_array(X, dtype=np.float64))
    try:
        dense = np.asarray(without_mask(X), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(NOT_NUMERIC.format(error=error)) from error
    if dense.ndim != 2:
        raise DataError(f"X must be 2-D, rows are instances; got shape {dense.shape}.")
    return dense


def as_indicator(Y: Any, what: str = "Y", *, unknown: str | None = "unknown entry") -> sp.csr_array:
    """Return an indicator as float64 CSR that stores ones and NaN only.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Zeros, ones and, with ``unknown``, NaN.
    what : str
        Its name in errors.
    unknown : str, optional
        What NaN means, for errors; None when it is not allowed.
    """
    values = "0 or 1" if unknown is None else f"0, 1 or NaN ({unknown})"
    if not sp.issparse(Y):
        Y = np.asarray(without_mask(Y))
        if Y.dtype.kind not in "fiub":
            try:
                Y = _with_nan(Y).astype(np.float64)
            except (TypeError, ValueError) as error:
                raise DataError(
                    f"{what} must hold {values}; got other things ({error}). Where one word means "
                    f"that a label is there, such as 'yes', compare: {what} == 'yes'."
                ) from error
        if Y.ndim != 2:
            raise DataError(
                f"{what} must be 2-D, one column per label; got shape {Y.shape}. "
                "For a single label use reshape(-1, 1)."
            )
    matrix = canonical(sp.csr_array(Y).astype(np.float64, copy=False))
    wrong = matrix.data != 1
    if unknown is not None:
        wrong &= ~np.isnan(matrix.data)
    if wrong.any():
        entry = int(np.argmax(wrong))
        raise DataError(
            f"{what} must hold {values}; got {matrix.data[entry]:g} in row "
            f"{row_of_entry(matrix.indptr, entry)}, column {matrix.indices[entry]}. "
            f"{_to_indicator(matrix.data[wrong], what)}"
        )
    return matrix


def _to_indicator(wrong: FloatArray, what: str) -> str:
    """Say what makes an indicator of values that are none, by the values that are wrong."""
    if (wrong == -1).all():
        return f"For -1/+1 labels use {what} > 0."
    if np.isinf(wrong).any():
        return "Infinity says nothing of a label."
    if (wrong != np.round(wrong)).any():
        return f"Decide first, such as {what} > 0.5."
    return "Lists of labels become columns with scikit-learn's MultiLabelBinarizer."


def without_mask(values: Any) -> Any:
    """Put NaN where a masked array hides a value, which NumPy would otherwise bring back."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    return np.ma.filled(values.astype(np.float64), np.nan)


def _with_nan(values: NDArray[Any]) -> NDArray[Any]:
    """Put NaN where pandas' nullable columns have NA, which is no number."""
    if values.dtype != object:
        return values
    from pandas import isna  # slow to import, and only a frame's values come this way

    return np.where(isna(values), np.nan, values)


def refuse_huge(X: FeatureMatrix) -> None:
    """Refuse features so large that distances, variances and kernels of them overflow."""
    values = X if isinstance(X, np.ndarray) else X.data
    if not values.size or max(values.max(), -values.min()) < LARGEST_FEATURE:
        return
    entry = int(np.argmax(np.abs(values)))
    if isinstance(X, np.ndarray):
        row, column = divmod(entry, X.shape[1])
    else:
        row, column = row_of_entry(X.indptr, entry), int(X.indices[entry])
    raise DataError(
        f"X must hold numbers below {LARGEST_FEATURE:g} in size, for the squares of larger ones "
        f"overflow; got {values.flat[entry]:g} in row {row}, column {column}. Divide that column, "
        "or take logarithms."
    )


def as_dense(matrix: FeatureMatrix) -> NDArray[np.float64]:
    """Return the same values as an ndarray."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def canonical(matrix: sp.csr_array) -> sp.csr_array:
    """Return a CSR matrix with sorted, distinct indices and no stored zeros; copy if it must."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.all(matrix.data):
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


def row_of_entry(indptr: Any, entry: int) -> int:
    """Find the row of a stored entry."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def column_names(table: Any) -> tuple[str, ...]:
    """Return the names of a frame's columns; nothing for what has none."""
    columns = getattr(table, "columns", None)
    return () if columns is None else tuple(str(column) for column in columns)
