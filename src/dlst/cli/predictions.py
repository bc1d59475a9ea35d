"""Predictions to files, block by block: a model's memory does not grow with the rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._files import atomic_write
from dlst._progress import progress_bar
from dlst._spreadsheets import harmless
from dlst.data import Dataset
from dlst.data.arff.header import meka_relation, quote
from dlst.data.tables.parquet import write_parquet_frames
from dlst.data.text.number_writing import format_numbers
from dlst.errors import DataError

ROWS_AT_ONCE = 1024
SUFFIXES = (".csv", ".tsv", ".parquet", ".pq", ".arff", ".xc", ".txt")


def write_predictions(
    model: Any, data: Dataset, path: Path, *, top: int | None = None, decisions: bool = False
) -> None:
    """Write probabilities (or 0/1 decisions) of all labels, or the top labels of each row.

    Tables and ARFF have a column for each label; with ``top`` the columns ``label1, score1, …``.
    XC text has a line ``label:score label:score`` for each row: the ``top`` labels, by default
    five, or the labels decided for.
    """
    kind = path.name.lower().removesuffix(".gz")
    if not kind.endswith(SUFFIXES):
        raise DataError(f"{path}: expected a name that ends in one of {', '.join(SUFFIXES)}.")
    if top is not None and (decisions or kind.endswith(".arff")):
        raise DataError("--top goes with tables and XC text, and not with --decisions.")
    if kind.endswith((".xc", ".txt")):
        lines = _xc_lines(model, data, None if decisions else _listed(model, top))
        _write(path, lines)
    elif kind.endswith(".arff"):
        _write(path, _arff_lines(model, data, decisions))
    elif kind.endswith((".parquet", ".pq")):
        write_parquet_frames(path, _frames(model, data, top, decisions))
    else:
        _write(path, _table_lines(model, data, top, decisions, "\t" if ".tsv" in kind else ","))


def _listed(model: Any, top: int | None) -> int:
    return min(5, model.n_labels_) if top is None else top


def _write(path: Path, lines: Iterator[str]) -> None:
    with atomic_write(path, text=True) as stream:
        stream.writelines(lines)


def _blocks(data: Dataset) -> Iterator[Any]:
    n = data.n_samples
    with progress_bar("predicting", n) as advance:
        for start in range(0, n, ROWS_AT_ONCE):
            yield data.X[start : start + ROWS_AT_ONCE]
            advance(min(ROWS_AT_ONCE, n - start))


def _values(model: Any, X: Any, decisions: bool) -> NDArray[np.float64]:
    if not decisions:
        return np.asarray(model.predict_proba(X))
    chosen = model.predict(X)
    return np.asarray(chosen.toarray() if hasattr(chosen, "toarray") else chosen, np.float64)


def _table_lines(
    model: Any, data: Dataset, top: int | None, decisions: bool, delimiter: str
) -> Iterator[str]:
    names = list(model.label_names_)
    yield _record(_columns(names, top), delimiter)
    for X in _blocks(data):
        if top is None:
            for row in _values(model, X, decisions):
                yield delimiter.join(format_numbers(row)) + "\n"
        else:
            for labels, scores in zip(*model.predict_top(X, top), strict=True):
                cells = zip((names[label] for label in labels), format_numbers(scores), strict=True)
                yield _record([cell for pair in cells for cell in pair], delimiter)


def _columns(names: list[str], top: int | None) -> list[str]:
    if top is None:
        return names
    return [f"{what}{place}" for place in range(1, top + 1) for what in ("label", "score")]


def _record(cells: list[str], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(map(harmless, cells))
    return text.getvalue()


def _frames(model: Any, data: Dataset, top: int | None, decisions: bool) -> Iterator[Any]:
    import pandas as pd

    names = list(model.label_names_)
    for X in _blocks(data):
        if top is None:
            yield pd.DataFrame(_values(model, X, decisions), columns=names)
        else:
            labels, scores = model.predict_top(X, top)
            columns: dict[str, Any] = {}
            for place in range(top):
                columns[f"label{place + 1}"] = [names[label] for label in labels[:, place]]
                columns[f"score{place + 1}"] = scores[:, place]
            yield pd.DataFrame(columns)


def _arff_lines(model: Any, data: Dataset, decisions: bool) -> Iterator[str]:
    kind = "{0,1}" if decisions else "numeric"
    yield f"@relation {meka_relation(f'predictions for {data.name}', model.n_labels_)}\n\n"
    for name in model.label_names_:
        yield f"@attribute {quote(name)} {kind}\n"
    yield "\n@data\n"
    for X in _blocks(data):
        for row in _values(model, X, decisions):
            yield ",".join(format_numbers(row)) + "\n"


def _xc_lines(model: Any, data: Dataset, top: int | None) -> Iterator[str]:
    yield f"{data.n_samples} {model.n_labels_}\n"
    for X in _blocks(data):
        if top is None:
            for row in _values(model, X, decisions=True):
                yield " ".join(f"{label}:1" for label in np.flatnonzero(row)) + "\n"
        else:
            for labels, scores in zip(*model.predict_top(X, top), strict=True):
                pairs = zip(labels, format_numbers(scores), strict=True)
                yield " ".join(f"{label}:{score}" for label, score in pairs) + "\n"
