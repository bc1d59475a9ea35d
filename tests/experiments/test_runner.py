"""Runs go on after kills, share a folder, and outlive cells that fail, hang or eat memory."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict
from pathlib import Path

import pytest
from small_runs import child_processes, write_table

from dlst.data import fingerprint
from dlst.experiments import Limits, Plan, RecordFolder, run
from dlst.experiments.execution import carry_out
from dlst.experiments.tuning import tuned


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "table.csv")


def small_plan(table, seeds=6):
    return Plan([table], ["mlknn", "dlst2"], splits=["random"], seeds=seeds)


def test_records_hold_what_a_table_needs(table, tmp_path):
    seen = []
    records = run(
        small_plan(table, 1), tmp_path / "run", watch=lambda at, record: seen.append(at.left)
    )
    assert seen == [1, 0]
    first = records[0]
    assert first["status"] == "done"
    assert first["cell"] == asdict(small_plan(table, 1).cells()[0])
    assert 0 < first["metrics"]["instance_average_precision"] <= 1
    assert first["rows"]["n_train"] == 30
    assert first["seconds"]["fit"] > 0
    assert first["peak_mib"] > 10
    assert first["versions"]["dlst"]
    # The same cell in this process gives the same numbers.
    cell = small_plan(table, 1).cells()[0]
    assert carry_out(cell)["metrics"] == first["metrics"]


def test_a_second_start_runs_nothing_and_a_longer_plan_only_the_rest(table, tmp_path):
    first = run(small_plan(table, 2), tmp_path / "run")
    seen = []
    again = run(small_plan(table, 3), tmp_path / "run", watch=lambda at, r: seen.append(r["key"]))
    assert again[:4] == first
    assert len(seen) == 2


def test_a_cell_that_fails_is_a_record_and_the_run_goes_on(table, tmp_path):
    plan = Plan([str(tmp_path / "absent.csv"), table], ["mlknn"], splits=["random"])
    failed, done = run(plan, tmp_path / "run")
    assert failed["status"] == "failed"
    assert "absent.csv" in failed["message"]
    assert done["status"] == "done"
    # Failures are kept, unless one asks for them to be run again.
    assert run(plan, tmp_path / "run")[0] == failed
    write_table(tmp_path / "absent.csv")
    assert run(plan, tmp_path / "run", again=True)[0]["status"] == "done"


def test_work_that_takes_too_long_is_stopped_and_the_run_goes_on(table, tmp_path, deadly):
    late = {"probe": "hangs", "data": table, "marker": str(tmp_path / "marker")}
    plan = Plan(probes=[late, {"probe": "describe", "data": table}])
    late, done = run(plan, tmp_path / "run", limits=Limits(seconds=15))
    assert late["status"] == "timeout"
    assert late["message"] == "not done after 15 s"
    assert done["status"] == "done"


def test_work_that_needs_too_much_memory_is_stopped_and_the_run_goes_on(table, tmp_path, deadly):
    greedy = {"probe": "fills_memory", "data": table}
    plan = Plan([table], ["mlknn"], splits=["random"], probes=[greedy])
    done, greedy = run(plan, tmp_path / "run", limits=Limits(memory_mib=500))
    assert done["status"] == "done"
    assert greedy["status"] == "memory"
    assert greedy["message"]


def test_tuning_once_is_done_on_one_split_and_kept(table, tmp_path):
    plan = Plan([table], ["mlknn"], splits=["random"], seeds=3, tuning="once")
    records = run(plan, tmp_path / "run")
    tuning = [each for each in RecordFolder(tmp_path / "run").read() if each["kind"] == "tune"]
    assert len(tuning) == 1
    assert len(tuning[0]["tried"]) == 3
    # All methods are compared without prior correction, unless the plan says otherwise.
    expected = {**tuning[0]["parameters"], "tau": 0.0}
    assert all(record["parameters"] == expected for record in records)


def test_tuning_chooses_what_scored_best_and_leaves_fixed_parameters(table):
    from dlst.data import load

    train = load(table)
    found = tuned("mlknn", train, {}, 0)
    best = max(score for _, score in found.tried)
    assert (found.parameters, best) in found.tried
    assert tuned("mlknn", train, {"n_neighbors": 3}, 0) == ({}, [])


def test_changed_data_are_new_cells_and_the_old_records_are_kept(table, tmp_path):
    plan = small_plan(table, 1)
    before = run(plan, tmp_path / "run")
    write_table(Path(table), seed=1)
    after = run(plan, tmp_path / "run")
    assert [each["cell"] for each in after] == [each["cell"] for each in before]
    for old, new in zip(before, after, strict=True):
        assert new["key"] != old["key"]
        assert new["data_sha256"] == fingerprint(table) != old["data_sha256"]
        assert new["metrics"] != old["metrics"]
    assert RecordFolder(tmp_path / "run").read() == [*before, *after]
    # Back to the first bytes: those records are found again.
    write_table(Path(table))
    assert run(plan, tmp_path / "run") == before


def test_data_that_change_during_the_run_are_told(table, tmp_path):
    plan = Plan([table], ["mlknn"], splits=["random"], seeds=2)

    def change(at, record):
        # A new process reads the new bytes.
        write_table(Path(table), seed=1)
        for child in child_processes():
            os.kill(child, signal.SIGKILL)

    first, second = run(plan, tmp_path / "run", watch=change)
    assert first["status"] == "done"
    assert (second["status"], second["message"]) == (
        "failed",
        "the data were changed during the run. Start the same command again.",
    )
    assert {record["status"] for record in run(plan, tmp_path / "run")} == {"done"}


def test_cells_tuned_on_another_split_are_other_cells(table, tmp_path):
    plans = [
        Plan([table], ["mlknn"], splits=["random"], seeds=seeds, tuning="once")
        for seeds in ([0, 1], [1])
    ]
    first, second = (run(plan, tmp_path / "run") for plan in plans)
    tuned_on = [each for each in RecordFolder(tmp_path / "run").read() if each["kind"] == "tune"]
    assert [each["cell"]["seed"] for each in tuned_on] == [0, 1]
    same = tuned_on[0]["parameters"] == tuned_on[1]["parameters"]
    assert (second[0]["key"] == first[1]["key"]) == same
    assert second[0]["parameters"] == {**tuned_on[1]["parameters"], "tau": 0.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": -1},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"memory_mib": -5},
        {"memory_mib": 0},
        {"jobs": 0},
        {"jobs": 1.5},
        {"threads": 0},
    ],
)
def test_senseless_limits_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)
