"""CSV text to a frame, every record checked before pandas reads it.

pandas fills short rows with missing values and renames columns of equal name, both in silence, and
names no line when the encoding is wrong. One compiled pass finds these first.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dlst._files import PathLike, open_text, text_blocks
from dlst._matrices import IntArray
from dlst._spreadsheets import original
from dlst.data._origin import suffix_of
from dlst.data.tables import csv_records_kernel as kernel
from dlst.data.tables.cells import MISSING
from dlst.errors import ReadError

DELIMITERS = (",", ";", "\t")
"""What may be guessed from the header."""

# From 3.1 on pandas rounds rightly by default, and warns of the argument.
_EXACT_FLOATS: dict[str, Any] = (
    {"float_precision": "round_trip"}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    else {}
)
BOM = b"\xef\xbb\xbf"
_DECIMAL_COMMA = re.compile(rb'(?:^|;)"?([-+]?\d+,\d+)"?(?=;|\r?$)', re.MULTILINE)


class Dialect(NamedTuple):
    """How a file is written: its columns, what stands between fields, a number such as 1,5."""

    names: list[str]
    delimiter: str
    comma: str
    """A cell with a decimal comma, as German and French programs write them; else empty."""


class Records(NamedTuple):
    """How a file is written, and the first line of each data record."""

    dialect: Dialect
    lines: IntArray


class RecordBlock(NamedTuple):
    """Whole data records of a file: how it is written, their bytes, the first line of each."""

    dialect: Dialect
    text: bytes
    lines: IntArray


def read_csv_frame(
    path: PathLike,
    records: Records,
    texts: Collection[str] = (),
    encoding: str | None = None,
) -> Any:
    """Return the frame of the records that :func:`checked_records` found.

    Cells of the columns ``texts`` stay as they are written, and only empty ones are missing.
    """
    with open_text(path, encoding) as stream:
        frame = _parsed(path, stream, records.dialect, texts, header=0)
    return _counted(path, frame, len(records.lines))


def csv_frames(
    path: PathLike,
    delimiter: str | None,
    numbers: Collection[str],
    encoding: str | None = None,
) -> Iterator[tuple[Any, IntArray]]:
    """Yield a file as frames of some megabytes, and the line of each row.

    Only the columns ``numbers`` may become numbers; all other cells stay as they are written.
    """
    for dialect, text, lines in record_blocks(path, delimiter, encoding):
        others = [name for name in dialect.names if name not in numbers]
        frame = _parsed(path, io.BytesIO(text), dialect, others, header=None)
        yield _counted(path, frame, len(lines)), lines


def checked_records(path: PathLike, delimiter: str | None, encoding: str | None = None) -> Records:
    """Find the records of a file and check that each has as many fields as the header."""
    blocks = [(dialect, lines) for dialect, _, lines in record_blocks(path, delimiter, encoding)]
    return Records(blocks[0][0], np.concatenate([lines for _, lines in blocks]))


def record_blocks(
    path: PathLike, delimiter: str | None, encoding: str | None = None
) -> Iterator[RecordBlock]:
    """Yield a file as blocks of whole records, checked; the first may have none."""
    if delimiter is not None and not re.fullmatch(r"[\t !#-~]", delimiter):
        raise ValueError(f"delimiter must be one ASCII character, no quote; got {delimiter!r}.")
    memory = kernel.first_memory()
    sign = delimiter or ","
    dialect: Dialect | None = None
    held, held_lines = b"", [np.empty(0, dtype=np.int64)]
    for number, block in enumerate(text_blocks(path, encoding=encoding)):
        text = block.text.removeprefix(BOM) if number == 0 else block.text
        check_encoding(path, text, block.first_line)
        if number == 0:
            sign = delimiter or _delimiter(path, text)
        # The scan ends records at line ends; the last line may lack its own.
        closed = text if text.endswith(b"\n") else text + b"\n"
        lines, fields = kernel.scan_records(np.frombuffer(closed, np.uint8), ord(sign), memory)
        _check_scan(path, memory)
        held += closed
        if dialect is None:
            if not len(lines):
                continue
            names = _header_names(path, held, sign, int(lines[0]), int(fields[0]))
            follows = int(lines[1] if len(lines) > 1 else memory[kernel.RECORD_LINE])
            held = held.split(b"\n", follows - 1)[-1]
            lines, fields = lines[1:], fields[1:]
            comma = _DECIMAL_COMMA.search(held) if sign == ";" else None
            dialect = Dialect(names, sign, comma[1].decode() if comma else "")
        wrong = np.flatnonzero(fields != len(dialect.names))
        if wrong.size:
            raise ReadError(
                path,
                f"expected {len(dialect.names)} fields as in the header, got {fields[wrong[0]]}. "
                "Quote fields that hold the delimiter, or name it with delimiter=.",
                int(lines[wrong[0]]),
            )
        held_lines.append(lines)
        if memory[kernel.STATE] != kernel.QUOTED:
            yield RecordBlock(dialect, held, np.concatenate(held_lines))
            held, held_lines = b"", []
    if memory[kernel.STATE] == kernel.QUOTED:
        raise ReadError(
            path,
            'expected a closing quote ("), got the end of the file.',
            int(memory[kernel.RECORD_LINE]),
        )
    if dialect is None:
        raise ReadError(path, "expected a header line with the column names, got an empty file.")


def _parsed(
    path: PathLike, stream: Any, dialect: Dialect, texts: Collection[str], header: int | None
) -> Any:
    names = dialect.names
    try:
        return pd.read_csv(
            stream,
            sep=dialect.delimiter,
            decimal="," if dialect.comma else ".",
            header=header,
            names=names,
            dtype=dict.fromkeys(texts, str),
            index_col=False,
            encoding="utf-8-sig",
            keep_default_na=False,
            na_values={name: [""] if name in texts else sorted(MISSING) for name in names},
            low_memory=False,
            **_EXACT_FLOATS,
        )
    except ReadError:
        raise
    except pd.errors.EmptyDataError:
        return pd.DataFrame(columns=names)
    except Exception as error:  # a parser of damaged bytes may raise anything
        raise ReadError(
            path, f"expected CSV, got text that pandas cannot read ({error})."
        ) from error


def _counted(path: PathLike, frame: Any, n_records: int) -> Any:
    if len(frame) != n_records:
        raise ReadError(
            path,
            f"expected {n_records} records by their line ends, got {len(frame)} from pandas. "
            "Look for unusual quotes.",
        )
    return frame


def check_encoding(path: PathLike, text: bytes, first_line: int) -> None:
    """Name the line of a byte that is not UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(
            path,
            f"expected UTF-8 text, got the byte 0x{text[error.start]:02x}. "
            "Name the encoding of the file with encoding=, such as latin-1, or save it as UTF-8.",
            first_line + text.count(b"\n", 0, error.start),
        ) from error


