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
    assert r"\toprule" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["records"]) == 4


def test_failed_cells_are_named_and_a_plan_comes_from_a_file(table, tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    plan.write_text(f'data = ["{tmp_path}/absent.csv", "{table}"]\nmethods = ["mlknn"]\n')
    assert main(["compare", "--plan", str(plan), "-o", str(tmp_path / "run")]) == 1
    told = capsys.readouterr()
    assert "failed: ML-kNN on" in told.err
    assert "absent.csv" in told.err
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
