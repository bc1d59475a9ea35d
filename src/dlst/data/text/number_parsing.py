"""Numbers from bytes, compiled: shared by all text readers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled
from dlst._matrices import FloatArray, IntArray

EXACT, ROUNDED_ELSEWHERE, NOT_A_NUMBER = 0, 1, 2

# All powers of ten that a double holds exactly.
_POWERS_OF_TEN = 10.0 ** np.arange(23)
_LARGEST_EXACT = 2**53


@compiled()
def scan_float(text: NDArray[np.uint8], start: int, stop: int) -> tuple[float, int, int]:
    """Read the longest decimal number at ``text[start:stop]``: value, status and where it ends.

    ``EXACT`` is the nearest double; ``ROUNDED_ELSEWHERE`` marks a well-formed number whose last
    bit needs more than one operation. Up to 2^53 and 10^22 both factors of
    ``digits × 10^exponent`` are doubles, so the one rounding of their product or quotient gives
    the nearest double; the real files of the field fall in this range.
    """
    i = start
    negative = False
    if i < stop and (text[i] == 45 or text[i] == 43):  # - +
        negative = text[i] == 45
        i += 1
    digits = np.uint64(0)
    first = i
    while i < stop and 48 <= text[i] <= 57:
        digits = digits * np.uint64(10) + np.uint64(text[i] - 48)
        i += 1
    seen = i - first
    exponent = 0
    if i < stop and text[i] == 46:  # .
        i += 1
        first = i
        while i < stop and 48 <= text[i] <= 57:
            digits = digits * np.uint64(10) + np.uint64(text[i] - 48)
            i += 1
        exponent = first - i
        seen += i - first
    if seen == 0:
        return 0.0, NOT_A_NUMBER, i
    if i < stop and (text[i] == 101 or text[i] == 69):  # e E
        i += 1
        minus = False
        if i < stop and (text[i] == 45 or text[i] == 43):
            minus = text[i] == 45
            i += 1
        first = i
        power = 0
        while i < stop and 48 <= text[i] <= 57:
            power = min(power * 10 + int(text[i] - 48), 100_000)
            i += 1
        if i == first:
            return 0.0, NOT_A_NUMBER, i
        exponent += -power if minus else power
    # Beyond 18 digits the product above may have wrapped around.
    if seen > 18 or digits > np.uint64(_LARGEST_EXACT) or exponent < -22 or exponent > 22:
        return 0.0, ROUNDED_ELSEWHERE, i
    value = float(digits)
    if exponent < 0:
        value /= _POWERS_OF_TEN[-exponent]
    else:
        value *= _POWERS_OF_TEN[exponent]
    return (-value if negative else value), EXACT, i


@compiled()
def parse_float(text: NDArray[np.uint8], start: int, stop: int) -> tuple[float, int]:
    """Read the number that fills ``text[start:stop]``: its value and a status.

    Besides what :func:`scan_float` knows, nan, inf and infinity are ``ROUNDED_ELSEWHERE``: such
    numbers are read by :func:`exact_floats`.
    """
    value, status, end = scan_float(text, start, stop)
    if status == NOT_A_NUMBER:
        return 0.0, _word_status(text, start, stop)
    return value, status if end == stop else NOT_A_NUMBER


@compiled()
def _word_status(text: NDArray[np.uint8], start: int, stop: int) -> int:
    """Tell nan, inf and infinity, signed and in any case, from everything else."""
    if start < stop and (text[start] == 45 or text[start] == 43):
        start += 1
    length = stop - start
    if length != 3 and length != 8:
        return NOT_A_NUMBER
    for word in ("nan", "inf", "infinity"):
        if len(word) == length:
            same = True
            for offset in range(length):
                if (text[start + offset] | 32) != ord(word[offset]):
                    same = False
            if same:
                return ROUNDED_ELSEWHERE
    return NOT_A_NUMBER


@compiled()
def parse_index(text: NDArray[np.uint8], start: int, stop: int) -> int:
    """Read a non-negative integer below 2^62, or return -1."""
    if start >= stop or stop - start > 18:
        return -1
    value = 0
    for i in range(start, stop):
        byte = text[i]
        if byte < 48 or byte > 57:
            return -1
        value = value * 10 + int(byte - 48)
    return value


def exact_floats(text: bytes, starts: IntArray, stops: IntArray) -> FloatArray:
    """Read well-formed numbers of any length, rightly rounded."""
    # Not through an array of bytes, which would pad every token to the longest one.
    tokens = (text[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True))
    return np.fromiter(map(float, tokens), dtype=np.float64, count=len(starts))
