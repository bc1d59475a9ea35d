"""A process that carries out cells: tasks come in as JSON lines, results go out as JSON lines.

``python -m dlst.experiments.worker [MEMORY_MIB]`` is started by the runner, which kills it when a
cell takes too long. It ends by itself when the runner does.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import queue
import shutil
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

MIB = 1024**2
PACKAGES = ("dlst", "numpy", "scipy", "scikit-learn", "numba")


def main() -> None:
    """Serve until standard input ends."""
    # What a library prints must not mix with the results.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _end_with_the_runner()
    tasks: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()

    # Imported before the memory limit is set, which is for the cells.
    from dlst.experiments import execution  # noqa: F401

    _send(results, {"ready": surroundings()})
    if len(sys.argv) > 1:
        _limit_memory(float(sys.argv[1]))
    while True:
        task = json.loads(tasks.get())
        _forget_peak()
        result = _outcome(task)
        _send(results, {**result, "peak_mib": _status("VmHWM")})
        gc.collect()


def surroundings() -> dict[str, Any]:
    """Name versions, the machine, and the commit where the code is a checkout."""
    commit = _commit(Path(__file__).resolve().parents[3])
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in PACKAGES},
        **({"commit": commit} if commit else {}),
    }


def _commit(root: Path) -> str:
    """Name the commit of a checkout, with a plus where files were changed since."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""

    def git_output(*words: str) -> str:
        command = [git, "-C", str(root), *words]
        return subprocess.run(  # noqa: S603  # nothing of a user's
            command, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()

    try:
        changed = git_output("status", "--porcelain", "--untracked-files=no", "--", "src")
        return git_output("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _listen(tasks: queue.Queue[str]) -> None:
    for line in sys.stdin:
        tasks.put(line)
    # The runner is gone, perhaps killed, and nothing waits for the cell in flight.
    os._exit(0)


def _end_with_the_runner() -> None:
    """Let Linux end this process with its parent, and when memory runs out before it."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes
    import signal

    # A thread cannot end the process while a library holds Python's lock; the system can.
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("500")


def _outcome(task: dict[str, Any]) -> dict[str, Any]:
    try:
        result = _carried_out(task)
    except MemoryError as error:
        return {"status": "memory", "message": str(error) or "out of memory"}
    except Exception as error:  # one cell's failure is a record, not the end of the run
        return {
            "status": "failed",
            "message": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(limit=-4),
        }
    if result.pop("data_sha256") != task["data_sha256"]:
        message = "the data were changed during the run. Start the same command again."
        return {"status": "failed", "message": message}
    return {"status": "done", **result}


def _carried_out(task: dict[str, Any]) -> dict[str, Any]:
    from dlst.data import fingerprint
    from dlst.experiments import execution, probes
    from dlst.experiments.plan import Cell
    from dlst.experiments.tasks import source_of

    if task["kind"] == "probe":
        result = probes.answer(task["probe"], task["address"])
        return {"result": result, "data_sha256": fingerprint(*source_of(task["probe"]))}
    cell = Cell(**task["cell"])
    if task["kind"] == "tune":
        return execution.choose_parameters(cell)
    return execution.carry_out(cell, task["chosen"])


def _send(results: TextIO, value: dict[str, Any]) -> None:
    from dlst.experiments.record_lines import finite

    print(json.dumps(finite(value)), file=results, flush=True)


def _limit_memory(mebibytes: float) -> None:
    """Let allocations fail beyond what the process has now plus this."""
    try:
        import resource
    except ImportError:  # no such limits on this system
        return
    own = _status("VmData") or 0.0
    limit = int((own + mebibytes) * MIB)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _forget_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")
    except OSError:  # then the peak is that of all cells so far
        return


def _status(field: str) -> float | None:
    """Read a line of Linux's process status, in MiB."""
    try:
        with open("/proc/self/status") as stream:
            for line in stream:
                if line.startswith(f"{field}:"):
                    return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        return None
    return None


if __name__ == "__main__":
    main()
