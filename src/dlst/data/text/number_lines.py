"""Text files whose lines are plain numbers, read in bounded blocks, errors with their line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._files import Block, PathLike, text_blocks
from dlst._matrices import FloatArray, IntArray
from dlst.data.text.number_lines_kernel import parse_number_rows
from dlst.data.text.number_parsing import exact_floats
from dlst.errors import ReadError

# A table stays dense when at least this share of its entries is not zero: CSR needs 12 bytes per
# stored entry against 8 for a dense one.
DENSE_SHARE = 0.5


class NumberRows(NamedTuple):
    """The filled lines of a block.

    ``values`` holds the numbers of all of them in order, ``counts`` how many each has, ``lines``
    its 1-based number in the file.
    """

    values: FloatArray
    counts: IntArray
    lines: IntArray


def number_rows(path: PathLike, *, header: bool = False) -> Iterator[NumberRows]:
    """Yield the lines of a file as numbers; blanks and commas separate, blank lines are skipped.

    Parameters
    ----------
    path : path-like
        Text file, plain or ``.gz``.
    header : bool
        Whether the first line is not data.
    """
    for block in text_blocks(path):
        if header:
            block = Block(block.text.partition(b"\n")[2], block.first_line + 1)
            header = False
        yield _parse(path, block)


def read_columns(path: PathLike, width: int) -> tuple[FloatArray, IntArray]:
    """Read a file with ``width`` numbers per line.

    Returns
    -------
    values : ndarray of shape (n, width)
    lines : ndarray of shape (n,)
        1-based line of each row.
    """
    values, lines = [np.empty((0, width))], [np.empty(0, np.int64)]
    for rows in number_rows(path):
        values.append(_rectangle(path, rows, width))
        lines.append(rows.lines)
    return np.concatenate(values), np.concatenate(lines)


def read_table_of_numbers(path: PathLike, *, header: bool = False) -> FloatArray | sp.csr_array:
    """Read a rectangular file of numbers: CSR when its first block is mostly zeros, else dense.

    Each block is packed before the next is read, so a histogram file of 135 million counts needs
    the memory of its non-zero entries.
    """
    width = 0
    sparse = False
    parts: list[FloatArray | sp.csr_array] = []
    for rows in number_rows(path, header=header):
        if not len(rows.counts):
            continue
        if not parts:
            width = int(rows.counts[0])
            sparse = bool(np.count_nonzero(rows.values) < DENSE_SHARE * len(rows.values))
        part = _rectangle(path, rows, width)
        parts.append(sp.csr_array(part) if sparse else part)
    if not parts:
        raise ReadError(path, "expected lines of numbers, got none.")
    return sp.vstack(parts, format="csr") if sparse else np.concatenate(parts)


def _parse(path: PathLike, block: Block) -> NumberRows:
    text = np.frombuffer(block.text, dtype=np.uint8)
    values, counts, pending, bounds, bad_line, start, stop = parse_number_rows(text)
    if bad_line >= 0:
        token = block.text[start : min(stop, start + 40)].decode("utf-8", "replace")
        raise ReadError(path, f"expected a number, got {token!r}.", block.first_line + bad_line)
    if len(pending):
        values[pending] = exact_floats(block.text, bounds[::2], bounds[1::2])
    filled = np.flatnonzero(counts)
    return NumberRows(values, counts[filled], block.first_line + filled)


def _rectangle(path: PathLike, rows: NumberRows, width: int) -> FloatArray:
    odd = np.flatnonzero(rows.counts != width)
    if len(odd):
        raise ReadError(
            path,
            f"expected {width} number{'s' * (width != 1)} on each line, got {rows.counts[odd[0]]}.",
            int(rows.lines[odd[0]]),
        )
    return rows.values.reshape(-1, width)
