"""Tables as stored: their columns unchanged, for an encoder that knows their kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst._files import PathLike
from dlst._matrices import IntArray
from dlst.data._origin import name_of, origin_of, suffix_of
from dlst.data.column_choice import LabelChoice, label_columns
from dlst.data.dataset import Dataset
from dlst.data.tables.csv_text import checked_records, csv_frames, read_csv_frame
from dlst.data.tables.frames import without_counter
from dlst.data.tables.json_text import json_frames, read_json_frame
from dlst.data.tables.labels import read_labels
from dlst.data.tables.parquet import parquet_frames, read_parquet_frame
from dlst.errors import DataError, ReadError

PARQUET = (".parquet", ".pq")
JSON = (".jsonl", ".ndjson", ".json")
TABLES = (".csv", ".tsv", *JSON, *PARQUET)


def format_of_table(path: PathLike, named: str | None = None) -> str:
    """Return the format of a table, as named or, by default, by its suffix."""
    suffix = suffix_of(path)
    return named or ("parquet" if suffix in PARQUET else "jsonl" if suffix in JSON else "csv")


class Place(NamedTuple):
    """A file, and the line of each row where it has lines."""

    path: Path
    lines: IntArray | None

    def error(self, message: str, row: int | None) -> ReadError:
        """Make the error that names file and line."""
        if row is None:
            return ReadError(self.path, message, None if self.lines is None else 1)
        if self.lines is None:
            return ReadError(self.path, f"{message} (row {row}, counted from 0)")
        return ReadError(self.path, message, int(self.lines[row]))


@dataclass(frozen=True, eq=False)
class RawTable:
    """The feature columns of a table, cell by cell as they were.

    Attributes
    ----------
    frame : DataFrame
        Numbers where a whole column is of numbers, else texts.
    label_columns : sequence of str
        The columns that held labels, not in the frame.
    label_delimiter : str or None
        Between the labels of one cell.
    places : sequence of (int, Place)
        First row of each file, in the rows that were read.
    rows : ndarray of int
        Numbers of the frame's rows among those that were read.
    columns : mapping of str to names
        Kinds of columns that the user gave.
    delimiter : str or None
        Between the fields of text, where the user gave it.
    """

    frame: Any
    label_columns: Sequence[str]
    label_delimiter: str | None
    places: Sequence[tuple[int, Place]]
    rows: NDArray[np.intp]
    columns: Mapping[str, Any] = field(default_factory=dict)
    delimiter: str | None = None

    @classmethod
    def whole(cls, frame: Any, place: Place) -> RawTable:
        """Make a table of all rows of a file, or of a block of it, without labels."""
        return cls(frame, (), None, [(0, place)], np.arange(len(frame)))

    def take(self, rows: Any) -> RawTable:
        """Return some rows."""
        return replace(self, frame=self.frame.iloc[rows], rows=self.rows[rows])

    def joined(self, other: RawTable) -> RawTable:
        """Return these rows and, below, those of another table with the same columns."""
        strange = set(map(str, self.frame.columns)) ^ set(map(str, other.frame.columns))
        if strange:
            raise DataError(
                "train and test must have the same columns; got "
                f"{', '.join(repr(name) for name in sorted(strange)[:4])} in one of them only."
            )
        start = int(self.rows.max(initial=-1)) + 1
        return replace(
            self,
            frame=pd.concat([self.frame, other.frame[self.frame.columns]], ignore_index=True),
            places=[*self.places, *((start + first, place) for first, place in other.places)],
            rows=np.concatenate([self.rows, start + other.rows]),
        )

    def error(self, column: str, row: int, message: str) -> DataError:
        """Make the error for a cell, by its row in the frame."""
        whole = int(self.rows[row])
        first, place = next(pair for pair in reversed(self.places) if pair[0] <= whole)
        return place.error(f"column {column!r}: {message}", whole - first)

    @property
    def folder(self) -> Path:
        """Where relative paths in cells begin."""
        return self.places[0][1].path.absolute().parent


def read_raw(
    path: PathLike,
    *,
    labels: LabelChoice = None,
    delimiter: str | None = None,
    label_delimiter: str | None = None,
    columns: Mapping[str, Any] | None = None,
    encoding: str | None = None,
    format: str | None = None,  # noqa: A002
) -> Dataset:
    """Read CSV, TSV, JSON or Parquet; the feature columns stay as they are, in ``table``.

    Parameters
    ----------
    path, labels, delimiter, label_delimiter, encoding, format
        As in :func:`dlst.data.read_table`; ``labels=[]`` for a table without labels.
    columns : mapping of str to names, optional
        Kinds of columns, in the words of :class:`dlst.inputs.TableEncoder`. Cells of all but
        numbers stay texts, whatever they look like: ``007`` stays ``007``.
    """
    frame, place, chosen, notes = opened(
        path, labels, delimiter, _texts(columns or {}), encoding, format_of_table(path, format)
    )
    found = read_labels(
        {name: frame[name] for name in chosen}, len(frame), label_delimiter, place.error
    )
    table = RawTable(
        frame.drop(columns=chosen),
        chosen,
        found.delimiter,
        [(0, place)],
        np.arange(len(frame)),
        columns or {},
        delimiter,
    )
    return Dataset(
        np.empty((len(frame), 0)),
        found.Y,
        label_names=found.names,
        name=name_of(path),
        provenance=origin_of(path, *notes),
        table=table if len(table.frame.columns) else None,
    )


class Opened(NamedTuple):
    """A table as it was read, where its rows stand, its label columns, and what was decided."""

    frame: Any
    place: Place
    chosen: list[str]
    notes: list[str]


def opened(
    path: PathLike,
    labels: LabelChoice,
    delimiter: str | None,
    texts: Collection[str],
    encoding: str | None,
    kind: str,
) -> Opened:
    """Read a file; cells of ``texts`` and of a lone label column, which may hold names, stay so."""
    if kind == "parquet":
        frame = read_parquet_frame(path)
        place = Place(Path(path), None)
        return Opened(frame, place, _chosen(list(map(str, frame.columns)), labels, place), [])
    if kind == "jsonl":
        frame, lines = read_json_frame(path, encoding)
        place = Place(Path(path), lines)
        chosen = _chosen(list(frame.columns), labels, place)
        if len(chosen) == 1:  # whose whole numbers may be names
            names = frame[chosen[0]].map(lambda cell: str(cell) if isinstance(cell, int) else cell)
            frame = frame.assign(**{chosen[0]: names})
        return Opened(frame, place, chosen, [])
    records = checked_records(path, delimiter, encoding)
    place = Place(Path(path), records.lines)
    names, _, comma = records.dialect
    chosen = _chosen(names, labels, place)
    kept = [name for name in names if name in texts or [name] == chosen]
    said = f"cells such as {comma!r} were read as numbers with a decimal comma"
    return Opened(
        read_csv_frame(path, records, kept, encoding), place, chosen, [said] if comma else []
    )


def raw_frames(
    path: PathLike,
    numbers: Collection[str],
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Iterator[tuple[Any, Place]]:
    """Yield a table as frames of some megabytes each, with the lines of their rows.

    Of text only the columns ``numbers`` become numbers; all other cells stay texts.
    """
    kind = format_of_table(path)
    if kind == "parquet":
        if encoding is not None:
            raise DataError(f"encoding= is for CSV and JSON; {path} is Parquet. Leave it out.")
        for frame in parquet_frames(path):
            yield frame, Place(Path(path), None)
        return
    text_frames = (
        json_frames(path, encoding)
        if kind == "jsonl"
        else csv_frames(path, delimiter, numbers, encoding)
    )
    for frame, lines in text_frames:
        yield frame, Place(Path(path), lines)


def is_table(path: PathLike) -> bool:
    """Return whether a file is a table, by its suffix."""
    return Path(path).is_file() and suffix_of(path) in TABLES


def _texts(columns: Mapping[str, Any]) -> set[str]:
    given = {kind: names for kind, names in columns.items() if kind != "number" and names}
    return {
        name for names in given.values() for name in ([names] if isinstance(names, str) else names)
    }


def _chosen(names: list[str], labels: LabelChoice, place: Place) -> list[str]:
    return label_columns(without_counter(names), labels, lambda said: place.error(said, None))
