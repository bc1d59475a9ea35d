"""What the cells of a table's column hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.errors import DataError

MakeError: TypeAlias = Callable[[str, int | None], DataError]
"""Turns a message and a row number (or None) into the error that names file and line."""

NO_VALUE = frozenset({"?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"})
"""Words that people write where there is no value."""


def numbers_of(column: Any) -> NDArray[np.float64] | None:
    """Return the values of a numeric or boolean column, NaN where missing; None for others."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "buif":
        return np.asarray(column.to_numpy(dtype=np.float64))
    if pd.api.types.is_complex_dtype(column):
        return None
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if column.dtype == object:
        # What pandas makes of a boolean column with empty cells.
        cells = column[column.notna()]
        if all(isinstance(cell, bool | int | float | np.number | np.bool_) for cell in cells):
            values = np.full(len(column), np.nan)
            values[column.notna().to_numpy()] = cells.to_numpy(dtype=np.float64)
            return values
    return np.full(len(column), np.nan) if column.isna().all() else None


def shown(cell: Any) -> str:
    """Return a cell as errors show it."""
    text = repr(cell.item() if isinstance(cell, np.generic) else cell)
    return text if len(text) <= 60 else f"{text[:57]}..."
