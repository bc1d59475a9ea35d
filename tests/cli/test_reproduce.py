"""`dlst reproduce` and `dlst report` from the shell's side."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from dlst.cli.app import main
from dlst.experiments import plan_of
from dlst.paper import ITEMS
from dlst.reports import report


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    Y = (X[:, :2] + 0.5 * rng.normal(size=(80, 2)) > 0).astype(int)
    frame = pd.DataFrame(np.hstack([X, Y]), columns=["a", "b", "c", "label:u", "label:v"])
    path = tmp_path / "table.csv"
    frame.astype({"label:u": int, "label:v": int}).to_csv(path, index=False)
    return path


def test_without_an_item_all_are_listed(capsys):
    assert main(["reproduce"]) == 0
    shown = capsys.readouterr().out
    assert all(item.name in shown for item in ITEMS)
    assert main(["reproduce", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["item"] for row in listed] == [item.name for item in ITEMS]


def test_an_unknown_item_is_answered_with_the_nearest(capsys):
    assert main(["reproduce", "table-mian"]) == 2
    assert "Did you mean 'table-main'" in capsys.readouterr().err


def test_every_item_has_a_layout_and_a_smaller_quick_version():
    for item in ITEMS:
        assert report._LAYOUTS[item.name] is item
        whole, quick = item.plan(), item.plan(quick=True)
        assert len(quick.cells()) + len(quick.probes) <= len(whole.cells()) + len(whole.probes)
        assert "quick" in quick.name
        assert "--quick" in quick.command
        assert whole.item == quick.item == item.name
        assert plan_of(whole.as_dict()) == whole


def test_a_run_becomes_a_report_from_its_records_alone(table, tmp_path, capsys):
    run = tmp_path / "run"
    command = ["compare", str(table), "--methods", "dlst,plst,dlst2", "-o", str(run)]
    assert main(command) == 0
    table.unlink()
    capsys.readouterr()
    assert main(["report", str(run)]) == 0
    told = capsys.readouterr().out
    assert "report.html" in told
    report = run / "report"
    page = (report / "report.html").read_text()
    assert "<title>" in page
    # The codes of the data set were mapped by default.
    assert "Latent map" in page
    for name in ("report.md", "report.tex", "report.txt", "results.csv", "results.parquet"):
        assert (report / name).is_file(), name
    assert pd.read_csv(report / "results.csv")["method"].tolist() == ["dlst", "plst", "dlst2"]
    assert main(["report", str(run), "--page-only", "-o", str(tmp_path / "page")]) == 0
    assert [file.name for file in (tmp_path / "page").iterdir()] == ["report.html"]
    capsys.readouterr()
    assert main(["report", str(run), "--page-only", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"].endswith("report.html")


def test_a_folder_without_records_is_refused_and_left_alone(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "has no records" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_run_in_which_all_failed_still_becomes_a_report(tmp_path, capsys):
    damaged, run = tmp_path / "damaged.csv", tmp_path / "run"
    damaged.write_text("a,label:u\n1,2,3\n")
    assert main(["compare", str(damaged), "--methods", "plst", "-o", str(run)]) == 1
    assert main(["report", str(run), "--page-only"]) == 0
    page = (run / "report" / "report.html").read_text()
    assert "no finished cell" in page
    assert "damaged.csv" in page


@pytest.mark.real_data
@pytest.mark.usefixtures("real_data")
def test_an_item_is_reproduced_and_a_second_start_adds_nothing(tmp_path, capsys):
    run = tmp_path / "run"
    command = ["reproduce", "table-datasets", "--quick", "--out", str(run), "--jobs", "1"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "emotions" in shown
    assert "593" in shown
    assert "Where this comes from" not in shown
    lines = (run / "records.jsonl").read_text().splitlines()
    assert main([*command, "--json"]) == 0
    assert (run / "records.jsonl").read_text().splitlines() == lines
    assert len(json.loads(capsys.readouterr().out)["records"]) == len(lines)
    assert "593" in (run / "report" / "report.html").read_text()
