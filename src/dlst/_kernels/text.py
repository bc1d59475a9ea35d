"""Numbers out of bytes, compiled: what every text reader of this package shares."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

EXACT, ROUNDED_ELSEWHERE, NOT_A_NUMBER = 0, 1, 2

# All powers of ten that a double holds exactly.
_POWERS_OF_TEN = 10.0 ** np.arange(23)
_LARGEST_EXACT = 2**53


@njit(cache=True, nogil=True)
def parse_float(text: NDArray[np.uint8], start: int, stop: int) -> tuple[float, int]:
    """Read the decimal number in ``text[start:stop]``.

    Returns the value and a status: ``EXACT``; ``ROUNDED_ELSEWHERE`` for a well-formed number
    (also nan and inf) whose last bit needs more than one multiplication, to be read by
    :func:`exact_floats`; ``NOT_A_NUMBER``.

    Up to 2^53 and 10^22 both factors of ``digits × 10^exponent`` are doubles, so the one rounding
    of their product gives the nearest double; the real files of the field fall in this range.
    """
    i = start
    negative = False
    if i < stop and (text[i] == 45 or text[i] == 43):  # - +
        negative = text[i] == 45
        i += 1
    digits = np.uint64(0)
    exponent = 0
    seen = 0
    overflow = False
    point = False
    while i < stop:
        byte = text[i]
        if 48 <= byte <= 57:
            if digits > np.uint64(10**17):
                overflow = True
            digits = digits * np.uint64(10) + np.uint64(byte - 48)
            seen += 1
            if point:
                exponent -= 1
        elif byte == 46 and not point:  # .
            point = True
        else:
            break
        i += 1
    if seen == 0:
        return 0.0, _word_status(text, i, stop) if not point else NOT_A_NUMBER
    if i < stop and (text[i] == 101 or text[i] == 69):  # e E
        i += 1
        minus = False
        if i < stop and (text[i] == 45 or text[i] == 43):
            minus = text[i] == 45
            i += 1
        if i == stop:
            return 0.0, NOT_A_NUMBER
        power = 0
        while i < stop and 48 <= text[i] <= 57:
            power = min(power * 10 + (text[i] - 48), 100_000)
            i += 1
        exponent += -power if minus else power
    if i != stop:
        return 0.0, NOT_A_NUMBER
    if overflow or digits > np.uint64(_LARGEST_EXACT) or exponent < -22 or exponent > 22:
        return 0.0, ROUNDED_ELSEWHERE
    value = float(digits)
    if exponent < 0:
        value /= _POWERS_OF_TEN[-exponent]
    else:
        value *= _POWERS_OF_TEN[exponent]
    return (-value if negative else value), EXACT


@njit(cache=True, nogil=True)
def _word_status(text: NDArray[np.uint8], start: int, stop: int) -> int:
    """Tell nan, inf and infinity, in any case, from everything else."""
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


@njit(cache=True, nogil=True)
def parse_index(text: NDArray[np.uint8], start: int, stop: int) -> int:
    """Read a non-negative integer below 2^62, or return -1."""
    if start >= stop or stop - start > 18:
        return -1
    value = 0
    for i in range(start, stop):
        byte = text[i]
        if byte < 48 or byte > 57:
            return -1
        value = value * 10 + (byte - 48)
    return value


def exact_floats(
    text: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Read well-formed numbers of any length, rightly rounded."""
    tokens = [text[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
    return np.array(tokens, dtype=bytes).astype(np.float64) if tokens else np.empty(0)
