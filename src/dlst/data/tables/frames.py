"""A frame taken apart: its feature columns and its label columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dlst._matrices import FloatArray
from dlst.data.column_choice import Nominal, check_nominal
from dlst.data.tables.cells import MakeError
from dlst.data.tables.features import features_of
from dlst.data.tables.labels import read_labels

COUNTER = "Unnamed: 0"
"""What pandas calls a nameless first column, as its own index is when it was written."""


class Parts(NamedTuple):
    """What a frame gives to a data set."""

    X: FloatArray
    Y: Any
    feature_names: list[str]
    label_names: list[str]
    notes: tuple[str, ...]


def pandas_frame(X: Any) -> Any:
    """Return a frame of pandas, polars or pyarrow as one of pandas; None for other things."""
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "get_columns"):  # polars, whose own way to pandas needs pyarrow
        return pd.DataFrame({column.name: column.to_numpy() for column in X.get_columns()})
    return X.to_pandas() if hasattr(X, "to_pandas") else None


def without_counter(names: list[str]) -> list[str]:
    """Return the columns among which labels are chosen."""
    return names[1:] if names[:1] == [COUNTER] and len(names) > 1 else names


def take_apart(
    frame: Any,
    chosen: list[str],
    label_delimiter: str | None,
    nominal: Nominal,
    make_error: MakeError,
) -> Parts:
    """Split a frame with distinct column names into features and the labels of chosen columns."""
    columns = {str(name): column for name, column in frame.items()}
    named = check_nominal(nominal, list(columns), lambda message: make_error(message, None))
    notes: list[str] = []
    if next(iter(columns), None) == COUNTER and _counts_rows(columns[COUNTER]):
        del columns[COUNTER]
        notes.append("first column without name counts the rows: left out")
    labels = {name: columns.pop(name) for name in chosen}
    found = read_labels(labels, len(frame), label_delimiter, make_error)
    if found.delimiter is not None:
        notes.append(f"labels from the cells of {chosen[0]!r}")
    X, feature_names, feature_notes = features_of(
        columns, len(frame), named, nominal != "one-hot", make_error
    )
    return Parts(X, found.Y, feature_names, found.names, (*notes, *feature_notes))


def _counts_rows(column: Any) -> bool:
    return pd.api.types.is_integer_dtype(column) and np.array_equal(
        column.to_numpy(), np.arange(len(column))
    )
