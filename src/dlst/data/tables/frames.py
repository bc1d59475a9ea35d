"""A frame to features and labels: which columns are labels, and what their cells mean."""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst.errors import DataError

LABEL_PREFIX = "label:"
"""What our writers put before the names of label columns."""

MAX_CATEGORIES = 1000
"""A text column with more distinct texts is no nominal feature."""

MAX_LABEL_ENTRIES = 5 * 10**7
"""Delimited cells may repeat: a small file can hold many more labels than bytes."""

LabelChoice: TypeAlias = str | int | Sequence[str] | None
Nominal: TypeAlias = Literal["auto", "one-hot", "codes"]

MakeError: TypeAlias = Callable[[str, int | None], DataError]
"""Turns a message and a row number (or None) into the error that names file and line."""

_DELIMITERS = (";", "|", ",")
_TRUTH = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "false": 0.0, "true": 1.0}


class Parts(NamedTuple):
    """What a frame gives to a data set."""

    X: NDArray[np.float64]
    Y: Any
    feature_names: list[str]
    label_names: list[str]
    notes: tuple[str, ...]


def take_apart(
    frame: Any,
    labels: LabelChoice,
    label_delimiter: str | None,
    nominal: Nominal,
    make_error: MakeError,
) -> Parts:
    """Split a frame with distinct column names into features and labels."""
    if nominal not in get_args(Nominal):
        raise ValueError(f"nominal must be one of {', '.join(get_args(Nominal))}; got {nominal!r}.")
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise make_error(f"expected distinct column names, got {twice!r} twice. Rename one.", None)
    notes: list[str] = []
    first = 0
    if names and names[0] == "Unnamed: 0" and _counts_rows(frame.iloc[:, 0]):
        first = 1
        notes.append("first column without name counts the rows: left out")
    chosen = _label_columns(names[first:], labels, make_error)
    columns = {str(name): column for name, column in islice(frame.items(), first, None)}
    if len(chosen) == 1 and _is_delimited(columns[chosen[0]]):
        Y, label_names = _from_delimited(columns[chosen[0]], chosen[0], label_delimiter, make_error)
        notes.append(f"labels from the cells of {chosen[0]!r}")
    else:
        Y = _indicator([columns[name] for name in chosen], chosen, len(frame), make_error)
        label_names = [name.removeprefix(LABEL_PREFIX) for name in chosen]
    labelled = set(chosen)
    features = {name: column for name, column in columns.items() if name not in labelled}
    X, feature_names, nominal_names = _features(features, len(frame), nominal, make_error)
    if nominal_names:
        how = "codes" if nominal == "codes" else "one-hot"
        notes.append(f"nominal features as {how}: {', '.join(nominal_names[:8])}")
    return Parts(X, Y, feature_names, label_names, tuple(notes))


