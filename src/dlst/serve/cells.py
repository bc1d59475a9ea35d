"""What a cell of each kind of column may be in JSON: its schema, and the same in a check."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, NamedTuple

from dlst.data.tables.cells import LARGEST, shown
from dlst.inputs import CellError


class Picture(bytes):
    """A picture that came with a request; as a text it is a name, not its bytes."""

    def __str__(self) -> str:
        return "(the picture)"

    def in_base64(self) -> str:
        """Write it as requests do."""
        return base64.b64encode(self).decode("ascii")


class JsonCell(NamedTuple):
    """What stands for a value of one kind."""

    expected: str
    types: tuple[type, ...]
    schema: Mapping[str, Any]


_NOTHING = type(None)
_BOUNDED = {"minimum": -LARGEST, "maximum": LARGEST}
_BASE64 = r"^(data:image/[A-Za-z0-9.+-]+;base64,)?[A-Za-z0-9+/]+={0,2}$"

CELLS: Mapping[str, JsonCell] = {
    "number": JsonCell(
        "a number or null",
        (int, float, bool, _NOTHING),
        {"type": ["number", "boolean", "null"], **_BOUNDED},
    ),
    "category": JsonCell(
        "a category as text, number or truth value, or null",
        (str, int, float, bool, _NOTHING),
        {"type": ["string", "number", "boolean", "null"], **_BOUNDED},
    ),
    "text": JsonCell("a text or null", (str, _NOTHING), {"type": ["string", "null"]}),
    "date": JsonCell("a date as text, or null", (str, _NOTHING), {"type": ["string", "null"]}),
    # Never a path: it would open files of the server for whoever asks.
    "image": JsonCell(
        "a picture in base64, alone or as data:image/png;base64,…",
        (str,),
        {"type": "string", "contentEncoding": "base64", "pattern": _BASE64},
    ),
    "feature": JsonCell("a number", (int, float), {"type": "number", **_BOUNDED}),
    "id": JsonCell(
        "an id as text or number, or null",
        (str, int, float, bool, _NOTHING),
        {"type": ["string", "number", "boolean", "null"], **_BOUNDED},
    ),
}


def read_cell(value: Any, kind: str, column: str, row: int) -> Any:
    """Check one cell; give what the model's own reader takes.

    Raises
    ------
    CellError
        Naming row and column.
    """
    cell = CELLS[kind]
    # A truth value is an int to Python, and no number where none is asked for.
    if not isinstance(value, cell.types) or (type(value) is bool and bool not in cell.types):
        hint = " Write it without quotes." if kind == "number" and isinstance(value, str) else ""
        raise CellError(column, row, f"expected {cell.expected}, got {_told(value)}.{hint}")
    if isinstance(value, int | float) and not abs(value) <= LARGEST:
        raise CellError(
            column, row, f"expected {cell.expected} within ±{LARGEST:g}, got one beyond."
        )
    if kind in ("category", "date") and not _is_whole(str(value)):
        raise CellError(column, row, f"expected {cell.expected}, got half of a surrogate pair.")
    return read_picture(str(value), column, row) if kind == "image" else value


def read_picture(text: str, column: str, row: int) -> Picture:
    """Unpack a picture from base64, with or without the head of a data address."""
    head, comma, packed = text.partition(",")
    if comma and not (head.startswith("data:image/") and head.endswith(";base64")):
        packed = ""
    try:
        content = base64.b64decode(packed if comma else text, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if not content:
        raise CellError(column, row, f"expected {CELLS['image'].expected}, got {_told(text)}.")
    return Picture(content)


def _is_whole(text: str) -> bool:
    """Say whether a text can be written in UTF-8, which columns of pandas are kept in."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _told(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return "null" if value is None else shown(value)
