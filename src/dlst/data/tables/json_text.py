"""JSON text to a frame and back: an object a line, or one array of objects.

Every value is checked where it stands, so that an error names file and line. Whole numbers stay
exact beside missing values, as identifiers must.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dlst._files import BLOCK_BYTES, PathLike, open_text, text_blocks
from dlst._matrices import IntArray
from dlst.data._origin import suffix_of
from dlst.data.tables.csv_text import BOM, check_encoding
from dlst.data.tables.memory import allowed_memory, memory_error
from dlst.data.text.number_writing import format_numbers
from dlst.errors import ReadError

_ROWS_AT_ONCE = 8192
_BLANKS = re.compile(r"[ \t\r\n]*")
_HALF_SIGN = re.compile(r"\\u[dD][89a-fA-F]")
_A_LINE = "Write one object a line, or all of them in one array."
_TYPES = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a truth value",
    type(None): "null",
}
# JSON has no word for them; a number that is too large reads back as infinity.
_ODD_NUMBERS = {
    "nan": "null",
    "inf": "1e999",
    "-inf": "-1e999",
    "Infinity": "1e999",
    "-Infinity": "-1e999",
}


class _Row(NamedTuple):
    """An object, the line where it begins, and how long its text is."""

    cells: dict[str, Any]
    line: int
    size: int


def read_json_frame(path: PathLike, encoding: str | None = None) -> tuple[Any, IntArray]:
    """Return the file as a frame, and the line of each row."""
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    for rows in _checked(path, encoding):
        for name in _names(rows, columns):
            columns[name] = [None] * len(lines)
        for name, cells in columns.items():
            cells.extend(row.cells.get(name) for row in rows)
        lines += [row.line for row in rows]
    return _frame(columns), np.array(lines, dtype=np.int64)


def json_frames(path: PathLike, encoding: str | None = None) -> Iterator[tuple[Any, IntArray]]:
    """Yield a file as frames of some rows, and the line of each row."""
    # All frames have all columns, and the last line may have a key of its own.
    names = dict.fromkeys(name for rows in _checked(path, encoding) for name in _names(rows, ()))
    for rows in _batches(path, encoding):
        columns = {name: [row.cells.get(name) for row in rows] for name in names}
        yield _frame(columns), np.array([row.line for row in rows], dtype=np.int64)


def json_texts(path: PathLike, objects: Iterable[str]) -> Iterator[str]:
    """Yield the text of a file of objects: one array in ``.json``, else an object a line."""
    if suffix_of(path) != ".json":
        yield from (f"{text}\n" for text in objects)
        return
    yield "["
    for number, text in enumerate(objects):
        yield f",\n{text}" if number else f"\n{text}"
    yield "\n]\n"


def json_objects(names: Iterable[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield an object for each row, whose cells are JSON already."""
    keys = [f"{json.dumps(name, ensure_ascii=False)}: " for name in names]
    for row in rows:
        cells = (_ODD_NUMBERS.get(cell, cell) for cell in row)
        yield f"{{{', '.join(map(add, keys, cells))}}}"


def json_rows(columns: Mapping[str, Any]) -> Iterator[str]:
    """Yield each row of some columns as an object; what is missing is null."""
    yield from json_objects(columns, zip(*map(_written, columns.values()), strict=True))


def _written(column: Any) -> list[str]:
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return format_numbers(column)
    return [json.dumps(_plain(cell), ensure_ascii=False, default=str) for cell in column]


def _plain(cell: Any) -> Any:
    if isinstance(cell, np.ndarray | np.generic):
        cell = cell.tolist()
    return None if pd.api.types.is_scalar(cell) and pd.isna(cell) else cell


def _names(rows: Iterable[_Row], known: Iterable[str]) -> list[str]:
    """Return the names of columns in the order in which they come, without those known."""
    names = dict.fromkeys(name for row in rows for name in row.cells)
    return [name for name in names if name not in known]


def _checked(path: PathLike, encoding: str | None) -> Iterator[list[_Row]]:
    """Yield some rows at once; a file whose table is far larger than itself is refused."""
    names: set[str] = set()
    n_rows = size = 0
    for rows in _batches(path, encoding):
        names.update(name for row in rows for name in row.cells)
        n_rows += len(rows)
        size += sum(row.size for row in rows)
        # Each object may have a key of its own, and a cell takes 8 bytes.
        if 8 * n_rows * len(names) > allowed_memory(size):
            raise memory_error(path, size)
        yield rows
    if not names:
        got = "objects without keys" if n_rows else "no object"
        raise ReadError(path, f"expected a JSON object for each row, got {got}.")


def _batches(path: PathLike, encoding: str | None) -> Iterator[list[_Row]]:
    batch: list[_Row] = []
    size = 0
    for row in _rows(path, encoding):
        batch.append(row)
        size += row.size
        if len(batch) == _ROWS_AT_ONCE or size > BLOCK_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _rows(path: PathLike, encoding: str | None) -> Iterator[_Row]:
    with open_text(path, encoding) as stream:
        is_array = stream.read(2**16).removeprefix(BOM).lstrip().startswith(b"[")
    for value, line, size in _array(path, encoding) if is_array else _lines(path, encoding):
        if not isinstance(value, dict):
            got = _TYPES.get(type(value), "a number")
            raise ReadError(path, f"expected a JSON object, got {got}. {_A_LINE}", line)
        for name, cell in value.items():
            _check_cell(path, line, name, cell)
        yield _Row(value, line, size)


