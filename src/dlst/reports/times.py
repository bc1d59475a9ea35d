"""How long a run took, from its records."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping
from typing import Any

_BREAK = 2.0
"""Seconds between two records that are no break: their times are kept in whole seconds."""


def wall_seconds(records: Iterable[Mapping[str, Any]]) -> float:
    """Return how long anything was being run, by whomever and however often it stopped.

    Parameters
    ----------
    records : iterable of mapping

    Returns
    -------
    float

    Examples
    --------
    >>> wall_seconds([
    ...     {"finished": "2026-01-01T10:00:30+00:00", "wall_seconds": 20.0},
    ...     {"finished": "2026-01-01T10:00:40+00:00", "wall_seconds": 20.0},
    ...     {"finished": "2026-01-03T08:00:00+00:00", "wall_seconds": 5.0},
    ... ])
    35.0
    """
    total, busy_until = 0.0, -math.inf
    for start, end in sorted(_spans(records)):
        if start > busy_until + _BREAK:
            busy_until = start
        total += max(0.0, end - busy_until)
        busy_until = max(busy_until, end)
    return total


def run_span(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Name the first start, the last end and the time between them; nothing without records."""
    spans = _spans(records)
    if not spans:
        return {}
    started, ended = min(start for start, _ in spans), max(end for _, end in spans)
    return {
        "first started": _date(started),
        "last ended": _date(ended),
        "from first to last": duration(ended - started),
    }


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it.

    Examples
    --------
    >>> duration(75), duration(600), duration(9000)
    ('75 s', '10 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _spans(records: Iterable[Mapping[str, Any]]) -> list[tuple[float, float]]:
    ends = [
        (datetime.datetime.fromisoformat(each["finished"]).timestamp(), each.get("wall_seconds"))
        for each in records
        if each.get("finished")
    ]
    return [(end - float(took or 0), end) for end, took in ends]


def _date(moment: float) -> str:
    return f"{datetime.datetime.fromtimestamp(moment, datetime.UTC):%Y-%m-%d %H:%M} UTC"
