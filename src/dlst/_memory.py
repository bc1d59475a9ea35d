"""How much memory work may take: planned before it starts, and kept to by blocks of that size."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

BLOCK_BYTES = 32 * 2**20
"""Of one array in work that goes block by block; more is no faster, as caches are smaller."""

BLOCKS_IN_BUDGET = 32
"""Arrays of a block that may be alive at once, with room to spare."""

_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

_budget: ContextVar[int | None] = ContextVar("budget", default=None)


def block_rows(columns: int) -> int:
    """Return how many rows of so many numbers are worked on at once, at least 16.

    Examples
    --------
    >>> block_rows(1024), block_rows(10**9)
    (4096, 16)
    """
    budget = _budget.get()
    allowed = BLOCK_BYTES if budget is None else min(BLOCK_BYTES, budget // BLOCKS_IN_BUDGET)
    return max(16, allowed // (8 * max(1, columns)))


@contextmanager
def memory_budget(allowed: int | None) -> Iterator[None]:
    """Let blocks within be so small that they keep to so many bytes."""
    token = _budget.set(allowed)
    try:
        yield
    finally:
        _budget.reset(token)


def as_bytes(size: Any) -> int:
    """Read a size: a number of bytes, or text such as "4GiB", "500 MB" or "2g".

    Examples
    --------
    >>> as_bytes("1.5 GiB"), as_bytes(2048)
    (1610612736, 2048)
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?)i?b?\s*", str(size).lower())
    number = _number(found[1]) if found and not isinstance(size, bool) else None
    if found is None or number is None or number <= 0:
        raise ValueError(
            f"max_memory must be bytes, or a size such as '4GiB' or '500MB'; got {size!r}."
        )
    return int(number * _UNITS[found[2]])


def readable(size: float) -> str:
    """Write a number of bytes in a unit that suits it.

    Examples
    --------
    >>> readable(3 * 2**30), readable(5e6)
    ('3.0 GiB', '5 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def free_memory() -> int | None:
    """Return the bytes that this process may still take; None where the system does not say."""
    found = [bytes_ for bytes_ in (_free_on_machine(), _free_in_group()) if bytes_ is not None]
    return min(found, default=None)


def _free_on_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        # No word of what is free: half of what there is.
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _free_in_group(group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return what the control group of a container leaves."""
    try:
        limit = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return max(0, int(limit) - used) if limit.isdecimal() else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