def _check_cell(path: PathLike, line: int, name: str, cell: Any) -> None:
    if not name:
        raise ReadError(path, "expected keys that name a column, got an empty one. Name it.", line)
    if isinstance(cell, dict):
        raise ReadError(
            path,
            f"key {name!r}: expected a text, a number, a truth value, null or a list of tags, got "
            f"an object. Write its parts as keys of their own, such as {f'{name}.part'!r} "
            "(pandas.json_normalize does so).",
            line,
        )
    for item in cell if isinstance(cell, list) else ():
        if not isinstance(item, str | int | float):
            raise ReadError(
                path,
                f"key {name!r}: expected a list of texts, got {_TYPES[type(item)]} in it. Write a "
                "flat list of names.",
                line,
            )


def _lines(path: PathLike, encoding: str | None) -> Iterator[tuple[Any, int, int]]:
    for number, block in enumerate(text_blocks(path, encoding=encoding)):
        content = block.text.removeprefix(BOM) if number == 0 else block.text
        check_encoding(path, content, block.first_line)
        # Not splitlines(), which cuts at signs that may stand inside a text.
        for line, text in enumerate(content.split(b"\n"), start=block.first_line):
            if plain := text.decode().strip(" \t\r"):
                value, end = _decoded(path, plain, 0, line)
                if end < len(plain):
                    rest = f"more text behind it (character {end + 1})"
                    raise ReadError(path, f"expected one JSON value, got {rest}. {_A_LINE}", line)
                yield value, line, len(text)


def _array(path: PathLike, encoding: str | None) -> Iterator[tuple[Any, int, int]]:
    with open_text(path, encoding) as stream:
        content = stream.read().removeprefix(BOM)
    check_encoding(path, content, 1)
    text = content.decode()
    del content
    line, counted = 1, 0
    at = _skipped(text, text.index("[") + 1)
    is_open = text[at : at + 1] != "]"
    while is_open:
        line, counted = line + text.count("\n", counted, at), at
        value, end = _decoded(path, text, at, line)
        yield value, line, end - at
        at = _skipped(text, end)
        is_open = text[at : at + 1] == ","
        if is_open:
            at = _skipped(text, at + 1)
        elif text[at : at + 1] != "]":
            got = repr(text[at]) if at < len(text) else "the end of the file"
            raise ReadError(
                path, f"expected , or ] behind an object, got {got}.", text.count("\n", 0, at) + 1
            )
    at = _skipped(text, at + 1)
    if at < len(text):
        raise ReadError(
            path,
            f"expected the end of the file behind the array, got {text[at]!r}. {_A_LINE}",
            text.count("\n", 0, at) + 1,
        )


def _skipped(text: str, at: int) -> int:
    """Return where the blanks end that begin here."""
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]


def _decoded(path: PathLike, text: str, start: int, line: int) -> tuple[Any, int]:
    """Return the JSON value that begins here, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        if _HALF_SIGN.search(text, start, end):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        # It counts lines from the beginning of the text, which may be one line of many.
        at = line + error.lineno - 1 - text.count("\n", 0, start)
        said = f"{error.msg.lower()}, character {error.colno}"
        raise ReadError(
            path, f"expected a JSON object, got text that is none ({said}). {_A_LINE}", at
        ) from error
    except UnicodeEncodeError as error:
        raise ReadError(
            path, "expected whole signs, got one half of a surrogate pair (\\ud800 …).", line
        ) from error
    except RecursionError as error:
        raise ReadError(
            path, "expected a flat object, got lists or objects too deep.", line
        ) from error
    except ValueError as error:
        raise ReadError(path, str(error), line) from error
    return value, end


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"expected distinct keys, got {twice!r} twice. Leave one out.")
    return found


def _integer(text: str) -> int | str:
    """Read a whole number of 64 bits; a longer one stays as it is written, as in CSV."""
    return int(text) if len(text) < 20 and -(2**63) <= int(text) < 2**63 else text


def _constant(text: str) -> None:
    if text != "NaN":
        raise ValueError(f"expected finite numbers, got {text}. Write null where there is none.")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_integer, parse_constant=_constant)


def _frame(columns: Mapping[str, list[Any]]) -> Any:
    return pd.DataFrame({name: _column(cells) for name, cells in columns.items()})


def _column(cells: list[Any]) -> Any:
    """Return cells as an array: of numbers where none of them would change, else as they are."""
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return np.array(cells, dtype=bool)
    if kinds == {int}:
        return np.array(cells, dtype=np.int64)
    are_numbers = float in kinds and kinds <= {int, float, type(None)}
    if are_numbers and all(abs(cell) <= 2**53 for cell in cells if type(cell) is int):
        return np.array(cells, dtype=np.float64)  # of None NaN
    return pd.Series(cells, dtype=object)
