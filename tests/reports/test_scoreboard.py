"""A small run: one table, and a verdict that says "level" where a difference is chance."""

from __future__ import annotations

import numpy as np
import pytest
from run_records import AP, column_of, failed, plan_values, scored, tables_of, words_of

from dlst.reports import Run, build_document, comparison
from dlst.reports.document import Chart

ROWS = np.tile([0.2, 1.0], 50)


def two(gap, noise, **more):
    """KRR and DLST on one split, whose rows differ by a gap and by noise that evens out."""
    wave = noise * np.resize([1.0, 1.0, -1.0, -1.0], len(ROWS))
    return [
        scored("scene", "dlst", 0.7 + gap, row_ap=(ROWS + gap + wave).tolist(), **more),
        scored("scene", "krr", 0.7, row_ap=ROWS.tolist(), **more),
    ]


def test_a_small_run_has_one_table_with_a_column_for_each_measure():
    run = Run(two(0.02, 0.1), plan_values(["scene"], ["dlst", "krr"]))
    sections = comparison.sections(run)
    assert [section.name for section in sections] == ["scores"]
    (table,) = tables_of(sections).values()
    assert table.title == "Scores on scene: 100 training and 50 test rows"
    titles = [column.title for column in table.columns]
    assert titles == [
        "method",
        "Instance AP",
        "Micro-F1, top r",
        "Macro-F1, top r",
        "Micro-F1",
        "seconds",
    ]
    assert [row[0].text for row in table.rows] == ["DLST", "KRR"]
    assert column_of(table, "Instance AP")["DLST"].best
    assert not column_of(table, "Instance AP")["KRR"].best
    bounds = column_of(table, "Macro-F1, top r")
    assert bounds["floor: frequency"].text == "0.100"
    assert bounds["ceiling: top r"].text == "≤ 0.900"
    assert column_of(table, "seconds")["KRR"].text == "2.0"


def test_two_sets_stand_in_one_table_and_each_has_its_best():
    records = [*two(0.02, 0.1), scored("yeast", "dlst", 0.5), scored("yeast", "krr", 0.6)]
    (table,) = tables_of(
        comparison.sections(Run(records, plan_values(["scene", "yeast"], ["dlst", "krr"])))
    ).values()
    best = [(row[0].text, row[1].text) for row in table.rows if row[2].best]
    assert best == [("DLST", "scene"), ("KRR", "yeast")]


@pytest.mark.parametrize(
    ("gap", "noise", "words"),
    [
        (0.02, 0.1, "DLST, 0.720, is level with the next best, KRR, 0.700, a difference within"),
        (0.05, 0.1, "DLST, 0.750, is ahead of the next best, KRR, 0.700 (+0.050 ± 0.010)"),
        (-0.05, 0.1, "DLST, 0.650, is behind the next best, KRR, 0.700 (-0.050 ± 0.010)"),
    ],
)
def test_rows_of_one_split_tell_what_is_chance(gap, noise, words):
    verdict = comparison.verdict(Run(two(gap, noise)))
    assert f"By instance AP on scene {words}" in verdict
    assert "labels by frequency alone give 0.400" in verdict


def test_without_rows_a_few_splits_are_not_tested_and_many_are():
    few = [scored("scene", name, value) for name, value in (("dlst", 0.7), ("krr", 0.69))]
    assert "(+0.010), which so few runs cannot test" in comparison.verdict(Run(few))
    many = [
        scored("scene", name, value + (0.02 if seed % 2 else -0.02) * (name == "krr"), seed=seed)
        for name, value in (("dlst", 0.7), ("krr", 0.699))
        for seed in range(8)
    ]
    assert "is level with the next best, KRR" in comparison.verdict(Run(many))


def test_what_is_lost_is_grouped_by_the_winner():
    assert comparison.verdict(Run(two(-0.05, 0.1))).endswith(
        "DLST is best in 0 of 4 columns over all measures; it loses instance AP, micro-F1 (top r), "
        "macro-F1 (top r) and micro-F1 (own decisions) to KRR."
    )


def ruled(method, suited, budget, plain):
    """A record of a method that has learnt rules, with samples of rows that never differ."""
    names = ("micro_f1", "macro_f1", "hamming_loss")
    metrics = {AP: 0.8, **{f"{name}_suited": suited for name in names}}
    for name in names[:2]:
        metrics |= {f"{name}_budget": budget, f"{name}_top_r": plain}
    made = scored("scene", method, 0.8)
    return {
        **made,
        "metrics": metrics,
        "redrawn": {name: [value] * 3 for name, value in metrics.items()},
    }


