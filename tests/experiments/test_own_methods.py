"""Methods of the user's in plans, by where they are."""

from __future__ import annotations

import sys

import pytest
from small_runs import write_table

from dlst.errors import PlanError
from dlst.experiments import Plan, run
from dlst.experiments.records import RecordFolder


@pytest.fixture
def rivals(tmp_path, monkeypatch):
    """Give a way to write the user's module, as if each time in a new process."""
    monkeypatch.chdir(tmp_path)

    def write(C):
        monkeypatch.delitem(sys.modules, "rivals_in_plans", raising=False)
        (tmp_path / "rivals_in_plans.py").write_text(
            "from sklearn.linear_model import LogisticRegression\n"
            f"logistic = LogisticRegression(C={C})\n"
        )
        # Python compares whole seconds of a source with its cache.
        for cached in (tmp_path / "__pycache__").glob("*"):
            cached.unlink()

    return write


def test_a_method_of_the_users_is_run_and_refused_when_it_has_changed(rivals, tmp_path):
    rivals(2.0)
    data = write_table(tmp_path / "table.csv")
    methods = [
        "mlknn",
        "rivals_in_plans:logistic",
        {"method": "rivals_in_plans:logistic", "parameters": {"estimator__C": 9}},
    ]
    records = run(Plan([data], methods), tmp_path / "run")
    assert [record["status"] for record in records] == ["done"] * 3
    assert records[1]["title"] == "logistic"
    assert records[1]["meaning"] == "LogisticRegression(C=2.0)"
    assert records[2]["title"] == "logistic (estimator.C=9)"
    assert records[1]["metrics"]["macro_auc"] > 0.7
    run(Plan([data], methods), tmp_path / "run")
    assert len(RecordFolder(tmp_path / "run").read()) == 3
    rivals(5.0)
    with pytest.raises(PlanError, match=r"was .* LogisticRegression\(C=2.0\); got .*C=5.0"):
        run(Plan([data], methods), tmp_path / "run")
