"""A model that reads tables: texts, categories, numbers, dates and pictures by column."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from dlst.errors import DataError
from dlst.explanation import best_labels
from dlst.inputs import CellError, Column, ImageError, Tally
from dlst.inputs.dates import DAY_FIRST, MONTH_FIRST, YEAR_FIRST
from dlst.inputs.images.reading import read_image
from dlst.inputs.table import USED
from dlst.serve.cells import CELLS, Picture, read_cell
from dlst.serve.subject import Subject
from dlst.tagging import Tagger
from dlst.tagging.examples import THUMBNAIL_SIDE
from dlst.tagging.explanation import ids_of

MOST_VALUES = 200
"""With more categories than this, none is listed."""

_A_DAY = date(2024, 1, 31)
_FORMATS = {YEAR_FIRST: "%Y-%m-%d", DAY_FIRST: "%d.%m.%Y", MONTH_FIRST: "%m/%d/%Y"}


class TableModel(Subject):
    """Answers rows that are objects with the model's columns.

    A model whose only column is text also accepts plain strings.
    """

    def __init__(self, tagger: Tagger):
        self._tagger = tagger
        self.method = type(tagger.method_).__name__
        self.labels = tagger.classes_
        self._encoder = tagger.encoder_
        self._kinds = {c.name: c.kind for c in self._encoder.columns_ if c.kind in CELLS}
        self._images = self._encoder.names_of("image")
        used = self._encoder.names_of(*USED)
        self._required = frozenset(used)
        self._only_text = used[0] if used == self._encoder.names_of("text")[:1] else None
        values, notation = self._encoder.known_values(), self._encoder.notation()
        self.columns = [
            _about(column, values.get(column.name, []), notation.get(column.name))
            for column in self._encoder.columns_
            if column.name in self._kinds
        ]
        row = {
            "type": "object",
            "title": "Row",
            "properties": {c["name"]: _schema(c) for c in self.columns},
            "required": used,
        }
        self.row_schema = row if self._only_text is None else {"anyOf": [row, {"type": "string"}]}
        self.example = {
            column["name"]: _example(column) for column in self.columns if column["required"]
        }

    def read(self, row: Any, place: int) -> dict[str, Any]:
        """Check columns and cells."""
        if isinstance(row, str) and self._only_text is not None:
            return {self._only_text: row}
        if not isinstance(row, dict):
            raise DataError(
                f"row {place} (counted from 0): expected an object with the columns "
                f"{', '.join(map(repr, self._encoder.names_of(*USED)))}; "
                f"got {type(row).__name__}."
            )
        if not self._required <= row.keys():
            raise self._misfit(row, place)
        return {
            name: read_cell(value, self._kinds[name], name, place) if name in self._kinds else value
            for name, value in row.items()
        }

    def predict(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Encode, predict, and name the labels."""
        frame = _frame(rows)
        found = self._tagger.method_.predict_all(self._encoded(frame, tally))
        answers = best_labels(found, self.labels, top)
        ids = ids_of(frame, self._encoder)
        return [{"id": name, **answer} for name, answer in zip(ids, answers, strict=True)]

    def explain(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Predict with and without each word and cell, and return the rows that voted."""
        frame = _frame(rows)
        self._encoded(frame, tally)
        found = self._tagger.explain(frame, top=top)
        answers = []
        for row, pictures in zip(found.rows, found.pictures, strict=True):
            voters = {
                source: [
                    {**voter, "picture": pictures["voters"].get(voter["row"])} for voter in listed
                ]
                for source, listed in row["voters"].items()
            }
            parts = {name: row[name] for name in ("id", "tags", "labels")}
            answers.append({**parts, "voters": voters})
        return answers

    def _misfit(self, row: dict[str, Any], place: int) -> DataError:
        """Return the encoder's error for missing columns, which suggests misspelt ones."""
        if len(row) == 1:
            ((name, value),) = row.items()
            if isinstance(value, list) and name not in self._kinds:
                return DataError(
                    f"expected a row, or a list of rows; got an object that holds a list as "
                    f"{name!r}. Send the list itself."
                )
        try:
            self._encoder.check_columns(list(row), Tally())
        except DataError as error:
            return DataError(f"row {place} (counted from 0): {error}")
        raise AssertionError("no column is missing")

    def _encoded(self, frame: Any, tally: Tally) -> Any:
        try:
            return self._tagger.encode(frame, tally)
        except ImageError as error:
            raise self._with_its_place(frame, error) from error

    def _with_its_place(self, frame: Any, error: ImageError) -> DataError:
        """Return the error of the picture that cannot be read."""
        for name in self._images:
            for row, picture in enumerate(frame[name]):
                try:
                    read_image(picture, THUMBNAIL_SIDE)
                except ImageError as broken:
                    return CellError(name, row, str(broken).partition(": ")[2])
        return error


def _frame(rows: Sequence[dict[str, Any]]) -> Any:
    """Put rows in a frame with unchanged cells; pandas would convert their types."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = np.empty((len(rows), len(names)), dtype=object)
    for place, row in enumerate(rows):
        for column, name in enumerate(names):
            cells[place, column] = row.get(name)
    return pd.DataFrame(cells, columns=pd.Index(names, dtype=object), dtype=object)


def _about(column: Column, values: list[str], notation: str | None) -> dict[str, Any]:
    about: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "required": column.kind in USED,
    }
    if 0 < len(values) <= MOST_VALUES:
        about["values"] = values
    if notation is not None:
        about["notation"] = notation
    return about


def _schema(column: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": column["kind"], **CELLS[column["kind"]].schema}
    if "notation" in column:
        schema["description"] = f"date, {column['notation']}"
    if column.get("values"):
        # Other values are accepted as unknown categories, with a note in the answer.
        schema["examples"] = column["values"][:5]
    return schema


def _example(column: dict[str, Any]) -> Any:
    kind = column["kind"]
    if kind == "image":
        stream = io.BytesIO()
        Image.new("RGB", (64, 64), "gray").save(stream, "PNG")
        return Picture(stream.getvalue()).in_base64()
    if kind == "date":
        return _A_DAY.strftime(_FORMATS.get(column["notation"], column["notation"]))
    if kind == "category":
        return column.get("values", ["some category"])[0]
    return "some words" if kind == "text" else 1
