"""Figures along a setting show the means, bands and shares of the records, and judge by them."""

from __future__ import annotations

import pytest
from run_records import blocks, check_shapes, record, row_of

from dlst.paper import item
from dlst.reports import Run
from dlst.reports.document import Chart, Table

CURVES = ("figure-missing", "figure-lambda", "figure-training")
missing_labels, penalty, training_rows = map(item, CURVES)

AP = "instance_average_precision_labelled"
PLAN = {"tuning": "none"}


def measures(ap, f1=0.5):
    return {
        AP: ap,
        "macro_average_precision": ap / 2,
        "macro_f1_top_r": f1,
        "macro_f1": f1 / 2,
        "micro_f1_top_r": f1,
        "micro_f1": f1 / 2,
    }


MISSING_AP = {
    "dlst": {0.0: 0.80, 0.4: 0.796, 0.9: 0.60},
    # Leaves its first value and comes back to it.
    "dlst-paper": {0.0: 0.60, 0.4: 0.50, 0.9: 0.598},
    "krr": {0.0: 0.70, 0.4: 0.69, 0.9: 0.63},
}
KEPT = {0.0: 2.5, 0.4: 1.6, 0.9: 1.0}
EFFECTIVE = {0.0: 0.0, 0.4: 0.36, 0.9: 0.6}


@pytest.fixture
def missing():
    return [
        record(
            "msrc",
            method,
            seed,
            metrics=measures(ap + (0.01 if seed else -0.01)),
            protocol={"missing": ratio, "fraction": 0.1},
            cardinality=KEPT[ratio],
            cardinality_complete=2.5,
            effective_missing=EFFECTIVE[ratio],
            n_train=59,
            floor={AP: 0.4},
        )
        for ratio in (0.9, 0.0, 0.4)
        for method, values in MISSING_AP.items()
        for seed in (0, 1)
        for ap in [values[ratio]]
    ]


def test_missing_lines_are_means_with_bands_over_the_ratio(missing):
    sections = missing_labels.sections(Run(missing, PLAN))
    check_shapes(sections)
    chart = blocks(sections, Chart)["missing-msrc-instance-average-precision-labelled"]
    lines = {series.name: series for series in chart.series}
    assert lines["DLST"].x == [0.0, 40.0, 90.0]
    assert lines["DLST"].y == pytest.approx([0.80, 0.796, 0.60])
    above = 0.01 * 2**0.5
    assert lines["DLST"].high == pytest.approx([0.80 + above, 0.796 + above, 0.60 + above])
    assert lines["DLST"].emphasis
    assert not lines["KRR"].emphasis
    assert lines["floor: labels by frequency alone"].y == pytest.approx([0.4] * 3)
    assert chart.second_x == {
        0.0: "0 %, 2.50 labels",
        40.0: "36 %, 1.60 labels",
        90.0: "60 %, 1.00 labels",
    }


def test_missing_tables_have_what_is_kept(missing):
    tables = blocks(missing_labels.sections(Run(missing, PLAN)), Table)
    table = tables["missing-msrc-instance-average-precision-labelled-table"]
    assert row_of(table, "DLST") == {
        "method": "DLST",
        "0 %": "0.800 ± 0.014",
        "40 %": "0.796 ± 0.014",
        "90 %": "0.600 ± 0.014",
        "kept": "75.0 %",
    }
    assert row_of(table, "floor: labels by frequency alone")["90 %"] == "0.400"
    best = [[cell.best for cell in row[1:4]] for row in table.rows]
    assert best == [[True, True, False], [False, False, False], [False, False, True]]


def test_missing_claims_are_judged_by_the_figures(missing):
    claims = blocks(missing_labels.sections(Run(missing, PLAN)), Table)["missing-claims"]
    ours = row_of(claims, "msrc: DLST")
    assert ours["leads in AP"] == "2 of 3"
    # All macro-F1 are equal, and equal is not ahead.
    assert ours["leads in macro-F1, top r"] == "0 of 3"
    assert ours["AP kept"] == "75.0 %"
    assert ours["AP kept by rivals"] == "90.0 % to 90.0 %"
    # .796 is within 1 % of .80, .60 is not: 1.6 labels are enough, and 1.0 are not.
    assert ours["labels needed"] == "1.60"
    assert ours["labels there are"] == "2.50"
    assert ours["labels needed, paper"] == "3"
    assert row_of(claims, "msrc: DLST (paper)")["labels needed"] == "2.50"


def test_missing_verdict_says_so_when_dlst_is_not_the_steadiest(missing):
    verdict = missing_labels.verdict(Run(missing, PLAN))
    assert "behind DLST at 2 of 3 in AP and 0 of 3 in macro-F1" in verdict
    assert "behind DLST (paper) at 0 of 3 in AP" in verdict
    assert "DLST keeps 75.0 % of its AP on msrc (the steadiest rival, KRR: 90.0 %)" in verdict
    assert "not borne out" in verdict


def test_missing_verdict_says_so_when_it_is(missing):
    for each in missing:
        if each["cell"]["method"] == "krr" and each["cell"]["protocol"]["missing"] == 0.9:
            each["metrics"][AP] = 0.2
    verdict = missing_labels.verdict(Run(missing, PLAN))
    assert "behind DLST at 3 of 3 in AP" in verdict
    assert "is borne out" in verdict
    assert "not borne out" not in verdict


