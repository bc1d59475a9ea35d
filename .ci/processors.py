"""Run the numerical tests with the rounding of other processors.

``python .ci/processors.py [PROCESSOR[:THREADS] ...]``; by default each that this one can stand for,
with one BLAS thread and with two. Libraries look at the processor and choose code that sums in
another order or fuses additions with products: OpenBLAS its kernels, numba what it compiles, NumPy
and the C library their loops and functions. All of them are told the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Processor(NamedTuple):
    """What the libraries are told, and what must be here for it."""

    flag: str
    """In /proc/cpuinfo; without it OpenBLAS's kernels of that name stop the process."""
    llvm: str
    fused: bool = True
    """Whether products are added without rounding between, as from 2013 on."""
    wide: bool = False
    """Whether it has 512 bits."""


PROCESSORS = {
    "Prescott": Processor("pni", "nocona", fused=False),
    "Nehalem": Processor("sse4_2", "nehalem", fused=False),
    "Sandybridge": Processor("avx", "sandybridge", fused=False),
    "Haswell": Processor("avx2", "haswell"),
    "Zen": Processor("avx2", "znver1"),
    "SkylakeX": Processor("avx512vl", "skylake-avx512", wide=True),
}
ROOMS = ("regressors", "encoders", "decoders", "decisions", "methods", "kernels", "metrics")
PART = [f"tests/{room}" for room in ROOMS]
# With the examples of their docstrings.
PART += [f"src/dlst/{'_kernels' if room == 'kernels' else room}" for room in ROOMS]
WHOLE = [*PART, "tests/conformance"]
LIBRARIES = """
import json, numpy, scipy.linalg, threadpoolctl
print(json.dumps(threadpoolctl.threadpool_info()))
"""
NUMPY_CHOICES = """
import json
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(json.dumps([name for name in __cpu_dispatch__ if __cpu_features__.get(name)]))
"""


def main(asked: list[str]) -> int:
    """Return how many of the runs failed."""
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text().split()) if cpuinfo.is_file() else set()
    able = [name for name, processor in PROCESSORS.items() if processor.flag in flags]
    runs = asked or [f"{name}:{threads}" for name in able for threads in (1, 2)]
    table = []
    for run in runs:
        name, _, threads = run.partition(":")
        if name not in able:
            table.append((run, "not on this machine"))
            continue
        told = surroundings(PROCESSORS[name], name)
        print(f"== {run} (OpenBLAS: {kernels(told)})", flush=True)
        passed = passes(told, threads or "1", PART if asked else WHOLE)
        table.append((run, "passed" if passed else "FAILED"))
    print("\n".join(f"{run:14} {outcome}" for run, outcome in table))
    return sum(outcome == "FAILED" for _, outcome in table)


def surroundings(processor: Processor, name: str) -> dict[str, str]:
    """Return the variables by which libraries take this processor for another."""
    choices = json.loads(subprocess.check_output([sys.executable, "-c", NUMPY_CHOICES]))
    wide = [choice for choice in choices if "512" in choice or choice == "X86_V4"]
    beyond = choices if not processor.fused else [] if processor.wide else wide
    told = {
        "OPENBLAS_CORETYPE": name,
        "NUMBA_CPU_NAME": processor.llvm,
        "NUMBA_CPU_FEATURES": "",
        "NPY_DISABLE_CPU_FEATURES": " ".join(beyond),
    }
    if not processor.fused:
        told["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"
    return {**os.environ, **told}


def kernels(told: dict[str, str]) -> str:
    """Return which kernels OpenBLAS takes; nothing where BLAS is another library."""
    libraries = json.loads(subprocess.check_output([sys.executable, "-c", LIBRARIES], env=told))
    blas = [each for each in libraries if each["internal_api"] == "openblas"]
    return "/".join(sorted({each["architecture"] for each in blas}))


def passes(told: dict[str, str], threads: str, part: list[str]) -> bool:
    """Run the tests; say whether all passed."""
    settings = dict.fromkeys(("OPENBLAS_NUM_THREADS", "DLST_BLAS_THREADS"), threads)
    # Threads that wait for each other's core spin: more of them than cores take ten times as long.
    processes = max(1, (os.cpu_count() or 1) // int(threads))
    spread = [f"--numprocesses={processes}", "--dist=worksteal"]
    command = [sys.executable, "-m", "pytest", "-q", *spread]
    return subprocess.run([*command, *part], env={**told, **settings}).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
