"""A bar for long work: on a terminal after two seconds, never in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY_SECONDS = 2.0

_shown: list[Progress] = []


@contextmanager
def progress_bar(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function to call with each step; what it draws goes to stderr and is wiped at the end.

    Work inside other work that already shows a bar stays silent: a terminal has one last line.
    """
    started = time.monotonic()
    done = 0
    bar: Progress | None = None

    def advance(steps: int) -> None:
        nonlocal done, bar
        done += steps
        late = time.monotonic() - started >= DELAY_SECONDS
        if bar is None and late and not _shown and sys.stderr.isatty():
            bar = _start(description, total)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield advance
    finally:
        if bar is not None:
            _shown.remove(bar)
            bar.stop()


def _start(description: str, total: int | None) -> Progress:
    # Imported here: most commands end before they need it.
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(description, total=total)
    bar.start()
    _shown.append(bar)
    return bar
