"""Claims of the paper judged by hand-made records whose answer is known."""

from __future__ import annotations

import pytest
from run_records import record

from dlst.paper import ITEMS, judge_claims
from dlst.reports import Run

AP = "instance_average_precision_labelled"
NINE = ("br", "cplst", "faie", "mlloc", "mc", "miml", "slrm", "mrv", "leml")


def scored(value):
    return {AP: value, "micro_f1_top_r": value / 2, "macro_f1_top_r": value / 3, "r": 2}


def main_run(default, paper, others, sets=("emotions", "scene"), ceiling=0.9):
    """Make ten splits of each set, in which methods differ by a constant."""
    bounds = {
        "floor": {AP: 0.3, "micro_f1_top_r": 0.1, "macro_f1_top_r": 0.1},
        "ceiling": {"micro_f1_top_r": ceiling, "macro_f1_top_r": ceiling},
    }
    values = {"dlst": default, "dlst-paper": paper, **dict.fromkeys(NINE, others)}
    records = [
        record(data, method, seed, metrics=scored(value + seed / 1000), **bounds)
        for data in sets
        for method, value in values.items()
        for seed in range(10)
    ]
    return Run(records, {"data": list(sets), "methods": list(values)})


def judged(runs, words):
    found = [each for each in judge_claims(runs) if words in each.claim]
    assert len(found) == 1
    return found[0]


def test_a_method_that_wins_everywhere_bears_the_main_claim_out():
    run = main_run(default=0.6, paper=0.8, others=0.5)
    found = judged({"table-main": run}, "all 18 columns")
    assert found.outcome == "borne out"
    # Against the nine alone: the presets of DLST do not compete with each other.
    assert "DLST (paper) in 6 of 6, the library's default in 6 of 6" in found.evidence


def test_a_method_that_loses_does_not_and_the_default_does_not_stand_in_for_it():
    run = main_run(default=0.9, paper=0.4, others=0.5)
    assert judged({"table-main": run}, "all 18 columns").outcome == "not borne out"
    group = judged({"table-main": run}, "label-space methods")
    assert group.outcome == "not borne out"
    assert "-19.8 %" in group.evidence
    assert "+79.3 %" in group.evidence


@pytest.mark.parametrize(("ceiling", "outcome"), [(0.7, "not borne out"), (0.99, "borne out")])
def test_printed_values_above_the_ceiling_are_named(ceiling, outcome):
    run = main_run(0.6, 0.6, 0.5, sets=("scene",), ceiling=ceiling)
    found = judged({"table-main": run}, "the r best labels")
    assert found.outcome == outcome
    assert ("DLST micro-F1 (top r) on scene" in found.evidence) == (ceiling == 0.7)


def curve_run(key, shares, values):
    records = [
        record(
            "msrc",
            method,
            seed,
            protocol={key: share},
            metrics=scored(value),
            effective_missing=share,
        )
        for method, by_share in values.items()
        for share, value in zip(shares, by_share, strict=True)
        for seed in range(2)
    ]
    return Run(records, {"data": ["msrc"], "methods": list(values)})


def test_leading_and_steadiness_are_judged_apart():
    run = curve_run(
        "missing",
        (0.0, 0.9),
        {"dlst": (0.9, 0.8), "dlst-paper": (0.95, 0.5), "krr": (0.8, 0.75)},
    )
    runs = {"figure-missing": run}
    assert judged(runs, "leads at all missing").outcome == "in part"
    steady = judged(runs, "depends less")
    assert steady.outcome == "not borne out"
    assert "KRR 93.8 % of 0.800" in steady.evidence


def test_a_tenth_of_the_rows_is_compared_with_all_of_them():
    values = {
        "dlst": (0.7, 0.9),
        "dlst-paper": (0.65, 0.9),
        "mc": (0.1, 0.6),
        "miml": (0.1, 0.5),
        "slrm": (0.1, 0.64),
    }
    run = curve_run("fraction", (0.01, 0.1), values)
    found = judged({"figure-training": run}, "a tenth of the training rows")
    assert found.outcome == "borne out"
    assert "0.640" in found.evidence
    values["slrm"] = (0.1, 0.66)
    run = curve_run("fraction", (0.01, 0.1), values)
    assert judged({"figure-training": run}, "a tenth").outcome == "not borne out"


def test_gains_over_the_variants_are_told_on_scene():
    records = [
        record("scene", method, seed, metrics=scored(value))
        for method, value in {"dlst": 0.9, "dlst-paper": 0.96, "dlst1": 0.8, "dlst2": 0.7}.items()
        for seed in range(3)
    ]
    run = Run(records, {"data": ["scene"], "methods": ["dlst", "dlst-paper", "dlst1", "dlst2"]})
    found = judged({"table-variants": run}, "DLST₁")
    assert found.outcome == "borne out"
    assert "DLST (paper) +20.0 % and +37.1 %" in found.evidence


@pytest.mark.parametrize("simulated", [False, True])
def test_table_iv_is_judged_by_its_own_rows(simulated):
    records = [
        {
            **record("voc2007", name, n_train=5011, n_features=64, simulated=simulated),
            "peak_mib": 400.0,
        }
        for name in ("br", "cplst", "leml")
    ]
    runs = {"table-voc": Run(records, {"data": ["voc2007"], "methods": ["br", "cplst", "leml"]})}
    printed = judged(runs, "85.7 mAP")
    assert printed.outcome == "not borne out"
    assert "cat (CNN-RNN)" in printed.evidence
    memory = judged(runs, "run out of memory")
    assert memory.outcome == ("cannot be judged" if simulated else "not borne out")
    assert "On the 5,011 training rows of VOC 2007 with 64 features" in memory.evidence
    for each in (printed, memory):
        assert ("simulated" in each.evidence) == simulated


def test_only_items_that_were_run_are_judged():
    assert judge_claims({}) == []
    judgements = judge_claims({"table-main": main_run(0.6, 0.6, 0.5)})
    assert [each.number for each in judgements] == [1, 2, 3, 4, 5]
    assert {each.item for each in judgements} == {"table-main"}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("has_failed", [False, True])
def test_nothing_that_ended_is_told_as_such(item, has_failed):
    run = Run([record("voc2007", "dlst", status="memory")] * has_failed)
    (section,) = item.sections(run)
    assert "nothing to show" in section.blocks[0].text
    assert "nothing to show" in item.verdict(run)
    judged = judge_claims({item.name: run})
    assert len(judged) == len(item.claims)
    assert all(each.outcome == "cannot be judged" for each in judged)
