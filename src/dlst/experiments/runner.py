"""The runner: carries a plan out by workers, and resumes it where it stopped."""

from __future__ import annotations

import datetime
import json
import os
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from dlst import __version__
from dlst.data import fingerprint
from dlst.errors import PlanError
from dlst.experiments.crews import Crew, LocalCrew, Worker
from dlst.experiments.plan import Cell, Plan
from dlst.experiments.records import RecordFolder
from dlst.experiments.tasks import Kind, Limits, Task, source_of
from dlst.methods.import_paths import is_import_path

TRIES = 2
"""Processes that may die of a task until that is its record."""

LONGEST_WAIT = 3600.0
"""Seconds between two looks at deadlines; the system cannot wait for ever."""


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
    crew: Crew | None = None,
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
    crew : Crew, optional
        Who carries cells out: processes of this machine, or, by a
        :class:`~dlst.experiments.crews.ClusterCrew`, those of a cluster.

    Returns
    -------
    list of dict
        The records of the plan's cells, then of its probes, in the plan's order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> run(Plan(["multidigits"], ["plst"]), folder)[0]["status"]
    'done'
    """
    records = RecordFolder(folder)
    # A report counts what is left without knowing how a plan becomes cells.
    asked = len(plan.cells()) + len(plan.probes)
    records.save_plan({**plan.as_dict(), "asked": asked})
    limits = limits or Limits()
    return _Run(plan, records, limits, again, watch, crew or LocalCrew(limits)).carry_out()


@dataclass
class _Run:
    plan: Plan
    records: RecordFolder
    limits: Limits
    again: bool
    watch: Callable[[Progress, dict[str, Any]], None] | None
    crew: Crew

    def __post_init__(self) -> None:
        self.cells = self.plan.cells()
        # The first cell of each data set, method and protocol is tuned for all like it.
        self.tuning_cells: dict[str, Cell] = {}
        for cell in self.cells:
            self.tuning_cells.setdefault(_like(cell).key, cell)
        found = {record["key"]: record for record in self.records.read()}
        self._check_definitions(found.values())
        # Records that are to be made again.
        self.stale = {
            key: record
            for key, record in found.items()
            if self.again and record["status"] != "done"
        }
        self.finished = {key: found[key] for key in found if key not in self.stale}
        self.others: dict[str, dict[str, Any]] = {}
        self.fingerprints: dict[str, str] = {}
        self.workers: list[Worker] = []
        self.held: dict[str, ExitStack] = {}
        self.deaths: Counter[str] = Counter()
        self.answers: queue.Queue[tuple[Worker, dict[str, Any] | None]] = queue.Queue()

    def carry_out(self) -> list[dict[str, Any]]:
        try:
            if self.plan.tuning == "once":
                self._finish([self._task("tune", cell) for cell in self.tuning_cells.values()])
            tasks = [self._task("evaluate", cell) for cell in self.cells]
            tasks += [self._task("probe", probe) for probe in self.plan.probes]
            self._finish(tasks)
        finally:
            for worker in self.workers:
                worker.stop()
            for hold in self.held.values():
                hold.close()
        return [self._named(task, self.finished[task.key]) for task in tasks]

    def _check_definitions(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Refuse a method of the user's that was another when the folder's records were made."""
        now = {
            cell.method: self.plan.words_for(cell)["meaning"]
            for cell in self.cells
            if is_import_path(cell.method)
        }
        for record in records if now else ():
            method = record.get("cell", {}).get("method")
            if method in now and record.get("meaning", now[method]) != now[method]:
                raise PlanError(
                    f"{method} must be what it was when the records of this folder were made, "
                    f"{record['meaning']}; got {now[method]}. Choose another folder, or give it "
                    "another name."
                )

    def _task(self, kind: Kind, about: Cell | Mapping[str, Any]) -> Task:
        data, options = source_of(about)
        source = json.dumps([data, dict(options)], sort_keys=True)
        if source not in self.fingerprints:
            self.fingerprints[source] = fingerprint(data, options)
        same_data = self.fingerprints[source]
        if not isinstance(about, Cell):
            return Task(kind, probe=about, data_sha256=same_data)
        tuning = self._tuning(about) if kind == "evaluate" else None
        chosen = None if tuning is None else dict(tuning.get("parameters") or {})
        return Task(kind, about, data_sha256=same_data, chosen=chosen)

    def _tuning(self, cell: Cell) -> dict[str, Any] | None:
        """Return the record of what was tuned once for the cells like this one."""
        if self.plan.tuning != "once":
            return None
        return self.finished[self._task("tune", self.tuning_cells[_like(cell).key]).key]

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
        """Give waiting tasks that no other runner holds to idle workers."""
        places = self.crew.places() if waiting else 0
        for task in list(waiting):
            if len(self.held) >= places:
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
            self._start(task)

    def _look_at_others(self, waiting: list[Task]) -> None:
        """Take over records of tasks that another runner finished."""
        self.others |= {record["key"]: record for record in self.records.news()}
        for task in waiting:
            found = self.others.get(task.key)
            if found is None or task.key in self.finished:
                continue
            if found != self.stale.get(task.key):
                self._note(found)

    def _start(self, task: Task) -> None:
        """Give a task to an idle worker, or to a new one."""
        worker = next((each for each in self.workers if each.task is None), None)
        if worker is None:
            try:
                worker = self.crew.worker(self.answers)
            except OSError as error:
                self._lost(task, f"no process could be started: {error.strerror}")
                return
            self.workers.append(worker)
        worker.give(task)

    def _collect(self) -> None:
        """Wait for one answer, or for the first worker that runs out of time."""
        busy = [worker for worker in self.workers if worker.task is not None]
        patience = min((worker.deadline for worker in busy), default=0.0) - time.monotonic()
        try:
            worker, answer = self.answers.get(timeout=min(max(0.01, patience), LONGEST_WAIT))
        except queue.Empty:
            for worker in [each for each in busy if each.late]:
                self._retire(worker)
                message = f"not done after {self.limits.seconds:g} s"
                self._settle(worker, {"status": "timeout", "message": message})
            return
        if worker not in self.workers or (answer is not None and "ready" in answer):
            return  # where it has started, its time has, too
        if answer is None:
            self._retire(worker)
            if worker.task is not None:
                self._lost(worker.task, worker.last_words(), worker)
            return
        if answer["status"] != "done":
            # A failure may have left the process without memory or with broken state.
            self._retire(worker)
        self._settle(worker, answer)

    def _lost(self, task: Task, how: str, worker: Worker | None = None) -> None:
        """Try a task once more whose process died: another process may have caused it."""
        self.deaths[task.key] += 1
        if self.deaths[task.key] < TRIES:
            self._start(task)
        else:
            self._record(task, {"status": "died", "message": f"{how}, twice"}, worker)

    def _retire(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.stop()

    def _settle(self, worker: Worker, result: dict[str, Any]) -> None:
        task, worker.task = worker.task, None
        assert task is not None  # noqa: S101  # only busy workers are settled
        self._record(task, result, worker)

    def _record(self, task: Task, result: dict[str, Any], worker: Worker | None) -> None:
        tuning = self._tuning(task.cell) if task.cell and task.kind == "evaluate" else None
        took = 0.0 if worker is None else time.monotonic() - worker.given_at
        record = {
            "key": task.key,
            **task.body,
            **result,
            # Where tuning failed the defaults were used, and this says why.
            **({} if tuning is None else {"tuning_message": tuning.get("message")}),
            "wall_seconds": round(took, 3),
            "versions": {"dlst": __version__} if worker is None else worker.versions,
            "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        }
        record = self._named(task, record)
        self.records.append(record)
        self.held.pop(task.key).close()
        self._note(record)

    def _named(self, task: Task, record: dict[str, Any]) -> dict[str, Any]:
        """Add the plan's words, which may be others than when the record was made."""
        return record if task.cell is None else {**record, **self.plan.words_for(task.cell)}

    def _note(self, record: dict[str, Any]) -> None:
        self.finished[record["key"]] = record
        if record["status"] == "done":
            self.progress.done += 1
        else:
            self.progress.failed += 1
        if self.watch is not None:
            self.watch(self.progress, record)


def _like(cell: Cell) -> Cell:
    """Return what cells that share their tuning have in common."""
    return replace(cell, split="auto", seed=0)
