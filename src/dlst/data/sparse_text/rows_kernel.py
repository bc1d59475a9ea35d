"""Rows of ``label,label index:value index:value`` out of bytes: LIBSVM and XC text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._matrices import FloatArray, IntArray
from dlst.data.text.number_parsing import (
    EXACT,
    NOT_A_NUMBER,
    ROUNDED_ELSEWHERE,
    parse_float,
    parse_index,
)

OK, BAD_LABEL, BAD_PAIR, BAD_INDEX, BAD_VALUE, LARGE_LABEL, LARGE_INDEX, NO_COLON = range(8)

_NEWLINE, _RETURN, _TAB, _SPACE, _HASH, _COMMA, _COLON = 10, 13, 9, 32, 35, 44, 58


class ParsedRows(NamedTuple):
    """Rows of one block, and the first error.

    Attributes
    ----------
    row_lines : ndarray of int64, shape (rows,)
        Line of each row, 0 for the first of the block.
    label_starts, pair_starts : ndarray of int64, shape (rows + 1,)
        CSR pointers into ``labels`` and into ``indices`` and ``values``.
    labels, indices : ndarray of int32
        As in the file, in its order.
    values : ndarray of float64
        Values; those listed in ``hard`` are still to be read.
    hard, hard_starts, hard_stops : ndarray of int64
        Entries whose text needs correct rounding, and where that text lies.
    in_order : bool
        Whether labels and indices rise strictly in each row.
    status, line, start, stop : int
        ``OK``, or the kind of the first error, its line (0-based) and its text.
    """

    row_lines: IntArray
    label_starts: IntArray
    labels: NDArray[np.int32]
    pair_starts: IntArray
    indices: NDArray[np.int32]
    values: FloatArray
    hard: IntArray
    hard_starts: IntArray
    hard_stops: IntArray
    in_order: bool
    status: int
    line: int
    start: int
    stop: int


@compiled()
def parse_rows(text: NDArray[np.uint8], largest: int, every_line: bool) -> ParsedRows:
    """Parse whole lines.

    Parameters
    ----------
    text : ndarray of uint8
        The block.
    largest : int
        Labels and indices above this are an error; below 2^31.
    every_line : bool
        XC: each line is a row, blank ones too. Otherwise LIBSVM: blank lines are skipped, ``#``
        begins a comment, ``qid:`` tokens mean nothing.
    """
    n_lines, n_commas, n_colons = 1, 0, 0
    for byte in text:
        n_lines += byte == _NEWLINE
        n_commas += byte == _COMMA
        n_colons += byte == _COLON
    row_lines = np.empty(n_lines, np.int64)
    label_starts = np.zeros(n_lines + 1, np.int64)
    pair_starts = np.zeros(n_lines + 1, np.int64)
    labels = np.empty(n_lines + n_commas, np.int32)
    indices = np.empty(n_colons, np.int32)
    values = np.empty(n_colons, np.float64)
    hard = [np.int64(0) for _ in range(0)]
    hard_starts = [np.int64(0) for _ in range(0)]
    hard_stops = [np.int64(0) for _ in range(0)]
    rows, n_labels, n_pairs = 0, 0, 0
    in_order = True
    status, error_start, error_stop = OK, 0, 0
    line, i, size = 0, 0, len(text)
    while i < size and status == OK:
        n_tokens = 0
        last_index = -1
        while i < size and text[i] != _NEWLINE:
            if text[i] == _SPACE or text[i] == _TAB or text[i] == _RETURN:
                i += 1
                continue
            if text[i] == _HASH and not every_line:
                while i < size and text[i] != _NEWLINE:
                    i += 1
                break
            start, colon = i, -1
            while i < size and text[i] > _SPACE and (every_line or text[i] != _HASH):
                if text[i] == _COLON and colon < 0:
                    colon = i
                i += 1
            if i == start:  # a control character, which belongs to no token
                status, error_start, error_stop = BAD_PAIR, start, start + 1
                break
            n_tokens += 1
            if colon < 0:
                if n_tokens > 1:
                    status, error_start, error_stop = NO_COLON, start, i
                    break
                n_labels, ordered, status, error_start, error_stop = _parse_labels(
                    text, start, i, largest, labels, n_labels
                )
                in_order = in_order and ordered
                if status != OK:
                    break
                continue
            if not every_line and _is_query_id(text, start, colon):
                continue
            index = parse_index(text, start, colon)
            value, kind = parse_float(text, colon + 1, i)
            if index < 0 or index > largest or kind == NOT_A_NUMBER:
                error_start, error_stop = start, i
                if index < 0:
                    status = BAD_INDEX
                elif index > largest:
                    status = LARGE_INDEX
                else:
                    status = BAD_VALUE
                break
            if kind == ROUNDED_ELSEWHERE:
                hard.append(np.int64(n_pairs))
                hard_starts.append(np.int64(colon + 1))
                hard_stops.append(np.int64(i))
            in_order = in_order and index > last_index
            last_index = index
            indices[n_pairs] = index
            values[n_pairs] = value
            n_pairs += 1
        if status != OK:
            break
        if n_tokens > 0 or every_line:
            row_lines[rows] = line
            rows += 1
            label_starts[rows] = n_labels
            pair_starts[rows] = n_pairs
        i += 1
        line += 1
    return ParsedRows(
        row_lines[:rows],
        label_starts[: rows + 1],
        labels[:n_labels],
        pair_starts[: rows + 1],
        indices[:n_pairs],
        values[:n_pairs],
        np.array(hard, dtype=np.int64),
        np.array(hard_starts, dtype=np.int64),
        np.array(hard_stops, dtype=np.int64),
        in_order,
        status,
        line,
        error_start,
        error_stop,
    )


@compiled()
def _parse_labels(
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    largest: int,
    labels: NDArray[np.int32],
    n_labels: int,
) -> tuple[int, bool, int, int, int]:
    """Read ``1,2,5`` into ``labels``; return the new count, whether it rises, and the error."""
    ordered = True
    last = -1
    a = start
    while a <= stop:
        b = a
        while b < stop and text[b] != _COMMA:
            b += 1
        label = parse_index(text, a, b)
        if label < 0:
            # Some programs write class numbers as 1.0.
            number, kind = parse_float(text, a, b)
            if kind != EXACT or number < 0 or number != np.floor(number):
                return n_labels, ordered, BAD_LABEL, a, b
            label = int(min(number, 2.0**53))
        if label > largest:
            return n_labels, ordered, LARGE_LABEL, a, b
        ordered = ordered and label > last
        last = label
        labels[n_labels] = label
        n_labels += 1
        a = b + 1
    return n_labels, ordered, OK, 0, 0


@compiled()
def _is_query_id(text: NDArray[np.uint8], start: int, colon: int) -> bool:
    return (
        colon - start == 3
        and text[start] == ord("q")
        and text[start + 1] == ord("i")
        and text[start + 2] == ord("d")
    )


@compiled()
def sort_rows(starts: IntArray, columns: NDArray[np.int32], values: FloatArray) -> tuple[int, int]:
    """Sort each row by column, in place; return the first (row, column) that is there twice.

    Without duplicates returns (-1, -1).
    """
    for row in range(len(starts) - 1):
        a, b = starts[row], starts[row + 1]
        rising = True
        for i in range(a + 1, b):
            if columns[i] <= columns[i - 1]:
                rising = False
        if rising:
            continue
        order = np.argsort(columns[a:b], kind="mergesort")
        columns[a:b] = columns[a:b][order]
        values[a:b] = values[a:b][order]
        for i in range(a + 1, b):
            if columns[i] == columns[i - 1]:
                return row, int(columns[i])
    return -1, -1
