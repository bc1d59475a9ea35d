"""Lines of numbers, compiled, against Python's own reading."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst.data.text.number_lines_kernel import parse_number_rows
from dlst.data.text.number_parsing import exact_floats

numbers = st.one_of(st.integers(-(10**20), 10**20), st.floats(width=64)).map(repr)
separators = st.sampled_from([" ", "\t", ",", "  ", ", "])
ends = st.sampled_from(["\n", "\r\n", " \n"])


def parse(text: bytes):
    values, counts, pending, bounds, bad, start, stop = parse_number_rows(
        np.frombuffer(text, dtype=np.uint8)
    )
    if len(pending):
        values[pending] = exact_floats(text, bounds[::2], bounds[1::2])
    return values, counts, bad, text[start:stop]


@settings(deadline=None)  # the first example may compile
@given(st.lists(st.lists(numbers, max_size=5), max_size=40), separators, ends, st.booleans())
def test_every_line_reads_as_python_reads_it(table, separator, end, whole):
    text = "".join(separator.join(row) + end for row in table)
    if not whole:
        text = text.rstrip("\r\n")
    values, counts, bad, _ = parse(text.encode())
    assert bad == -1
    lines = text.split("\n")
    expected = lines[:-1] if lines[-1] == "" else lines
    assert counts.tolist() == [len(line.replace(",", " ").split()) for line in expected]
    for ours, theirs in zip(values, (float(cell) for row in table for cell in row), strict=True):
        assert ours == theirs or (math.isnan(ours) and math.isnan(theirs))


def test_a_column_of_long_numbers_keeps_every_bit():
    wanted = np.random.default_rng(0).random(200)
    values, counts, _, _ = parse("\n".join(repr(value) for value in wanted.tolist()).encode())
    np.testing.assert_array_equal(values, wanted)
    assert counts.tolist() == [1] * 200


def test_the_first_word_that_is_no_number_is_named_with_its_line():
    *_, bad, token = parse(b"1 2\n\n3 four 5\nsix\n")
    assert (bad, token) == (2, b"four")


def test_no_text_has_no_lines():
    values, counts, bad, _ = parse(b"")
    assert (len(values), len(counts), bad) == (0, 0, -1)
