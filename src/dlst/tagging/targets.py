"""Tags as people hold them, brought to one indicator with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from dlst._matrices import as_indicator
from dlst.data.column_choice import label_columns
from dlst.data.names import NumberedNames
from dlst.data.tables.cells import MOST, error_in_memory, holds_objects, typed_numbers
from dlst.data.tables.labels import Labels, read_labels
from dlst.errors import DataError
from dlst.inputs import as_frame

TAGS = "tags"
"""The name of tags that come without one."""


def tags_in_frame(frame: Any, tags: Any, delimiter: str | None) -> tuple[Any, Labels, list[str]]:
    """Split a frame into its other columns and the labels of the chosen ones.

    Returns
    -------
    rest : frame
    labels : Labels
    names : list of str
        The columns that hold labels.
    """
    names = label_columns([str(name) for name in frame.columns], tags, DataError)
    labels = _read({name: frame[name] for name in names}, len(frame), delimiter)
    return frame.drop(columns=names), labels, names


def are_columns(tags: Any, frame: Any) -> bool:
    """Tell names of a frame's columns from the tags of its rows."""
    is_list = isinstance(tags, list) and len(tags) not in (0, len(frame))
    return is_list and all(isinstance(name, str) and name in frame.columns for name in tags)


def read_tags(tags: Any, delimiter: str | None = None) -> Labels:
    """Read tags that come apart from the rows.

    Parameters
    ----------
    tags : sequence of lists, sets or texts such as ``"a;b"``; frame, array or sparse indicator
        None and NaN are rows whose tags are unknown; an empty list or text is a row without any.
    delimiter : str, optional
        Between the tags of a text.

    Examples
    --------
    >>> labels = read_tags([["sky"], {"sea", "sky"}, []])
    >>> labels.names, labels.Y.toarray().tolist()
    (['sea', 'sky'], [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    """
    if hasattr(tags, "columns"):
        frame = as_frame(tags)
        return _read(dict(frame.items()), len(frame), delimiter)
    if sp.issparse(tags) or getattr(tags, "ndim", 0) == 2:
        return _indicator(tags)
    if hasattr(tags, "to_list") and not isinstance(tags, pd.Series):  # a polars column
        tags = tags.to_list()
    if not isinstance(tags, Sequence | np.ndarray | pd.Series):
        raise DataError(
            "tags must be a list of lists or texts, or an indicator of 0 and 1; "
            f"got {type(tags).__name__}."
        )
    if isinstance(tags, list) and _are_rows_of_truths(tags):
        return _indicator(np.asarray(tags))
    column = tags if isinstance(tags, pd.Series) else pd.Series(list(tags), dtype=_dtype(tags))
    name = TAGS if column.name is None else str(column.name)
    return _read({name: column}, len(column), delimiter)


def _read(columns: dict[str, Any], n: int, delimiter: str | None) -> Labels:
    if len(columns) == 1:
        columns = {name: _with_whole_numbers(column) for name, column in columns.items()}
    known = {name: _with_words(column) for name, column in columns.items()}
    return read_labels(known, n, delimiter, error_in_memory)


def _with_words(column: Any) -> Any:
    """Write N/A for what is missing: in a file an empty cell is a row without tags, not so here."""
    if not holds_objects(column) and not column.isna().all():
        return column
    return column.astype(object).where(column.notna(), "N/A")


def _dtype(tags: Any) -> Any:
    # Lists of equal length must not become a table.
    return tags.dtype if isinstance(tags, np.ndarray) and tags.dtype.kind in "biuf" else object


def _with_whole_numbers(column: Any) -> Any:
    """Write whole numbers as a file has them: there they may be the names of tags."""
    values = typed_numbers(column)
    if values is None or not np.isfinite(values).any() or (values % 1 > 0).any():
        return column
    written = [None if np.isnan(value) else f"{value:.0f}" for value in values]
    return pd.Series(written, index=column.index, dtype=object)


def _are_rows_of_truths(rows: list[Any]) -> bool:
    """Tell the rows of an indicator, wrong entries among them, from lists of numbered tags."""
    first = rows[0] if rows else None
    if not isinstance(first, list | tuple | np.ndarray) or len(first) == 0:
        return False
    if any(not isinstance(row, type(first)) or len(row) != len(first) for row in rows):
        return False
    known = [entry for row in rows for entry in row if entry is not None and entry == entry]
    if not all(isinstance(entry, int | float | np.number | np.bool_) for entry in known):
        return False
    return sum(entry in (0, 1) for entry in known) >= MOST * len(known)


def _indicator(tags: Any) -> Labels:
    Y = as_indicator(tags, "tags")
    return Labels.of(Y, list(NumberedNames("label", Y.shape[1])))
