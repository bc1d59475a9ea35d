"""Every call of the system may fail, and an append may be cut anywhere: a resume mends it."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile

import pytest

from dlst.errors import RunError
from dlst.experiments.record_lines import to_line
from dlst.experiments.records import RecordFolder

CELL = {"data": "d", "method": "m", "parameters": {}, "split": "auto", "seed": 0, "protocol": {}}
RECORDS = [
    {"key": f"k{n}", "kind": "evaluate", "cell": CELL, "status": "done", "metrics": {"ap": n / 3}}
    for n in range(3)
]
PLAN = {"name": "small", "data": ["d"], "methods": ["m"]}

CALLS = [
    (os, "open"),
    (os, "write"),
    (os, "ftruncate"),
    (os, "lseek"),
    (os, "read"),
    (os, "fsync"),
    (os, "fdopen"),
    (os, "chmod"),
    (os, "replace"),
    (os, "mkdir"),
    (tempfile, "mkstemp"),
    (fcntl, "flock"),
]


class Faults:
    """Lets the nth of the watched calls fail, and counts them."""

    def __init__(self, patch, fail_at=None, error=errno.EIO):
        self.count, self.fail_at, self.error = 0, fail_at, error
        for module, name in CALLS:
            patch.setattr(module, name, self.watched(getattr(module, name)))

    def watched(self, call):
        def wrapped(*arguments, **options):
            self.count += 1
            if self.count == self.fail_at:
                raise OSError(self.error, os.strerror(self.error))
            return call(*arguments, **options)

        return wrapped


def keys_in(folder):
    return {each["key"] for each in folder.read()}


def session(path):
    """Do what a run does: save the plan, then append what has no record yet."""
    folder = RecordFolder(path)
    folder.save_plan(PLAN)
    known = keys_in(folder)
    for record in RECORDS:
        with folder.hold(record["key"]) as ours:
            assert ours
            if record["key"] not in known:
                folder.append(record)


def content(path):
    return (path / "records.jsonl").read_bytes(), (path / "plan.json").read_bytes()


def undisturbed(tmp_path):
    session(tmp_path / "undisturbed")
    return content(tmp_path / "undisturbed")


def test_every_call_of_the_system_may_fail(tmp_path):
    expected = undisturbed(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        faults = Faults(patch)
        session(tmp_path / "counted")
    assert faults.count > 60
    for number in range(1, faults.count + 1):
        for error in (errno.EIO, errno.ENOSPC):
            run = tmp_path / f"run-{number}-{error}"
            with pytest.MonkeyPatch.context() as patch:
                Faults(patch, number, error)
                try:
                    session(run)
                except RunError as told:
                    assert "written" in str(told) or "cannot hold a run" in str(told)
            before = keys_in(RecordFolder(run))
            session(run)
            assert content(run) == expected, number
            assert before <= keys_in(RecordFolder(run))
            assert not [file for file in run.iterdir() if file.suffix == ".part"]


def test_an_append_may_be_cut_after_every_byte(tmp_path):
    expected = undisturbed(tmp_path)[0]
    whole, last = b"".join(map(to_line, RECORDS[:2])), to_line(RECORDS[2])
    folder = RecordFolder(tmp_path / "cut")
    folder.make()
    for cut in range(len(last)):
        folder.file.write_bytes(whole + last[:cut])
        assert RecordFolder(folder.path).read() == RECORDS[:2]
        session(folder.path)
        assert folder.file.read_bytes() == expected


def test_a_system_that_writes_byte_by_byte_writes_all(tmp_path, monkeypatch):
    expected = undisturbed(tmp_path)
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, text: write(descriptor, text[:1]))
    session(tmp_path / "slow")
    assert content(tmp_path / "slow") == expected


def test_files_and_folders_are_flushed_before_an_append_returns(tmp_path, monkeypatch):
    flushed = []
    fsync = os.fsync

    def noted(descriptor):
        flushed.append(os.path.realpath(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    folder = RecordFolder(tmp_path / "run")
    folder.append(RECORDS[0])
    assert flushed == [str(folder.file), str(folder.path), str(tmp_path)]
    folder.append(RECORDS[1])
    assert flushed[3:] == [str(folder.file)]
    folder.save_plan(PLAN)
    assert flushed[-1] == str(folder.path)


def test_a_flipped_bit_is_seen(tmp_path):
    folder = RecordFolder(tmp_path)
    folder.append(RECORDS[0])
    folder.append(RECORDS[1])
    whole = folder.file.read_bytes()
    first = whole.index(b"\n")
    for place in range(0, first, 3):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            folder.file.write_bytes(damaged)
            try:
                assert folder.read() == RECORDS[1:2], "only a later format may be left out"
                assert folder.n_unknown == 1
            except RunError as told:
                assert "records.jsonl:" in str(told)
