"""What the README shows works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlst.cli import app

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_python_of_the_readme_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 2
    exec("\n".join(blocks), {})  # noqa: S102  # our own text
    assert "instance_average_precision" in capsys.readouterr().out


def test_every_command_of_the_readme_exists():
    shown = set(re.findall(r"^dlst (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE))
    known = {command.name for command in app.registered_commands}
    assert shown <= known


@pytest.mark.parametrize("target", ["demo", "test", "fuzz", "bench"])
def test_every_make_target_of_the_readme_exists(target):
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    assert f"make {target}" in README.read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)
