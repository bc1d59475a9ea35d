"""The compiled scan of CSV records against the csv module."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst.data.tables import csv_records_kernel


def scan(text: bytes, pieces: int = 1) -> tuple[list[int], list[int], np.ndarray]:
    memory = csv_records_kernel.first_memory()
    lines, fields = [], []
    rows = text.splitlines(keepends=True)
    size = max(1, -(-len(rows) // pieces))
    for start in range(0, len(rows), size):
        block = np.frombuffer(b"".join(rows[start : start + size]), np.uint8)
        found = csv_records_kernel.scan_records(block, ord(","), memory)
        lines += found[0].tolist()
        fields += found[1].tolist()
    return lines, fields, memory


cells = st.text(st.sampled_from('ab ,;"\n1.'), max_size=5)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=5))
def test_finds_the_records_that_the_csv_module_wrote(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    for pieces in (1, 3):
        lines, fields, memory = scan(out.getvalue().encode(), pieces)
        assert fields == [len(row) for row in rows]
        assert memory[csv_records_kernel.STATE] != csv_records_kernel.QUOTED
        heights = [1 + sum(cell.count("\n") for cell in row) for row in rows]
        assert lines == [1 + sum(heights[:number]) for number in range(len(rows))]


def test_blank_lines_are_no_records() -> None:
    assert scan(b"a,b\n\n  \r\n1,2\r\n")[:2] == ([1, 4], [2, 2])


def test_a_quote_inside_a_plain_field_is_a_character() -> None:
    assert scan(b'5" pipe,2\n')[1] == [2]


def test_an_open_quote_is_left_in_the_memory() -> None:
    assert scan(b'a,b\n1,"2\n3,4\n')[2][csv_records_kernel.STATE] == csv_records_kernel.QUOTED


@pytest.mark.parametrize(
    ("text", "problem"),
    [(b"a\n1\x00\n", csv_records_kernel.NUL_BYTE), (b"a\n1\r2\n", csv_records_kernel.LONE_RETURN)],
)
def test_bytes_that_no_text_has_end_the_scan(text: bytes, problem: int) -> None:
    memory = csv_records_kernel.first_memory()
    csv_records_kernel.scan_records(np.frombuffer(text, np.uint8), ord(","), memory)
    assert memory[csv_records_kernel.PROBLEM] == problem
    assert memory[csv_records_kernel.LINE] == 2
