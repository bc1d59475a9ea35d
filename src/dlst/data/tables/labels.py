"""Label columns of a table: a truth value in each cell, or the names of labels in one column."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst.data.tables.cells import NO_VALUE, MakeError, numbers_of, shown

MAX_LABEL_ENTRIES = 5 * 10**7
"""Delimited cells may repeat: a small file can hold many more labels than bytes."""

_DELIMITERS = (";", "|", ",")
_TRUTH = {
    "0": 0.0, "0.0": 0.0, "false": 0.0, "no": 0.0,
    "1": 1.0, "1.0": 1.0, "true": 1.0, "yes": 1.0,
}  # fmt: skip
_NO_TRUTH = float("inf")


def is_delimited(column: Any) -> bool:
    """Tell a column of label names such as ``sky;sea``, or of lists, from one of truth values."""
    if numbers_of(column) is not None:
        return False
    return any(_truth(cell) == _NO_TRUTH for cell in column[column.notna()])


def indicator(
    columns: list[Any], names: list[str], n: int, make_error: MakeError
) -> NDArray[np.float64]:
    """Read a label from each column: 0, 1, or NaN where it is unknown."""
    Y = np.empty((n, len(columns)))
    for k, (name, column) in enumerate(zip(names, columns, strict=True)):
        values = numbers_of(column)
        if values is None:
            values = np.array([_truth(cell) for cell in column], dtype=np.float64)
        wrong = np.flatnonzero(~(np.isnan(values) | (values == 0) | (values == 1)))
        if wrong.size:
            row = int(wrong[0])
            raise make_error(
                f"label {name!r} must be 0, 1, true, false, yes, no or empty (unknown); "
                f"got {shown(column.iloc[row])}.",
                row,
            )
        Y[:, k] = values
    return Y


def from_delimited(
    column: Any, name: str, delimiter: str | None, make_error: MakeError
) -> tuple[Any, list[str]]:
    """Read cells such as ``sky;sea``, or lists.

    An empty cell is an instance without label, a word for no value one whose labels are unknown.
    """
    present = column.notna().to_numpy()
    cells = [cell if there else () for cell, there in zip(column, present, strict=True)]
    texts = [cell for cell in cells if isinstance(cell, str) and not _is_unknown(cell)]
    if delimiter is None:
        found = (sign for sign in _DELIMITERS if any(sign in text for text in texts))
        delimiter = next(found, _DELIMITERS[0])
    position: dict[str, int] = {}
    entries = array("q")
    starts = [0]
    unknown: list[int] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            parts = [part.strip() for part in cell.split(delimiter.strip() or None)]
            if _is_unknown(cell):
                unknown.append(row)
                parts = []
        elif isinstance(cell, list | tuple | set | frozenset | np.ndarray):
            parts = [str(part) for part in cell]
        else:
            raise make_error(
                f"a cell of {name!r} must be labels such as 'sky;sea', or a list of them; "
                f"got {shown(cell)}.",
                row,
            )
        entries.extend({position.setdefault(part, len(position)) for part in parts if part})
        starts.append(len(entries))
        if len(entries) + len(unknown) * len(position) > MAX_LABEL_ENTRIES:
            raise make_error(
                f"the cells of {name!r} must hold at most {MAX_LABEL_ENTRIES:,} labels; got more. "
                "Write XC text instead.",
                row,
            )
    label_names = sorted(position)
    rank = np.empty(len(position), dtype=np.int64)
    rank[[position[label] for label in label_names]] = np.arange(len(position))
    indices = rank[np.frombuffer(entries, dtype=np.int64)]
    Y = sp.csr_array((np.ones(len(indices)), indices, starts), shape=(len(cells), len(label_names)))
    return _with_unknown_rows(Y, unknown), label_names


def _with_unknown_rows(Y: sp.csr_array, rows: list[int]) -> sp.csr_array:
    if not rows:
        return Y
    K = Y.shape[1]
    places = np.repeat(rows, K), np.tile(np.arange(K), len(rows))
    return sp.csr_array(Y + sp.csr_array((np.full(len(places[0]), np.nan), places), shape=Y.shape))


def _truth(cell: Any) -> float:
    """Return 0, 1, NaN for unknown, or infinity for what is no truth value."""
    if isinstance(cell, str):
        if _is_unknown(cell):
            return float("nan")
        return _TRUTH.get(cell.strip().lower(), _NO_TRUTH) if len(cell) < 32 else _NO_TRUTH
    return float("nan") if pd.api.types.is_scalar(cell) and pd.isna(cell) else _NO_TRUTH


def _is_unknown(cell: str) -> bool:
    return cell.strip() in NO_VALUE if len(cell) < 32 else False
