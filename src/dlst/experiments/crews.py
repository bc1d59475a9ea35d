"""Crews of workers: processes of this machine, or of a Dask cluster."""

from __future__ import annotations

import math
import queue
import time
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from dlst import __version__
from dlst.errors import RunError
from dlst.experiments.processes import WorkerProcess
from dlst.experiments.tasks import Limits, Task

Crew: TypeAlias = "LocalCrew | ClusterCrew"
Worker: TypeAlias = "WorkerProcess | _ClusterPlace"
"""One at work, as the runner sees it."""

Answers: TypeAlias = "queue.Queue[tuple[Worker, dict[str, Any] | None]]"
"""Where workers put what they answer, or None for a death."""

RETRIES = 3
"""How often the cluster itself tries a task whose worker failed, beside those that were killed."""

LOOK_SECONDS = 5.0
"""How often a runner looks whether a cluster has grown."""


@dataclass(frozen=True)
class LocalCrew:
    """Processes of this machine."""

    limits: Limits

    def places(self) -> int:
        """Say how many tasks may be under way."""
        return self.limits.jobs

    def worker(self, answers: Answers) -> Worker:
        """Start a process."""
        return WorkerProcess(self.limits, answers)


class ClusterCrew:
    """The workers of a cluster, each carrying out cells in a process beside itself.

    Limits of time and memory hold as they do locally. A task whose worker is killed is given to
    another; records are written where the runner is. Workers read the data themselves: files must
    lie at the same paths there, and their bytes are compared.

    Parameters
    ----------
    client : distributed.Client
    limits : Limits
        As many cells at a time as the cluster has threads, whatever ``jobs`` says.
    """

    def __init__(self, client: Any, limits: Limits):
        self._client = client
        self._limits = replace(limits, jobs=1, threads=limits.threads or 1)

    def places(self) -> int:
        """Say how many tasks may be under way: one for each thread of the cluster."""
        self._check()
        return max(1, int(sum(self._client.nthreads().values())))

    def worker(self, answers: Answers) -> Worker:
        """Return a place on the cluster."""
        self._check()
        return _ClusterPlace(self._client, self._limits, answers)

    def _check(self) -> None:
        if self._client.status != "running":
            raise RunError(
                "the cluster's scheduler is gone. Finished cells are kept: start it, and give the "
                "same command again."
            )


class _ClusterPlace:
    """A place on a cluster, which looks to the runner like a process."""

    def __init__(self, client: Any, limits: Limits, answers: Answers):
        self.task: Task | None = None
        self.given_at = 0.0
        self.versions: dict[str, Any] = {"dlst": __version__}
        self._client, self._limits, self._answers = client, limits, answers
        self._future: Any = None
        self._said = "the cluster gave the task up"

    @property
    def deadline(self) -> float:
        return time.monotonic() + LOOK_SECONDS

    @property
    def late(self) -> bool:
        return False  # time is kept beside the task

    def give(self, task: Task) -> None:
        self.task, self.given_at = task, time.monotonic()
        self._future = self._client.submit(
            carried_out, task, self._limits, pure=False, retries=RETRIES
        )
        self._future.add_done_callback(self._ended)

    def stop(self) -> None:
        if self._future is not None and not self._future.done():
            self._future.cancel()

    def last_words(self) -> str:
        return self._said

    def _ended(self, future: Any) -> None:
        answer: dict[str, Any] | None = None
        try:
            answer, self.versions = future.result()
        except BaseException as error:  # a killed worker, a scheduler that is gone, a cancellation
            self._said = f"{type(error).__name__}: {error}"
        if answer is not None and "died" in answer:
            self._said, answer = answer["died"], None
        self._answers.put((self, answer))


_idle: dict[Limits, list[tuple[WorkerProcess, Answers]]] = {}
"""Processes of this worker of a cluster that wait for the next task."""


def carried_out(task: Task, limits: Limits) -> tuple[dict[str, Any], dict[str, Any]]:
    """Carry a task out in a process, on a worker of a cluster; return its answer and versions."""
    waiting = _idle.setdefault(limits, [])
    try:
        process, answers = waiting.pop()
    except IndexError:
        answers = queue.Queue()
        process = WorkerProcess(limits, answers)
    process.give(task)
    answer = _answer(process, answers, limits)
    if answer.get("status") == "done":
        process.task = None
        waiting.append((process, answers))
    else:
        process.stop()
    return answer, process.versions


def _answer(process: WorkerProcess, answers: Answers, limits: Limits) -> dict[str, Any]:
    while True:
        patience = min(max(0.01, process.deadline - time.monotonic()), math.ceil(limits.seconds))
        try:
            _, answer = answers.get(timeout=patience)
        except queue.Empty:
            if process.late:
                message = f"not done after {limits.seconds:g} s"
                return {"status": "timeout", "message": message}
            continue
        if answer is None:
            return {"died": process.last_words()}
        if "ready" not in answer:
            return answer
