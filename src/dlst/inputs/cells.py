"""Cells of one column as numbers or texts, and the error that knows a cell's place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.data.tables.cells import holds_objects, is_numeric, mend, numbers_of, shown
from dlst.errors import DataError


class CellError(DataError):
    """A cell that is not what its column holds; knows its place, so that a reader can name it.

    Parameters
    ----------
    column : str
    row : int
        Counted from 0.
    message : str
        Expected, got, remedy.

    Examples
    --------
    >>> error = CellError("price", 3, "expected a number, got 'dear'.")
    >>> error.column, error.row
    ('price', 3)
    """

    def __init__(self, column: str, row: int, message: str):
        self.column, self.row, self.message = column, row, message
        super().__init__(f"column {column!r}, row {row} (counted from 0): {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.column, self.row, self.message)


def another_kind(column: str) -> str:
    """Say how a column is given another kind."""
    return f"or say what the column is: columns={{'category': {column!r}}}, 'text' or 'drop'."


def checked_numbers(column: Any, name: str, remedy: str) -> NDArray[np.float64]:
    """Read cells as numbers; the first that is none is an error with row and column."""
    values, wrong = numbers_of(column)
    if wrong.size:
        row = int(wrong[0])
        cell = column.iloc[row]
        raise CellError(
            name,
            row,
            f"expected a number, got {shown(cell)}. {mend(cell)}{remedy}.",
        )
    return values


def texts_of(column: Any) -> list[str]:
    """Return cells as texts: what a CSV file would hold, the empty text where missing.

    A whole number is written without a point, as it becomes a float by a missing neighbour.
    """
    if holds_objects(column) and not isinstance(column.dtype, pd.CategoricalDtype):
        return [_text(cell) for cell in column]
    if is_numeric(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isnan(values).any() and pd.api.types.is_integer_dtype(column):
            return [str(cell) for cell in column.tolist()]
        return [_text(cell) for cell in values.tolist()]
    return [_text(cell) for cell in column.astype(object)]


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