def test_columns_are_judged_by_the_rules_that_suit_them_and_the_plain_top_r_stands_beside():
    records = [ruled("dlst", 0.7, 0.6, 0.5), ruled("krr", 0.7, 0.6, 0.55)]
    for each in records:
        each |= {"decision": "f1", "tau": 0.0}
    run = Run(records, plan_values(["scene"], ["dlst", "krr"]))
    tables = tables_of(comparison.sections(run))
    assert [column.title for column in tables["scores"].columns] == [
        "method",
        "Instance AP",
        "Micro-F1, rule budget",
        "Macro-F1, rule budget",
        "Micro-F1, rule micro",
        "Macro-F1, rule macro",
        "Hamming loss, rule hamming",
        "seconds",
    ]
    beside = tables["top-r"]
    assert [each.title for each in beside.columns] == [
        "method",
        "Micro-F1, top r",
        "Macro-F1, top r",
    ]
    assert "by no rule" in beside.note
    assert column_of(beside, "Macro-F1, top r")["KRR"].best
    assert "in each column by the rule named above it" in words_of(comparison.sections(run))
    # What is lost there is said, though it counts in no column of a rule.
    verdict = comparison.verdict(run)
    assert "In each column by the rule for it DLST is best in 6 of 6 columns" in verdict
    assert verdict.endswith(
        "By the plain top r, which follows no rule, DLST is best in 0 of 2 columns; it loses "
        "micro-F1 (top r) and macro-F1 (top r) to KRR."
    )


def test_where_a_method_has_no_rules_the_top_r_is_judged():
    records = [ruled("dlst", 0.7, 0.6, 0.5), scored("scene", "krr", 0.8)]
    (table,) = tables_of(comparison.sections(Run(records))).values()
    assert {"Micro-F1, top r", "Macro-F1, top r"} <= {column.title for column in table.columns}
    assert "top r, which follows no rule" not in comparison.verdict(Run(records))


def test_simulated_features_count_in_no_verdict():
    records = two(0.05, 0.1)
    for each in records:
        each["rows"]["simulated"] = True
    run = Run(records)
    assert comparison.verdict(run) == "All features were simulated, which counts in no verdict."
    assert "**scene: simulated features.**" in words_of(comparison.sections(run))


def test_a_failed_method_is_a_dash():
    records = [*two(0.05, 0.1), failed("scene", "mc")]
    (table,) = tables_of(comparison.sections(Run(records))).values()
    assert column_of(table, "Instance AP")["MC"].text == "—"


def test_the_title_names_methods_and_data_or_counts_them():
    document = build_document(two(0.05, 0.1))
    assert document.title == "DLST and KRR on scene"
    many = [
        scored(f"set{i}", name, 0.5)
        for i in range(5)
        for name in ("dlst", "krr", "mc", "br", "miml")
    ]
    assert build_document(many).title == "5 methods on 5 data sets"
    named = build_document(two(0.05, 0.1), {"name": "ours"})
    assert named.title == "ours"


def test_a_large_run_has_a_table_for_each_measure_and_simulated_sets_apart():
    sets = ("emotions", "scene", "yeast", "made")
    records = [
        scored(data, name, value + 0.01 * len(data), seed=seed)
        for data in sets
        for name, value in (("dlst", 0.7), ("krr", 0.6), ("mc", 0.5))
        for seed in range(2)
    ]
    for each in records:
        each["rows"]["simulated"] = each["cell"]["data"] == "made"
        if each["cell"]["data"] == "made" and each["cell"]["method"] == "mc":
            each["metrics"][AP] = 0.99
    run = Run(records)
    sections = {section.name: section for section in comparison.sections(run)}
    assert list(sections) == ["scores", "ranks", "simulated", "costs"]
    titles = [column.title for column in sections["scores"].blocks[-1].columns]
    assert "made (simulated features)" not in titles
    assert any(isinstance(block, Chart) for block in sections["scores"].blocks)
    verdict = comparison.verdict(run)
    assert "DLST has the best mean rank of 3 methods on 3 data sets" in verdict
    assert "no pair with DLST is significant after Holm" in verdict
    assert "best in 12 of 12 columns" in verdict
