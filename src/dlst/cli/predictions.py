"""Predictions written to files block by block, in bounded memory."""

from __future__ import annotations

import csv
import io
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from dlst._files import atomic_write
from dlst._progress import progress_bar
from dlst._spreadsheets import harmless
from dlst.data.arff.header import meka_relation, quote
from dlst.data.tables.json_text import json_rows, json_texts
from dlst.data.tables.parquet import write_parquet_frames
from dlst.data.tables.raw import JSON, PARQUET
from dlst.data.text.number_writing import format_numbers
from dlst.errors import DataError
from dlst.methods import Predictions
from dlst.tagging.columns import prediction_columns

SHELL = Path("-")
"""In place of a file: a table as CSV goes to the shell, which may pipe it on."""

SUFFIXES = (".csv", ".tsv", *JSON, *PARQUET, ".arff", ".xc", ".txt")


class PredictedRows(NamedTuple):
    """Columns of the data that are written beside the predictions, and these."""

    kept: Mapping[str, NDArray[Any]]
    predictions: Predictions


class Wanted(NamedTuple):
    """What is to be written.

    Attributes
    ----------
    label_names : sequence of str
    top : int or None
        Only the best labels of each row, with their probabilities.
    decisions : bool
        0 and 1 in place of probabilities.
    """

    label_names: Sequence[str]
    top: int | None = None
    decisions: bool = False


def row_blocks(method: Any, X: Any, kept: Mapping[str, NDArray[Any]]) -> Iterator[PredictedRows]:
    """Predict rows in blocks."""
    n = X.shape[0]
    with progress_bar("predicting", n) as advance:
        for rows in gen_batches(n, method.rows_at_once):
            beside = {name: column[rows] for name, column in kept.items()}
            yield PredictedRows(beside, method.predict_all(X[rows]))
            advance(rows.stop - rows.start)


def one_block(method: Any, kept: Mapping[str, NDArray[Any]]) -> PredictedRows:
    """Return a block without rows, which still has its columns."""
    empty = np.empty((0, method.n_labels_))
    return PredictedRows(kept, Predictions(sp.csr_array(empty), empty, empty))


def check_wanted(path: Path, wanted: Wanted) -> None:
    """Refuse what no file can hold, before anything is predicted."""
    kind = path.name.lower().removesuffix(".gz")
    if path != SHELL and not kind.endswith(SUFFIXES):
        raise DataError(f"{path}: expected a name that ends in one of {', '.join(SUFFIXES)}.")
    if wanted.top is not None and (wanted.decisions or kind.endswith(".arff")):
        raise DataError("--top goes with tables and XC text, and not with --decisions.")
    if wanted.top is not None and wanted.top > len(wanted.label_names):
        raise DataError(
            f"--top must be at most the number of labels; got {wanted.top} with "
            f"{len(wanted.label_names)} labels."
        )


def write_predictions(
    blocks: Iterable[PredictedRows], path: Path, wanted: Wanted, *, name: str = ""
) -> int:
    """Write predictions and return how many rows they were.

    A table has the ids (or all columns) of the data, ``tags`` with the labels decided for, as
    ``a;b`` or, in JSON, as a list, and a column of probabilities for each label or, with ``top``,
    the columns ``tag1, probability1, …``. ARFF has a column for each label, XC text a line
    ``label:score …`` for each row: the ``top`` labels, by default five, or the labels decided for.
    """
    kind = path.name.lower().removesuffix(".gz")
    counter = _Counted(blocks)
    if kind.endswith((".xc", ".txt")):
        # Its first line counts the rows, so they wait in a file of their own.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as waiting:
            waiting.writelines(_xc_lines(counter, wanted))
            waiting.seek(0)
            _write(path, chain([f"{counter.n_rows} {len(wanted.label_names)}\n"], waiting))
    elif kind.endswith(".arff"):
        _write(path, _arff_lines(counter, wanted, name))
    elif kind.endswith(PARQUET):
        write_parquet_frames(path, _frames(counter, wanted))
    elif kind.endswith(JSON):
        blocks_of_objects = (json_rows(_columns(b, wanted, joined=False)) for b in counter)
        _write(path, json_texts(path, chain.from_iterable(blocks_of_objects)))
    else:
        _write(path, _table_lines(counter, wanted, "\t" if kind.endswith(".tsv") else ","))
    return counter.n_rows


