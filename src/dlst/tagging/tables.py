"""Taggers and tables on disk: fit with the columns as they lie, and name the line of a bad cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst._matrices import as_dense
from dlst._nearest import did_you_mean
from dlst.data import Dataset, NumberedNames
from dlst.data.tables import RawTable
from dlst.data.tables.labels import Labels, in_order_of
from dlst.errors import DataError
from dlst.inputs import CellError, Tally
from dlst.inputs.kinds import holds_image_names
from dlst.tagging.tagger import Tagger


def fit_table(tagger: Tagger, data: Dataset, weight: str | None = None) -> Tagger:
    """Fit to all rows of a data set with raw columns; the tagger remembers the label columns.

    ``weight`` names the column that says how often each row counts.
    """
    table: RawTable = data.table
    with placed(table):
        given = None if weight is None else row_weights(table.frame, weight)
        tagger.fit_labels(training_frame(table), labels_of(data), given)
    tagger.label_columns_ = list(table.label_columns)
    tagger.delimiter_ = table.delimiter
    return tagger


def training_frame(table: RawTable) -> Any:
    """Return the columns of a table; what looks like a path of a picture begins where it lies."""
    frame = table.frame.reset_index(drop=True)
    images = [name for name in frame.columns if holds_image_names(frame[name])]
    return with_folder(frame, images, table.folder)


def encoded(tagger: Tagger, data: Dataset, tally: Tally) -> tuple[Dataset, list[str]]:
    """Return the data with the features and labels of the tagger, and labels that it has not.

    Columns of numbers without a raw table are taken by their names.
    """
    Y, strange = in_order_of(labels_of(data), list(tagger.label_names_))
    with placed(data.table):
        X = tagger.encode(frame_of(tagger, data), tally)
    return Dataset(X, Y, label_names=list(tagger.label_names_), name=data.name), strange


def row_weights(frame: Any, column: str) -> NDArray[np.float64]:
    """Read a column of weights; a cell that is none is named."""
    if column not in frame.columns:
        meant = did_you_mean(column, frame.columns)
        raise DataError(f"there must be a column {column!r} of weights; got none.{meant}")
    numbers = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if wrong.size:
        cell = frame[column].iloc[wrong[0]]
        raise CellError(column, int(wrong[0]), f"a weight is a number of at least 0; got {cell!r}.")
    return np.asarray(numbers)


def frame_of(tagger: Tagger, data: Dataset) -> Any:
    """Return rows as the tagger reads them: paths of pictures begin where the table lies."""
    if data.table is None:
        if isinstance(data.feature_names, NumberedNames):
            return as_dense(data.X)
        return pd.DataFrame(as_dense(data.X), columns=list(data.feature_names))
    images = tagger.encoder_.names_of("image")
    frame = data.table.frame.reset_index(drop=True)
    return with_folder(frame, images, data.table.folder)


def with_folder(frame: Any, images: Sequence[str], folder: Path) -> Any:
    """Return a frame whose relative paths of pictures are paths from here."""
    there = [name for name in images if name in frame.columns]
    return frame.assign(
        **{name: frame[name].map(lambda cell: _path(cell, folder)) for name in there}
    )


def labels_of(data: Dataset) -> Labels:
    """Return the labels of a data set as a table's reader gives them."""
    delimiter = None if data.table is None else data.table.label_delimiter
    return Labels.of(data.Y, list(data.label_names), delimiter)


@contextmanager
def placed(table: RawTable | None) -> Iterator[None]:
    """Name file and line of a cell that cannot be read."""
    try:
        yield
    except CellError as error:
        if table is None:
            raise
        raise table.error(error.column, error.row, error.message) from error


def _path(cell: Any, folder: Path) -> Any:
    return str(folder / cell) if isinstance(cell, str) and cell.strip() else cell
