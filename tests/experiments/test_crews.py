"""Cells on a cluster: the same records, whoever is killed."""

from __future__ import annotations

import os
import signal
import time

import pytest
from small_runs import without_times, write_table

from dlst.experiments import Limits, Plan, RecordFolder, run
from dlst.experiments.crews import ClusterCrew, _ClusterPlace, carried_out
from dlst.experiments.processes import WorkerProcess
from dlst.experiments.tasks import Task


def plan_of_few(tmp_path, seeds=2):
    return Plan([write_table(tmp_path / "table.csv")], ["mlknn", "krr"], ["random"], seeds=seeds)


def test_a_worker_killed_in_mid_compare_loses_nothing(cluster, tmp_path, monkeypatch):
    plan, killed, give = plan_of_few(tmp_path), [], _ClusterPlace.give

    def at_work():
        return next((worker for worker, tasks in cluster.processing().items() if tasks), None)

    def give_and_kill(place, task):
        # A cell first starts a process, so one just given is at work for a second at least.
        give(place, task)
        if not killed:
            while (busy := at_work()) is None:
                time.sleep(0.01)
            (pid,) = cluster.run(os.getpid, workers=[busy]).values()
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    monkeypatch.setattr(_ClusterPlace, "give", give_and_kill)
    limits = Limits(seconds=300)
    crew = ClusterCrew(cluster, limits)
    assert crew.places() == 2
    there = run(plan, tmp_path / "there", limits=limits, crew=crew)
    assert len(killed) == 1
    assert [record["status"] for record in there] == ["done"] * 4
    assert len(RecordFolder(tmp_path / "there").read()) == 4
    here = run(plan, tmp_path / "here", limits=Limits(jobs=2))
    assert without_times(there) == without_times(here)


def test_a_limit_of_time_is_a_record(cluster, tmp_path):
    limits = Limits(seconds=0.001)
    plan = Plan([write_table(tmp_path / "table.csv")], ["mlknn"], ["random"])
    (record,) = run(plan, tmp_path / "run", crew=ClusterCrew(cluster, limits))
    assert (record["status"], record["message"]) == ("timeout", "not done after 0.001 s")


def test_a_process_that_dies_says_how(tmp_path, deadly):
    probe = {"probe": "dies", "data": write_table(tmp_path / "table.csv")}
    answer, versions = carried_out(Task("probe", probe=probe), Limits())
    assert answer == {"died": "the process ended with signal 9: out of something"}
    assert versions["dlst"]


def test_a_place_has_the_face_of_a_process():
    public = {name for name in vars(WorkerProcess) if not name.startswith("_")}
    assert public <= set(vars(_ClusterPlace))


def test_a_scheduler_that_is_gone_is_told(tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="no Dask: the extra 'dask' is not installed")
    from dlst.distributed import connected
    from dlst.errors import RunError

    class Gone:
        status = "closed"

    with pytest.raises(RunError, match=r"scheduler is gone\. Finished cells are kept"):
        run(plan_of_few(tmp_path), tmp_path / "run", crew=ClusterCrew(Gone(), Limits()))
    monkeypatch.setattr("dlst.distributed.cluster.CONNECT_SECONDS", 0.5)
    nobody = connected("tcp://127.0.0.1:1")
    with pytest.raises(RunError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        nobody.__enter__()
