"""Small data and plans whose cells take milliseconds."""

from __future__ import annotations

import os

import numpy as np

TIMES = ("seconds", "wall_seconds", "finished", "peak_mib")


def write_table(path, seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, 2)) + 0.5 * rng.normal(size=(n, 2)) > 0).astype(int)
    rows = [
        ",".join([*(f"{x:.4f}" for x in row), *map(str, y)]) for row, y in zip(X, Y, strict=True)
    ]
    path.write_text("a,b,c,label:u,label:v\n" + "\n".join(rows) + "\n")
    return str(path)


def without_times(records):
    return [{key: record[key] for key in record if key not in TIMES} for record in records]


def child_processes():
    """Give the workers that a runner in this process has started, as Linux tells them."""
    found = []
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/children") as stream:
            found += map(int, stream.read().split())
    return [child for child in found if b"dlst.experiments.worker" in _command(child)]


def _command(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as stream:
            return stream.read()
    except OSError:  # it has ended
        return b""
