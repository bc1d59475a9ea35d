"""Rows of an ARFF file to arrays, compiled.

The header has been read; a :class:`Schema` says what each attribute is and where it goes. The
kernels walk the bytes once. What they cannot settle alone (numbers that need more than one
rounding, categories with escapes) they leave in a queue that the caller drains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._matrices import FloatArray, IntArray
from dlst.data.text.number_parsing import (
    EXACT,
    ROUNDED_ELSEWHERE,
    parse_float,
    parse_index,
    scan_float,
)

NUMERIC, NOMINAL, TEXT = 0, 1, 2

# How a call of a kernel ended. What a cell is, as number_parsing says it, has the same numbers.
(
    DONE, QUEUE_FULL, BAD_NUMBER, UNKNOWN_CATEGORY, BAD_LABEL, EMPTY_CELL, OPEN_QUOTE,
    TOO_FEW_CELLS, TOO_MANY_CELLS, BAD_INDEX, INDEX_NOT_ASCENDING, OPEN_ROW, TEXT_AFTER_ROW,
    OTHER_ROW_STYLE,
) = range(14)  # fmt: skip

_TAB, _SPACE, _RETURN, _NEWLINE = 9, 32, 13, 10
_COMMA, _PERCENT, _QUESTION, _BACKSLASH = 44, 37, 63, 92
_SINGLE, _DOUBLE, _OPEN, _CLOSE = 39, 34, 123, 125


class Schema(NamedTuple):
    """What each attribute is, and where its values go.

    ``target`` is the feature column, or ``-1 - j`` for label ``j``. The categories of attribute
    ``a`` are ``first_category[a]:first_category[a + 1]``, sorted by their bytes
    ``category_bytes[category_start[c]:category_start[c + 1]]``; ``category_value`` is what each
    stands for. ``default`` is what a sparse row means by leaving the attribute out.
    """

    kind: NDArray[np.int8]
    target: IntArray
    first_category: IntArray
    category_start: IntArray
    category_bytes: NDArray[np.uint8]
    category_value: FloatArray
    default: FloatArray


# The kernels unpack the Schema once and convert cells in place: handing its arrays to a function
# for each cell would count references to all of them, which takes longer than reading the cell.


class Stop(NamedTuple):
    """Where and why a kernel returned: rows and queue entries made, byte position, attribute."""

    status: int
    rows: int
    queued: int
    position: int
    cell_start: int
    cell_stop: int
    attribute: int


@compiled(inline="always")
def _is_blank(byte: int) -> bool:
    return byte in (_SPACE, _TAB, _RETURN)


@compiled()
def _cell(text: NDArray[np.uint8], i: int, stop: int) -> tuple[int, int, int, bool, bool]:
    """Find the cell that begins at ``i``: its start, stop, what follows it, quoted, escaped.

    A quote that never closes gives ``after = -1``.
    """
    quote = text[i]
    if quote != _SINGLE and quote != _DOUBLE:
        start = i
        while i < stop and text[i] != _COMMA and text[i] != _CLOSE and not _is_blank(text[i]):
            i += 1
        return start, i, i, False, False
    start = i + 1
    escaped = False
    i += 1
    while i < stop and text[i] != quote:
        if text[i] == _BACKSLASH:
            escaped = True
            i += 1
        i += 1
    if i >= stop:
        return start, stop, -1, True, escaped
    after = i + 1
    separated = (
        after == stop or text[after] == _COMMA or text[after] == _CLOSE or _is_blank(text[after])
    )
    return start, i, after if separated else -1, True, escaped


@compiled()
def _find_category(
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    low: int,
    high: int,
    category_start: IntArray,
    category_bytes: NDArray[np.uint8],
) -> int:
    """Search the sorted categories ``low:high`` for the bytes of a cell; -1 when absent."""
    length = stop - start
    while low < high:
        middle = (low + high) // 2
        first = category_start[middle]
        size = category_start[middle + 1] - first
        order = 0
        for offset in range(min(length, size)):
            # Signed before subtracting: numba keeps the difference of two bytes unsigned.
            ours = np.int64(text[start + offset])
            order = int(ours - np.int64(category_bytes[first + offset]))
            if order != 0:
                break
        if order == 0:
            order = length - size
        if order == 0:
            return middle
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return -1


@compiled()
def _number(text: NDArray[np.uint8], start: int, stop: int, is_label: bool) -> tuple[float, int]:
    """Read a numeric cell: its value, and what it is."""
    value, status = parse_float(text, start, stop)
    if is_label and status == EXACT and value != 0.0 and value != 1.0:
        return value, BAD_LABEL
    return value, status


@compiled()
def _line_end(text: NDArray[np.uint8], i: int) -> int:
    while i < text.size and text[i] != _NEWLINE:
        i += 1
    return i


@compiled()
def _first_cell(text: NDArray[np.uint8], i: int) -> int:
    """Skip to the first byte of a row, or to the end of a line without one."""
    while i < text.size and _is_blank(text[i]):
        i += 1
    return _line_end(text, i) if i < text.size and text[i] == _PERCENT else i


@compiled()
def read_dense_rows(
    text: NDArray[np.uint8],
    schema: Schema,
    queue: IntArray,
    features: FloatArray,
    labels: NDArray[np.int8],
    begin: int,
    row: int,
) -> Stop:
    """Read comma- or blank-separated rows into ``features`` and ``labels`` (-1 = unknown).

    A queue entry is row, attribute, start, stop.
    """
    kind, target, first_category, category_start, category_bytes, category_value, _ = schema
    n_attributes = kind.size
    queued = 0
    while begin < text.size:
        i = _first_cell(text, begin)
        if i == text.size or text[i] == _NEWLINE:
            begin = i + 1
            continue
        if text[i] == _OPEN:
            return Stop(OTHER_ROW_STYLE, row, queued, i, i, _line_end(text, i), 0)
        if queued + n_attributes > queue.shape[0]:
            return Stop(QUEUE_FULL, row, queued, begin, i, i, 0)
        stop = -1  # the end of the line is looked for when a cell first needs it
        for attribute in range(n_attributes):
            if kind[attribute] == NUMERIC and target[attribute] >= 0:
                # Nearly every cell of a dense file is a plain number before a comma.
                value, status, after = scan_float(text, i, text.size)
                if status == EXACT and after + 1 < text.size and text[after] == _COMMA:
                    byte = text[after + 1]
                    if not _is_blank(byte) and byte != _NEWLINE:
                        features[row, target[attribute]] = value
                        i = after + 1
                        continue
            if stop < 0:
                stop = _line_end(text, i)
            if i >= stop:
                return Stop(TOO_FEW_CELLS, row, queued, begin, i, i, attribute)
            start, end, after, quoted, escaped = _cell(text, i, stop)
            if after < 0:
                return Stop(OPEN_QUOTE, row, queued, begin, start, end, attribute)
            if start == end and not quoted:
                return Stop(EMPTY_CELL, row, queued, begin, start, end, attribute)
            if kind[attribute] != TEXT:
                if not quoted and end - start == 1 and text[start] == _QUESTION:
                    value, status = np.nan, EXACT
                elif kind[attribute] == NUMERIC:
                    value, status = _number(text, start, end, target[attribute] < 0)
                elif escaped:
                    value, status = np.nan, ROUNDED_ELSEWHERE
                else:
                    low, high = first_category[attribute], first_category[attribute + 1]
                    found = _find_category(
                        text, start, end, low, high, category_start, category_bytes
                    )
                    value = category_value[found]
                    status = EXACT if found >= 0 else UNKNOWN_CATEGORY
                if status == ROUNDED_ELSEWHERE:
                    queue[queued, 0], queue[queued, 1] = row, attribute
                    queue[queued, 2], queue[queued, 3] = start, end
                    queued += 1
                elif status != EXACT:
                    return Stop(status, row, queued, begin, start, end, attribute)
                column = target[attribute]
                if column >= 0:
                    features[row, column] = value
                else:
                    labels[row, -1 - column] = -1 if np.isnan(value) else np.int8(value)
            i = after
            while i < stop and _is_blank(text[i]):
                i += 1
            if i < stop and text[i] == _COMMA:
                i += 1
                while i < stop and _is_blank(text[i]):
                    i += 1
                if i == stop:
                    return Stop(EMPTY_CELL, row, queued, begin, i, i, attribute + 1)
        if stop < 0:
            stop = _line_end(text, i)
        if i < stop:
            return Stop(TOO_MANY_CELLS, row, queued, begin, i, stop, n_attributes)
        row += 1
        begin = stop + 1
    return Stop(DONE, row, queued, begin, 0, 0, 0)


@compiled()
def read_sparse_rows(
    text: NDArray[np.uint8],
    schema: Schema,
    queue: IntArray,
    entries: IntArray,
    columns: NDArray[np.int32],
    values: FloatArray,
    feature_counts: IntArray,
    label_counts: IntArray,
    begin: int,
    row: int,
) -> Stop:
    """Read ``{index value, …}`` rows as entries (column, value minus the attribute's default).

    Features fill ``columns`` and ``values`` from the front, labels from the back, so that one
    allocation serves both; ``entries`` holds how many of each there are. A queue entry is the
    place in ``values``, attribute, start, stop.
    """
    kind, target, first_category, category_start, category_bytes, category_value, default = schema
    n_attributes = kind.size
    queued = 0
    while begin < text.size:
        i = _first_cell(text, begin)
        stop = _line_end(text, i)
        if i == stop:
            begin = stop + 1
            continue
        if text[i] != _OPEN:
            return Stop(OTHER_ROW_STYLE, row, queued, i, i, stop, 0)
        if queued + n_attributes > queue.shape[0]:
            return Stop(QUEUE_FULL, row, queued, begin, i, i, 0)
        i += 1
        previous = -1
        n_features, n_labels = entries[0], entries[1]
        closed = False
        while i < stop:
            while i < stop and _is_blank(text[i]):
                i += 1
            if i < stop and text[i] == _CLOSE:
                closed = True
                i += 1
                break
            if i >= stop:
                break
            start, end, after, quoted, escaped = _cell(text, i, stop)
            attribute = -1 if after < 0 else parse_index(text, start, end)
            if attribute < 0 or attribute >= n_attributes:
                return Stop(BAD_INDEX, row, queued, begin, start, end, 0)
            if attribute <= previous:
                return Stop(INDEX_NOT_ASCENDING, row, queued, begin, start, end, attribute)
            previous = attribute
            i = after
            while i < stop and _is_blank(text[i]):
                i += 1
            if i >= stop or text[i] == _COMMA or text[i] == _CLOSE:
                return Stop(EMPTY_CELL, row, queued, begin, i, i, attribute)
            start, end, after, quoted, escaped = _cell(text, i, stop)
            if after < 0:
                return Stop(OPEN_QUOTE, row, queued, begin, start, end, attribute)
            if kind[attribute] != TEXT:
                if not quoted and end - start == 1 and text[start] == _QUESTION:
                    value, status = np.nan, EXACT
                elif kind[attribute] == NUMERIC:
                    value, status = _number(text, start, end, target[attribute] < 0)
                elif escaped:
                    value, status = np.nan, ROUNDED_ELSEWHERE
                else:
                    low, high = first_category[attribute], first_category[attribute + 1]
                    found = _find_category(
                        text, start, end, low, high, category_start, category_bytes
                    )
                    value = category_value[found]
                    status = EXACT if found >= 0 else UNKNOWN_CATEGORY
                if status != EXACT and status != ROUNDED_ELSEWHERE:
                    return Stop(status, row, queued, begin, start, end, attribute)
                value -= default[attribute]
                if status == ROUNDED_ELSEWHERE or value != 0.0:
                    column = target[attribute]
                    if column >= 0:
                        place = n_features
                        n_features += 1
                        columns[place] = column
                    else:
                        n_labels += 1
                        place = values.size - n_labels
                        columns[place] = -1 - column
                    values[place] = value
                    if status == ROUNDED_ELSEWHERE:
                        queue[queued, 0], queue[queued, 1] = place, attribute
                        queue[queued, 2], queue[queued, 3] = start, end
                        queued += 1
            i = after
            while i < stop and _is_blank(text[i]):
                i += 1
            if i < stop and text[i] == _COMMA:
                i += 1
            elif i < stop and text[i] != _CLOSE:
                return Stop(TOO_MANY_CELLS, row, queued, begin, i, stop, attribute)
        if not closed:
            return Stop(OPEN_ROW, row, queued, begin, begin, stop, 0)
        while i < stop and _is_blank(text[i]):
            i += 1
        if i < stop:
            return Stop(TEXT_AFTER_ROW, row, queued, begin, i, stop, 0)
        feature_counts[row] = n_features - entries[0]
        label_counts[row] = n_labels - entries[1]
        entries[0], entries[1] = n_features, n_labels
        row += 1
        begin = stop + 1
    return Stop(DONE, row, queued, begin, 0, 0, 0)
