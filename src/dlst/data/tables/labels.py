"""Label columns of a table: a truth value in each cell, or the names of labels in one column."""

from __future__ import annotations

import ast
import json
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FloatArray, IntArray
from dlst.data.column_choice import LABEL_PREFIX
from dlst.data.tables.cells import MOST, NO_VALUE, MakeError, numbers_of, shown, typed_numbers

MAX_LABEL_ENTRIES = 5 * 10**7
"""Delimited cells may repeat: a small file can hold many more labels than bytes."""

_DELIMITERS = ("\n", ";", "|", ",")
_TRUTH = {
    "0": 0.0, "0.0": 0.0, "false": 0.0, "f": 0.0, "no": 0.0, "n": 0.0,
    "1": 1.0, "1.0": 1.0, "true": 1.0, "t": 1.0, "yes": 1.0, "y": 1.0,
}  # fmt: skip
_NO_TRUTH = float("inf")

# Behind a quoted name NumPy writes no comma.
_ITEM = re.compile(
    r"""\s*+(?:('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")\s*+|([^,'"]*+))(?:,|$|(?=['"]))"""
)


class Labels(NamedTuple):
    """Labels of rows.

    Attributes
    ----------
    Y : csr_array of shape (n, K)
        1, and NaN for unknown.
    names : list of str
    delimiter : str or None
        Between the labels of one cell; None for a column of truth values for each label.
    unknown_rows : ndarray of int
        Rows that say nothing of any label.
    """

    Y: sp.csr_array
    names: list[str]
    delimiter: str | None
    unknown_rows: NDArray[np.intp]

    @classmethod
    def of(cls, Y: sp.csr_array, names: list[str], delimiter: str | None = None) -> Labels:
        """Find the rows of which nothing is known."""
        n, K = Y.shape
        rows = np.repeat(np.arange(n), np.diff(Y.indptr))[np.isnan(Y.data)]
        unknown = np.bincount(rows, minlength=n) == K if K else np.zeros(n, dtype=bool)
        return cls(Y, names, delimiter, np.flatnonzero(unknown))


def read_labels(
    columns: Mapping[str, Any], n: int, delimiter: str | None, make_error: MakeError
) -> Labels:
    """Read labels from the cells of one column, or a label from each of several.

    A given delimiter says that the cells of one column hold names, whatever they look like.
    """
    if len(columns) == 1:
        ((name, column),) = columns.items()
        if delimiter is not None or is_delimited(column):
            return from_delimited(column, name, delimiter, make_error)
    Y = sp.csr_array(indicator(columns, n, make_error))
    return Labels.of(Y, [name.removeprefix(LABEL_PREFIX) for name in columns])


def in_order_of(labels: Labels, names: Sequence[str]) -> tuple[sp.csr_array, list[str]]:
    """Return an indicator of the labels in ``names``, and those that are not among them.

    A label that cells could have named is absent where they do not; one that lacks its column is
    unknown.
    """
    place = {name: column for column, name in enumerate(names)}
    strange = [name for name in labels.names if name not in place]
    n, K = labels.Y.shape[0], len(names)
    Y = labels.Y.tocoo()
    found = np.array([place.get(name, -1) for name in labels.names], dtype=np.int64)[Y.col]
    kept = found >= 0
    if labels.delimiter is not None:
        # Their rows are marked as a whole.
        kept &= ~np.isnan(Y.data)
        rows, absent = labels.unknown_rows, np.arange(K)
    else:
        there = set(labels.names)
        rows = np.arange(n)
        absent = np.array([place[name] for name in names if name not in there], dtype=np.int64)
    known = sp.csr_array((Y.data[kept], (Y.row[kept], found[kept])), shape=(n, K))
    return _with_unknown(known, rows, absent), strange


