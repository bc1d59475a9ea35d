"""Records survive kills in the middle of a line, damage, and a full disk."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dlst.errors import RunError
from dlst.experiments.records import PACKED, RecordFolder

CELL = {"data": "d", "method": "m", "parameters": {}, "split": "auto", "seed": 0, "protocol": {}}


def record(number, status="done", **more):
    about = {"kind": "evaluate", "cell": CELL, "metrics": {"value": number}}
    return {"key": f"k{number}", **about, "status": status, **more}


def keys_in(folder):
    return {each["key"] for each in folder.read()}


def test_what_was_appended_is_read_in_order(tmp_path):
    folder = RecordFolder(tmp_path / "run")
    for number in range(5):
        folder.append(record(number))
    assert folder.read() == [record(number) for number in range(5)]
    assert keys_in(RecordFolder(tmp_path / "run")) == {f"k{number}" for number in range(5)}


def test_a_later_record_of_a_cell_replaces_the_earlier_one(tmp_path):
    folder = RecordFolder(tmp_path)
    folder.append(record(1, "failed"))
    folder.append(record(2))
    assert [each["status"] for each in folder.read()] == ["failed", "done"]
    folder.append(record(1))
    assert folder.read() == [record(1), record(2)]


@pytest.mark.parametrize("kept", [0, 1, 17])
def test_half_a_line_is_no_record_and_is_cut_off_by_the_next(tmp_path, kept):
    folder = RecordFolder(tmp_path)
    folder.append(record(1))
    whole = folder.file.read_bytes()
    folder.file.write_bytes(whole + whole.replace(b"k1", b"k2")[:kept])
    assert keys_in(folder) == {"k1"}
    folder.append(record(3))
    assert [each["key"] for each in folder.read()] == ["k1", "k3"]
    assert folder.file.read_bytes().count(b"\n") == 2


def test_a_first_line_that_is_half_and_longer_than_a_block_is_cut_off(tmp_path):
    folder = RecordFolder(tmp_path)
    folder.file.write_bytes(b'{"key": "' + b"x" * 200_000)
    folder.append(record(1))
    assert folder.read() == [record(1)]


def test_a_damaged_line_is_named(tmp_path):
    folder = RecordFolder(tmp_path)
    folder.append(record(1))
    folder.file.write_bytes(folder.file.read_bytes() + b"nonsense\n")
    with pytest.raises(RunError, match=r"records\.jsonl:2: is no record.*Delete that line"):
        folder.read()


def test_numbers_that_json_cannot_say_are_null(tmp_path):
    folder = RecordFolder(tmp_path)
    folder.append(record(1, value=[float("nan"), {"x": float("inf")}]))
    assert folder.read()[0]["value"] == [None, {"x": None}]


def test_a_claim_is_held_by_one_process_and_ends_with_it(tmp_path):
    folder = RecordFolder(tmp_path)
    hold = (
        "import sys, time; from dlst.experiments.records import PACKED, RecordFolder\n"
        f"with RecordFolder({str(tmp_path)!r}).hold('k') as ours:\n"
        "    print(ours, flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "True\n"
    with folder.hold("k") as ours, folder.hold("other") as free:
        assert not ours
        assert free
    other.kill()
    other.wait()
    other.stdout.close()
    with folder.hold("k") as ours:
        assert ours


def test_a_full_disk_is_one_error_and_leaves_whole_records(tmp_path):
    """A limit on the size of files stands in for the disk: writing fails half way as it would."""
    script = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from dlst.experiments.records import RecordFolder
folder = RecordFolder({str(tmp_path)!r})
for number in range(3):
    folder.append({record(0)!r} | {{"key": f"k{{number}}", "value": "x" * 300}})
resource.setrlimit(resource.RLIMIT_FSIZE, (1700, 1700))
try:
    folder.append({record(3)!r} | {{"value": "x" * 300}})
except Exception as error:
    print(type(error).__name__, error)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert told.startswith("RunError")
    assert "could not be written" in told
    assert "make room" in told
    folder = RecordFolder(tmp_path)
    assert keys_in(folder) == {"k0", "k1", "k2"}
    assert folder.file.read_bytes().endswith(b"\n")
    folder.append(record(3))
    assert len(folder.read()) == 4


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(RunError, match="cannot hold a run"):
        RecordFolder(tmp_path / "run").make()


def test_a_file_in_the_folders_place_is_told(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="cannot hold a run"):
        RecordFolder(tmp_path / "run").make()


def test_reading_makes_nothing(tmp_path):
    folder = RecordFolder(tmp_path / "absent")
    assert not folder.exists
    assert folder.read() == []
    assert folder.plan() == {}
    assert list(tmp_path.iterdir()) == []


def test_packed_records_read_like_the_others_and_equal_ones_are_equal_bytes(tmp_path):
    folder = RecordFolder(tmp_path / "run")
    folder.save_plan({"name": "small"})
    for key in ("a", "b", "a"):
        folder.append(record(0, text="ü") | {"key": key})
    for name in ("kept", "again"):
        folder.pack(tmp_path / name)
    kept = RecordFolder(tmp_path / "kept")
    assert kept.exists
    assert kept.read() == folder.read()
    assert kept.plan() == {"name": "small"}
    packed = [(tmp_path / name / PACKED).read_bytes() for name in ("kept", "again")]
    assert packed[0] == packed[1]


def test_news_are_told_once_and_half_a_line_is_none(tmp_path):
    folder, other = RecordFolder(tmp_path), RecordFolder(tmp_path)
    assert folder.news() == []
    other.append(record(0))
    other.append(record(1))
    assert [each["key"] for each in folder.news()] == ["k0", "k1"]
    with open(folder.file, "ab") as stream:
        stream.write(b'{"key": "k2"')
    assert folder.news() == []
    # The next writer cuts the half line off.
    other.append(record(3))
    assert [each["key"] for each in folder.news()] == ["k3"]
