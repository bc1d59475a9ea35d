"""Records become tables with the right means, marks and notation."""

from __future__ import annotations

import numpy as np
import pytest

from dlst.reports import measure_title, results_frame, score_table


def record(data, method, seed, value, *, status="done", parameters=None, protocol=None):
    return {
        "key": f"{data}{method}{seed}",
        "kind": "evaluate",
        "cell": {
            "data": data,
            "method": method,
            "parameters": parameters or {},
            "split": "random",
            "seed": seed,
            "protocol": protocol or {},
        },
        "status": status,
        "message": None if status == "done" else "went wrong",
        "metrics": {"micro_f1": value, "hamming_loss": 1 - value} if status == "done" else None,
        "seconds": {"fit": 1.0, "predict": 0.5, "tune": 0.0},
    }


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    good = 0.8 + 0.01 * rng.normal(size=8)
    same = good + 0.01 * np.array([1, -1.1, 1.2, -1.3, 1.4, -1.5, 1.6, -1.7])
    return results_frame(
        [record("a", "dlst", seed, value) for seed, value in enumerate(good)]
        + [record("a", "mlknn", seed, value - 0.001) for seed, value in enumerate(same)]
        + [record("a", "dlst2", seed, value - 0.1) for seed, value in enumerate(good)]
        + [record("b", "dlst", 0, 0.5), record("b", "mlknn", 0, None, status="failed")]
        + [{"key": "tune-x", "kind": "tune", "status": "done"}]
    )


def test_means_and_deviations_are_over_runs_that_ended(frame):
    table = score_table(frame, "micro_f1")
    values = frame.query("data == 'a' and method == 'dlst'")["micro_f1"]
    assert table.mean.at["dlst", "a"] == pytest.approx(values.mean())
    assert table.std.at["dlst", "a"] == pytest.approx(values.std(ddof=1))
    assert table.count.at["dlst", "a"] == 8
    assert table.cell("mlknn", "b") == "—"
    assert table.cell("dlst", "b") == "0.500"
    assert "±" in table.cell("dlst", "a")


def test_the_best_is_marked_and_what_ties_with_it(frame):
    table = score_table(frame, "micro_f1")
    assert table.best["a"].tolist().count(True) == 1
    assert table.tied.at["mlknn", "a"] or table.best.at["mlknn", "a"]
    assert not table.tied.at["dlst2", "a"]
    # One run cannot tell a tie.
    assert not table.tied["b"].any()
    losses = score_table(frame, "hamming_loss")
    assert (losses.best == table.best).all().all()


def test_protocols_and_parameters_are_told_where_they_differ():
    records = [
        record("a", "mlknn", 0, 0.5),
        record("a", "mlknn", 0, 0.4, protocol={"missing": 0.2}),
        record("a", "mlknn", 0, 0.6, parameters={"n_neighbors": 3}),
    ]
    table = score_table(results_frame(records), "micro_f1")
    assert list(table.mean.columns) == ["a", "a (missing=0.2)"]
    assert list(table.mean.index) == ["mlknn", "mlknn (n_neighbors=3)"]


def test_no_records_make_an_empty_frame():
    assert len(results_frame([])) == 0


def test_measures_have_names_for_people():
    assert measure_title("instance_average_precision") == "Instance AP"
    assert measure_title("micro_f1_top_r") == "Micro-F1, top r"
