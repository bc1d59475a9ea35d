"""How long a fresh process waits: for the import, for the help, and for a first small fit.

python benchmarks/startup.py
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

from _table import Case, Spent, keep

RUNS = 7

IMPORT = ["-c", "import dlst; dlst.DLST"]
HELP = ["-m", "dlst", "--help"]
FIT = [
    "-c",
    """
import numpy as np
from dlst import DLST
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
Y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(60, 4)) > 0).astype(int)
DLST().fit(X, Y).predict(X)
""",
]
BENEATH = ["-c", "import sklearn.base"]
"""What every estimator waits for."""


SURROUNDINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # empty: byte code is kept on disk
}


def started(arguments: list[str]) -> Spent:
    """Run a fresh Python several times; keep the shortest."""
    return min((_once(arguments) for _ in range(RUNS)), key=lambda run: run.wall)


def _once(arguments: list[str]) -> Spent:
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(  # noqa: S603  # our own words
        [sys.executable, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | SURROUNDINGS,
    )
    wall = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(cpu, wall)


def main() -> None:
    beneath = started(BENEATH)
    cases = []
    for name, arguments, target in (
        ("import dlst; dlst.DLST", IMPORT, 1.5),
        ("dlst --help", HELP, 0.4),
        ("a first small fit, kernels cached", FIT, 3.0),
    ):
        _once(arguments)  # byte code and kernels are kept on disk by the first run
        ours = started(arguments)
        cases.append(
            Case(
                name,
                target=f"≤ {target:g} s",
                ours=f"{ours.wall:.2f} s",
                peer=f"import sklearn.base: {beneath.wall:.2f} s",
                ratio=ours.wall / beneath.wall,
                cpu=ours.cpu,
                wall=ours.wall,
                met=ours.wall <= target,
            )
        )
    note = f"Fresh processes, the best of {RUNS}; the fit is of 60 rows, 5 features and 4 labels."
    keep("startup", "Start-up", cases, note)


if __name__ == "__main__":
    main()
