"""Numbers out of bytes: every bit as Python's own float()."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dlst.data.text.number_parsing import (
    EXACT,
    NOT_A_NUMBER,
    ROUNDED_ELSEWHERE,
    exact_floats,
    parse_float,
    parse_index,
)


def parsed(text: str) -> float | None:
    raw = text.encode()
    value, status = parse_float(np.frombuffer(raw, np.uint8), 0, len(raw))
    if status == ROUNDED_ELSEWHERE:
        return float(exact_floats(raw, np.array([0]), np.array([len(raw)]))[0])
    return value if status == EXACT else None


def same(ours: float | None, theirs: float) -> bool:
    return ours is not None and np.float64(ours).tobytes() == np.float64(theirs).tobytes()


@given(st.floats(allow_nan=False))
@example(5e-324)
@example(-0.0)
@example(1.7976931348623157e308)
def test_every_double_survives_its_repr(value):
    assert same(parsed(repr(value)), value)


@given(st.from_regex(r"[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,4})?", fullmatch=True))
@example("9007199254740993")
@example("1e23")
@example("123456789012345678901234567890")
@example("0.000000000000000000000000000001")
def test_decimal_text_rounds_as_python_rounds(text):
    assert same(parsed(text), float(text))


@pytest.mark.parametrize("text", [".5", "5.", "-.5e-3", "+7", "00.10", "1e400", "1e-400", "-inf"])
def test_unusual_but_valid_forms(text):
    assert same(parsed(text), float(text))


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan"])
def test_nan_is_a_number_here(text):
    assert np.isnan(parsed(text))


@pytest.mark.parametrize(
    "text", ["", "-", ".", "e5", "1e", "1e+", "1_0", "0x1", "1 2", "1,2", "infinit", "--1", "1.2.3"]
)
def test_anything_else_is_not(text):
    raw = np.frombuffer(text.encode() or b" ", np.uint8)
    assert parse_float(raw, 0, len(text))[1] == NOT_A_NUMBER


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("42", 42),
        ("9" * 18, 10**18 - 1),
        ("1" * 19, -1),
        ("-1", -1),
        ("", -1),
        ("1a", -1),
    ],
)
def test_indices(text, expected):
    raw = np.frombuffer(text.encode() or b" ", np.uint8)
    assert parse_index(raw, 0, len(text)) == expected
