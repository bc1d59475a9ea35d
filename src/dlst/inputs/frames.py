"""Tables in the shapes in which people hold them, brought to one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from dlst.data.tables.frames import pandas_frame
from dlst.errors import DataError

TEXT = "text"
"""The name of the one column that plain texts make."""


def as_frame(X: Any, names: Sequence[str] = ()) -> Any:
    """Return rows as a pandas frame with distinct text names and rows counted from 0.

    Parameters
    ----------
    X : frame, list of dicts, list of texts, dict of columns, or 2-D array
        Frames of pandas, polars and pyarrow. Texts become one column ``text``; the columns of an
        array are ``x0``, ``x1``, …; a dict of single cells is one row.
    names : sequence of str
        Columns of an array that has as many; the one column of texts.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> as_frame([{"size": 1, "colour": "red"}, {"size": 2}])
       size colour
    0     1    red
    1     2    NaN
    >>> as_frame(["blue sky"]).columns.tolist()
    ['text']
    """
    if _is_as_asked(X):
        return X
    frame = _frame(X, names).reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"expected distinct column names, got {twice!r} twice. Rename one.")
    return frame


def is_texts(X: Any) -> bool:
    """Tell plain texts, in a list, an array or a column, from a table; some may be missing."""
    if isinstance(X, pd.DataFrame):
        return False
    is_column = hasattr(X, "to_list") or getattr(X, "ndim", 0) == 1
    if not is_column and not isinstance(X, list | tuple):
        return False
    are_texts = [isinstance(row, str) for row in X]
    return any(are_texts) and all(
        is_text or _is_nothing(row) for is_text, row in zip(are_texts, X, strict=True)
    )


def _is_as_asked(X: Any) -> bool:
    if not isinstance(X, pd.DataFrame) or type(X.index) is not pd.RangeIndex:
        return False
    counted = X.index.start == 0 and X.index.step == 1
    names = X.columns
    return counted and names.is_unique and all(type(name) is str for name in names)


def _frame(X: Any, names: Sequence[str]) -> Any:
    if is_texts(X):
        return pd.DataFrame({names[0] if len(names) == 1 else TEXT: np.array(list(X), object)})
    if (frame := pandas_frame(X)) is not None:
        return frame.copy(deep=False)
    if isinstance(X, Mapping):
        is_row = X and all(map(pd.api.types.is_scalar, X.values()))
        return pd.DataFrame([dict(X)] if is_row else dict(X))
    if isinstance(X, Sequence) and X and all(isinstance(row, Mapping) for row in X):
        return pd.DataFrame.from_records([dict(row) for row in X])
    if not sp.issparse(X) and not isinstance(X, str):
        array = np.asarray(X) if hasattr(X, "__array__") else None
        if array is not None and array.ndim == 2:
            numbered = [f"x{i}" for i in range(array.shape[1])]
            return pd.DataFrame(array, columns=names if len(names) == len(numbered) else numbered)
    got, remedy = type(X).__name__, ""
    if sp.issparse(X):
        remedy = " Sparse matrices go to a method directly."
    elif isinstance(X, str):
        remedy = " Put a single text into a list."
    elif isinstance(X, list | tuple):
        kinds = sorted({type(row).__name__ for row in X})
        got = f"a {got} of {' and '.join(kinds)}" if kinds else f"an empty {got}"
    raise DataError(
        "expected a frame (pandas, polars, pyarrow), a list of dicts, a list of texts, a dict of "
        f"columns or a 2-D array; got {got}.{remedy}"
    )


def _is_nothing(cell: Any) -> bool:
    return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))
