"""Worker processes, as the runner sees them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from dlst import __version__
from dlst._threads import VARIABLES
from dlst.experiments.tasks import Limits, Task

START_SECONDS = 300.0
"""How long a process may take to import what it needs, on a busy machine."""

MACOS_VARIABLE = "VECLIB_MAXIMUM_THREADS"
_LAST_BYTES = 4096
_LAST_LINES = 3


class WorkerProcess:
    """One process of :mod:`dlst.experiments.worker`; an OSError where the system gives none.

    The queue gets ``(self, {"ready": …})`` when the process has started, ``(self, answer)`` for
    each task, and ``(self, None)`` at last, when it has ended, however it did.
    """

    def __init__(self, limits: Limits, answers: queue.Queue[Any]):
        self.task: Task | None = None
        self.given_at = 0.0
        # Little, until it has started and says what it runs on.
        self.versions: dict[str, Any] = {"dlst": __version__}
        self._seconds = limits.seconds
        self._ready = False
        self._said = b""
        threads = limits.threads or max(1, (os.cpu_count() or 1) // limits.jobs)
        command = [sys.executable, "-m", "dlst.experiments.worker"]
        if limits.memory_mib is not None:
            command.append(str(limits.memory_mib))
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys((*VARIABLES, MACOS_VARIABLE), str(threads))},
            # A group of its own, so that what it starts ends with it.
            start_new_session=True,
        )
        self._readers = [
            threading.Thread(target=self._listen, args=(answers,), daemon=True),
            threading.Thread(target=self._overhear, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        threading.Thread(target=self._await_end, args=(answers,), daemon=True).start()

    @property
    def deadline(self) -> float:
        """When the task must have ended; starting has a time of its own."""
        return self.given_at + (self._seconds if self._ready else START_SECONDS + self._seconds)

    @property
    def late(self) -> bool:
        """Whether it has not."""
        return self.task is not None and time.monotonic() >= self.deadline

    def give(self, task: Task) -> None:
        """Start a task."""
        self.task, self.given_at = task, time.monotonic()
        assert self._process.stdin is not None  # noqa: S101  # we asked for a pipe
        with suppress(OSError):  # it is dead, and the answers will say so
            self._process.stdin.write(json.dumps(task.message).encode() + b"\n")
            self._process.stdin.flush()

    def stop(self) -> None:
        """End the process and what it started, whatever they do."""
        with suppress(OSError):  # it has ended before
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
        self._process.wait()
        self._join_readers()
        streams = (self._process.stdout, self._process.stderr)
        for reader, stream in zip(self._readers, streams, strict=True):
            if stream is not None and not reader.is_alive():
                stream.close()
        with suppress(OSError):  # what it was given and never read
            if self._process.stdin is not None:
                self._process.stdin.close()

    def last_words(self) -> str:
        """Say how the process ended."""
        code = self._process.poll()
        how = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
        lines = self._said.decode(errors="replace").strip().splitlines()
        words = f": {' / '.join(lines[-_LAST_LINES:])}" if lines else ""
        return f"the process ended with {how}{words}"

    def _listen(self, answers: queue.Queue[Any]) -> None:
        assert self._process.stdout is not None  # noqa: S101
        try:
            for line in self._process.stdout:
                answer = json.loads(line)
                if not self._ready:
                    self.versions, self._ready = answer["ready"], True
                    self.given_at = time.monotonic()
                answers.put((self, answer))
        except ValueError:  # closed while reading, or half a line at a kill
            return

    def _overhear(self) -> None:
        """Keep the end of what the process says; a file of it would stay behind after a kill."""
        assert self._process.stderr is not None  # noqa: S101
        try:
            while said := self._process.stderr.read1():  # type: ignore[attr-defined]
                self._said = (self._said + said)[-_LAST_BYTES:]
        except ValueError:  # closed while reading
            return

    def _await_end(self, answers: queue.Queue[Any]) -> None:
        self._process.wait()
        self._join_readers()
        answers.put((self, None))

    def _join_readers(self) -> None:
        # Something that the process started may live on and hold the pipes open.
        for reader in self._readers:
            reader.join(timeout=1.0)
