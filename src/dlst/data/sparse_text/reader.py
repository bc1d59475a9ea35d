"""Sparse text: LIBSVM's multi-label format and that of the extreme-classification repository.

Both have one instance per line, ``label,label index:value index:value``. The parser is our own:
scikit-learn's loader gives labels as Python tuples of floats and errors without a line number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._files import Block, PathLike, text_blocks
from dlst._limits import COLUMNS_PER_BYTE
from dlst._matrices import FloatArray, IntArray
from dlst.data._origin import name_of, origin_of
from dlst.data.dataset import Dataset
from dlst.data.sparse_text import rows_kernel as kernel
from dlst.data.text.number_parsing import exact_floats
from dlst.errors import ReadError

COLUMNS_FLOOR = 2**22
"""So many features and labels cost next to nothing, whatever the size of the file."""

_LARGEST = 2**31 - 2  # column numbers are held in 32 bits

_SHAPE_COMMENT = re.compile(rb"# n_features=([0-9]{1,18}) n_labels=([0-9]{1,18})\r?(?:\n|$)")
_HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t\r]*(?:\n|$)")
_BOM = b"\xef\xbb\xbf"

_MESSAGES = {
    kernel.BAD_LABEL: "labels must be whole numbers from 0, separated by commas; got {token!r}. "
    "Number the labels.",
    kernel.BAD_PAIR: "expected index:value, got the control character {token!r}. "
    "Is this a text file?",
    kernel.BAD_INDEX: "a feature must be index:value with a whole number from 0; got {token!r}.",
    kernel.BAD_VALUE: "a feature must be index:value with a number; got {token!r}.",
    kernel.LARGE_LABEL: f"label numbers must be at most {_LARGEST:,}; got {{token!r}}.",
    kernel.LARGE_INDEX: f"feature numbers must be at most {_LARGEST:,}; got {{token!r}}.",
    kernel.NO_COLON: "expected index:value after the labels, got {token!r}. "
    "Separate labels by commas without blanks.",
}


def read_svmlight(
    path: PathLike,
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
) -> Dataset:
    r"""Read LIBSVM multi-label text, plain or ``.gz``.

    Parameters
    ----------
    path : path-like
        The file. Labels are whole numbers from 0 and become column numbers; a line without labels
        begins with its features; ``#`` begins a comment, ``qid:`` tokens are passed over.
    n_features, n_labels : int, optional
        d and K; by default the largest numbers in the file decide, or the comment with which
        :func:`write_svmlight` keeps them.
    zero_based : bool or "auto"
        Whether features count from 0. "auto": only when some index is 0.

    Returns
    -------
    Dataset
        X is CSR. Blank lines are no instances: one with neither label nor feature is written with
        an explicit zero, such as ``1:0``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.svm"
    >>> _ = path.write_text("0,2 1:0.5 3:1\n 2:4\n")
    >>> data = read_svmlight(path)
    >>> data.X.toarray()
    array([[0.5, 0. , 1. ],
           [0. , 4. , 0. ]])
    >>> data.Y.toarray()
    array([[1., 0., 1.],
           [0., 0., 0.]])
    """
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto'; got {zero_based!r}.")
    stated: list[int] = []
    table = _read_table(path, _blocks(path, _SHAPE_COMMENT, stated), every_line=False)
    if not stated and not table.n_rows:
        raise ReadError(path, "expected at least one instance, got none.")
    smallest = int(table.indices.min(initial=1))
    counts_from = int(smallest > 0) if zero_based == "auto" else int(not zero_based)
    if smallest < counts_from:
        raise ReadError(
            path,
            "features must be counted from 1 with zero_based=False; got index 0.",
            table.line_of_pair(int(table.indices.argmin())),
        )
    note = f"features counted from {counts_from}"
    return _dataset(path, table, (n_features, n_labels), stated, counts_from, note)


def read_xc(
    path: PathLike, *, n_features: int | None = None, n_labels: int | None = None
) -> Dataset:
    """Read text in the format of the extreme-classification repository, plain or ``.gz``.

    Parameters
    ----------
    path : path-like
        The file. The first line may be the header ``n d K``; every other line is an instance,
        blank or not; labels and features count from 0.
    n_features, n_labels : int, optional
        d and K for a file without header; by default the largest numbers in it decide.

    Returns
    -------
    Dataset
        X is CSR.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits, write_xc
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.xc"
    >>> write_xc(load_multidigits().subset(slice(0, 3)), path)
    >>> read_xc(path).Y.shape
    (3, 10)
    """
    header: list[int] = []
    table = _read_table(path, _blocks(path, _HEADER, header), every_line=True)
    if not header and not table.n_rows:
        raise ReadError(path, "expected a header n d K or an instance, got an empty file.")
    if header and table.n_rows != header[0]:
        raise ReadError(
            path,
            f"the header promises {header[0]:,} instances, the file has {table.n_rows:,}. "
            "Fetch it again, or mend the header.",
            1,
        )
    note = "with header" if header else "no header"
    given = (None, None) if header else (n_features, n_labels)
    return _dataset(path, table, given, header[1:], 0, note)


class _Table(NamedTuple):
    row_lines: IntArray
    label_starts: IntArray
    labels: NDArray[np.int32]
    pair_starts: IntArray
    indices: NDArray[np.int32]
    values: FloatArray
    n_bytes: int

    @property
    def n_rows(self) -> int:
        return len(self.row_lines)

    def line_of_pair(self, entry: int) -> int:
        return int(self.row_lines[np.searchsorted(self.pair_starts, entry, side="right") - 1])

    def line_of_label(self, entry: int) -> int:
        return int(self.row_lines[np.searchsorted(self.label_starts, entry, side="right") - 1])


def _blocks(path: PathLike, first_line: re.Pattern[bytes], numbers: list[int]) -> Iterator[Block]:
    """Yield the blocks after a first line that matches, whose numbers are kept."""
    for block in text_blocks(path):
        if block.first_line == 1:
            text = block.text.removeprefix(_BOM)
            found = first_line.match(text)
            if found:
                numbers += [int(number) for number in found.groups()]
                text = text[found.end() :]
            yield Block(text, 2 if found else 1)
        else:
            yield block


def _read_table(path: PathLike, blocks: Iterator[Block], every_line: bool) -> _Table:
    parts = [_read_block(path, block, every_line) for block in blocks]
    if not parts:
        parts = [_read_block(path, Block(b"", 1), every_line)]
    lines, label_starts, labels, pair_starts, indices, values, n_bytes = zip(*parts, strict=True)
    return _Table(
        np.concatenate(lines),
        _joined_starts(label_starts),
        np.concatenate(labels),
        _joined_starts(pair_starts),
        np.concatenate(indices),
        np.concatenate(values),
        sum(n_bytes),
    )


def _read_block(path: PathLike, block: Block, every_line: bool) -> _Table:
    rows = kernel.parse_rows(np.frombuffer(block.text, np.uint8), _LARGEST, every_line)
    if rows.status != kernel.OK:
        token = block.text[rows.start : min(rows.stop, rows.start + 40)]
        message = _MESSAGES[rows.status].format(token=token.decode("utf-8", "backslashreplace"))
        raise ReadError(path, message, block.first_line + rows.line)
    rows.values[rows.hard] = exact_floats(block.text, rows.hard_starts, rows.hard_stops)
    if not rows.in_order:
        unused = np.empty(len(rows.labels))
        for what, starts, columns, values in (
            ("label", rows.label_starts, rows.labels, unused),
            ("feature", rows.pair_starts, rows.indices, rows.values),
        ):
            row, column = kernel.sort_rows(starts, columns, values)
            if row >= 0:
                raise ReadError(
                    path,
                    f"each {what} may stand once in a line; got {what} {column} twice. Remove one.",
                    block.first_line + int(rows.row_lines[row]),
                )
    # Copies, because the parsed arrays are as long as the block might have needed.
    return _Table(
        rows.row_lines + block.first_line,
        rows.label_starts,
        rows.labels.copy(),
        rows.pair_starts,
        rows.indices.copy(),
        rows.values.copy(),
        len(block.text),
    )


def _joined_starts(parts: tuple[IntArray, ...]) -> IntArray:
    counts = np.concatenate([np.diff(starts) for starts in parts])
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _dataset(
    path: PathLike,
    table: _Table,
    given: tuple[int | None, int | None],
    promised: list[int],
    counts_from: int,
    note: str,
) -> Dataset:
    """Make the data set; d and K are given by the caller, promised by the file, or shown by it."""
    indices = table.indices - np.int32(counts_from)
    promised_d, promised_K = promised or (None, None)
    d = _n_columns(path, "features", table, given[0], promised_d, indices, table.line_of_pair)
    K = _n_columns(path, "labels", table, given[1], promised_K, table.labels, table.line_of_label)
    n = table.n_rows
    return Dataset(
        sp.csr_array((table.values, indices, table.pair_starts), shape=(n, d)),
        sp.csr_array((np.ones(len(table.labels)), table.labels, table.label_starts), shape=(n, K)),
        name=name_of(path),
        provenance=origin_of(path, note),
    )


def _n_columns(
    path: PathLike,
    what: str,
    table: _Table,
    given: int | None,
    promised: int | None,
    columns: NDArray[np.int32],
    line_of: Callable[[int], int],
) -> int:
    shown = int(columns.max(initial=-1)) + 1
    line = line_of(int(columns.argmax())) if shown else 1
    stated = promised if given is None else given
    if stated is not None and shown > stated:
        raise ReadError(
            path,
            f"the file or the caller promises {stated:,} {what}; "
            f"got number {shown - 1:,}, counted from 0. Correct one of them.",
            line,
        )
    count = shown if stated is None else stated
    # What the caller says himself he may have.
    most = max(COLUMNS_FLOOR, COLUMNS_PER_BYTE.value * table.n_bytes)
    if given is None and count > most:
        raise ReadError(
            path,
            f"expected at most {most:,} {what} of {table.n_bytes:,} bytes of rows, got {count:,}. "
            f"{COLUMNS_PER_BYTE.remedy}",
            line if promised is None else 1,
        )
    return count