def _label_columns(names: list[str], labels: LabelChoice, make_error: MakeError) -> list[str]:
    if labels is None:
        chosen = [name for name in names if name.startswith(LABEL_PREFIX)]
        if not chosen:
            raise make_error(
                f"expected label columns named '{LABEL_PREFIX}…', got {_first_names(names)}. "
                "Say which columns are labels with labels=: names, a pattern, or a count: 6 = "
                "the first six, -6 = the last six.",
                None,
            )
        return chosen
    if isinstance(labels, int):
        if not 0 < abs(labels) <= len(names):
            raise make_error(
                f"labels must count 1 to {len(names)} columns, positive from the start, negative "
                f"from the end; got {labels}.",
                None,
            )
        return names[:labels] if labels > 0 else names[labels:]
    if isinstance(labels, str):
        if labels in names:
            return [labels]
        if any(sign in labels for sign in "*?["):
            chosen = [name for name in names if fnmatchcase(name, labels)]
            if not chosen:
                raise make_error(
                    f"expected columns like {labels!r}, got {_first_names(names)}.", None
                )
            return chosen
        labels = [name.strip() for name in labels.split(",")]
    known = set(names)
    for name in labels:
        if name not in known:
            near = difflib.get_close_matches(name, names[:2000], n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {_first_names(names)}."
            raise make_error(
                f"expected a label column {name!r}, got none of that name. {hint}", None
            )
    chosen = [str(name) for name in labels]
    if len(set(chosen)) < len(chosen):
        raise make_error(f"labels must name distinct columns; got {labels!r}.", None)
    return chosen


def _first_names(names: list[str]) -> str:
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return f"the columns {', '.join(repr(name) for name in names[:6])}{more}" if names else "none"


def _counts_rows(column: Any) -> bool:
    return pd.api.types.is_integer_dtype(column) and np.array_equal(
        column.to_numpy(), np.arange(len(column))
    )


def _numbers(column: Any) -> NDArray[np.float64] | None:
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


def _is_delimited(column: Any) -> bool:
    if _numbers(column) is not None:
        return False
    cells = column[column.notna()]
    return not all(isinstance(cell, str) and _truth(cell) != np.inf for cell in cells)


def _from_delimited(
    column: Any, name: str, delimiter: str | None, make_error: MakeError
) -> tuple[Any, list[str]]:
    """Read cells such as ``sky;sea``, or lists; an empty cell is an instance without label."""
    present = column.notna().to_numpy()
    cells = [cell if there else () for cell, there in zip(column, present, strict=True)]
    texts = [cell for cell in cells if isinstance(cell, str)]
    if delimiter is None:
        found = (sign for sign in _DELIMITERS if any(sign in text for text in texts))
        delimiter = next(found, _DELIMITERS[0])
    position: dict[str, int] = {}
    entries = array("q")
    starts = [0]
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            parts = [part.strip() for part in cell.split(delimiter.strip() or None)]
        elif isinstance(cell, list | tuple | set | frozenset | np.ndarray):
            parts = [str(part) for part in cell]
        else:
            raise make_error(
                f"a cell of {name!r} must be labels such as 'sky;sea', or a list of them; "
                f"got {_shown(cell)}.",
                row,
            )
        entries.extend({position.setdefault(part, len(position)) for part in parts if part})
        starts.append(len(entries))
        if len(entries) > MAX_LABEL_ENTRIES:
            raise make_error(
                f"the cells of {name!r} must hold at most {MAX_LABEL_ENTRIES:,} labels; got more. "
                "Write XC text instead.",
                row,
            )
    label_names = sorted(position)
    rank = np.empty(len(position), dtype=np.int64)
    rank[[position[label] for label in label_names]] = np.arange(len(position))
    indices = rank[np.frombuffer(entries, dtype=np.int64)]
    shape = (len(cells), len(label_names))
    return sp.csr_array((np.ones(len(indices)), indices, starts), shape=shape), label_names


def _indicator(
    columns: list[Any], names: list[str], n: int, make_error: MakeError
) -> NDArray[np.float64]:
    Y = np.empty((n, len(columns)))
    for k, (name, column) in enumerate(zip(names, columns, strict=True)):
        values = _numbers(column)
        if values is None:
            values = np.array([_truth(cell) for cell in column], dtype=np.float64)
        # Infinity marks text that is no truth value.
        wrong = np.flatnonzero(~(np.isnan(values) | (values == 0) | (values == 1)))
        if wrong.size:
            row = int(wrong[0])
            raise make_error(
                f"label {name!r} must be 0, 1, true, false or empty (unknown); "
                f"got {_shown(column.iloc[row])}.",
                row,
            )
        Y[:, k] = values
    return Y


def _truth(cell: Any) -> float:
    if isinstance(cell, str):
        return _TRUTH.get(cell.strip().lower(), np.inf) if len(cell) < 32 else np.inf
    return float("nan") if pd.api.types.is_scalar(cell) and pd.isna(cell) else np.inf


def _features(
    columns: dict[str, Any], n: int, nominal: Nominal, make_error: MakeError
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    blocks: list[NDArray[np.float64]] = []
    names: list[str] = []
    nominal_names = []
    for name, column in columns.items():
        values = _numbers(column)
        if values is not None:
            blocks.append(values.reshape(-1, 1))
            names.append(name)
            continue
        codes, categories = _categories(name, column, make_error)
        nominal_names.append(name)
        if nominal == "codes":
            blocks.append(codes.reshape(-1, 1))
            names.append(name)
            continue
        if len(categories) > MAX_CATEGORIES:
            raise _too_many_categories(name, column, len(categories), make_error)
        one_hot = (codes[:, None] == np.arange(len(categories))).astype(np.float64)
        one_hot[np.isnan(codes)] = np.nan
        blocks.append(one_hot)
        names += [f"{name}={category}" for category in categories]
    return (np.hstack(blocks) if blocks else np.empty((n, 0))), names, nominal_names


def _categories(
    name: str, column: Any, make_error: MakeError
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the position of each cell among the sorted texts, NaN where missing; the texts."""
    missing = column.isna().to_numpy()
    there = column[~missing]
    # One cell speaks for a typed column.
    for position, cell in enumerate(there if column.dtype == object else there.iloc[:1]):
        if not isinstance(cell, str | bool | int | float | np.number):
            raise make_error(
                f"feature {name!r} must be numbers or text; got {_shown(cell)}. "
                "Convert or drop the column.",
                int(np.flatnonzero(~missing)[position]),
            )
    # str() of a string is the same object, so long equal texts are not copied.
    objects = np.array([str(cell) for cell in there], dtype=object)
    numbers, found = pd.factorize(objects)
    texts = found.tolist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(texts))
    rank[order] = np.arange(len(texts))
    codes = np.full(len(column), np.nan)
    codes[~missing] = rank[numbers]
    return codes, [texts[position] for position in order]


def _too_many_categories(name: str, column: Any, count: int, make_error: MakeError) -> DataError:
    # Most often one slip in a column of numbers, so show the first cell that is none.
    numbers = pd.to_numeric(column.astype(object), errors="coerce")
    slips = np.flatnonzero((numbers.isna() & column.notna()).to_numpy())
    row = int(slips[0]) if slips.size else 0
    return make_error(
        f"feature {name!r} must be numbers, or text of at most {MAX_CATEGORIES} kinds; got {count} "
        f"kinds, here {_shown(column.iloc[row])}. Mend the cell, drop the column, or use "
        "nominal='codes'.",
        row,
    )


def _shown(cell: Any) -> str:
    text = repr(cell.item() if isinstance(cell, np.generic) else cell)
    return text if len(text) <= 60 else f"{text[:57]}..."