class _Counted:
    """Blocks, counted while they pass."""

    def __init__(self, blocks: Iterable[PredictedRows]):
        self._blocks = blocks
        self.n_rows = 0

    def __iter__(self) -> Iterator[PredictedRows]:
        for block in self._blocks:
            self.n_rows += len(block.predictions.scores)
            yield block


def _write(path: Path, lines: Iterable[str]) -> None:
    if path == SHELL:
        sys.stdout.writelines(lines)
        return
    with atomic_write(path, text=True) as stream:
        stream.writelines(lines)


def _columns(block: PredictedRows, wanted: Wanted, *, joined: bool = True) -> dict[str, Any]:
    """Return the columns of a table, texts and arrays of numbers."""
    names = np.array(list(wanted.label_names), dtype=object)
    values = _values(block.predictions, wanted)
    return prediction_columns(
        block.predictions, names, block.kept, top=wanted.top, values=values, joined=joined
    )


def _values(predictions: Predictions, wanted: Wanted) -> NDArray[np.float64]:
    if not wanted.decisions:
        return predictions.probabilities
    return np.asarray(sp.csr_array(predictions.labels).toarray(), dtype=np.float64)


def _table_lines(blocks: Iterable[PredictedRows], wanted: Wanted, delimiter: str) -> Iterator[str]:
    for number, block in enumerate(blocks):
        columns = _columns(block, wanted)
        if number == 0:
            yield _record([harmless(name) for name in columns], delimiter)
        cells = [_cells(values) for values in columns.values()]
        for row in zip(*cells, strict=True):
            yield _record(row, delimiter)


def _cells(values: Any) -> list[str]:
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return ["" if text == "nan" else text for text in format_numbers(values)]
    return ["" if _is_nothing(cell) else harmless(str(cell)) for cell in values]


def _is_nothing(cell: Any) -> bool:
    return cell is None or cell != cell


def _record(cells: Sequence[str], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _frames(blocks: Iterable[PredictedRows], wanted: Wanted) -> Iterator[Any]:
    import pandas as pd

    for block in blocks:
        yield pd.DataFrame(_columns(block, wanted))


def _arff_lines(blocks: Iterable[PredictedRows], wanted: Wanted, name: str) -> Iterator[str]:
    kind = "{0,1}" if wanted.decisions else "numeric"
    relation = meka_relation(f"predictions for {name}", len(wanted.label_names))
    yield f"@relation {relation}\n\n"
    for label in wanted.label_names:
        yield f"@attribute {quote(label)} {kind}\n"
    yield "\n@data\n"
    for block in blocks:
        for row in _values(block.predictions, wanted):
            yield ",".join(format_numbers(row)) + "\n"


def _xc_lines(blocks: Iterable[PredictedRows], wanted: Wanted) -> Iterator[str]:
    top = min(5, len(wanted.label_names)) if wanted.top is None else wanted.top
    for block in blocks:
        found = block.predictions
        if wanted.decisions:
            for row in _values(found, wanted):
                yield " ".join(f"{label}:1" for label in np.flatnonzero(row)) + "\n"
            continue
        best = np.argsort(-found.scores, axis=1, kind="stable")[:, :top]
        values = np.take_along_axis(found.scores, best, axis=1)
        for labels, row in zip(best, values, strict=True):
            pairs = zip(labels, format_numbers(row), strict=True)
            yield " ".join(f"{label}:{score}" for label, score in pairs) + "\n"
