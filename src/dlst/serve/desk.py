"""The queue of requests, limited in length and time; small requests are answered together."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from dlst.serve.limits import Limits, RequestError

SMALL = 16 * 2**10
"""Maximum size in bytes of a request that may be answered together with others."""

MOST_TOGETHER = 32


class Deadline:
    """The time after which no answer is expected."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left."""
        return max(self._end - time.monotonic(), 0.0)

    def check(self) -> None:
        """Raise ``RequestError`` if it has passed."""
        if not self.left:
            raise self.refusal()

    def refusal(self) -> RequestError:
        """Return an error that names the limit."""
        return RequestError(
            503,
            f"expected an answer within {self._seconds:g} seconds, got none. Send fewer rows, try "
            "again later, or raise --timeout.",
        )


@dataclass(eq=False)
class Job:
    """A request for tags; ``done`` will hold the bytes of its answer and the number of its rows."""

    body: bytes
    top: int
    reasons: bool
    deadline: Deadline
    done: Future[tuple[bytes, int]] = field(default_factory=Future)

    @property
    def is_small(self) -> bool:
        """Whether it may be answered together with others."""
        return not self.reasons and len(self.body) <= SMALL


class Desk:
    """One thread that answers all requests of a process.

    More threads would share Python's lock and the processor's caches, and answer later; to use more
    processors, run more processes. Small requests that wait are answered together, as ten rows take
    little longer than one.

    Parameters
    ----------
    limits : Limits
    answer : callable
        Takes jobs, and sets the result or the error of each.
    """

    def __init__(self, limits: Limits, answer: Callable[[Sequence[Job]], None]):
        self._limits, self._answer = limits, answer
        self._thread = ThreadPoolExecutor(1, "model")
        self._jobs: deque[Job] = deque()
        self._unanswered = 0

    async def submit(self, job: Job) -> tuple[bytes, int]:
        """Queue a job, and wait for its answer.

        Raises
        ------
        RequestError
            If the queue is full, or the deadline passes.
        """
        if self._unanswered >= self._limits.waiting:
            raise RequestError(
                503,
                f"{self._unanswered} requests wait already, the most allowed. Try again later, or "
                "serve with more --workers.",
            )
        self._unanswered += 1
        try:
            self._jobs.append(job)
            self._thread.submit(self._next)
            # A job not yet started is cancelled; one already started checks the deadline itself.
            return await asyncio.wait_for(asyncio.wrap_future(job.done), job.deadline.left)
        except TimeoutError as error:
            raise job.deadline.refusal() from error
        finally:
            self._unanswered -= 1

    def _next(self) -> None:
        jobs = [job for job in self._taken() if job.done.set_running_or_notify_cancel()]
        try:
            if jobs:
                self._answer(jobs)
        except Exception as error:
            for job in jobs:
                if not job.done.done():
                    job.done.set_exception(error)

    def _taken(self) -> list[Job]:
        """Take the next job, and small ones after a small one; none if already taken."""
        taken: list[Job] = []
        while self._jobs and len(taken) < MOST_TOGETHER:
            if taken and not (taken[0].is_small and self._jobs[0].is_small):
                break
            taken.append(self._jobs.popleft())
        return taken
