"""Where the records of a CSV file begin and how many fields they have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._matrices import IntArray

FIELD_START, IN_FIELD, QUOTED, QUOTE_IN_QUOTED = range(4)
STATE, FIELDS, BLANK, RECORD_LINE, LINE, PROBLEM = range(6)
FINE, NUL_BYTE, LONE_RETURN = range(3)

_NUL, _TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE = 0, 9, 10, 13, 32, 34


def first_memory() -> IntArray:
    """Return what :func:`scan_records` must remember at the beginning of a file."""
    return np.array([FIELD_START, 1, 1, 1, 1, FINE], dtype=np.int64)


@compiled()
def scan_records(
    text: NDArray[np.uint8], delimiter: int, memory: IntArray
) -> tuple[IntArray, IntArray]:
    """Find the records that end in this block, by the rules of pandas' C parser.

    A quote opens a quoted field only at the field's start, two quotes inside are one, line ends
    inside belong to the field, lines of blanks only are no records.

    Parameters
    ----------
    text : ndarray of uint8
        Whole lines.
    delimiter : int
        The byte between fields.
    memory : ndarray of int64, shape (6,)
        Carried from block to block, changed in place: state, fields so far, whether the record is
        blank so far, its first line, the current line, the problem that ended the scan.

    Returns
    -------
    lines, fields : ndarray of int64
        First line (1-based) and number of fields of each record.
    """
    n_lines = 1
    for byte in text:
        n_lines += byte == _NEWLINE
    lines = np.empty(n_lines, np.int64)
    fields = np.empty(n_lines, np.int64)
    records = 0
    size = len(text)
    for i in range(size):
        byte = text[i]
        if byte == _NUL:
            memory[PROBLEM] = NUL_BYTE
            break
        state = memory[STATE]
        if state == QUOTED:
            if byte == _QUOTE:
                memory[STATE] = QUOTE_IN_QUOTED
            elif byte == _NEWLINE:
                memory[LINE] += 1
        elif byte == _NEWLINE:
            if not memory[BLANK]:
                lines[records] = memory[RECORD_LINE]
                fields[records] = memory[FIELDS]
                records += 1
            memory[STATE], memory[FIELDS], memory[BLANK] = FIELD_START, 1, 1
            memory[LINE] += 1
            memory[RECORD_LINE] = memory[LINE]
        elif byte == _RETURN:
            if i + 1 < size and text[i + 1] != _NEWLINE:
                memory[PROBLEM] = LONE_RETURN
                break
        elif byte == delimiter:
            memory[STATE], memory[BLANK] = FIELD_START, 0
            memory[FIELDS] += 1
        elif byte == _QUOTE and state in (FIELD_START, QUOTE_IN_QUOTED):
            memory[STATE], memory[BLANK] = QUOTED, 0
        else:
            memory[STATE] = IN_FIELD
            if byte != _SPACE and byte != _TAB:
                memory[BLANK] = 0
    return lines[:records], fields[:records]