def test_simulated_features_are_in_every_title(missing):
    for each in missing:
        each["rows"]["simulated"] = True
    sections = missing_labels.sections(Run(missing, PLAN))
    figures = [*blocks(sections, Chart).values(), *blocks(sections[1:], Table).values()]
    assert len(figures) == 8
    assert all("simulated features" in block.title for block in figures)
    assert "simulated features, which count in no verdict" in missing_labels.verdict(
        Run(missing, PLAN)
    )
    assert "msrc (simulated features): DLST" in str(blocks(sections, Table)["missing-claims"].rows)


def test_a_failed_cell_is_a_gap_not_an_error(missing):
    failed = record("msrc", "mc", 0, status="timeout", protocol={"missing": 0.4, "fraction": 0.1})
    sections = missing_labels.sections(Run([*missing, failed], PLAN))
    chart = blocks(sections, Chart)["missing-msrc-instance-average-precision-labelled"]
    assert {series.name: series.y for series in chart.series}["MC"] == [None, None, None]
    assert "behind DLST at 2 of 3 in AP" in missing_labels.verdict(Run([*missing, failed], PLAN))


TRAINING_AP = {"dlst": (0.50, 0.60, 0.70), "krr": (0.52, 0.60, 0.65), "mc": (0.30, 0.40, 0.50)}


@pytest.fixture
def training():
    return [
        record(
            "mediamill-2000",
            method,
            seed,
            metrics=measures(values[place], f1=values[place] / 10),
            protocol={"fraction": fraction},
            n_train=15 * place + 15,
        )
        for place, fraction in enumerate((0.01, 0.03, 0.1))
        for method, values in TRAINING_AP.items()
        for seed in (0, 1)
    ]


def test_training_shows_percent_and_rows(training):
    sections = training_rows.sections(Run(training, PLAN))
    check_shapes(sections)
    chart = blocks(sections, Chart)["training-mediamill-2000-macro-f1-top-r"]
    assert chart.second_x == {1.0: "15 rows", 3.0: "30 rows", 10.0: "45 rows"}
    assert chart.series[0].x == [1.0, 3.0, 10.0]
    assert chart.series[0].y == pytest.approx([0.05, 0.06, 0.07])
    table = blocks(sections, Table)["training-mediamill-2000-macro-f1-top-r-table"]
    assert [column.title for column in table.columns] == ["method", "1 %", "10 %"]


def test_training_wins_are_counted_for_each_percentage(training):
    wins = blocks(training_rows.sections(Run(training, PLAN)), Table)[
        "training-mediamill-2000-dlst-wins"
    ]
    column = "Instance AP, rows with labels"
    assert row_of(wins, "1 %")[column] == "1 of 2 (-0.020)"
    assert row_of(wins, "3 %")[column] == "1 of 2 (+0.000)"
    assert row_of(wins, "10 %")[column] == "2 of 2 (+0.050)"


def test_training_verdict_compares_the_fewest_rows_with_the_most(training):
    verdict = training_rows.verdict(Run(training, PLAN))
    assert "behind DLST at 1 of 3 in AP" in verdict
    assert "keeps 71.4 % of its AP on mediamill-2000 (the steadiest rival, KRR: 80.0 %)" in verdict
    assert "not borne out" in verdict


def lambda_records(scores, data="emotions"):
    return [
        record(
            data,
            "dlst-paper",
            fold,
            metrics=measures(ap + 0.01 * fold),
            parameters={"alpha": alpha},
            protocol={"folds": 10},
        )
        for alpha, ap in scores.items()
        for fold in (0, 1)
    ]


def test_lambda_names_the_best_and_what_the_papers_costs():
    records = lambda_records({0.001: 0.70, 0.01: 0.78, 0.1: 0.80, 1000.0: 0.60})
    sections = penalty.sections(Run(records, PLAN))
    check_shapes(sections)
    claim = row_of(
        blocks(sections, Table)["lambda-claims"], "emotions: Instance AP, rows with labels"
    )
    assert claim["best λ"] == "0.1"
    assert claim["score at 0.01"] == "0.785"
    assert claim["share of the best"] == "97.5 %"
    assert claim["within 1 %"] == "no"
    assert claim["neighbours"] == "0.080"
    chart = blocks(sections, Chart)["lambda-emotions-scores"]
    assert chart.log_x
    assert chart.series[0].x == [0.001, 0.01, 0.1, 1000.0]
    assert chart.series[0].low[0] == pytest.approx(0.705 - 0.01 / 2**0.5)
    shown = blocks(sections, Table)["lambda-emotions-table"]
    assert [row[1].best for row in shown.rows] == [False, False, True, False]
    verdict = penalty.verdict(Run(records, PLAN))
    assert "0.1 on emotions" in verdict
    assert "not within 1 % of the best on emotions (97.5 %)" in verdict


def test_lambda_is_fine_where_it_is_best_and_untold_where_it_was_not_run():
    records = lambda_records({0.01: 0.80, 0.1: 0.79}) + lambda_records({0.1: 0.5}, "scene")
    verdict = penalty.verdict(Run(records, PLAN))
    assert "0.01 on emotions and 0.1 on scene" in verdict
    assert "0.01 is within 1 % of the best on emotions (100.0 %)." in verdict
    scene = row_of(
        blocks(penalty.sections(Run(records, PLAN)), Table)["lambda-claims"],
        "scene: Instance AP, rows with labels",
    )
    assert scene["score at 0.01"] == "—"
