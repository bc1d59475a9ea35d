"""What the pages of the site show works as shown: Python runs, commands and files exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlst.cli import app

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {"_build", "learn", "gallery", "names"}
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not GENERATED & set(path.relative_to(ROOT).parts)
)
# Run by tests of their own.
ELSEWHERE = {"README.md", "docs/experiments.md"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_of(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


PROGRAMS = [path for path in PAGES if name(path) not in ELSEWHERE and python_of(path)]


# Another test's cluster may still be there, and Dask tells that a model goes with each graph.
@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
@pytest.mark.needs_compilation
@pytest.mark.parametrize("path", PROGRAMS, ids=name)
def test_the_python_of_a_page_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec("\n".join(python_of(path)), {"__name__": "__main__"})  # noqa: S102  # our own text


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_command_of_a_page_exists(path):
    known = {command.name for command in app.registered_commands}
    for block in re.findall(r"```sh\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        assert set(re.findall(r"^dlst (\w+)", block, re.MULTILINE)) <= known


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_file_that_a_page_links_to_exists(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s#]+)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            continue
        made = target.endswith("reference/command-line.md")
        assert made or (path.parent / target).exists(), target


def test_pages_are_found():
    assert len(PROGRAMS) >= 15
