"""`dlst compare` from the shell's side."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from dlst.cli.app import main


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = (X[:, :2] + 0.5 * rng.normal(size=(60, 2)) > 0).astype(int)
    frame = pd.DataFrame(np.hstack([X, Y]), columns=["a", "b", "c", "label:u", "label:v"])
    path = tmp_path / "table.csv"
    frame.astype({"label:u": int, "label:v": int}).to_csv(path, index=False)
    return path


def test_methods_are_compared_and_a_second_call_adds_nothing(table, tmp_path, capsys):
    run = tmp_path / "run"
    command = ["compare", str(table), "--methods", "mlknn,dlst2", "--seeds", "2", "-o", str(run)]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "Instance AP" in shown
    assert "ML-kNN" in shown
    lines = (run / "records.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert len(pd.read_csv(run / "results.csv")) == 4
    assert main([*command, "--markdown"]) == 0
    assert (run / "records.jsonl").read_text().splitlines() == lines
    assert "| method | " in capsys.readouterr().out
    assert main([*command, "--latex"]) == 0
    shown = capsys.readouterr().out
    assert r"\toprule" in shown
    assert r"%   \newenvironment{dlstfitted}" in shown.partition(r"\begin{table}")[0]
    assert main([*command, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["records"]) == 4


def test_failed_cells_are_named_and_a_plan_comes_from_a_file(table, tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    (tmp_path / "damaged.csv").write_text("a,label:u\n1,2,3\n")
    plan.write_text(f'data = ["{tmp_path}/damaged.csv", "{table}"]\nmethods = ["mlknn"]\n')
    assert main(["compare", "--plan", str(plan), "-o", str(tmp_path / "run")]) == 1
    told = capsys.readouterr()
    assert "failed: ML-kNN on" in told.err
    assert "damaged.csv" in told.err
    assert "Instance AP" in told.out


def test_a_failed_cell_is_an_exit_code_of_json_too(tmp_path, capsys):
    damaged = tmp_path / "damaged.csv"
    damaged.write_text("a,label:u\n1,2,3\n")
    run = ["-o", str(tmp_path / "run"), "--json"]
    assert main(["compare", str(damaged), "--methods", "plst", *run]) == 1
    assert json.loads(capsys.readouterr().out)["records"][0]["status"] == "failed"


def test_a_name_that_means_nothing_is_one_error_before_anything_runs(table, tmp_path, capsys):
    command = ["compare", str(table), "yeats", "-o", str(tmp_path / "run")]
    assert main(command) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "yeats: expected a file, a folder or a known name" in told
    assert "yeast" in told
    assert not (tmp_path / "run").exists()


def test_data_out_of_reach_are_told_and_the_others_are_run(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("DLST_DATA", str(tmp_path / "home"))
    command = ["compare", "msrc", "--methods", "plst", "-o", str(tmp_path / "run")]
    assert main(command) == 2
    assert "none of msrc can be had; nothing was run" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert main([*command, str(table)]) == 1
    told = capsys.readouterr()
    assert "note: " in told.err
    assert "failed: PLST on msrc" in told.err
    assert "Instance AP" in told.out


def test_three_methods_on_three_sets_are_ranked(table, tmp_path, capsys):
    data = [table]
    for name in ("b", "c"):
        data.append(tmp_path / f"{name}.csv")
        data[-1].write_text(table.read_text())
    names = [str(file) for file in data]
    command = ["compare", *names, "--methods", "mlknn,dlst2,plst", "-o", str(tmp_path / "run")]
    assert main(command) == 0
    assert "Friedman" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give DATA"),
        (["x.csv", "--plan", "p.toml"], "not both"),
        (["x.csv", "--methods", "nothing"], "must be one of"),
        (["x.csv", "--split", "half"], "got 'half'"),
        (["x.csv", "--tuning", "much"], "got 'much'"),
    ],
)
def test_mistakes_are_one_line(arguments, message, tmp_path, capsys):
    assert main(["compare", *arguments, "-o", str(tmp_path / "run")]) != 0
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
