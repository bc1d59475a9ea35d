"""What each column of a table is: recognised from its cells, with a reason, or given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from dlst.data.column_choice import FEWEST_FOR_ID, near_name
from dlst.data.tables.cells import (
    ID_SHARE,
    MOST,
    are_identifiers,
    are_numbers,
    holds_objects,
    is_missing,
    is_numeric,
    mend,
    numbers_of,
    shown,
)
from dlst.errors import DataError
from dlst.inputs.cells import CellError, another_kind, texts_of
from dlst.inputs.dates import looks_like_date

Kind: TypeAlias = Literal["number", "category", "text", "date", "image", "id", "ignored"]

GIVEN_AS = ("number", "category", "text", "date", "image", "id", "drop")
"""The words by which a user gives kinds; ``drop`` makes a column ignored."""

WORDS_OF_TEXT = 4
CATEGORIES_OF_WORDS = 50
"""Cells of four words and more are text, unless they are a few that repeat."""

IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm")

_FILE_NAME = re.compile(r"[^\s@]+\.[A-Za-z][A-Za-z0-9]{0,4}")
_ID_NAME = re.compile(r"(?i:(^|[_\- ])(id|uuid|guid|key|nr|no)$)|[a-z]I[Dd]$")
_COUNTER = re.compile(r"Unnamed: \d+|index|row", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One column and how it is read.

    Attributes
    ----------
    name : str
    kind : str
        A :data:`Kind`.
    reason : str
        Why, in a few words.

    Examples
    --------
    >>> Column("team", "category", "5 values").kind
    'category'
    """

    name: str
    kind: Kind
    reason: str


Given: TypeAlias = Mapping[str, str | Sequence[str] | Mapping[str, str] | None]
"""Kind to column names; the dates may be a mapping of names to their format."""


def recognise(frame: Any, given: Given) -> list[Column]:
    """Say what every column of a frame is.

    Raises
    ------
    CellError
        When most cells of a column are numbers and one is not: never a silent change of kind.
    DataError
        When ``given`` names a column that is not there, or one column twice.
    """
    chosen = _chosen([str(name) for name in frame.columns], given)
    return [
        Column(str(name), chosen[str(name)], "given")
        if str(name) in chosen
        else Column(str(name), *_recognised(str(name), column))
        for name, column in frame.items()
    ]


def _chosen(names: list[str], given: Given) -> dict[str, Kind]:
    chosen: dict[str, Kind] = {}
    for word, columns in given.items():
        if word not in GIVEN_AS:
            raise DataError(f"columns must be given as {', '.join(GIVEN_AS)}; got {word!r}.")
        kind: Any = "ignored" if word == "drop" else word
        for name in listed(columns):
            if name not in names:
                hint = near_name(name, names)
                raise DataError(f"{word}: expected a column {name!r}, got none. {hint}")
            if chosen.get(name, kind) != kind:
                raise DataError(f"column {name!r} must have one kind; got {chosen[name]}, {kind}.")
            chosen[name] = kind
    return chosen


def listed(columns: str | Sequence[str] | Mapping[str, str] | None) -> list[str]:
    """Return column names as a list, however they were given."""
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else [str(name) for name in columns]


def holds_image_names(column: Any) -> bool:
    """Tell whether most texts of a column are names of image files."""
    if not holds_objects(column):
        return False
    texts = {cell.strip() for cell in column if isinstance(cell, str) and cell.strip()}
    return bool(texts) and _share(_is_image_name(text) for text in texts) > MOST


def _is_image_name(text: str) -> bool:
    return text.lower().endswith(IMAGE_SUFFIXES)


