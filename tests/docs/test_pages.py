"""What the pages of the site show works as shown: Python runs, commands and files exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from typer.main import get_command

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


def commands_of(path: Path) -> list[tuple[str, set[str]]]:
    """Return the commands that a page shows, in blocks and in running words, with their options."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    words = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines += re.findall(r"`(dlst [^`]+)`", words)
    shown = (re.match(r"dlst (\w+)(.*)", line.split("#")[0]) for line in lines)
    options = re.compile(r"(?<!\S)--?[a-z][\w-]*")
    return [(found[1], set(options.findall(found[2]))) for found in shown if found]


OPTIONS = {
    command: {option for each in made.params for option in each.opts} | {"--help", "-h"}
    for command, made in get_command(app).commands.items()
}
SHOWN = [(name(path), command, options) for path in PAGES for command, options in commands_of(path)]


def test_every_command_of_a_page_exists():
    assert len(SHOWN) > 80
    unknown = [shown for shown in SHOWN if not shown[2] <= OPTIONS.get(shown[1], set())]
    assert unknown == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_file_that_a_page_links_to_exists(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s#]+)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            continue
        made = target.endswith("reference/command-line.md")
        assert made or (path.parent / target).exists(), target


def test_the_performance_page_shows_the_stored_figures(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    table = importlib.import_module("_table")
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "run python benchmarks/_table.py"


def test_pages_are_found():
    assert len(PROGRAMS) >= 15
