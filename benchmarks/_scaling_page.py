"""docs/scaling.md: measured curves with their exponents, and what a cluster would need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dlst._files import atomic_write

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scaling.md"

WORDS = {
    "n": ("rows n", "d = 100, K = 81, basis of s = 1000 rows; NUS-WIDE's label sets"),
    "d": ("features d", "n = 20,000, K = 81, s = 1000"),
    "K": ("labels K", "n = 20,000, d = 100, s = 1000; planted labels, three for each row"),
    "s": (
        "rows of the basis s",
        "n = 20,000, d = 100, K = 81; up to ten million kernel values are stored, above that only "
        "sums",
    ),
    "m": (
        "distinct label sets m",
        "One value and gradient of the divergence over all pairs, for codes of length 16, not a "
        "fit; label sets of NUS-WIDE, up to 2,000 in float64, more in float32. No pairs are "
        "stored: the memory needed is below the peak of reading the data",
    ),
}

BIG = {"n": 100_000_000, "K": 1_000_000, "d": 1_000, "s": 1_000}
WIDTHS = 4
LABELS_PER_ROW = 5
SHORTLIST = 200
CODE = 100
WORKERS = 100
GIB = 2**30


def exponent(points: list[dict[str, Any]], what: str) -> float:
    """Return the slope of the logarithms, by least squares."""
    x = np.log([point["value"] for point in points])
    y = np.log([max(point[what], 1e-9) for point in points])
    return float(np.polyfit(x, y, 1)[0])


def write_page(kept: dict[str, list[dict[str, Any]]]) -> None:
    """Write the page from measured curves."""
    parts = [INTRODUCTION, *(_curve(name, kept[name]) for name in WORDS if name in kept)]
    if "n" in kept:
        parts.append(_cluster(kept["n"]))
    with atomic_write(PAGE, text=True) as stream:
        stream.write("\n".join(parts))


INTRODUCTION = """# Scaling

Written by `python benchmarks/scale.py --curve n,d,K,s,m --page`. Each point is one fit of `DLST()`
(for m, one evaluation of the encoder's objective) in a process of its own, with one BLAS thread.
Seconds are CPU seconds; MiB is what the point added to the peak memory of the process, which had
already read the data. The exponent is the slope of log seconds over log size, by least squares: 1
is linear.

How a fit limits its memory: kernels between rows and basis are computed block by block, and only
their sums are kept (KᵀK and KᵀY for each width). Widths first compete on 8,192 rows; the remaining
ones are regressed on all rows and judged by exact leave-one-out on 4,096 of them, and the penalty
is checked on all. Votes are weighted on at most 5,000 rows, or 1,000 rows from 25,000 rows on.
`max_memory` bounds what a fit may take; a fit that would exceed it is refused before it starts, and
the error names the number of rows that would fit.
"""


def _curve(name: str, points: list[dict[str, Any]]) -> str:
    what, beside = WORDS[name]
    lines = [
        f"| {point['value']:,} | {point['cpu']:.2f} | {point['mib']:.0f} |" for point in points
    ]
    grown, memory = exponent(points, "cpu"), exponent(points, "mib")
    return "\n".join(
        [
            f"## {what[0].upper()}{what[1:]}",
            "",
            f"{beside}. Exponent of seconds **{grown:.2f}**, of memory **{memory:.2f}**.",
            "",
            f"| {what} | CPU s | MiB added |",
            "| --- | --- | --- |",
            *lines,
            "",
        ]
    )


def _cluster(points: list[dict[str, Any]]) -> str:
    """Reckon with the slope that was measured; nothing here was run."""
    n, K, d, s = (BIG[name] for name in ("n", "K", "d", "s"))
    first, last = points[0], points[-1]
    a_row = (last["cpu"] - first["cpu"]) / (last["value"] - first["value"])
    codes = s * CODE
    rows = [
        ("features, dense float32", 4 * n * d, "stay where they are"),
        ("labels, sparse", 12 * n * LABELS_PER_ROW, "stay where they are"),
        ("basis, broadcast", 8 * s * d * WORKERS, f"{_size(8 * s * d)} to each worker"),
        (
            "KᵀK for each width, reduced",
            8 * s * s * WIDTHS * WORKERS,
            f"{_size(8 * s * s)} from each worker and width",
        ),
        (
            f"KᵀZ, codes of {CODE} in place of K labels",
            8 * codes * WIDTHS * WORKERS,
            f"{_size(8 * codes)} from each worker and width; KᵀY would be {_size(8 * s * K)}",
        ),
        ("leave-one-out codes, float32", 4 * n * CODE, "written block by block, next to the rows"),
        (
            "codes searched by votes, float32",
            4 * n * CODE,
            f"{_size(4 * n * CODE / WORKERS)} on each worker; a query goes to all, "
            f"{_size(4 * CODE)} out and {_size(12 * SHORTLIST)} back from each",
        ),
        (
            "read-out of a shortlist",
            8 * s * CODE + 8 * CODE * K,
            "held by the process that answers",
        ),
    ]
    seconds = a_row * n
    lines = [f"| {what} | {_size(total)} | {moved} |" for what, total, moved in rows]
    return "\n".join(
        [
            "## On paper: 100 million rows, a million labels",
            "",
            f"Not run. n = {n:,}, K = {K:,}, d = {d:,}, s = {s:,}, {LABELS_PER_ROW} labels a row, "
            f"{WORKERS} workers, codes of {CODE} numbers, since arrays of n by K or s by K numbers "
            "are out of the question. By the curve above (at K = 81 and d = 100), a row costs "
            f"{1e3 * a_row:.2f} ms of one core and all rows {seconds / 3600:.0f} core hours, or "
            f"{seconds / 3600 / WORKERS:.1f} h on {WORKERS} single cores, assuming that reading "
            "overlaps with computing.",
            "",
            "| what | total size | sent over the network |",
            "| --- | --- | --- |",
            *lines,
            "",
            f"A worker holds its share of rows, {_size((4 * n * d + 4 * n * CODE) / WORKERS)} of "
            "features and codes, or reads them in passes: one for each competing width, one to "
            "check, one to leave rows out, one to calibrate. The eigenproblem of size s runs on "
            "one node in about a second and needs no rows. What would break first is the read-out "
            "of a million labels from the basis: labels must be scored by shortlist, from codes.",
            "",
        ]
    )


def _size(number: float) -> str:
    for unit, size in (("TiB", 2**40), ("GiB", GIB), ("MiB", 2**20), ("KiB", 2**10)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} B"