def _check_scan(path: PathLike, memory: IntArray) -> None:
    problem = memory[kernel.PROBLEM]
    if problem != kernel.FINE:
        got, remedy = (
            ("a zero byte", " If it is UTF-16, name that with encoding=, such as utf-16-le.")
            if problem == kernel.NUL_BYTE
            else ("a carriage return inside a line", "")
        )
        raise ReadError(
            path,
            f"expected text with line ends \\n or \\r\\n, got {got}. Is this a CSV file?{remedy}",
            int(memory[kernel.LINE]),
        )


def _delimiter(path: PathLike, text: bytes) -> str:
    """Find it by the suffix, or by what the header holds most often outside of quotes."""
    if suffix_of(path) == ".tsv":
        return "\t"
    outside_quotes = b"".join(text.partition(b"\n")[0].split(b'"')[::2])
    return max(DELIMITERS, key=lambda delimiter: outside_quotes.count(delimiter.encode()))


def _header_names(
    path: PathLike, text: bytes, delimiter: str, line: int, n_fields: int
) -> list[str]:
    """Read the names from the record that begins in this line."""
    record = text.split(b"\n", line - 1)[-1].decode("utf-8")
    try:
        names = next(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ReadError(path, f"expected a header with column names, got {error}.", line) from error
    if len(names) != n_fields:
        raise ReadError(path, "expected a header with plain or quoted names, got odd quotes.", line)
    # As pandas does: its unnamed index column comes back under this name.
    names = [original(name) or f"Unnamed: {column}" for column, name in enumerate(names)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise ReadError(
            path,
            f"expected distinct column names, got {name!r} {count} times. Rename them.",
            line,
        )
    return names
