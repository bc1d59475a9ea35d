"""figure-examples: label sets as read, best figures marked, and a verdict that can go both ways."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from dlst.paper import item
from dlst.reports import Run
from dlst.reports.document import Table, Text
from dlst.reports.page import png_address

sections, verdict = item("figure-examples").sections, item("figure-examples").verdict


def method(name, title, source, right, lead, *, recall_top_r=0.6, error=0.03):
    return {
        "name": name,
        "title": title,
        "source": source,
        "given": 2 * right,
        "right": right,
        "precision": 0.5,
        "recall": right / 2,
        "exact": 0.25,
        "recall_top_r": recall_top_r,
        "lead": lead,
        "lead_error": error,
        "seconds": 1.25,
    }


RESULT = {
    "data": "farm",
    "split": "random",
    "n_train": 1295,
    "n_test": 1296,
    "label_names": ["cow", "grass", "sky", "tree"],
    "cardinality": 2.0,
    "r": 2,
    "papers_choice": "dlst-paper",
    "methods": [
        method("dlst1", "DLST₁", "regression", 1.0, -0.2, recall_top_r=0.7),
        method("dlst2", "DLST₂", "neighbours in features", 0.9, -0.3),
        method("dlst-paper", "DLST (paper)", "neighbours in codes", 1.2, 0.0, error=0.0),
        method("dlst", "DLST", "regression and both neighbours", 1.1, -0.1),
    ],
    "examples": [
        {
            "row": 0,
            "truth": [0, 1],
            "unknown": [],
            "given": {"dlst1": [1, 2], "dlst2": [], "dlst-paper": [0, 1], "dlst": [2, 3]},
            "image": [[0, 255], [51, 0]],
        },
        {
            "row": 1295,
            "truth": [],
            "unknown": [3],
            "given": {"dlst1": [], "dlst2": [3], "dlst-paper": [2, 3], "dlst": [1]},
            "image": None,
        },
    ],
}


def record(result=RESULT, status="done"):
    found = {
        "key": "k",
        "kind": "probe",
        "probe": {"probe": "examples", "data": "farm"},
        "status": status,
    }
    return {**found, "result": result} if status == "done" else {**found, "message": "no room"}


def tables(result=RESULT):
    (section,) = sections(Run([record(result)], {}))
    return {block.name: block for block in section.blocks if isinstance(block, Table)}


def changed(**leads):
    other = deepcopy(RESULT)
    for each in other["methods"]:
        each.update(leads.get(each["name"], {}))
    return other


def test_right_wrong_and_missed_labels_are_told_apart():
    first, last = tables()["examples-farm-rows"].rows
    assert [cell.text for cell in first] == [
        "0",
        "cow, grass",
        "grass (✗ sky) ○ cow",
        "none ○ cow, grass",
        "cow, grass",
        "(✗ sky, tree) ○ cow, grass",
    ]
    assert first[2].note == "1 right, 1 wrong, 1 missed"
    assert [cell.text for cell in last] == [
        "1295",
        "none",
        "none",
        "(? tree)",
        "(✗ sky) (? tree)",
        "(✗ grass)",
    ]


def test_columns_say_where_the_labels_come_from():
    assert [column.title for column in tables()["examples-farm-rows"].columns] == [
        "row",
        "truth",
        "DLST₁: regression",
        "DLST₂: neighbours in features",
        "DLST (paper): neighbours in codes",
        "DLST: regression and both neighbours",
    ]


def test_an_image_is_shown_where_there_is_one():
    first, last = tables()["examples-farm-rows"].rows
    assert first[0].image == png_address(np.array([[0, 1], [0.2, 0]]))
    assert last[0].image == ""


def test_the_summary_marks_the_best_and_shows_the_truth_beside():
    table = tables()["examples-farm-summary"]
    titles = [column.title for column in table.columns]
    right, equal, lead = (titles.index(t) for t in ("right", "recall at equal length", "lead"))
    assert [row[right].best for row in table.rows] == [False, False, True, False]
    assert [row[equal].best for row in table.rows] == [True, False, False, False]
    assert [row[lead].text for row in table.rows] == [
        "-0.200 ± 0.030",
        "-0.300 ± 0.030",
        "—",
        "-0.100 ± 0.030",
    ]
    (truth,) = table.references
    assert [cell.text for cell in truth[:3]] == ["truth", "labels that the rows have", "2.00"]
    assert len(truth) == len(titles)
    assert all(len(row) == len(titles) for row in table.rows)


def test_the_words_say_who_gives_most_and_what_the_default_finds():
    (section,) = sections(Run([record()], {}))
    told = " ".join(block.text for block in section.blocks if isinstance(block, Text))
    assert "learn from 1,295 rows (random split)" in told
    assert "DLST (paper) gives most labels, 2.40 per row, where the truth has 2.00." in told
    assert "finds 0.100 ± 0.030 right labels per row fewer than the paper's" in told
    better = changed(dlst={"lead": 0.1, "lead_error": None})
    told = sections(Run([record(better)], {}))[0].blocks[-1].text
    assert "finds 0.100 right labels per row more than the paper's" in told


def test_the_verdict_is_two_sentences_of_figures():
    assert verdict(Run([record()], {})) == (
        "The paper says that neighbours in codes give the most comprehensive label sets; against "
        "its variants DLST₁ and DLST₂ this holds on farm (1.20 right labels per row, 1.00 and "
        "0.90). When all methods give every row equally many labels, neighbours in codes find more "
        "than both variants on no data set, and the highest recall is that of DLST₁ on farm."
    )


@pytest.mark.parametrize(
    ("figures", "standing"),
    [
        ({"right": 1.3, "lead": 0.1}, "does not hold on farm"),
        ({"right": 1.19, "lead": -0.05}, "is within chance on farm"),
        ({"right": 1.0, "lead": -0.2, "lead_error": None}, "is within chance on farm"),
    ],
)
def test_the_verdict_can_go_either_way(figures, standing):
    assert f"this {standing} (" in verdict(Run([record(changed(dlst1=figures))], {}))


def test_the_best_of_the_variants_is_the_one_to_beat():
    other = changed(dlst2={"right": 1.5, "lead": 0.3})
    assert "this does not hold on farm" in verdict(Run([record(other)], {}))


def test_data_sets_are_grouped_by_who_ranks_best():
    other = changed(dlst1={"recall_top_r": 0.1}, dlst2={"recall_top_r": 0.1})
    other["data"] = "town"
    told = verdict(Run([record(), record({**RESULT, "data": "sea"}), record(other)], {}))
    assert "more than both variants on town, and" in told
    assert told.endswith("that of DLST₁ on farm and sea; DLST (paper) on town.")
