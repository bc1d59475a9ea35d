"""What the cells of a column hold: missing values, numbers, texts or identifiers.

The one place that knows: data sets of numbers and tables of all kinds read cells by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst.data.column_choice import FEWEST_FOR_ID
from dlst.errors import DataError

MakeError: TypeAlias = Callable[[str, int | None], DataError]
"""Turns a message and a row number (or None) into the error that names file and line."""

NO_VALUE = frozenset({"?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"})
"""Words that people write where there is no value."""

MISSING = NO_VALUE | {""}
"""What stands for no value in numbers, categories and dates."""

LARGEST = 1e100
"""Squares of larger numbers, infinity among them, are no numbers."""

MOST = 0.5
"""A column is what more than this share of its cells are; the others are then mistakes."""

ID_SHARE = 0.9
"""Single words are no categories where so large a share of them differ."""

_TRUTH = {"true": 1.0, "false": 0.0}

# 12,5 and 1.234,5 and 1,234.5: numbers to their writers.
_NUMBER_WITH_COMMA = re.compile(
    r"[-+]?(\d+,\d+|\d{1,3}(\.\d{3})+,\d+|\d{1,3}([,' ]\d{3})+(\.\d+)?)"
)


def error_in_memory(message: str, row: int | None) -> DataError:
    """Make the error of a frame, which has rows and no lines: a :data:`MakeError`."""
    return DataError(message if row is None else f"{message} (row {row}, counted from 0)")


def is_missing(column: Any) -> BoolArray:
    """Return which cells are empty, or hold a word for a missing value."""
    missing: BoolArray = column.isna().to_numpy(dtype=bool)
    if not holds_objects(column):
        return missing
    words = np.fromiter(
        (isinstance(cell, str) and cell.strip() in MISSING for cell in column), bool, len(column)
    )
    return np.asarray(missing | words)


def holds_objects(column: Any) -> bool:
    """Return whether a column holds texts or Python objects, not numbers, truth values or times."""
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return holds_objects(kind.categories)
    return bool(pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind))


def is_numeric(column: Any) -> bool:
    """Return whether the type of a column is one of real numbers or truth values."""
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
    return bool(pd.api.types.is_numeric_dtype(kind)) and not pd.api.types.is_complex_dtype(kind)


def typed_numbers(column: Any) -> FloatArray | None:
    """Return the values of a column that holds no text, NaN where missing; None for others."""
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


def numbers_of(column: Any) -> tuple[FloatArray, NDArray[np.intp]]:
    """Read cells as numbers.

    Returns
    -------
    values : ndarray of shape (n,)
        NaN where a cell is missing or no number. ``true`` and ``false`` are 1 and 0.
    wrong : ndarray of int
        Rows whose cell is neither missing nor a number up to ``LARGEST``.
    """
    if not holds_objects(column):
        if not is_numeric(column):
            return np.full(len(column), np.nan), np.flatnonzero(column.notna())
        values = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return values, np.flatnonzero(np.abs(values) > LARGEST)
    missing = is_missing(column)
    cells = [_plain(cell) for cell in column]
    values = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").to_numpy(np.float64)
    return values, np.flatnonzero((np.isnan(values) & ~missing) | (np.abs(values) > LARGEST))


def are_numbers(column: Any, wrong: ArrayLike, often: IntArray | None = None) -> bool:
    """Return whether most cells with a value are meant as numbers; others are then mistakes.

    Parameters
    ----------
    column : Series
    wrong : array-like of int
        Those that are none, of :func:`numbers_of`.
    often : ndarray of int, optional
        How often each cell occurs, where the column holds each once.
    """
    often = np.ones(len(column), dtype=np.int64) if often is None else often
    wrong = np.asarray(wrong, dtype=np.intp)
    n_wrong = sum(int(often[row]) for row in wrong if not _has_comma(column.iloc[row]))
    return bool(n_wrong < (1 - MOST) * often[~is_missing(column)].sum())


def mend(cell: Any) -> str:
    """Say what to do about a cell that is no number."""
    if _has_comma(cell):
        return "Write numbers with a decimal point and without signs between the thousands"
    if not isinstance(cell, str):
        return f"Numbers must not be larger than {LARGEST:g}: mend the cell"
    return "Mend the cell"


def are_identifiers(texts: Sequence[str], n: int) -> bool:
    """Return whether cells are single words that nearly all differ.

    ``texts`` are the distinct ones of n cells.
    """
    if n < FEWEST_FOR_ID or len(texts) < ID_SHARE * n:
        return False
    return sum(len(text.split()) == 1 for text in texts) > MOST * len(texts)


def shown(cell: Any) -> str:
    """Return a cell as errors show it."""
    text = repr(cell.item() if isinstance(cell, np.generic) else cell)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _has_comma(cell: Any) -> bool:
    return isinstance(cell, str) and bool(_NUMBER_WITH_COMMA.fullmatch(cell.strip()))


def _plain(cell: Any) -> Any:
    if isinstance(cell, str):
        cell = cell.strip()
        return _TRUTH.get(cell.lower(), None if "_" in cell else cell)
    return float(cell) if isinstance(cell, bool | int | float | np.number | np.bool_) else None
