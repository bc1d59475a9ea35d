"""Measured cases, kept as JSON, and the page docs/performance.md that is written from them.

A script measures its cases and ends with ``keep("encoder", "Encoder", cases)``, which prints them
and writes benchmarks/results/encoder.json. The page holds every part that has such a file:

    python benchmarks/_table.py
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dlst._files import atomic_write

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "performance.md"

INTRODUCTION = """# Performance

Written by `make bench`: each part is measured by a script in `benchmarks`, which stores its figures
as JSON in `benchmarks/results`. Ours and the peer run in one process tree, in turns, on the same
data; times are the best of the runs. A ratio is ours divided by the peer's, in the unit that the
target names. *Met* says "no" where a target is missed.
"""


@dataclass(frozen=True)
class Case:
    """One line of the table.

    ``ours`` and ``peer`` say what was measured, with its unit; ``ratio`` compares the two as the
    target does. Seconds and MiB are of our run; ``met`` is None where there is no target.
    """

    case: str
    target: str = ""
    ours: str = ""
    peer: str = ""
    ratio: float | None = None
    cpu: float | None = None
    wall: float | None = None
    memory: float | None = None
    quality: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Spent:
    """What a call took: seconds of all threads' work, seconds by the clock, and its result."""

    cpu: float
    wall: float
    result: Any = None


def spent(function: Callable[[], Any], runs: int = 1) -> Spent:
    """Call a function several times; keep the run that was the shortest by the clock."""
    return min((_spent_once(function) for _ in range(runs)), key=lambda run: run.wall)


def peak_mib() -> float:
    """Peak memory of this process since it began."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def keep(name: str, title: str, cases: list[Case], note: str = "") -> None:
    """Print the cases and keep them in benchmarks/results/NAME.json."""
    table = Table(*HEADINGS, title=title)
    for case in cases:
        table.add_row(*_cells(case))
    Console().print(table)
    part = {
        "title": title,
        "command": f"python benchmarks/{Path(sys.argv[0]).name}",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}",
        "note": note,
        "cases": [asdict(case) for case in cases],
    }
    RESULTS.mkdir(exist_ok=True)
    _write(RESULTS / f"{name}.json", json.dumps(part, indent=1, ensure_ascii=False) + "\n")


def page() -> str:
    """Return the text of docs/performance.md, made from the stored figures."""
    parts = [json.loads(file.read_text("utf-8")) for file in sorted(RESULTS.glob("*.json"))]
    return "\n".join([INTRODUCTION, *map(_section, parts)])


HEADINGS = (
    "case", "target", "ours", "peer", "ratio", "CPU s", "wall s", "MiB", "quality", "met",
)  # fmt: skip


def _cells(case: Case) -> list[str]:
    met = {True: "yes", False: "no", None: ""}[case.met]
    numbers = map(_figure, (case.ratio, case.cpu, case.wall, case.memory))
    return [case.case, case.target, case.ours, case.peer, *numbers, case.quality, met]


def _figure(value: float | None) -> str:
    """Three digits, and no powers of ten: 0.0123, 1.23, 123, 12345."""
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")


def _section(part: dict[str, Any]) -> str:
    rows = [_cells(Case(**case)) for case in part["cases"]]
    lines = [f"| {' | '.join(row)} |" for row in [HEADINGS, ["---"] * len(HEADINGS), *rows]]
    told = [f"## {part['title']}", f"`{part['command']}` · {part['machine']}"]
    told += [part["note"]] * bool(part["note"])
    return "\n\n".join([*told, "\n".join(lines)]) + "\n"


def _spent_once(function: Callable[[], Any]) -> Spent:
    cpu, wall = time.process_time(), time.perf_counter()
    result = function()
    return Spent(time.process_time() - cpu, time.perf_counter() - wall, result)


def _write(path: Path, text: str) -> None:
    with atomic_write(path, text=True) as stream:
        stream.write(text)


if __name__ == "__main__":
    _write(PAGE, page())
