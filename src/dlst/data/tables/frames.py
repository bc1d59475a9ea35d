"""A frame taken apart: its feature columns and its label columns."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.data.column_choice import (
    LabelChoice,
    Nominal,
    check_nominal,
    label_columns,
)
from dlst.data.tables.cells import MakeError
from dlst.data.tables.features import features_of
from dlst.data.tables.labels import read_labels

COUNTER = "Unnamed: 0"
"""What pandas calls a nameless first column, as its own index is when it was written."""


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
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise make_error(f"expected distinct column names, got {twice!r} twice. Rename one.", None)
    named = check_nominal(nominal, names, lambda message: make_error(message, None))
    notes: list[str] = []
    first = 0
    if names and names[0] == COUNTER and _counts_rows(frame.iloc[:, 0]):
        first = 1
        notes.append("first column without name counts the rows: left out")
    chosen = label_columns(names[first:], labels, lambda message: make_error(message, None))
    columns = {str(name): column for name, column in islice(frame.items(), first, None)}
    found = read_labels(
        {name: columns[name] for name in chosen}, len(frame), label_delimiter, make_error
    )
    if found.delimiter is not None:
        notes.append(f"labels from the cells of {chosen[0]!r}")
    labelled = set(chosen)
    rest = {name: column for name, column in columns.items() if name not in labelled}
    X, feature_names, feature_notes = features_of(
        rest, len(frame), named, nominal != "one-hot", make_error
    )
    return Parts(X, found.Y, feature_names, found.names, (*notes, *feature_notes))


def _counts_rows(column: Any) -> bool:
    return pd.api.types.is_integer_dtype(column) and np.array_equal(
        column.to_numpy(), np.arange(len(column))
    )
