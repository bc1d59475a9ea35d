"""What is measured of a model."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from dlst.cli.app import main
from dlst.data import load
from dlst.experiments import Plan, run
from dlst.experiments.measures import measure_model, measure_top
from dlst.methods import make
from dlst.metrics import precision_at_k, propensities, propensity_scored_precision_at_k


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    Y = (X @ rng.normal(size=(8, 24)) > 2).astype(int)
    names = [*(f"x{i}" for i in range(8)), *(f"label:{i}" for i in range(24))]
    frame = pd.DataFrame(np.hstack([X, Y]), columns=names)
    path = tmp_path / "table.csv"
    frame.astype(dict.fromkeys(names[8:], int)).to_csv(path, index=False)
    return path


def test_the_first_of_many_labels_are_measured():
    rng = np.random.default_rng(1)
    S, Y, train = rng.normal(size=(9, 25)), rng.random((9, 25)) < 0.2, rng.random((40, 25)) < 0.1
    found = measure_top(Y, S, train.mean(axis=0), len(train))
    assert found["precision_at_3"] == precision_at_k(Y, S, k=3)
    assert found["propensity_scored_precision_at_5"] == pytest.approx(
        propensity_scored_precision_at_k(Y, S, k=5, propensities=propensities(train))
    )
    assert measure_top(Y[:, :19], S[:, :19], train.mean(axis=0)[:19], len(train)) == {}
    # Of two rows there are no propensities.
    assert "ndcg_at_5" in measure_top(Y, S, train[:2].mean(axis=0), 2)


def test_a_model_that_does_not_number_its_rows_is_measured_without_propensities(table):
    data = load(table)
    model = make("plst").fit(data.X, data.Y)
    assert "propensity_scored_precision_at_3" in measure_model(model, data)["top"]
    del model.training_rows_
    assert list(measure_model(model, data)["top"])[::3] == ["precision_at_1", "ndcg_at_1"]


def test_records_and_the_shell_have_them(table, tmp_path, capsys):
    (record,) = run(Plan([str(table)], ["plst"]), tmp_path / "run")
    assert 0 < record["metrics"]["precision_at_3"] <= 1
    model = tmp_path / "m.skops"
    assert main(["fit", str(table), "--method", "plst", "-o", str(model)]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(model), str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["top"]["ndcg_at_5"] > 0.5
    assert main(["evaluate", str(model), str(table)]) == 0
    shown = capsys.readouterr().out
    assert "the first labels of each row's ranking" in shown
    assert "propensity_scored_precision_at_5" in shown
