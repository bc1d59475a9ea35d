"""Cells of one column: which are missing, and what numbers or texts the others hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.data.tables.cells import NO_VALUE, shown
from dlst.errors import DataError

MISSING = NO_VALUE | {""}
"""What stands for no value in numbers, categories and dates."""

LARGEST = 1e100
"""Squares of larger numbers, infinity among them, are no numbers."""

_TRUTH = {"true": 1.0, "false": 0.0}


class CellError(DataError):
    """A cell that is not what its column holds; knows its place, so that a reader can name it.

    Parameters
    ----------
    column : str
    row : int
        Counted from 0.
    message : str
        Expected, got, remedy.
    """

    def __init__(self, column: str, row: int, message: str):
        self.column, self.row, self.message = column, row, message
        super().__init__(f"column {column!r}, row {row} (counted from 0): {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.column, self.row, self.message)


def is_missing(column: Any) -> NDArray[np.bool_]:
    """Tell which cells hold nothing, or a word that stands for it."""
    missing: NDArray[np.bool_] = column.isna().to_numpy(dtype=bool)
    if not holds_objects(column):
        return missing
    words = np.fromiter(
        (isinstance(cell, str) and cell.strip() in MISSING for cell in column), bool, len(column)
    )
    return np.asarray(missing | words)


def holds_objects(column: Any) -> bool:
    """Tell a column of texts or Python objects from one of numbers, truth values or times."""
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return holds_objects(kind.categories)
    return bool(pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind))


def numbers_of(column: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Read cells as numbers.

    Returns
    -------
    values : ndarray of shape (n,)
        NaN where a cell is missing or no number. ``true`` and ``false`` are 1 and 0.
    wrong : ndarray of int
        Rows whose cell is neither missing nor a number up to ``LARGEST``.
    """
    if not holds_objects(column):
        if not _is_numeric(column):
            return np.full(len(column), np.nan), np.flatnonzero(column.notna())
        values = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return values, np.flatnonzero(np.abs(values) > LARGEST)
    missing = is_missing(column)
    cells = [_plain(cell) for cell in column]
    values = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").to_numpy(np.float64)
    return values, np.flatnonzero((np.isnan(values) & ~missing) | (np.abs(values) > LARGEST))


def checked_numbers(column: Any, name: str, remedy: str) -> NDArray[np.float64]:
    """Read cells as numbers; the first that is none is an error with row and column."""
    values, wrong = numbers_of(column)
    if wrong.size:
        row = int(wrong[0])
        raise CellError(
            name,
            row,
            f"expected a number, got {shown(column.iloc[row])}.{remedy_for(column, row)} {remedy}",
        )
    return values


def remedy_for(column: Any, row: int) -> str:
    """Say what is odd about a cell that is nearly a number."""
    cell = column.iloc[row]
    if isinstance(cell, str) and "," in cell and pd.notna(_number_without(cell, ",")):
        return " Write numbers with a decimal point and without separators of thousands."
    if not isinstance(cell, str):
        return f" Numbers must not be larger than {LARGEST:g}."
    return ""


def _number_without(cell: str, sign: str) -> Any:
    return pd.to_numeric(pd.Series([cell.replace(sign, "")], dtype=object), errors="coerce").iloc[0]


def texts_of(column: Any) -> list[str]:
    """Return cells as texts: what a CSV file would hold, the empty text where missing.

    A whole number is written without a point, as it becomes a float by a missing neighbour.
    """
    if holds_objects(column) and not isinstance(column.dtype, pd.CategoricalDtype):
        return [_text(cell) for cell in column]
    if _is_numeric(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isnan(values).any() and pd.api.types.is_integer_dtype(column):
            return [str(cell) for cell in column.tolist()]
        return [_text(cell) for cell in values.tolist()]
    return [_text(cell) for cell in column.astype(object)]


def _is_numeric(column: Any) -> bool:
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
    return bool(pd.api.types.is_numeric_dtype(kind)) and not pd.api.types.is_complex_dtype(kind)


def _plain(cell: Any) -> Any:
    if isinstance(cell, str):
        cell = cell.strip()
        return _TRUTH.get(cell.lower(), None if "_" in cell else cell)
    return float(cell) if isinstance(cell, bool | int | float | np.number | np.bool_) else None


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return ""
    if isinstance(cell, float | np.floating):
        value = float(cell)
        if np.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else str(value)
    return str(cell)
