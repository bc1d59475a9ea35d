"""The tutorials run as scripts, from the first line to the last."""

from __future__ import annotations

import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
NEEDS = re.compile(r"^# needs: (.+)$", re.MULTILINE)


@pytest.mark.real_data
@pytest.mark.needs_compilation
@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda script: script.stem)
def test_a_tutorial_runs(script, data_home, monkeypatch):
    for needed in NEEDS.search(script.read_text(encoding="utf-8")).group(1).split(", "):
        if not (data_home / needed).is_dir() and find_spec(needed) is None:
            pytest.skip(f"{needed} is not in {data_home}")
    pyplot.switch_backend("agg")
    # Where a reader has downloaded it to, beside its tables.
    monkeypatch.chdir(FOLDER)
    runpy.run_path(str(script), run_name="__main__")
    assert pyplot.get_fignums(), "it ends in a picture"
    pyplot.close("all")


def test_there_is_one_for_each_reader():
    assert {script.stem for script in FOLDER.glob("*.py")} == {"tickets", "comparison", "paper"}
