"""Class by class: gains, precision and recall, the paper's Table IV, and the data sets."""

from __future__ import annotations

import pytest
from run_records import blocks, check_shapes, record, row_of
from scipy.stats import spearmanr

from dlst.paper import item
from dlst.paper.published import DATASETS, VOC_AP, VOC_CLASSES, VOC_LABELS, VOC_SAMPLES, Described
from dlst.reports import Run
from dlst.reports.class_scores import MOST_BARS
from dlst.reports.document import Chart, Table, Text

class_item, data_table = item("figure-classes"), item("table-datasets")
nuswide_item, voc_item = item("figure-nuswide"), item("table-voc")

PLAN = {"tuning": "none"}
PER_LABEL = {"per_label": True}


def labels(names, **values):
    K = len(names)
    return {
        "names": list(names),
        "train_positives": [10] * K,
        "test_positives": [5] * K,
        "concurrent": [1.0] * K,
        "average_precision": [0.5] * K,
        "average_precision_11": [0.5] * K,
        **{
            f"{name}{rule}": [0.5] * K
            for name in ("precision", "recall", "f1")
            for rule in ("", "_top_r")
        },
        **values,
    }


NAMES = ("crowd", "car", "grass", "face", "sky", "never")
CONCURRENT = [5.0, 1.0, 2.0, 4.0, 3.0, 0.0]
CLASS_AP = {
    "dlst": [[0.5, 0.9, 0.8, 0.6, 0.7, None], [None, 0.9, 0.8, 0.6, 0.7, None]],
    "dlst1": [[0.5, 0.5, 0.5, 0.5, 0.5, None], [0.1, 0.7, 0.5, 0.5, 0.5, None]],
    "krr": [[0.6, 0.9, 0.8, 0.6, 0.7, None], [0.6, 0.9, 0.8, 0.6, 0.7, None]],
    "mc": [[0.1] * 5 + [None], [0.1] * 5 + [None]],
}


@pytest.fixture
def classes():
    return [
        record(
            "mediamill-2000",
            method,
            seed,
            protocol=PER_LABEL,
            labels=labels(NAMES, concurrent=CONCURRENT, average_precision=runs[seed]),
        )
        for method, runs in CLASS_AP.items()
        for seed in (0, 1)
    ]


def test_gains_are_paired_by_run_and_set_against_concurrent_labels(classes):
    sections = class_item.sections(Run(classes, PLAN))
    check_shapes(sections)
    over = {
        series.name: series
        for series in blocks(sections, Chart)["classes-dlst-mediamill-2000-scatter"].series
    }
    # The best rival is KRR, not MC; "never" has no AP; "crowd" has one pair of runs.
    assert list(over) == ["over DLST₁", "over KRR"]
    assert over["over DLST₁"].x == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert over["over DLST₁"].y == pytest.approx([0.3, 0.3, 0.2, 0.1, 0.0])
    assert over["over KRR"].y == pytest.approx([0.0, 0.0, 0.0, 0.0, -0.1])
    assert over["over DLST₁"].texts[0].startswith("car: +0.300")
    bars = blocks(sections, Chart)["classes-dlst-mediamill-2000-bars"]
    assert bars.series[0].x == ["car", "grass", "sky", "face", "crowd"]


def test_the_claim_is_judged_by_the_rank_correlation(classes):
    claims = blocks(class_item.sections(Run(classes, PLAN)), Table)["classes-claims"]
    ours = row_of(claims, "mediamill-2000: DLST over DLST₁")
    rho = spearmanr([1, 2, 3, 4, 5], [0.3, 0.3, 0.2, 0.1, 0.0])
    assert ours["with concurrent labels"] == f"{rho.statistic:+.2f}, p = {rho.pvalue:.3f}"
    assert ours["classes"] == "5"
    assert ours["mean gain"] == "+0.180"
    assert ours["classes that gain"] == "80 %"
    assert ours["the paper's claim"] == "borne out"
    # All classes are equally frequent, which ranks nothing.
    assert ours["with frequency"] == "—"
    rival = row_of(claims, "mediamill-2000: DLST over KRR")
    assert rival["the paper's claim"] == "not borne out"
    verdict = class_item.verdict(Run(classes, PLAN))
    assert "+0.180 over DLST₁ on mediamill-2000 and -0.020 over KRR" in verdict
    assert ", borne out over DLST₁" in verdict
    assert "not borne out over KRR" in verdict