def _recognised(name: str, column: Any) -> tuple[Kind, str]:
    there = column[~is_missing(column)]
    if not len(there):
        return "ignored", "empty"
    if not holds_objects(column):
        return _of_values(name, there)
    strange = next((cell for cell in there if not _is_scalar(cell)), None)
    if strange is not None:
        raise DataError(
            f"column {name!r} must hold numbers, texts or dates; got {shown(strange)}. "
            "Convert it, or drop the column."
        )
    values, wrong = numbers_of(there)
    if are_numbers(there, wrong):
        if wrong.size:
            place = int(wrong[0])
            row = int(np.flatnonzero(~is_missing(column))[place])
            cell, n_numbers = there.iloc[place], len(there) - len(wrong)
            as_in = f" as in {n_numbers:,} other cells of the column" if n_numbers else ""
            raise CellError(
                name,
                row,
                f"expected a number{as_in}, got {shown(cell)}. {mend(cell)}, {another_kind(name)}",
            )
        return _of_values(name, pd.Series(values))
    return _of_texts(name, [text.strip() for text in texts_of(there)])


def _is_scalar(cell: Any) -> bool:
    if isinstance(cell, str | bool | int | float | np.number | np.bool_):
        return True
    return isinstance(cell, pd.Timestamp | np.datetime64) or hasattr(cell, "isoformat")


def _of_values(name: str, there: Any) -> tuple[Kind, str]:
    if pd.api.types.is_datetime64_any_dtype(there.dtype):
        return "date", "times"
    if isinstance(there.dtype, pd.CategoricalDtype) and holds_objects(there):
        return "category", f"{there.nunique()} values"
    if pd.api.types.is_bool_dtype(there.dtype):
        return "number", "true and false"
    if not is_numeric(there):
        raise DataError(
            f"column {name!r} must hold numbers, texts or dates; got {there.dtype}. Convert it, "
            "or drop the column."
        )
    values, _ = numbers_of(there)
    whole = bool((values == np.floor(values)).all())
    differ = len(np.unique(values)) == len(values)
    counts = whole and differ and bool((np.diff(values) == 1).all())
    if counts and values[0] in (0, 1) and (_COUNTER.fullmatch(name) or _ID_NAME.search(name)):
        return "id", "counts the rows"
    if whole and differ and len(values) >= FEWEST_FOR_ID and _ID_NAME.search(name):
        return "id", "different in every row"
    # Beyond, different ones become the same float.
    if whole and np.abs(values).max() > 2**53 and _ID_NAME.search(name):
        return "id", "whole numbers of more than 15 digits"
    return "number", "numbers"


def _of_texts(name: str, texts: list[str]) -> tuple[Kind, str]:
    n, distinct = len(texts), list(dict.fromkeys(texts))
    if _share(_is_image_name(text) for text in distinct) > MOST:
        return "image", "names of image files"
    if _share(looks_like_date(text) for text in distinct) > MOST:
        return "date", "dates"
    if len(distinct) == 1 and n > 1:
        return "ignored", "the same text in every row"
    words = sum(_n_words(text) for text in distinct) / len(distinct)
    if words >= WORDS_OF_TEXT and (len(distinct) > CATEGORIES_OF_WORDS or 2 * len(distinct) > n):
        return "text", f"{words:.0f} words in a cell"
    if 2 * len(distinct) <= n:
        return "category", f"{len(distinct)} values"
    if _share(_FILE_NAME.fullmatch(text) is not None for text in distinct) > MOST:
        return "id", "file names"
    if _share(_n_words(text) > 1 for text in distinct) > MOST:
        return "text", f"{words:.1f} words in a cell"
    named = len(distinct) >= ID_SHARE * n and _ID_NAME.search(name)
    if named or are_identifiers(distinct, n):
        return "id", "different in nearly every row"
    return "category", f"{len(distinct)} values"


def _n_words(text: str) -> float:
    # Scripts without blanks: about two signs make a word.
    wide = sum(ord(sign) >= 0x2E80 for sign in text[:200])
    return max(len(text.split()), wide / 2)


def _share(found: Any) -> float:
    answers = [bool(answer) for answer in found]
    return sum(answers) / len(answers)


assert {*GIVEN_AS} - {"drop"} == {*get_args(Kind)} - {"ignored"}  # noqa: S101
