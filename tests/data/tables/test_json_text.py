"""Tables of JSON objects: their values exact, their mistakes named by file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dlst.data import load
from dlst.data.tables import json_text
from dlst.data.tables.json_text import json_frames, read_json_frame
from dlst.data.tables.raw import read_raw
from dlst.errors import ReadError

ROWS = [
    {"id": 9007199254740993, "size": 1.5, "tags": ["sky", "sea"]},
    {"id": None, "size": 2, "tags": "sky;sun"},
    {"size": None, "tags": [], "team": "red"},
]


def write(folder: Path, text: str | bytes, name: str = "t.jsonl") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def lines(rows: list[object]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.json", "t.jsonl.gz", "t.JSON.GZ"])
@pytest.mark.parametrize("text", [lines(ROWS), json.dumps(ROWS), json.dumps(ROWS, indent=2)])
def test_objects_a_line_or_in_an_array_are_a_table(tmp_path, name, text):
    content = b"\xef\xbb\xbf" + text.encode()
    file = write(tmp_path, gzip.compress(content) if "gz" in name.lower() else content, name)
    data = load(file, labels="tags", raw=True)
    assert data.label_names == ("sea", "sky", "sun")
    assert data.Y.toarray().tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]
    frame = data.table.frame
    assert frame.columns.tolist() == ["id", "size", "team"]
    assert frame["id"].tolist() == [9007199254740993, None, None]
    np.testing.assert_array_equal(frame["size"], [1.5, 2.0, np.nan])
    assert frame["team"].tolist() == [None, None, "red"]
    assert load(file, labels="tags", nominal=["team"]).feature_names == ("id", "size", "team=red")


def test_values_stay_what_they_are(tmp_path):
    rows = [
        '{"whole": 9223372036854775807, "long": 99999999999999999999, "mixed": 9007199254740993}',
        '{"whole": -1, "long": 1, "mixed": 0.5}',
    ]
    frame, _ = read_json_frame(write(tmp_path, "\n".join(rows)))
    assert frame["whole"].tolist() == [9223372036854775807, -1]
    assert frame["long"].tolist() == ["99999999999999999999", 1]
    assert frame["mixed"].tolist() == [9007199254740993, 0.5]
    text = '{"t": "a\u2028b", "u": "\\ud83d\\ude00", "f": false, "n": NaN}\r\n'
    frame, _ = read_json_frame(write(tmp_path, text))
    assert frame.iloc[0].tolist()[:3] == ["a\u2028b", "😀", False]
    assert frame["n"].isna().all()


@pytest.mark.parametrize("text", ['{"t": "ä"}\n', '[{"t": "ä"}]'])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_other_encodings_are_read_by_their_mark_or_name(tmp_path, text, encoding):
    file = write(tmp_path, text.encode(encoding))
    given = encoding if encoding == "latin-1" else None
    assert read_json_frame(file, given)[0]["t"].tolist() == ["ä"]
    assert next(json_frames(file, given))[0]["t"].tolist() == ["ä"]


@pytest.mark.parametrize(
    ("cells", "names"),
    [([3, 5, 3], ("3", "5")), ([3, [5, 7], None], ("3", "5", "7")), ([1, 0, True], ("tags",))],
)
def test_numbers_in_a_lone_column_of_labels_may_be_names(tmp_path, cells, names):
    file = write(tmp_path, lines([{"x": 1, "tags": cell} for cell in cells]))
    assert load(file, labels=["tags"]).label_names == names


def test_lines_are_counted_with_blank_ones(tmp_path):
    for text, expected in [
        ('\n{"a": 1}\n  \r\n\n{"a": 2}', [2, 5]),
        ('[\n{"a": 1},\n\n{"a":\n2}, {"a": 3}\n]\n', [2, 4, 5]),
    ]:
        file = write(tmp_path, text)
        frame, found = read_json_frame(file)
        assert found.tolist() == expected
        assert frame["a"].tolist() == list(range(1, len(expected) + 1))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", None, "got no object"),
        (b" \n \n", None, "got no object"),
        (b"[ ]", None, "got no object"),
        (b"{}\n{}\n", None, "got objects without keys"),
        (b'{"a": 1}\n{"a": }\n', 2, r"text that is none \(expecting value, character 7\)"),
        (b'{\n  "a": 1\n}\n', 1, "Write one object a line, or all of them in one array"),
        (b'{"a": 1} {"a": 2}\n', 1, r"more text behind it \(character 9\)"),
        (b'{"a": 1}\n["a"]\n', 2, "got a list"),
        (b'{"a": 1}\n3\n', 2, "got a number"),
        (b'["a", "b"]\n["c", "d"]\n', 1, "got a text"),
        (b'[{"a": 1},\n{"a": 2}\n', 3, "got the end of the file"),
        (b'[{"a": 1},\n{"a": 2};]\n', 2, "got ';'"),
        (b'[{"a": 1},\n]', 2, "text that is none"),
        (b'[{"a": 1}\n]\n[]', 3, r"expected the end of the file behind the array, got '\['"),
        (b'[{"a": 1},\n{"a":\n1 "b"}]', 3, "text that is none"),
        (b'{"a": 1}\n{"a": 1, "b": 2, "a": 3}\n', 2, "distinct keys, got 'a' twice"),
        (b'{"a": 1}\n{"a": Infinity}\n', 2, "finite numbers, got Infinity"),
        (b'{"a": {"b": 1}}\n', 1, r"key 'a': .* got an object\. Write .* such as 'a\.part'"),
        (b'{"a": ["b", ["c"]]}\n', 1, "key 'a': expected a list of texts, got a list in it"),
        (b'{"a": ["b", null]}\n', 1, "got null in it"),
        (b'{"": 1}\n', 1, "keys that name a column"),
        (b'{"a": "\\ud800"}\n', 1, "half of a surrogate pair"),
        (b'{"a": 1}\n{"a": "\xe9"}\n', 2, "got the byte 0xe9"),
        (b'{"a": 1}\n{"a": "x\0"}\n', 2, "invalid control character"),
        (b'{"a": ' + b"[" * 100_000, 1, "too deep"),
    ],
)
def test_damaged_text_is_an_error_with_its_line(tmp_path, text, line, message):
    with pytest.raises(ReadError, match=message) as caught:
        read_json_frame(write(tmp_path, text))
    assert caught.value.line == line


def test_a_key_of_its_own_in_each_object_is_refused_before_memory_is_used(tmp_path):
    file = write(tmp_path, lines([{f"k{row}": 1} for row in range(20_000)]))
    with pytest.raises(ReadError, match=r"needs at most 500 times .* DLST_MAX_MEMORY_RATIO"):
        read_json_frame(file)


def test_blocks_have_all_columns_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "_ROWS_AT_ONCE", 2)
    found = list(json_frames(write(tmp_path, lines(ROWS))))
    assert [frame.columns.tolist() for frame, _ in found] == [["id", "size", "tags", "team"]] * 2
    assert [rows.tolist() for _, rows in found] == [[1, 2], [3]]
    whole = read_json_frame(tmp_path / "t.jsonl")[0]
    assert whole["id"].tolist() == [cell for frame, _ in found for cell in frame["id"]]


def test_a_block_holds_a_bounded_number_of_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "BLOCK_BYTES", 100)
    found = json_frames(write(tmp_path, lines([{"a": "x" * 60}] * 5)))
    assert [len(frame) for frame, _ in found] == [2, 2, 1]


def test_rows_are_written_as_json_that_every_program_reads(tmp_path):
    columns = {
        'a"b\n': np.array([0.1, np.nan, -np.inf, 1e-300]),
        "c": [np.int64(2**62), None, pd.NaT, float("inf")],
        "d": [np.array(["é"]), ["x", "y"], pd.Timestamp("2024-01-31"), False],
    }
    for name in ("t.jsonl", "t.json"):
        text = "".join(json_text.json_texts(tmp_path / name, json_text.json_rows(columns)))
        frame, _ = read_json_frame(write(tmp_path, text, name))
        assert frame['a"b\n'].fillna(-1).tolist() == [0.1, -1, -np.inf, 1e-300]
        assert frame["c"].tolist() == [2**62, None, None, np.inf]
        assert frame["d"].tolist() == [["é"], ["x", "y"], "2024-01-31 00:00:00", False]


def test_a_bad_cell_is_named_by_its_line(tmp_path):
    rows = [*({"size": 1.5, "k": 0} for _ in range(5)), {"size": "big", "k": 1}]
    with pytest.raises(ReadError, match=r"t\.jsonl:6: column 'size': expected a number"):
        load(write(tmp_path, lines(rows)), labels=["k"])
    data = read_raw(write(tmp_path, lines(rows)), labels=["k"])
    assert str(data.table.error("size", 5, "is odd.")).endswith("t.jsonl:6: column 'size': is odd.")
