"""What the README shows works as shown."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import dlst
from dlst.cli import app
from dlst.experiments import Plan, plan_of
from dlst.experiments.probes import _ADDRESSES as PROBES
from dlst.experiments.protocols import KEYS

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_python_of_the_readme_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    exec("\n".join(blocks), {})  # noqa: S102  # our own text
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "[['travel'], ['office']]"
    assert "'sea'" in second
    assert "sea" in third


def test_the_readme_is_one_screen():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 60


def test_every_command_of_the_readme_exists():
    shown = set(re.findall(r"^dlst (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE))
    known = {command.name for command in app.registered_commands}
    assert shown <= known


@pytest.mark.parametrize("target", ["demo", "test", "docs"])
def test_every_make_target_of_the_readme_exists(target):
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    assert f"make {target}" in README.read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


EXPERIMENTS = README.parent / "docs" / "experiments.md"


def test_the_plan_and_the_python_of_the_experiments_page_work(tmp_path, monkeypatch, capsys):
    text = EXPERIMENTS.read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    plan = plan_of(tomllib.loads(block))
    # Emotions once on its official rows, msrc ten times; three methods.
    assert len(plan.cells()) == 3 * (1 + 10)
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(program, {})  # noqa: S102  # our own text
    assert "ML-kNN" in capsys.readouterr().out


def test_the_experiments_page_names_every_key():
    text = EXPERIMENTS.read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    assert {field.name for field in fields(Plan)} - {"name", "item", "command"} <= named
    assert set(KEYS) <= named
    assert set(PROBES) <= named


def test_the_citation_is_of_this_version():
    citation = README.with_name("CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {dlst.__version__}\n" in citation
