"""A plan carried out by processes, one record after the other, resumed where it stopped."""

from __future__ import annotations

import datetime
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dlst.errors import RunError
from dlst.experiments.plan import Cell, Plan, stable_key
from dlst.experiments.probes import address_of
from dlst.experiments.records import RecordFolder

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True)
class Limits:
    """What a cell may take.

    Attributes
    ----------
    seconds : float
        Of wall time, tuning included.
    memory_mib : float or None
        Beyond what Python and the libraries take; where the system can limit it.
    jobs : int
        Cells at a time.
    threads : int, optional
        Of the numeric libraries in each cell; by default the cores divided among the jobs. On a
        busy machine one is faster than two: threads that wait for each other wait long.
    """

    seconds: float = 3600.0
    memory_mib: float | None = None
    jobs: int = 1
    threads: int | None = None


@dataclass(frozen=True)
class Task:
    """A cell to evaluate, a cell to tune once for the cells like it, or a probe.

    Attributes
    ----------
    kind : {"evaluate", "tune", "probe"}
    cell : Cell or None
        Of the first two.
    probe : mapping
        Of the third.
    """

    kind: str
    cell: Cell | None = None
    probe: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Key of the record."""
        if self.cell is None:
            return f"probe-{stable_key(dict(self.probe))}"
        return self.cell.key if self.kind == "evaluate" else f"tune-{self.cell.key}"

    @property
    def body(self) -> dict[str, Any]:
        """What the worker needs, and the record keeps."""
        if self.cell is None:
            return {"kind": self.kind, "probe": dict(self.probe)}
        return {"kind": self.kind, "cell": self.cell.as_dict()}


@dataclass
class Progress:
    """How far a run is."""

    total: int
    done: int = 0
    failed: int = 0
    started: float = field(default_factory=time.monotonic)
    before: int = 0

    @property
    def left(self) -> int:
        """Cells to come."""
        return self.total - self.done - self.failed

    @property
    def seconds_left(self) -> float | None:
        """Estimate by the mean time of the cells of this start."""
        here = self.done + self.failed - self.before
        if here <= 0:
            return None
        return (time.monotonic() - self.started) / here * self.left


def run(
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    limits: Limits | None = None,
    again: bool = False,
    watch: Callable[[Progress, dict[str, Any]], None] | None = None,
) -> list[dict[str, Any]]:
    """Carry out a plan; cells that have a record are skipped.

    Parameters
    ----------
    plan : Plan
    folder : path-like
        Where records go; the same folder again goes on with the run. Several runners may share
        it, and each cell is run by one of them.
    limits : Limits, optional
    again : bool
        Run cells that failed once more.
    watch : callable, optional
        Called after each record with how far the run is.

    Returns
    -------
    list of dict
        The records of the plan's cells, then of its probes, in the plan's order.
    """
    records = RecordFolder(folder)
    # A report counts what is left without knowing how a plan becomes cells.
    asked = len(plan.cells()) + len(plan.probes)
    records.save_plan({**plan.as_dict(), "asked": asked})
    return _Run(plan, records, limits or Limits(), again, watch).carry_out()


class _Run:
    def __init__(
        self,
        plan: Plan,
        records: RecordFolder,
        limits: Limits,
        again: bool,
        watch: Callable[[Progress, dict[str, Any]], None] | None,
    ):
        self.plan = plan
        self.records = records
        self.limits = limits
        self.watch = watch
        self.cells = plan.cells()
        # The first cell of each data set, method and protocol is tuned for all like it.
        self.tuning_cells: dict[str, Cell] = {}
        for cell in self.cells:
            self.tuning_cells.setdefault(_like(cell).key, cell)
        found = {record["key"]: record for record in records.read()}
        # Records that are to be made anew.
        self.stale = {
            key: record for key, record in found.items() if again and record["status"] != "done"
        }
        self.finished = {key: found[key] for key in found if key not in self.stale}
        self.others: dict[str, dict[str, Any]] = {}
        self.workers: list[_Worker] = []
        self.held: dict[str, ExitStack] = {}
        self.answers: queue.Queue[tuple[_Worker, dict[str, Any] | None]] = queue.Queue()

    def carry_out(self) -> list[dict[str, Any]]:
        try:
            if self.plan.tuning == "once":
                self._finish([Task("tune", cell) for cell in self.tuning_cells.values()])
            tasks = [Task("evaluate", cell) for cell in self.cells]
            tasks += [Task("probe", probe=probe) for probe in self.plan.probes]
            self._finish(tasks)
        finally:
            for worker in self.workers:
                worker.stop()
            for hold in self.held.values():
                hold.close()
        return [self.finished[task.key] for task in tasks]

    def _finish(self, tasks: list[Task]) -> None:
        """Run tasks until all have records, ours or another runner's."""
        known = [task.key for task in tasks if task.key in self.finished]
        bad = sum(self.finished[key]["status"] != "done" for key in known)
        self.progress = Progress(len(tasks), len(known) - bad, bad, before=len(known))
        waiting = [task for task in tasks if task.key not in self.finished]
        while waiting or self.held:
            self._give_out(waiting)
            if self.held:
                self._collect()
            elif waiting:
                # All that is left is in the hands of other runners.
                time.sleep(0.5)
            self._look_at_others(waiting)
            waiting = [task for task in waiting if task.key not in self.finished]

    def _give_out(self, waiting: list[Task]) -> None:
        """Move tasks that nobody works on from those that wait to idle workers."""
        for task in list(waiting):
            if len(self.held) >= self.limits.jobs:
                return
            hold = ExitStack()
            if not hold.enter_context(self.records.hold(task.key)):
                continue
            # Another runner may have finished it since we last looked.
            self._look_at_others([task])
            if task.key in self.finished:
                hold.close()
                continue
            self.held[task.key] = hold
            waiting.remove(task)
            self._idle_worker().give(task, self._chosen(task))

    def _look_at_others(self, waiting: list[Task]) -> None:
        """Take over records of tasks that another runner finished."""
        for record in self.records.news():
            self.others[record["key"]] = record
        for task in waiting:
            found = self.others.get(task.key)
            if found is None or task.key in self.finished:
                continue
            if found != self.stale.get(task.key):
                self._note(found)

    def _chosen(self, task: Task) -> dict[str, Any] | None:
        """Give what tuning once chose for the cells like this one."""
        tuning = self._tuned_by(task)
        return None if tuning is None else dict(tuning.get("parameters") or {})

    def _tuned_by(self, task: Task) -> dict[str, Any] | None:
        if task.cell is None or task.kind == "tune" or self.plan.tuning != "once":
            return None
        first = self.tuning_cells[_like(task.cell).key]
        return self.finished[Task("tune", first).key]

    def _idle_worker(self) -> _Worker:
        for worker in self.workers:
            if worker.task is None:
                return worker
        worker = _Worker(self.limits, self.answers, self.records.path)
        self.workers.append(worker)
        return worker

    def _collect(self) -> None:
        """Wait for one answer, or for the first worker that runs out of time."""
        now = time.monotonic()
        patience = min(worker.deadline for worker in self.workers if worker.task) - now
        try:
            worker, answer = self.answers.get(timeout=max(0.01, patience))
        except queue.Empty:
            for worker in [each for each in self.workers if each.late]:
                self._retire(worker)
                limit = self.limits.seconds
                result = {"status": "timeout", "message": f"not done after {limit:g} s"}
                self._settle(worker, result)
            return
        if worker not in self.workers or worker.task is None:
            return
        if answer is None:
            self._retire(worker)
            answer = {"status": "died", "message": worker.last_words()}
        elif answer["status"] != "done":
            # A failure may have left the process without memory or with broken state.
            self._retire(worker)
        self._settle(worker, answer)

    def _retire(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.stop()

    def _settle(self, worker: _Worker, result: dict[str, Any]) -> None:
        task = worker.task
        assert task is not None  # noqa: S101  # only busy workers are settled
        tuning = self._tuned_by(task)
        record = {
            "key": task.key,
            **task.body,
            **({} if task.cell is None else self.plan.words_for(task.cell)),
            **result,
            # Where tuning failed the defaults were used, and this says why.
            **({} if tuning is None else {"tuning_message": tuning.get("message")}),
            "wall_seconds": round(time.monotonic() - worker.given_at, 3),
            "versions": worker.versions,
            "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        }
        self.records.append(record)
        worker.task = None
        self.held.pop(task.key).close()
        self._note(record)

    def _note(self, record: dict[str, Any]) -> None:
        self.finished[record["key"]] = record
        if record["status"] == "done":
            self.progress.done += 1
        else:
            self.progress.failed += 1
        if self.watch is not None:
            self.watch(self.progress, record)


class _Worker:
    """One process of :mod:`dlst.experiments.worker`."""

    def __init__(self, limits: Limits, answers: queue.Queue[Any], folder: Path):
        self.seconds = limits.seconds
        self.task: Task | None = None
        self.given_at = 0.0
        threads = limits.threads or max(1, (os.cpu_count() or 1) // limits.jobs)
        command = [sys.executable, "-m", "dlst.experiments.worker"]
        if limits.memory_mib is not None:
            command.append(str(limits.memory_mib))
        self.log = folder / f"worker-{os.getpid()}.log"
        with open(self.log, "ab") as log:
            self.log_start = log.tell()
            self.process = subprocess.Popen(  # noqa: S603  # our own module
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **dict.fromkeys(_THREADS, str(threads))},
                text=True,
            )
        self.versions = self._greeting()
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()

    @property
    def deadline(self) -> float:
        """When the cell must have ended."""
        return self.given_at + self.seconds

    @property
    def late(self) -> bool:
        """Whether it has not."""
        return self.task is not None and time.monotonic() >= self.deadline

    def give(self, task: Task, chosen: dict[str, Any] | None) -> None:
        """Start a task."""
        self.task, self.given_at = task, time.monotonic()
        address = address_of(task.probe) if task.kind == "probe" else None
        line = json.dumps({**task.body, "chosen": chosen, "address": address})
        if self.process.stdin is not None:
            print(line, file=self.process.stdin, flush=True)

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        if self.log.is_file() and self.log.stat().st_size == 0:
            self.log.unlink()

    def last_words(self) -> str:
        """Say how the process ended."""
        code = self.process.poll()
        how = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
        return f"the process ended with {how}{self._error_lines()}"

    def _greeting(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            self.process.wait()
            raise RunError(f"a worker process could not start{self._error_lines()}.")
        return dict(json.loads(line)["ready"])

    def _error_lines(self) -> str:
        with open(self.log, "rb") as log:
            log.seek(self.log_start)
            lines = log.read().decode(errors="replace").strip().splitlines()
        return f": {' / '.join(lines[-3:])}" if lines else ""

    def _listen(self, answers: queue.Queue[Any]) -> None:
        if self.process.stdout is not None:
            try:
                for line in self.process.stdout:
                    answers.put((self, json.loads(line)))
            except ValueError:  # closed while reading, or half a line at a kill
                pass
        answers.put((self, None))


def _like(cell: Cell) -> Cell:
    """Return what cells that share their tuning have in common."""
    return replace(cell, split="auto", seed=0)
