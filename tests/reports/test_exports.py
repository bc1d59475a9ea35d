"""All files of a report, whole, with what the records say."""

from __future__ import annotations

import csv
import importlib.util

import pandas as pd
import pytest

from dlst.reports import results_frame
from dlst.reports.document import (
    Chart,
    Document,
    Drawing,
    Section,
    Series,
    Table,
    TableCell,
    TableColumn,
)
from dlst.reports.exports import write_everything

TABLE = Table(
    "scores",
    "Scores",
    [TableColumn("method"), TableColumn("AP", "higher"), TableColumn("told")],
    [[TableCell("DLST, ours"), TableCell("0.33 ± 0.01", 1 / 3, best=True), TableCell("a")]],
    [[TableCell("floor"), TableCell("—"), TableCell("b")]],
)
CHART = Chart(
    "curve",
    "Curve",
    "lines",
    series=[
        Series("DLST", [1, 2], [0.5, None], [0.4, None], [0.6, None]),
        Series("BR", [1], [0.2]),
    ],
    alternative="It falls.",
)
GRID = Chart("codes", "Codes", "heatmap", grid=[[0.5, None], [1.0, 2.0]])
DRAWING = Drawing(
    "ranks", "Ranks", '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="9"/>'
)


def document(*blocks):
    return Document("Report", "It holds.", {"cells": "2"}, [Section("all", "All", blocks)])


def record(seed, status="done"):
    cell = {"data": "yeast", "method": "dlst", "parameters": {}, "split": "random", "protocol": {}}
    return {
        "key": str(seed),
        "kind": "evaluate",
        "cell": cell | {"seed": seed, "tuning": "none"},
        "status": status,
        "message": None if status == "done" else "went wrong",
        "metrics": {"micro_f1": 0.1 * seed + 0.3} if status == "done" else None,
        "seconds": {"fit": 1.5, "predict": 0.5, "tune": 0.0},
    }


RECORDS = [record(0), record(1), record(2, "failed"), {"key": "t", "kind": "tune"}]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "not" / "there"
    return folder, write_everything(document(TABLE, CHART, GRID, DRAWING), RECORDS, folder)


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def test_every_file_is_told_and_no_other_left(written):
    folder, paths = written
    names = {path.relative_to(folder).as_posix() for path in paths}
    endings = ("svg", "png", "pdf", "csv")
    assert names == {
        "report.txt",
        "report.md",
        "report.tex",
        "results.csv",
        "results.parquet",
        "tables/scores.csv",
        *(f"figures/ranks.{ending}" for ending in endings if ending != "csv"),
        *(f"figures/{name}.{ending}" for name in ("curve", "codes") for ending in endings),
    }
    assert len(paths) == len(names)
    assert {path for path in folder.rglob("*") if path.is_file()} == set(paths)


def test_links_lead_to_the_files(written):
    folder, _ = written
    assert "![It falls.](figures/curve.svg)" in (folder / "report.md").read_text("utf-8")
    assert "{figures/curve.pdf}" in (folder / "report.tex").read_text("utf-8")
    assert "*0.33 ± 0.01" in (folder / "report.txt").read_text("utf-8")
    assert (folder / "figures/ranks.svg").read_text("utf-8") == DRAWING.svg


def test_tables_keep_all_digits(written):
    folder, _ = written
    assert rows_of(folder / "tables/scores.csv") == [
        ["kind", "method", "AP", "AP (value)", "told"],
        ["compared", "DLST, ours", "0.33 ± 0.01", repr(1 / 3), "a"],
        ["reference", "floor", "—", "", "b"],
    ]


def test_values_of_charts_are_there_too(written):
    folder, _ = written
    assert rows_of(folder / "figures/curve.csv") == [
        ["series", "x", "y", "low", "high"],
        ["DLST", "1", "0.5", "0.4", "0.6"],
        ["DLST", "2", "", "", ""],
        ["BR", "1", "0.2", "", ""],
    ]
    assert rows_of(folder / "figures/codes.csv") == [["0.5", ""], ["1.0", "2.0"]]


def test_results_have_a_row_for_each_cell(written):
    folder, _ = written
    expected = results_frame(RECORDS)
    assert len(expected) == 3
    for frame in (pd.read_csv(folder / "results.csv"), pd.read_parquet(folder / "results.parquet")):
        assert list(frame.columns) == list(expected.columns)
        assert frame["status"].tolist() == ["done", "done", "failed"]
        assert frame["micro_f1"].tolist()[:2] == [0.3, 0.4]


def test_no_cell_is_a_formula_in_a_spreadsheet(tmp_path):
    table = Table(
        "t",
        "T",
        [TableColumn("=method"), TableColumn("gain")],
        [[TableCell("@x"), TableCell("-0.5", -0.5)]],
    )
    chart = Chart("c", "C", "lines", series=[Series("+BR", [1], [-0.2])])
    hostile = record(0)
    hostile["cell"]["data"] = "=cmd()"
    write_everything(document(table, chart), [hostile], tmp_path)
    assert rows_of(tmp_path / "tables/t.csv")[1] == ["compared", "'@x", "-0.5", "-0.5"]
    assert rows_of(tmp_path / "tables/t.csv")[0][1] == "'=method"
    assert rows_of(tmp_path / "figures/c.csv")[1][:3] == ["'+BR", "1", "-0.2"]
    assert "'=cmd()" in rows_of(tmp_path / "results.csv")[1]


def test_a_run_without_results_has_a_report(tmp_path):
    paths = write_everything(document(), [], tmp_path)
    assert {path.name for path in paths} == {
        "report.txt",
        "report.md",
        "report.tex",
        "results.csv",
        "results.parquet",
    }
    assert pd.read_csv(tmp_path / "results.csv").empty


def test_without_the_extras_words_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    paths = write_everything(document(CHART, DRAWING), RECORDS, tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in paths}
    assert "results.parquet" not in names
    assert {name for name in names if name.startswith("figures/")} == {
        "figures/curve.csv",
        "figures/ranks.svg",
    }
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "![" not in text
    assert "It falls." in text


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([Table("../up", "T", [TableColumn("a")], [])], "letters, digits and hyphens; got '../up'"),
        ([TABLE, TABLE], "'scores' 2 times"),
        ([CHART, Drawing("curve", "C", "<svg/>")], "'curve' 2 times"),
    ],
)
def test_names_that_would_lose_files_are_refused(blocks, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        write_everything(document(*blocks), RECORDS, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_second_report_replaces_the_first(tmp_path):
    write_everything(document(TABLE), RECORDS, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    write_everything(document(TABLE), RECORDS, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before
