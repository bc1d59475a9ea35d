"""One cell carried out in this process: what its record says of rows and labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_score, recall_score
from small_runs import write_table

from dlst.data import load
from dlst.decisions import DECISIONS
from dlst.errors import DataError
from dlst.experiments import Cell
from dlst.experiments.execution import carry_out, choose_parameters
from dlst.experiments.measures import KEPT_OF_RULES, SUITED, measure
from dlst.experiments.protocols import rows_of
from dlst.methods import make
from dlst.metrics import evaluate
from dlst.reports.frames import rule_of


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "small.csv", n=80)


def test_labels_have_the_measures_that_scikit_learn_gives_them(table):
    cell = Cell(table, "krr", split="random", protocol={"per_label": True})
    labels = carry_out(cell)["labels"]
    rows = rows_of(load(table), "random", 0, {})
    model = make("krr").fit(rows.train.X, rows.train.Y)
    truth, P = rows.test.Y.toarray(), model.predict_proba(rows.test.X)
    decided = np.asarray(
        model.predict(rows.test.X).todense()
        if hasattr(model.predict(rows.test.X), "todense")
        else model.predict(rows.test.X)
    )
    assert labels["names"] == ["u", "v"]
    for label in range(2):
        expected = average_precision_score(truth[:, label], P[:, label])
        assert labels["average_precision"][label] == pytest.approx(expected, abs=1e-6)
        for name, score in (("precision", precision_score), ("recall", recall_score)):
            expected = score(truth[:, label], decided[:, label])
            assert labels[name][label] == pytest.approx(expected, abs=1e-6)
    everything = np.vstack([rows.train.Y.toarray(), truth])
    assert labels["train_positives"] == rows.train.Y.toarray().sum(axis=0).tolist()
    assert labels["test_positives"] == truth.sum(axis=0).tolist()
    for label in range(2):
        beside = everything[everything[:, label] == 1].sum(axis=1).mean() - 1
        assert labels["concurrent"][label] == pytest.approx(beside, abs=1e-5)


def test_labels_are_kept_only_when_asked_for(table):
    assert "labels" not in carry_out(Cell(table, "krr", split="random"))


def test_the_record_names_the_bytes_of_the_data(tmp_path):
    first, other = (write_table(tmp_path / f"{seed}.csv", seed=seed) for seed in (0, 1))
    found = [
        carry_out(Cell(path, "plst", split="random"))["data_sha256"] for path in (first, other)
    ]
    assert len(found[0]) == 64
    assert found[0] != found[1]


def test_top_r_keeps_its_r_where_labels_are_missing(table):
    def r(protocol):
        return carry_out(Cell(table, "plst", split="random", protocol=protocol))["metrics"]["r"]

    assert r({"missing": 0.9}) == r({}) == 2


def test_data_with_labels_only_are_refused_with_the_remedy(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("label:u,label:v\n" + "1,0\n0,1\n" * 20)
    with pytest.raises(DataError, match="simulate"):
        carry_out(Cell(str(path), "plst", split="random"))
    record = carry_out(
        Cell(str(path), "plst", split="random", protocol={"simulate": {"n_features": 4}})
    )
    assert record["rows"]["simulated"]
    assert record["rows"]["n_features"] == 4


def test_tuning_reports_what_it_tried(table):
    found = choose_parameters(Cell(table, "plst", split="random"))
    assert found["parameters"] in [choice for choice, _ in found["tried"]]


def test_a_record_says_what_was_decided_by_and_the_correction_is_alike_for_all(table):
    own = carry_out(Cell(table, "krr", split="random"))
    assert (own["decision"], own["tau"], own["parameters"]["tau"]) == ("own", 0.0, 0.0)
    assert own["rules"] == {}
    assert own["metrics"]["micro_f1_budget"] == own["metrics"]["micro_f1_top_r"]
    assert "macro_f1_suited" not in own["metrics"]
    default = carry_out(Cell(table, "dlst", split="random"))
    assert (default["decision"], default["tau"]) == ("f1", 0.0)
    corrected = carry_out(Cell(table, "dlst", split="random", protocol={"tau": 0.3}))
    assert corrected["tau"] == 0.3


@pytest.mark.parametrize("method", ["krr", "dlst"])
def test_a_protocol_gives_all_methods_the_same_rule_and_keeps_what_each_rule_reaches(method, table):
    protocol = {"decision": "micro", "rules": True}
    record = carry_out(Cell(table, method, split="random", protocol=protocol))
    rows = rows_of(load(table), "random", 0, {})
    model = make(method, decision="micro", tau=0.0)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(rows.train.X, rows.train.Y)
    assert record["decision"] == "micro"
    assert set(record["rules"]) == set(DECISIONS)
    for rule, decided in model.predict_by_rules(rows.test.X).items():
        expected = evaluate(rows.test.Y, None, ["macro_f1"], Y_pred=decided)["macro_f1"]
        assert record["rules"][rule]["macro_f1"] == pytest.approx(expected)
    metrics = record["metrics"]
    assert metrics["macro_f1_suited"] == record["rules"]["macro"]["macro_f1"]
    assert metrics["macro_f1_budget"] == record["rules"]["budget"]["macro_f1"]
    assert metrics["micro_f1"] == record["rules"]["micro"]["micro_f1"]


def test_samples_of_rows_measure_what_a_record_keeps_of_the_rules_and_no_less():
    rng = np.random.default_rng(0)
    Y, P = (rng.random((30, 4)) < 0.4).astype(float), rng.random((30, 4))
    by_rule = {rule: (at / 7 < P).astype(float) for at, rule in enumerate(KEPT_OF_RULES)}
    kept = measure(Y, P > 0.5, P, P, 2, by_rule, KEPT_OF_RULES)
    assert kept.flat == measure(Y, P > 0.5, P, P, 2, by_rule).flat
    assert set(kept.rules["macro"]) == {"macro_f1"}


def test_a_report_names_the_rule_that_suits_a_measure():
    assert {name: rule_of(f"{name}_suited") for name in SUITED} == {
        name: f"rule {rule}" for name, rule in SUITED.items()
    }
