"""The runner outlives its workers, however they end."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest
from small_runs import child_processes, write_table

from dlst.experiments import Plan, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on Unix")


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "table.csv")


def probing(table, *names, **settings):
    return Plan(probes=[{"probe": name, "data": table, **settings} for name in names])


def is_alive(process):
    try:
        os.kill(process, 0)
        # A zombie that nobody has waited for is dead.
        with open(f"/proc/{process}/stat") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def ends(process):
    """Whether a process that was killed has ended; the kernel may take a moment for it."""
    for _ in range(100):
        if not is_alive(process):
            return True
        time.sleep(0.1)
    return False


def test_a_cell_that_kills_its_process_is_a_record_and_the_run_goes_on(table, tmp_path, deadly):
    plan = probing(table, "dies", "talks")
    died, done = run(plan, tmp_path / "run")
    assert died["status"] == "died"
    assert died["message"] == "the process ended with signal 9: out of something, twice"
    assert died["versions"]["numpy"]
    assert done["status"] == "done"
    # It is not run again, and nothing else stays behind.
    assert run(plan, tmp_path / "run") == [died, done]
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == [
        ".held",
        "plan.json",
        "records.jsonl",
    ]
    assert not child_processes()


def test_a_process_that_died_once_is_forgiven(table, tmp_path, deadly):
    (done,) = run(probing(table, "dies_once", marker=str(tmp_path / "marker")), tmp_path / "run")
    assert done["status"] == "done"
    assert done["result"] == {"n": 60}


def test_processes_that_cannot_start_are_records(table, tmp_path, monkeypatch):
    plan = Plan([table], ["mlknn"], splits=["random"], seeds=2)
    for program, words in [("false", "ended with code 1, twice"), ("absent", "No such file")]:
        monkeypatch.setattr(sys, "executable", f"/bin/{program}")
        for record in run(plan, tmp_path / program):
            assert record["status"] == "died"
            assert words in record["message"]
    monkeypatch.undo()
    assert {record["status"] for record in run(plan, tmp_path / "false", again=True)} == {"done"}


def test_idle_processes_may_be_killed(table, tmp_path):
    plan = Plan([table], ["mlknn"], splits=["random"], seeds=4)

    def kill_all(at, record):
        for child in child_processes():
            os.kill(child, signal.SIGKILL)
        time.sleep(0.2)

    records = run(plan, tmp_path / "run", watch=kill_all)
    assert [record["status"] for record in records] == ["done"] * 4


def test_what_a_process_started_ends_with_it(table, tmp_path, deadly):
    marker = tmp_path / "marker"
    (died,) = run(probing(table, "leaves_a_child", marker=str(marker)), tmp_path / "run")
    assert died["status"] == "died"
    assert ends(int(marker.read_text()))
