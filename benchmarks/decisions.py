"""Label sets by each method's own decisions, and by the same rules for all.

    python benchmarks/decisions.py [--methods dlst,krr] [--sets yeast] [--folder F] [--write]

Every method is fitted once for each set, with its defaults and without prior correction; its own
decisions and those of all rules come from that one fit; rules are learnt on out-of-sample rows. The
tables, tests over all sets, and what more evidences add to DLST go to docs/decisions.md.
Finished cells are kept in the folder, by default artefacts/decisions, one file each, so a run that
was killed goes on where it stopped; quick methods come first. A cell is a process of its own that
may take --seconds of the processor, however busy the machine is; --again gives those that were out
of time another try, --kept makes the page of what there is.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import signal
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from _decisions_page import CONFIRMATION, DEVELOPMENT, MISSING_SETS, page
from threadpoolctl import threadpool_limits

from dlst._files import atomic_write
from dlst.experiments import Cell, Plan, Variant
from dlst.experiments.execution import carry_out
from dlst.methods import available
from dlst.methods.dlst import EVIDENCES

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "artefacts" / "decisions"
PAGE = ROOT / "docs" / "decisions.md"

ROWS = [2000, 2000]
SECONDS = 120
QUICK_FIRST = (
    *("dlst2", "mlknn", "plst", "cplst", "krr", "br", "dlst1", "clems", "rakel", "faie", "leml"),
    *("sleec", "ecc", "mlloc", "dlst-paper", "dlst-literal", "miml", "slrm", "mrv", "mc"),
    *("dlst-linear", "dlst"),
)
PARTS = ("rules", "corrected", "missing", "evidences")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", default=",".join(available()))
    parser.add_argument("--sets", default=",".join((*DEVELOPMENT, *CONFIRMATION)))
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--folder", type=Path, default=RUNS)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    methods = sorted(given.methods.split(","), key=QUICK_FIRST.index)
    records = {
        part: carried_out(plans, part, given)
        for part, plans in planned(given.sets.split(","), methods).items()
        if part in given.parts.split(",")
    }
    if not records.get("rules"):
        return  # the other parts are compared with it
    text = "\n".join(page(**{part: records.get(part, []) for part in PARTS}, seconds=given.seconds))
    print(text)
    if given.write:
        with atomic_write(PAGE, text=True) as stream:
            stream.write(text + "\n")


def planned(sets: list[str], methods: list[str]) -> dict[str, list[Plan]]:
    """Give what is run, method by method: quick ones first."""
    protocol = {"rows": ROWS, "decision": "f1", "rules": True}
    few = [name for name in MISSING_SETS if name in sets] if "dlst" in methods else []
    more = [(name,) for name in EVIDENCES] + [tuple(EVIDENCES)] if "dlst" in methods else []
    return {
        "rules": [Plan(sets, [method], protocols=[protocol]) for method in methods],
        "corrected": [
            Plan(sets, [method], protocols=[{**protocol, "tau": "auto"}])
            for method in methods
            if method in ("dlst", "krr", "br")
        ],
        "missing": [Plan(few, ["dlst"], protocols=[{**protocol, "missing": 0.7}])] if few else [],
        "evidences": [
            Plan(
                sets,
                [Variant("dlst", {"evidences": list(names)}, " + ".join(names))],
                protocols=[protocol],
            )
            for names in more
        ],
    }


def carried_out(plans: list[Plan], part: str, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Give the record of each cell of the plans, made now where it has none."""
    folder = given.folder / part
    folder.mkdir(parents=True, exist_ok=True)
    return [record(cell, folder, given) for plan in plans for cell in plan.cells()]


def record(cell: Cell, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Give a cell's record."""
    added = "-".join(["", *cell.parameters.get("evidences", ())]).replace(" ", "_")
    path = folder / f"{cell.data}-{cell.method}{added}.json"
    if path.exists():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not given.again or found["status"] == "done":
            return found
    if given.kept:
        return {"cell": asdict(cell), "status": "not run"}
    # A fork has imported what the others need, and may be stopped by its own limit.
    process = multiprocessing.get_context("fork").Process(
        target=measure, args=(cell, path, given.seconds)
    )
    process.start()
    process.join()
    if process.exitcode:
        out_of_time = process.exitcode == -signal.SIGXCPU
        status = f"out of time ({given.seconds} s)" if out_of_time else "ended by the system"
        write(path, {"cell": asdict(cell), "status": status, "cpu_seconds": given.seconds})
    found = json.loads(path.read_text(encoding="utf-8"))
    told = f"{found['status']}, {found['cpu_seconds']} s {found.get('message', '')}"
    print(f"{folder.name} {path.stem}: {told}", flush=True)
    return found


def measure(cell: Cell, path: Path, seconds: int) -> None:
    """Carry a cell out within so many seconds of the processor, and write its record."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    found: dict[str, Any]
    try:
        with threadpool_limits(1):
            found = {**carry_out(cell), "status": "done"}
    except Exception as error:
        found = {"status": "failed", "message": str(error)}
    write(path, {"cell": asdict(cell), **found, "cpu_seconds": round(time.process_time(), 1)})


def write(path: Path, found: dict[str, Any]) -> None:
    """Write a record, whole or not at all."""
    with atomic_write(path, text=True) as stream:
        stream.write(json.dumps(found))


if __name__ == "__main__":
    main()
