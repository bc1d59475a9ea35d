"""Where requests wait for the model: one at a time, not too many, not too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dlst.serve.limits import Limits, RequestError

Answer = TypeVar("Answer")


class Deadline:
    """The moment after which nobody waits for an answer."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds to go."""
        return max(self._end - time.monotonic(), 0.0)

    def check(self) -> None:
        """Refuse to go on when it has passed."""
        if not self.left:
            raise self.refusal()

    def refusal(self) -> RequestError:
        """Say what the limit was."""
        return RequestError(
            503,
            f"expected an answer within {self._seconds:g} seconds, got none. Send fewer rows, ask "
            "again later, or raise --timeout.",
        )


class Desk:
    """One thread that works for all requests of a process.

    More threads would share Python's lock and the processor's caches, and answer later; more
    processors want more processes.
    """

    def __init__(self, limits: Limits):
        self._limits = limits
        self._thread = ThreadPoolExecutor(1, "model")
        self._waiting = 0

    async def run(self, work: Callable[[], Answer], deadline: Deadline) -> Answer:
        """Do some work in its turn.

        Raises
        ------
        RequestError
            When too many wait already, or the deadline passes.
        """
        if self._waiting >= self._limits.waiting:
            raise RequestError(
                503,
                f"{self._waiting} requests wait already, as many as may. Ask again later, or serve "
                "with more --workers.",
            )
        self._waiting += 1
        try:
            done = asyncio.get_running_loop().run_in_executor(self._thread, work)
            # What has not begun is taken back; what has begun looks at the deadline itself.
            return await asyncio.wait_for(done, deadline.left)
        except TimeoutError as error:
            raise deadline.refusal() from error
        finally:
            self._waiting -= 1
