"""Lines of plain numbers out of bytes: label lists, id lists, feature tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._matrices import FloatArray, IntArray
from dlst.data.text.number_parsing import NOT_A_NUMBER, ROUNDED_ELSEWHERE, parse_float

NEWLINE = 10
LONGEST_PLAIN = 15
"""So many digits are a double exactly."""


@compiled()
def _is_separator(byte: int) -> bool:
    return byte == 32 or byte == 44 or byte == 9 or byte == 13  # space , tab CR


@compiled()
def _count(text: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Count the tokens, those of them that are long or not only digits, and the lines."""
    tokens = 0
    others = 0
    lines = 0
    length = 0
    plain = True
    for byte in text:
        if byte == NEWLINE or _is_separator(byte):
            lines += byte == NEWLINE
            length = 0
            plain = True
            continue
        length += 1
        tokens += length == 1
        if plain and (byte < 48 or byte > 57 or length > LONGEST_PLAIN):
            others += 1
            plain = False
    if text.size and text[-1] != NEWLINE:
        lines += 1
    return tokens, others, lines


@compiled()
def parse_number_rows(
    text: NDArray[np.uint8],
) -> tuple[FloatArray, IntArray, IntArray, IntArray, int, int, int]:
    """Read numbers separated by blanks or commas, line by line.

    Returns
    -------
    values : ndarray of shape (n_tokens,)
        The numbers in the order of the text.
    counts : ndarray of shape (n_lines,)
        Numbers on each line; 0 for a blank one.
    pending : ndarray of shape (n_pending,)
        Positions in ``values`` that :func:`dlst.data.text.number_parsing.exact_floats` must fill.
    bounds : ndarray of shape (2 * n_pending,)
        Start and stop of each pending token.
    bad_line, bad_start, bad_stop : int
        0-based line and place of the first token that is no number; -1 when there is none.
    """
    n_tokens, n_others, n_lines = _count(text)
    values = np.empty(n_tokens)
    counts = np.zeros(n_lines, np.int64)
    pending = np.empty(n_others, np.int64)
    bounds = np.empty(2 * n_others, np.int64)
    n_pending = 0
    token = 0
    line = 0
    i = 0
    size = text.size
    while i < size:
        if text[i] == NEWLINE:
            line += 1
            i += 1
            continue
        if _is_separator(text[i]):
            i += 1
            continue
        # Counts and label numbers are short runs of digits, read on the way to their end.
        start = i
        digits = 0
        while i < size and 48 <= text[i] <= 57 and i - start < LONGEST_PLAIN:
            digits = digits * 10 + int(text[i] - 48)
            i += 1
        if i > start and (i == size or text[i] == NEWLINE or _is_separator(text[i])):
            values[token] = digits
            counts[line] += 1
            token += 1
            continue
        while i < size and text[i] != NEWLINE and not _is_separator(text[i]):
            i += 1
        value, status = parse_float(text, start, i)
        if status == NOT_A_NUMBER:
            return values[:0], counts[:0], pending[:0], bounds[:0], line, start, i
        if status == ROUNDED_ELSEWHERE:
            pending[n_pending] = token
            bounds[2 * n_pending] = start
            bounds[2 * n_pending + 1] = i
            n_pending += 1
        values[token] = value
        counts[line] += 1
        token += 1
    return values, counts, pending[:n_pending], bounds[: 2 * n_pending], -1, -1, -1
