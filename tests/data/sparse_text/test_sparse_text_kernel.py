"""The compiled parser against a few lines of plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst.data.sparse_text import rows_kernel as kernel
from dlst.data.text.number_parsing import exact_floats

LARGEST = 10**8


def parse(text: bytes, every_line: bool = False) -> kernel.ParsedRows:
    return kernel.parse_rows(np.frombuffer(text, np.uint8), LARGEST, every_line)


def slow_rows(text: str) -> list[tuple[list[int], list[tuple[int, float]]]]:
    rows = []
    for line in text.split("\n"):
        tokens = line.split("#")[0].split()
        if not tokens:
            continue
        labels = [] if ":" in tokens[0] else [int(float(t)) for t in tokens.pop(0).split(",")]
        pairs = [token.split(":") for token in tokens if not token.startswith("qid:")]
        rows.append((labels, [(int(index), float(value)) for index, value in pairs]))
    return rows


def as_lists(text: bytes) -> list[tuple[list[int], list[tuple[int, float]]]]:
    rows = parse(text)
    assert rows.status == kernel.OK
    rows.values[rows.hard] = exact_floats(text, rows.hard_starts, rows.hard_stops)
    found = []
    for row in range(len(rows.row_lines)):
        a, b = rows.label_starts[row : row + 2]
        u, v = rows.pair_starts[row : row + 2]
        pairs = zip(rows.indices[u:v].tolist(), rows.values[u:v].tolist(), strict=True)
        found.append((rows.labels[a:b].tolist(), list(pairs)))
    return found


numbers = st.floats(allow_nan=False, width=64).map(repr) | st.integers(-(10**20), 10**20).map(str)
pairs = st.tuples(st.integers(0, LARGEST), numbers).map(lambda pair: f"{pair[0]}:{pair[1]}")
labels = st.lists(st.integers(0, LARGEST).map(str) | st.just("3.0"), max_size=3).map(",".join)
blanks = st.sampled_from([" ", "\t", "  "])
lines = st.builds(
    lambda some, blank, rest, end: some + blank + blank.join(rest) + end,
    labels,
    blanks,
    st.lists(pairs | st.just("qid:7"), max_size=4),
    st.sampled_from(["", " ", "\r", " # a comment: 1,2", "#"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(lines, max_size=6), st.booleans())
def test_parses_what_plain_python_parses(rows: list[str], closed: bool) -> None:
    text = "\n".join(rows) + "\n" * closed
    assert as_lists(text.encode()) == slow_rows(text)


@pytest.mark.parametrize(
    ("line", "status", "token"),
    [
        ("sky 1:2", kernel.BAD_LABEL, "sky"),
        ("-1 1:2", kernel.BAD_LABEL, "-1"),
        ("1,,2 1:2", kernel.BAD_LABEL, ""),
        ("1, 1:2", kernel.BAD_LABEL, ""),
        ("1.5 1:2", kernel.BAD_LABEL, "1.5"),
        ("nan 1:2", kernel.BAD_LABEL, "nan"),
        ("100000001 1:2", kernel.LARGE_LABEL, "100000001"),
        ("1e15 1:2", kernel.LARGE_LABEL, "1e15"),
        ("1 100000001:2", kernel.LARGE_INDEX, "100000001:2"),
        ("1 -1:2", kernel.BAD_INDEX, "-1:2"),
        ("1 1.0:2", kernel.BAD_INDEX, "1.0:2"),
        ("1 :2", kernel.BAD_INDEX, ":2"),
        ("1 3:", kernel.BAD_VALUE, "3:"),
        ("1 3:x", kernel.BAD_VALUE, "3:x"),
        ("1 3:4:5", kernel.BAD_VALUE, "3:4:5"),
        ("1 2 3:4", kernel.NO_COLON, "2"),
        ("1 3:4 \x00", kernel.BAD_PAIR, "\x00"),
    ],
)
def test_an_error_has_its_kind_line_and_text(line: str, status: int, token: str) -> None:
    text = f"0 1:1\n\n{line}\n0 1:1\n".encode()
    rows = parse(text)
    assert (rows.status, rows.line) == (status, 2)
    assert text[rows.start : rows.stop].decode() == token


def test_every_line_is_a_row_only_when_asked() -> None:
    text = b"0 1:1\n\n 2:2\n\n"
    assert parse(text).row_lines.tolist() == [0, 2]
    assert parse(text, every_line=True).row_lines.tolist() == [0, 1, 2, 3]


def test_xc_knows_no_comments() -> None:
    assert parse(b"0 1:1 # x\n", every_line=True).status == kernel.NO_COLON


def test_order_is_noticed() -> None:
    assert parse(b"0,1 1:1 2:1\n0 1:1\n").in_order
    assert not parse(b"1,0 1:1\n").in_order
    assert not parse(b"0 2:1 1:1\n").in_order
    assert not parse(b"0 1:1 1:1\n").in_order


def test_rows_are_sorted_each_for_itself() -> None:
    starts = np.array([0, 3, 3, 5])
    columns = np.array([5, 1, 3, 2, 0], np.int32)
    values = np.array([50.0, 10.0, 30.0, 20.0, 0.5])
    assert kernel.sort_rows(starts, columns, values) == (-1, -1)
    assert columns.tolist() == [1, 3, 5, 0, 2]
    assert values.tolist() == [10.0, 30.0, 50.0, 0.5, 20.0]


def test_a_column_that_is_there_twice_is_named_with_its_row() -> None:
    columns = np.array([0, 4, 2, 4], np.int32)
    assert kernel.sort_rows(np.array([0, 1, 4]), columns, np.ones(4)) == (1, 4)
