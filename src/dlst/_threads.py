"""Threads: ours over independent pieces of work, one for BLAS within each.

A product that BLAS computes with two threads differs in its last digits from that with one, and
BLAS threads that wait for each other on a busy machine are slower than one alone. So fits keep BLAS
to one thread and give pieces that do not depend on each other to threads of their own: the bytes
are the same whatever their number.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_bounded: ContextVar[bool] = ContextVar("bounded", default=False)
_lock = Lock()
_limits: list[Any] = []
"""What lifts the limit of BLAS, and one more entry for each who wants it."""

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""What numerical libraries read when they are loaded."""


def usable_cores() -> int:
    """Return the cores for this process: what it is given, less where the environment says so."""
    given = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limits = [int(value) for name in VARIABLES if (value := os.environ.get(name, "")).isdigit()]
    return max(1, min([given or 1, *limits]))


def free_cores() -> int:
    """Return the cores that nobody else works on now, at least one.

    Examples
    --------
    >>> 1 <= free_cores() <= usable_cores()
    True
    """
    usable = usable_cores()
    return usable if usable == 1 else max(1, usable - _others_running())


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Let work within have so many threads, each with BLAS alone; None are those that are free.

    Whoever has an ``n_jobs`` of None takes them over, as with :func:`joblib.parallel_config`.
    """
    from joblib import parallel_config

    n_threads = free_cores() if n_jobs is None else n_jobs
    token = _bounded.set(True)
    try:
        with one_blas_thread(), parallel_config(backend="threading", n_jobs=n_threads):
            yield
    finally:
        _bounded.reset(token)


def allowed_threads() -> int:
    """Return the threads that work may have here: those of :func:`threads`, else free cores."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(None)) if _bounded.get() else free_cores()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread, until the last of those who ask for it has done."""
    # The limit is the whole process's: of two threads of ours, the first to end must not lift it.
    with _lock:
        if not _limits:
            _limits.append(_controller().limit(limits=1, user_api="blas"))
        _limits.append(None)
    try:
        yield
    finally:
        with _lock:
            _limits.pop()
            if len(_limits) == 1:
                _limits.pop().restore_original_limits()


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None = None
) -> Iterator[Result]:
    """Give the results of a function for items, in their order; at most ``n_jobs`` wait.

    Examples
    --------
    >>> list(in_threads(abs, [-1, 2, -3], n_jobs=2))
    [1, 2, 3]
    """
    from joblib import effective_n_jobs

    n_threads = effective_n_jobs(n_jobs)
    if n_threads == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for item in items:
            # What was planned for this work, such as its memory, holds in threads too.
            waiting.append(pool.submit(copy_context().run, function, item))
            if len(waiting) >= n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@cache
def _controller() -> Any:
    # To find the libraries takes a millisecond; numpy's and scipy's are loaded by now.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _others_running() -> int:
    """Count the threads that run or wait for a core now, but for this one."""
    try:
        running = Path("/proc/loadavg").read_text().split()[3].partition("/")[0]
        return max(0, int(running) - 1)
    except (OSError, IndexError, ValueError):
        return round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0
