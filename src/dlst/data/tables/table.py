"""Tables: CSV and TSV text, JSON, Parquet, and frames in memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from dlst._files import PathLike, atomic_write
from dlst._matrices import as_dense
from dlst._spreadsheets import harmless
from dlst.data._origin import name_of, origin_of, suffix_of
from dlst.data.column_choice import LABEL_PREFIX, LabelChoice, Nominal, label_columns
from dlst.data.dataset import Dataset, Provenance
from dlst.data.tables.cells import error_in_memory
from dlst.data.tables.csv_text import DELIMITERS
from dlst.data.tables.features import MAX_CELLS
from dlst.data.tables.frames import pandas_frame, take_apart, without_counter
from dlst.data.tables.json_text import json_objects, json_texts
from dlst.data.tables.parquet import write_parquet_frames
from dlst.data.tables.raw import format_of_table, opened
from dlst.data.text.number_writing import sparse_rows
from dlst.errors import DataError

_ROWS_AT_ONCE = 4096


def read_table(
    path: PathLike,
    *,
    labels: LabelChoice = None,
    delimiter: str | None = None,
    label_delimiter: str | None = None,
    nominal: Nominal = "auto",
    encoding: str | None = None,
    format: Literal["csv", "jsonl", "parquet"] | None = None,  # noqa: A002
) -> Dataset:
    """Read CSV or TSV text (plain or ``.gz``, with a header line), JSON or Parquet.

    Parameters
    ----------
    path : path-like
        ``.parquet`` or ``.pq`` for Parquet; ``.jsonl``, ``.ndjson`` or ``.json`` (also with
        ``.gz``) for JSON objects, one a line or in one array; every other name is read as CSV.
    labels : list of str, str or int, optional
        Which columns are labels: their names, as a list or ``"a,b,c"``; a pattern such as
        ``"tag_*"``; a count as in ARFF, K for the first K columns, −K for the last K. The name of
        one column of text or lists means labels in its cells, such as ``sky;sea``. By default the
        columns whose names begin with ``label:``, as :func:`write_table` writes them; the prefix
        is removed.
    delimiter : str, optional
        Between the fields of text; by default tab for ``.tsv``, else that of ``,`` ``;`` and tab
        which the header holds most often.
    label_delimiter : str, optional
        Between the labels of one cell; by default the first of line end, ``;``, ``|`` and ``,``
        that some cell holds. Blanks only on request (``" "``), as label names may hold them.
    nominal : {"auto", "one-hot"} or list of str
        Text features become a column ``name=text`` for each text. In a column where more than half
        of the cells are numbers, ``"auto"`` takes any other cell for a mistake: an error that names
        its place; ``"one-hot"`` takes them all for texts. A list names columns that are nominal
        whatever they look like, numbers too.
    encoding : str, optional
        Of CSV and JSON, such as ``"latin-1"``; by default UTF-8, or UTF-16 or UTF-32 where a byte
        order mark says so.
    format : {"csv", "jsonl", "parquet"}, optional
        Where the suffix does not tell.

    Returns
    -------
    Dataset
        X is dense. Empty cells, ``?``, ``NA``, ``N/A``, ``NaN``, ``null`` and their like are
        missing: NaN in X (in all columns of a one-hot feature), unknown in Y; an empty cell of
        delimited labels is an instance without labels. Left out, with a note in the provenance,
        are a nameless first column that counts the rows and single words that nearly all differ,
        in 20 rows at least: identifiers.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.csv"
    >>> _ = path.write_text('''size,tags
    ... 1.5,sky;sea
    ... 2,sky
    ... ''')
    >>> data = read_table(path, labels="tags")
    >>> data.label_names, data.Y.toarray().tolist()
    (('sea', 'sky'), [[1.0, 1.0], [0.0, 1.0]])
    """
    frame, place, chosen, said = opened(
        path, labels, delimiter, (), encoding, format_of_table(path, format)
    )
    X, Y, features, found, notes = take_apart(frame, chosen, label_delimiter, nominal, place.error)
    origin = origin_of(path, *said, *notes)
    return Dataset(X, Y, features, found, name=name_of(path), provenance=origin)


def from_frame(
    frame: Any,
    labels: LabelChoice = None,
    *,
    label_delimiter: str | None = None,
    nominal: Nominal = "auto",
    name: str = "",
) -> Dataset:
    """Make a data set of a frame; parameters as in :func:`read_table`.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, or pyarrow table
        A row for each instance.
    labels, label_delimiter, nominal
        As in :func:`read_table`.
    name : str
        Of the data set.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.5, 2.0], "sky": [1, 0], "sea": [True, False]})
    >>> from_frame(frame, labels=["sky", "sea"], name="toy")
    Dataset('toy', n=2, d=1, K=2, cardinality=1.000)
    """
    given, frame = frame, pandas_frame(frame)
    if frame is None:
        raise DataError(
            f"expected a path or a frame (pandas, polars, pyarrow), got {type(given).__name__}."
        )
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"expected distinct column names, got {twice!r} twice. Rename one.")
    chosen = label_columns(without_counter(names), labels, DataError)
    X, Y, features, found, notes = take_apart(
        frame, chosen, label_delimiter, nominal, error_in_memory
    )
    origin = Provenance(source="frame", notes=notes)
    return Dataset(X, Y, features, found, name=name, provenance=origin)


def to_frame(dataset: Dataset) -> Any:
    """Return a dense frame: feature columns, then label columns named ``label:…``.

    Labels are integers; with unknown entries, pandas' nullable ones.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    DataFrame of shape (n, d + K)

    Examples
    --------
    >>> to_frame(Dataset([[1.5], [2.0]], [[1, 0], [0, 1]]))
        x0  label:label0  label:label1
    0  1.5             1             0
    1  2.0             0             1
    """
    return _frame(dataset, _checked_columns(dataset), _label_dtype(dataset))


def write_table(
    dataset: Dataset,
    path: PathLike,
    *,
    format: Literal["csv", "jsonl", "parquet"] | None = None,  # noqa: A002
) -> None:
    """Write Parquet, JSON, TSV or else CSV, as the suffix says; ``.gz`` packs the text.

    In text a name that a spreadsheet would compute, such as ``=A1``, has an apostrophe before it.
    Reading gives the same values and names; X comes back dense. Missing values and unknown labels
    are empty cells in CSV, null in JSON, NaN and null in Parquet.

    Parameters
    ----------
    dataset : Dataset
    path : path-like
    format : {"csv", "jsonl", "parquet"}, optional
        Where the suffix does not tell.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.csv"
    >>> write_table(load_multidigits().subset(slice(0, 3)), path)
    >>> read_table(path).Y.shape
    (3, 10)
    """
    columns = _checked_columns(dataset)
    kind = format_of_table(path, format)
    if kind == "parquet":
        blocks = range(0, max(1, dataset.n_samples), _ROWS_AT_ONCE)
        rows = (dataset.subset(slice(start, start + _ROWS_AT_ONCE)) for start in blocks)
        dtype = _label_dtype(dataset)
        write_parquet_frames(path, (_frame(block, columns, dtype) for block in rows))
    elif kind == "jsonl":
        with atomic_write(path, text=True) as stream:
            objects = json_objects(columns, _cells(dataset, "nan"))
            stream.writelines(json_texts(path, objects))
    else:
        delimiter = "\t" if suffix_of(path) == ".tsv" else ","
        with atomic_write(path) as stream:
            stream.write(_header(columns, delimiter).encode())
            stream.writelines(_lines(dataset, delimiter))


def _checked_columns(dataset: Dataset) -> list[str]:
    n_columns = dataset.n_features + dataset.n_labels
    if n_columns * dataset.n_samples > MAX_CELLS:
        raise DataError(
            f"a table must have at most {MAX_CELLS:,} cells; got {dataset.n_samples:,} rows of "
            f"{n_columns:,}. Write XC text, LIBSVM text or MAT, which stay sparse."
        )
    for name in dataset.feature_names:
        if not name or name.startswith(LABEL_PREFIX):
            raise DataError(
                f"in a table feature names must not be empty or begin with {LABEL_PREFIX!r}, "
                f"which marks labels; got {name!r}. Rename it."
            )
    if n_columns == 0:
        raise DataError("a table must have at least one column; got neither features nor labels.")
    return [*dataset.feature_names, *(f"{LABEL_PREFIX}{name}" for name in dataset.label_names)]


def _label_dtype(dataset: Dataset) -> str:
    return "Int8" if np.isnan(dataset.Y.data).any() else "int8"


def _frame(dataset: Dataset, columns: list[str], label_dtype: str) -> Any:
    features = pd.DataFrame(as_dense(dataset.X))
    labels = pd.DataFrame(dataset.Y.toarray()).astype(label_dtype)
    return pd.concat([features, labels], axis=1).set_axis(columns, axis=1)


def _header(columns: list[str], delimiter: str) -> str:
    text = io.StringIO()
    # In quotes no name can mislead a reader that guesses the delimiter.
    doubtful = any(sign in name for name in columns for sign in DELIMITERS)
    quoting: Literal[0, 1] = csv.QUOTE_ALL if doubtful else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow([harmless(name) for name in columns])
    return text.getvalue()


def _lines(dataset: Dataset, delimiter: str) -> Iterator[bytes]:
    # A lone empty cell would be a blank line, which is no record.
    missing = "" if dataset.n_features + dataset.n_labels > 1 else '""'
    for cells in _cells(dataset, missing):
        yield f"{delimiter.join(cells)}\n".encode()


def _cells(dataset: Dataset, missing: str) -> Iterator[list[str]]:
    """Yield the features and labels of each row as texts."""
    d, K = dataset.n_features, dataset.n_labels
    rows = zip(sparse_rows(dataset.X, missing), sparse_rows(dataset.Y, missing), strict=True)
    for (columns, values), (labels, truths) in rows:
        cells = ["0"] * (d + K)
        for column, value in zip(columns, values, strict=True):
            cells[column] = value
        for label, truth in zip(labels, truths, strict=True):
            cells[d + label] = truth
        yield cells
