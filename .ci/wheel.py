"""Build the sdist, the wheel from it, and test the wheel in empty environments.

``python .ci/wheel.py [PYTHON ...]``; by default each of Python 3.11 to 3.13 that is there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("python3.11", "python3.12", "python3.13")
PART = (
    "tests/test_files.py",
    "tests/test_persistence.py",
    "tests/test_kept_models.py",
    "tests/test_imports.py",
    "tests/kernels",
    "tests/metrics",
    "tests/data",
    "tests/cli/test_model_commands.py",
    "tests/reports/test_page.py",
)
"""What needs files of the package, or compiles; the rest is the same code as in a checkout."""

TOOLS = (
    "pytest>=8.2",
    "pytest-xdist>=3.6",
    "hypothesis>=6.100",
    "liac-arff>=2.5",
    "plotly>=6.0",
    "polars>=1.0",
)
COMPARED = ("--methods", "mlknn,plst", "--split", "official")
"""Workers, records, templates and figures of the package, in seconds."""

LICENCES = """
import re
from importlib.metadata import PackageNotFoundError, distribution, requires
for line in requires("dlst"):
    name = re.match(r"[A-Za-z0-9_.-]+", line).group()
    if name != "dlst":
        try:
            about = distribution(name).metadata
        except PackageNotFoundError:
            print(f"  {name:16} of an extra that is not installed")
            continue
        said = about["License-Expression"] or about["License"] or ""
        told = [each.split(" :: ")[-1] for each in about.get_all("Classifier") or ()
                if each.startswith("License")]
        short = said.splitlines()[0] if said and len(said.splitlines()[0]) < 60 else ""
        print(f"  {about['Name']:16} {about['Version']:12} {short or ', '.join(told)}")
"""


def main(pythons: list[str]) -> int:
    """Return how many of the interpreters failed."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wheel, source = _built(work)
        for number, python in enumerate(pythons):
            print(f"== {python}", flush=True)
            outcomes[python] = _tested(python, wheel, source, work / f"environment-{number}")
    print("\n".join(f"{python:12} {outcome}" for python, outcome in outcomes.items()))
    return sum(outcome != "passed" for outcome in outcomes.values())


def _built(work: Path) -> tuple[Path, Path]:
    """Return the wheel, made of the sdist alone, and the unpacked sdist."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", work / "dist", ROOT], check=True)
    (archive,) = (work / "dist").glob("*.tar.gz")
    (wheel,) = (work / "dist").glob("*.whl")
    with tarfile.open(archive) as packed:
        packed.extractall(work / "source", filter="data")
    (source,) = (work / "source").iterdir()
    # The tests must not find the code beside them.
    shutil.rmtree(source / "src")
    return wheel, source


def _tested(python: str, wheel: Path, source: Path, environment: Path) -> str:
    subprocess.run([python, "-m", "venv", environment], check=True)
    inside = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def ran(*words: str) -> bool:
        return subprocess.run([inside, *words], cwd=source, env=clean).returncode == 0

    records = str(environment / "run")
    quiet = ("-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    steps = {
        "could not be installed": [*quiet, f"{wheel}[all]"],
        "does not start": ["-m", "dlst", "--version"],
        "comparison failed": ["-m", "dlst", "compare", "multidigits", *COMPARED, "-o", records],
        "report failed": ["-m", "dlst", "report", records],
        "has unknown licences": ["-c", LICENCES],
        "lacks test tools": [*quiet, *TOOLS],
        "FAILED": ["-m", "pytest", "-q", "--numprocesses=auto", "--dist=worksteal", *PART],
    }
    return next((outcome for outcome, words in steps.items() if not ran(*words)), "passed")


if __name__ == "__main__":
    found = [python for python in PYTHONS if shutil.which(python)]
    sys.exit(main(sys.argv[1:] or found))
