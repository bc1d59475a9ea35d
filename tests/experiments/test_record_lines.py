"""What a line must hold to be a record."""

from __future__ import annotations

import json

import pytest

from dlst.errors import RunError
from dlst.experiments.record_lines import LineError, from_line, to_line
from dlst.experiments.records import RecordFolder

CELL = {"data": "d", "method": "m", "parameters": {}, "split": "auto", "seed": 0, "protocol": {}}
RECORD = {"key": "k", "kind": "evaluate", "cell": CELL, "status": "done", "metrics": {"ap": 0.5}}
PROBE = {"key": "p", "kind": "probe", "probe": {"probe": "map", "data": "d"}, "status": "failed"}


@pytest.mark.parametrize("record", [RECORD, PROBE, {**RECORD, "key": "ü\ud800"}])
def test_a_line_is_read_back(record):
    line = to_line(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line.decode("utf-8", "surrogatepass"))["format"] == 2
    assert from_line(line) == record


def test_the_first_format_had_no_checksum():
    assert from_line(json.dumps(RECORD).encode()) == RECORD


FOREIGN = [
    (b"5", "expected an object, got int"),
    (b"null", "expected an object, got NoneType"),
    (b"{}", "expected key, got none"),
    (b"nonsense", "expected JSON"),
    (b"\xff\xfe", "expected JSON"),
    (b"[" * 100_000, "expected JSON"),
    ({**RECORD, "key": 5}, "expected key, got 5"),
    ({**RECORD, "status": None}, "expected status, got None"),
    ({**RECORD, "metrics": None}, "a finished record of kind evaluate: expected metrics, got None"),
    ({**RECORD, "cell": "c"}, "expected cell, got 'c'"),
    ({**RECORD, "cell": {"data": "d"}}, "its cell: expected method, got none"),
    ({**PROBE, "status": "done"}, "a finished record of kind probe: expected result, got none"),
    ({**PROBE, "probe": {}}, "its probe: expected probe, got none"),
    ({**RECORD, "format": 2}, "its checksum is wrong"),
    ({**RECORD, "format": 2, "check": 7}, "its checksum is wrong"),
    ({**RECORD, "format": 3}, "its checksum is wrong"),
    (to_line({**RECORD, "format": -1})[:-1], "expected a format of at least 1, got -1"),
    (to_line({**RECORD, "format": "new"})[:-1], "expected a format of at least 1, got 'new'"),
]


@pytest.mark.parametrize(("foreign", "message"), FOREIGN)
def test_a_foreign_line_is_one_error_that_names_it(foreign, message, tmp_path):
    line = foreign if isinstance(foreign, bytes) else json.dumps(foreign).encode()
    with pytest.raises(LineError, match=message):
        from_line(line)
    folder = RecordFolder(tmp_path)
    folder.append(RECORD)
    folder.file.write_bytes(folder.file.read_bytes() + line + b"\n")
    for read in (folder.read, folder.news):
        with pytest.raises(RunError, match=r"records\.jsonl:2: is no record: .*Delete that line"):
            read()


@pytest.mark.parametrize("unknown", [{"format": 3, "what": "ever"}, {**RECORD, "kind": "weigh"}])
def test_later_formats_and_other_kinds_are_left_out_and_counted(unknown, tmp_path):
    folder = RecordFolder(tmp_path)
    folder.append(RECORD)
    folder.file.write_bytes(folder.file.read_bytes() + to_line(unknown))
    assert folder.read() == folder.news() == [RECORD]
    assert folder.n_unknown == 1


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("{", r"plan\.json:1: is no plan"),
        ('{"name": "x",\n "data": [}', r"plan\.json:2: is no plan"),
        ("5", "is no plan: expected an object, got int"),
        ('{"data": 5}', "its data must be a list"),
        ('{"methods": [7]}', "its methods must be a list of names or objects"),
    ],
)
def test_a_broken_plan_is_one_error_that_names_it(plan, message, tmp_path):
    (tmp_path / "plan.json").write_text(plan)
    with pytest.raises(RunError, match=message):
        RecordFolder(tmp_path).plan()
    (tmp_path / "plan.json").write_bytes(b"\xff")
    with pytest.raises(RunError, match="is no plan"):
        RecordFolder(tmp_path).plan()