def test_a_class_without_a_test_row_has_no_gain_whatever_the_record_says(classes):
    for each in classes:
        each["labels"]["test_positives"] = [5, 5, 5, 5, 5, 0]
        each["labels"]["average_precision"][-1] = 0.0
    claims = blocks(class_item.sections(Run(classes, PLAN)), Table)["classes-claims"]
    assert row_of(claims, "mediamill-2000: DLST over DLST₁")["classes"] == "5"


def test_a_gain_that_grows_with_concurrent_labels_is_told(classes):
    for each in classes:
        each["labels"]["concurrent"] = [-value for value in CONCURRENT]
    assert "not borne out over DLST₁" in class_item.verdict(Run(classes, PLAN))


def test_more_classes_than_bars_are_grouped():
    K = 3 * MOST_BARS
    names = [f"label{j}" for j in range(K)]
    records = [
        record(
            "corel5k",
            method,
            protocol=PER_LABEL,
            labels=labels(
                names, average_precision=[ap] * K, concurrent=[float(j) for j in range(K)]
            ),
        )
        for method, ap in (("dlst", 0.6), ("krr", 0.5))
    ]
    sections = class_item.sections(Run(records, PLAN))
    check_shapes(sections)
    charts = blocks(sections, Chart)
    assert len(charts["classes-dlst-corel5k-scatter"].series[0].x) == K
    assert len(charts["classes-dlst-corel5k-bars"].series[0].x) <= MOST_BARS
    assert charts["classes-dlst-corel5k-bars"].series[0].y == pytest.approx(
        [0.1] * (MOST_BARS // 2)
    )
    groups = blocks(sections, Table)["classes-dlst-corel5k-krr"]
    assert sum(int(row[1].text) for row in groups.rows) == K


NUS = ("computer", "map", "clouds", "sky")


@pytest.fixture
def nuswide():
    return [
        record(
            "nus-wide",
            method,
            seed,
            protocol={**PER_LABEL, "rows": [300, 300]},
            labels=labels(
                NUS,
                train_positives=[1, 2, 30, 40],
                precision=[0.9 + 0.02 * seed, 0.8, 0.5, None],
                recall=[0.1, 0.2, 0.52, 0.0],
                precision_top_r=[0.4] * 4,
                recall_top_r=[0.6] * 4,
            ),
            simulated=True,
        )
        for method in ("dlst-paper", "dlst")
        for seed in (0, 1)
    ]


def test_nuswide_means_stand_beside_what_was_published(nuswide):
    sections = nuswide_item.sections(Run(nuswide, PLAN))
    check_shapes(sections)
    means = blocks(sections, Table)["nuswide-nus-wide-means"]
    ours = row_of(means, "DLST")
    first, second = (0.9 + 0.8 + 0.5) / 3, (0.92 + 0.8 + 0.5) / 3
    assert ours["precision, own decisions"] == f"{(first + second) / 2:.3f} ± 0.005"
    assert ours["recall, own decisions"] == "0.205 ± 0.000"
    assert ours["precision, top r"] == "0.400 ± 0.000"
    assert "Left out: 4 of 16 classes" in means.note
    quoted = row_of(means, "CNN-RNN (published, different input and split)")
    assert (quoted["precision, top r"], quoted["recall, top r"]) == ("0.4050", "0.3040")
    printed = row_of(means, "DLST (published, different input and split)")
    assert (printed["precision, top r"], printed["recall, top r"]) == ("0.5375", "0.4489")


def test_nuswide_bars_are_in_order_of_frequency(nuswide):
    charts = blocks(nuswide_item.sections(Run(nuswide, PLAN)), Chart)
    bars = charts["nuswide-nus-wide-bars-own-decisions"]
    assert bars.series[0].x == ["sky", "clouds", "map", "computer"]
    assert bars.series[0].y[0] is None
    assert bars.series[0].y[1:] == pytest.approx([0.5, 0.8, 0.91])
    scatter = {series.name: series for series in charts["nuswide-nus-wide-scatter"].series}
    assert scatter["DLST, own decisions"].x == pytest.approx([0.1, 0.2, 0.52])
    assert all("simulated features" in chart.title for chart in charts.values())


def test_nuswide_judges_the_classes_that_the_paper_names(nuswide):
    named = blocks(nuswide_item.sections(Run(nuswide, PLAN)), Table)["nuswide-nus-wide-named"]
    here = {row[0].text: row[-1].text for row in named.rows}
    assert here == {
        "computer": "as the paper says",
        "map": "not so here",
        "clouds": "as the paper says",
    }
    assert "simulated, so what was measured here counts in no verdict" in nuswide_item.verdict(
        Run(nuswide, PLAN)
    )
    for each in nuswide:
        each["rows"]["simulated"] = False
    verdict = nuswide_item.verdict(Run(nuswide, PLAN))
    assert "over 3 classes of DLST's own decisions are 0.737 and 0.205" in verdict
    assert "0.5375 and 0.4489" in verdict
    assert "Of the 3 classes at hand" in verdict
    assert "2 behave so here" in verdict


def test_a_class_that_is_never_found_is_not_called_comparable(nuswide):
    for each in nuswide:
        each["labels"]["precision"][2] = each["labels"]["recall"][2] = 0.0
    named = blocks(nuswide_item.sections(Run(nuswide, PLAN)), Table)["nuswide-nus-wide-named"]
    assert {row[0].text: row[-1].text for row in named.rows}["clouds"] == "not so here"


@pytest.fixture
def voc():
    aps = {
        "dlst": [0.9] * 19 + [0.1],
        "dlst1": [0.8] * 20,
        "dlst-paper": [0.7] * 20,
    }
    return [
        record(
            "voc2007",
            method,
            protocol={**PER_LABEL, **reading},
            labels=labels(
                VOC_CLASSES.values(),
                concurrent=[value - 1 for value in VOC_LABELS],
                train_positives=[count // 2 for count in VOC_SAMPLES],
                test_positives=[count - count // 2 for count in VOC_SAMPLES],
                average_precision=[value - loss for value in ap],
                average_precision_11=[value - loss - 0.01 for value in ap],
            ),
            simulated=True,
        )
        for reading, loss in (({}, 0.0), ({"options": {"difficult": "ignore"}}, 0.05))
        for method, ap in aps.items()
    ]


def test_voc_rows_are_classes_beside_the_printed_ones(voc):
    sections = voc_item.sections(Run(voc, PLAN))
    check_shapes(sections)
    tables = blocks(sections, Table)
    assert len(tables) == 4
    assert all("simulated features" in table.title for table in tables.values())
    tv = row_of(tables["voc-average-precision"], "tv")
    assert tv["#labels"] == tv["#labels, paper"] == "2.2"
    assert tv["#samples"] == tv["#samples, paper"] == "534"
    assert tv["HCP-1000C, published"] == "78.3"
    assert tv["CNN-RNN, published"] == "78.6"
    assert (tv["DLST₁, paper"], tv["DLST, paper"]) == ("74.6", "94.6")
    assert (tv["DLST₁, here"], tv["DLST, here"]) == ("80.0", "10.0")
    best = [cell.text for cell in tables["voc-average-precision"].rows[-1] if cell.best]
    assert best == ["80.0"]
    eleven = row_of(tables["voc-difficult-ignore-average-precision-11"], "tv")
    assert eleven["DLST₁, here"] == "74.0"


def test_voc_means_are_recomputed(voc):
    table = blocks(voc_item.sections(Run(voc, PLAN)), Table)["voc-average-precision"]
    assert row_of(table, "mAP")["DLST, paper"] == "85.7"
    assert row_of(table, "mAP")["DLST, here"] == f"{(19 * 90 + 10) / 20:.1f}"
    recomputed = row_of(table, "mean of the printed classes")
    assert recomputed["HCP-1000C, published"] == "81.55"
    assert recomputed["DLST, paper"] == f"{sum(VOC_AP['DLST']) / 20:.2f}"
    told = " ".join(blocks(voc_item.sections(Run(voc, PLAN)), Text))
    assert "not ahead in 6 of 20 classes: bird (CNN-RNN), car (HCP-1000C and CNN-RNN)" in told
    rho = spearmanr(VOC_SAMPLES, VOC_AP["DLST"]).statistic
    assert f"{rho:+.2f}" in told


def test_voc_verdict_counts_the_classes_that_dlst_leads(voc):
    assert "simulated, so what was measured here counts in no verdict" in voc_item.verdict(
        Run(voc, PLAN)
    )
    for each in voc:
        each["rows"]["simulated"] = False
    verdict = voc_item.verdict(Run(voc, PLAN))
    assert "On voc2007, the mAP in % is DLST₁ 80.0, DLST 86.0" in verdict
    assert "DLST leads DLST₁ in 19 of 20 classes" in verdict
    assert "in 6 of 20" in verdict
    assert "85.7 is not the mean of its classes, 91.9" in verdict
    assert "too easy" not in verdict


def test_voc_verdict_says_so_when_the_problem_is_too_easy(voc):
    for each in voc:
        each["labels"]["average_precision"] = [1.0] * 20
        each["rows"]["simulated"] = False
    verdict = voc_item.verdict(Run(voc, PLAN))
    assert "DLST leads DLST₁ in 0 of 20 classes" in verdict
    assert "too easy" in verdict
    assert "nothing to rank here" in " ".join(blocks(voc_item.sections(Run(voc, PLAN)), Text))


def described(name, **changed):
    printed = DATASETS.get(name, Described("", "", 100, 5, 3, 1.5))
    result = {
        "n": printed.n,
        "n_train": None,
        "n_test": None,
        "d": printed.d,
        "K": printed.K,
        "cardinality": printed.cardinality + 0.0004,
        "density": printed.cardinality / printed.K,
        "label_sets": 7,
        "without_label": 0,
        "unknown": 0,
        "sparse": False,
        "simulated": False,
        "note": "",
        "rows_by_labels": [0, printed.n],
        "frequency": {"min": 1, "median": 2.5, "max": 9},
        "never": 0,
        **changed,
    }
    probe = {"probe": "describe", "data": name}
    return {"key": name, "kind": "probe", "probe": probe, "status": "done", "result": result}


def test_data_sets_are_compared_with_what_was_printed():
    records = [
        described("scene"),
        described("sunattribute", n=14340, d=0),
        described("msrc", cardinality=2.607),
        described("birds"),
        {**described("yeast"), "status": "failed"},
    ]
    sections = data_table.sections(Run(records, PLAN))
    check_shapes(sections)
    beside = blocks(sections, Table)["datasets-paper"]
    assert len(beside.rows) == len(DATASETS)
    assert row_of(beside, "Scene")["differs in"] == "nothing"
    sun = row_of(beside, "SUNattribute")
    assert (sun["n"], sun["n, paper"], sun["differs in"]) == ("14,340", "14,240", "n")
    assert row_of(beside, "MSRC")["differs in"] == "cardinality"
    assert row_of(beside, "Yeast")["differs in"] == "not described in this run"
    assert len(blocks(sections, Table)["datasets-all"].rows) == 4
    chart = blocks(sections, Chart)["datasets-labels"]
    assert [series.name for series in chart.series] == ["scene", "msrc"]
    assert chart.series[0].y == [0.0, 1.0]
    assert not blocks(data_table.sections(Run([described("birds")], PLAN)), Chart)
    verdict = data_table.verdict(Run(records, PLAN))
    assert "1 agree with" in verdict
    assert "sunattribute in n (14,340 here, 14,240 printed)" in verdict
    assert "msrc in cardinality (2.607 here, 2.508 printed)" in verdict
    assert "not described in this run: emotions, yeast" in verdict
