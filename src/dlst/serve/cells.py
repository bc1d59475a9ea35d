"""JSON cells of each kind of column: their schema, and the same as a check."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, NamedTuple

from dlst.data.tables.cells import LARGEST, shown
from dlst.inputs import CellError


class Picture(bytes):
    """A picture sent with a request; its text is a name, not its bytes."""

    def __str__(self) -> str:
        return "(the picture)"

    def in_base64(self) -> str:
        """Encode it as in requests."""
        return base64.b64encode(self).decode("ascii")


class JsonCell(NamedTuple):
    """The JSON representation of one kind of value."""

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
    # Never a path, which would let clients open files of the server.
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
    """Check one cell; return what the model's reader takes.

    Raises
    ------
    CellError
        With row and column.
    """
    cell = CELLS[kind]
    # A bool is an int in Python, but not a number in JSON.
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
    """Decode a picture from base64, with or without the prefix of a data URL."""
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
    """Tell whether a text can be encoded in UTF-8, which pandas stores columns in."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _told(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return "null" if value is None else shown(value)
