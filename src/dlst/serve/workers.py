"""Worker processes on one model: forked, watched, and replaced when one dies."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

from dlst.errors import DataError

PAUSE = 1.0
"""Seconds before a worker is replaced, so that one that cannot start is not restarted in a loop."""

log = logging.getLogger("uvicorn.error")


def run_workers(work: Callable[[int], None], count: int) -> None:
    """Run ``work(0)`` … ``work(count - 1)`` in a process each until this one is stopped."""
    if "fork" not in multiprocessing.get_all_start_methods():
        raise DataError("several workers need a system that forks, such as Linux; use --workers 1.")
    fork = multiprocessing.get_context("fork")
    running: dict[int, Any] = {}

    def start(worker: int) -> None:
        running[worker] = fork.Process(target=work, args=(worker,), name=f"worker {worker}")
        running[worker].start()

    def stop(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        for worker in range(count):
            start(worker)
        while True:
            wait([process.sentinel for process in running.values()])
            for worker, process in list(running.items()):
                if process.exitcode is not None:
                    log.error("worker %d ended by %s; starting another", worker, process.exitcode)
                    time.sleep(PAUSE)
                    start(worker)
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join()
