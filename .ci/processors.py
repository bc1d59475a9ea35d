"""Run the numerical tests under the BLAS kernels of other processors, which round differently.

``python .ci/processors.py [KERNELS[:THREADS] ...]``; by default each set of kernels that this
processor can run, with one BLAS thread and with two.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

# The flag in /proc/cpuinfo without which OpenBLAS's kernels of that name stop the process.
NEEDED = {
    "Prescott": "pni",
    "Nehalem": "sse4_2",
    "Sandybridge": "avx",
    "Haswell": "avx2",
    "Zen": "avx2",
    "SkylakeX": "avx512vl",
}
ROOMS = ("regressors", "encoders", "decoders", "decisions", "methods", "kernels", "metrics")
PART = [f"tests/{room}" for room in ROOMS]
WHOLE = [*PART, "tests/conformance"]
LIBRARIES = """
import json, numpy, scipy.linalg, threadpoolctl
print(json.dumps(threadpoolctl.threadpool_info()))
"""


def main(asked: list[str]) -> int:
    """Return how many of the runs failed."""
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text().split()) if cpuinfo.is_file() else set()
    able = [kernels for kernels, flag in NEEDED.items() if flag in flags]
    runs = asked or [f"{kernels}:{threads}" for kernels in able for threads in (1, 2)]
    table, done = [], set()
    for run in runs:
        kernels, _, threads = run.partition(":")
        taken = _taken(kernels) if kernels in able else ""
        if not taken or (taken, threads) in done:
            table.append((run, f"the same as {taken}" if taken else "not on this machine"))
            continue
        done.add((taken, threads))
        print(f"== {run} ({taken})", flush=True)
        passed = _pass(kernels, threads or "1", PART if asked else WHOLE)
        table.append((run, "passed" if passed else "FAILED"))
    print("\n".join(f"{run:14} {outcome}" for run, outcome in table))
    return sum(outcome == "FAILED" for _, outcome in table)


def _taken(kernels: str) -> str:
    """Return what the libraries make of a name; nothing where they are not OpenBLAS."""
    surroundings = {**os.environ, "OPENBLAS_CORETYPE": kernels}
    told = subprocess.check_output([sys.executable, "-c", LIBRARIES], env=surroundings)
    blas = [each for each in json.loads(told) if each["internal_api"] == "openblas"]
    return "/".join(sorted({each["architecture"] for each in blas}))


def _pass(kernels: str, threads: str, part: list[str]) -> bool:
    settings = dict.fromkeys(("OPENBLAS_NUM_THREADS", "DLST_BLAS_THREADS"), threads)
    # Threads that wait for each other's core spin: more of them than cores take ten times as long.
    processes = max(1, (os.cpu_count() or 1) // int(threads))
    spread = [f"--numprocesses={processes}", "--dist=worksteal"]
    command = [sys.executable, "-m", "pytest", "-q", *spread]
    surroundings = {**os.environ, "OPENBLAS_CORETYPE": kernels, **settings}
    return subprocess.run([*command, *part], env=surroundings).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