def is_delimited(column: Any) -> bool:
    """Return whether a column holds label names such as ``sky;sea``, or lists, not truth values."""
    there = column[column.notna()]
    if typed_numbers(column) is not None or all(_truth(cell) != _NO_TRUTH for cell in there):
        return False
    # Among zeros and ones another number is a mistake; among other numbers they are names.
    first = [_truth(cell) != _NO_TRUTH for cell in there.iloc[:1000]]
    are_truths = sum(first) > MOST * len(first)
    return not are_truths or bool(numbers_of(there)[1].size)


def indicator(columns: Mapping[str, Any], n: int, make_error: MakeError) -> FloatArray:
    """Read a label from each column: 0, 1, or NaN where it is unknown."""
    Y = np.empty((n, len(columns)))
    for k, (name, column) in enumerate(columns.items()):
        values = typed_numbers(column)
        if values is None:
            values = np.array([_truth(cell) for cell in column], dtype=np.float64)
        wrong = np.flatnonzero(~(np.isnan(values) | (values == 0) | (values == 1)))
        if wrong.size:
            row = int(wrong[0])
            raise make_error(
                f"label {name!r} must be 0, 1, true, false, yes, no or empty (unknown); "
                f"got {shown(column.iloc[row])}. Write 1 and 0.",
                row,
            )
        Y[:, k] = values
    return Y


def from_delimited(column: Any, name: str, delimiter: str | None, make_error: MakeError) -> Labels:
    """Read cells such as ``sky;sea``, lists, or texts that all are lists: ``["sky", "sea"]``.

    An empty cell is an instance without label, a word for no value one whose labels are unknown.
    """
    present = column.notna().to_numpy()
    cells = [cell if there else () for cell, there in zip(column, present, strict=True)]
    texts = [cell for cell in cells if isinstance(cell, str) and not _is_unknown(cell)]
    lists = _lists_in(texts)
    if delimiter is None:
        plain = [] if lists else [text.strip() for text in texts]
        found = (sign for sign in _DELIMITERS if any(sign in text for text in plain))
        delimiter = next(found, ";")
    # Blanks alone mean any of them.
    sign = delimiter.strip(" ") or None
    position: dict[str, int] = {}
    entries = array("q")
    starts = [0]
    unknown: list[int] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            parts = lists[cell] if cell in lists else cell.split(sign)
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
        labels = [label for part in parts if (label := part.strip())]
        entries.extend({position.setdefault(label, len(position)) for label in labels})
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
    rows = np.array(unknown, dtype=np.intp)
    Y = _with_unknown(Y, rows, np.arange(len(label_names)))
    return Labels(Y, label_names, delimiter, rows)


def _lists_in(texts: Sequence[str]) -> dict[str, list[str]]:
    """Take texts apart as lists; nothing where one of them is none."""
    found: dict[str, list[str]] = {}
    for text in texts:
        if text not in found and text.strip():
            parts = taken_apart(text.strip())
            if parts is None:
                return {}
            found[text] = parts
    return found


def taken_apart(text: str) -> list[str] | None:
    """Read a list as JSON, Python or NumPy writes it; None for any other text.

    Examples
    --------
    >>> taken_apart("['sky', 'sea']"), taken_apart('["sky" "sea"]'), taken_apart("sky;sea")
    (['sky', 'sea'], ['sky', 'sea'], None)
    """
    if text == "set()":
        return []
    if text[0] + text[-1] not in ("[]", "()", "{}") or len(text) < 2:
        return None
    body, at = text[1:-1], 0
    parts: list[str] = []
    while at < len(body):
        item = _ITEM.match(body, at)
        if item is None or item.end() == at:
            return None
        quoted, plain = item.groups()
        try:
            read = json.loads if quoted and quoted[0] == '"' else ast.literal_eval
            parts.append(read(quoted) if quoted else plain.strip())
        except (ValueError, SyntaxError):
            return None
        at = item.end()
    return [part for part in parts if part not in NO_VALUE]


def _with_unknown(Y: sp.csr_array, rows: NDArray[np.intp], columns: IntArray) -> sp.csr_array:
    """Return the indicator with unknown entries where these rows and columns meet."""
    if not rows.size or not columns.size:
        return Y
    places = np.repeat(rows, columns.size), np.tile(columns, rows.size)
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
