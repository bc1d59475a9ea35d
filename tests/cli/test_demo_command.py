"""`dlst demo` from the shell's side."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import dlst.experiments
from dlst.cli.app import main
from dlst.experiments import demo_plan


@pytest.fixture
def small(monkeypatch):
    """Make the demo quick: two methods, few rows, a small map."""

    def plan(seed):
        whole = demo_plan(seed, rows=(150, 40))
        mapped = {"method": "dlst", "n_test": 12, "n_train": 20}
        protocol = {**whole.protocols[0], "map": mapped, "redraws": 20}
        return replace(whole, methods=["dlst", "mlknn"], protocols=[protocol])

    monkeypatch.setattr(dlst.experiments, "demo_plan", plan)


@pytest.mark.usefixtures("small")
def test_the_demo_prints_its_table_and_writes_its_page_again_and_as_json(tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["demo", "-o", str(page), "--seed", "7"]) == 0
    shown = capsys.readouterr().out
    for words in ("multidigits", "█", "true", "found", "ML-kNN", "floor: frequency", "Instance AP"):
        assert words in shown
    assert f"wrote {page}" in shown
    html = page.read_text(encoding="utf-8")
    assert "Which labels are in the picture?" in html
    assert "dlst demo --seed 7" in html
    assert "Rows explained" in html
    assert main(["demo", "--json", "-o", str(page)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["written"] == str(page)
    assert [record["title"] for record in answer["records"]] == ["DLST", "ML-kNN"]
    assert all(len(record["row_ap"]) == 40 for record in answer["records"])
    assert all(len(record["redrawn"]["micro_f1"]) == 20 for record in answer["records"])
    # DLST is fitted once: the map is of the model that was measured.
    first, other = answer["records"]
    assert len(first["answers"]["map"]["test"]) == 12
    assert "answers" not in other


def test_what_cannot_be_written_is_said_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dlst.experiments, "run", lambda *_, **__: pytest.fail("worked"))
    precious = tmp_path / "thesis.html"
    precious.write_text("precious")
    for target, message in (
        (precious, "exists already and is no page of dlst"),
        (tmp_path, "expected a file to write, got a folder"),
        (tmp_path / "no" / "page.html", "its folder does not exist"),
    ):
        assert main(["demo", "-o", str(target)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert message in err
        assert err.count("\n") == 1
    assert precious.read_text() == "precious"
    assert main(["demo", "--seed", "-1"]) == 2
