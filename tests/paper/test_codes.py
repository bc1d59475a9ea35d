"""figure-codes: what is said and drawn follows from the records, whatever they hold."""

from __future__ import annotations

from copy import deepcopy

from dlst.paper import item
from dlst.reports import Run
from dlst.reports.document import Chart, Document, Table, Text

sections, verdict = item("figure-codes").sections, item("figure-codes").verdict


def judged(kl, spearman, read=0.5, density=0.9, gap=2.0):
    return {
        "kl": kl,
        "density": density,
        "pearson": spearman,
        "spearman": spearman,
        "largest_gap": gap,
        "variance_read": read,
        "seconds": 0.25,
        "curve": [
            {"label_distance": 1, "pairs": 1200, "mean": 0.8, "low": 0.5, "median": 0.7, "high": 1},
            {"label_distance": 3, "pairs": 40, "mean": 2.9, "low": 2.0, "median": 2.5, "high": 3.5},
        ],
    }


def step(r, principal, aligned):
    return {
        "n_components": r,
        "principal": principal,
        "aligned": aligned,
        "iterations": 3,
        "converged": True,
    }


RESULT = {
    "data": "planets",
    "split": "official",
    "n_train": 1300,
    "n_labels": 3,
    "n_label_sets": 6,
    "rank": 3,
    "label_names": ["rock", "gas", "ice"],
    "rows": [4, 0],
    "labels": [[0, 2], []],
    "shown_components": 2,
    "principal": [[0.5, -0.25], [0.125, 0.0]],
    "aligned": [[0.75, -0.5], [0.25, 0.5]],
    "near_zero": 0.01,
    "density": {"labels": 0.25, "centred": 1.0},
    "n_pairs": 20000,
    "fewest_pairs": 20,
    "steps": [
        step(1, judged(0.2, 0.4, read=0.3), judged(0.1, 0.3, read=0.2)),
        step(2, judged(0.05, 0.8, density=0.98), judged(0.01, 0.9, read=0.4, density=0.97)),
        step(3, judged(0.0, 1.0, 1.0, 0.95, gap=1e-9), judged(0.0, 1.0, 1.0, 0.95, gap=1e-9)),
    ],
}


def record(result=RESULT, status="done"):
    found = {
        "key": "k",
        "kind": "probe",
        "probe": {"probe": "codes", "data": "planets"},
        "status": status,
    }
    return {**found, "result": result} if status == "done" else {**found, "message": "no room"}


def blocks(kind, result=RESULT):
    (section,) = sections(Run([record(result)], {}))
    return {block.name: block for block in section.blocks if isinstance(block, kind)}


def words(result=RESULT):
    (section,) = sections(Run([record(result)], {}))
    return " ".join(block.text for block in section.blocks if isinstance(block, Text))


def test_labels_and_codes_are_drawn_row_by_row():
    charts = blocks(Chart)
    assert charts["codes-planets-labels"].grid == [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    assert charts["codes-planets-aligned"].grid == RESULT["aligned"]
    assert charts["codes-planets-principal"].grid == RESULT["principal"]
    assert {chart.kind for chart in list(charts.values())[:3]} == {"heatmap"}
    assert all(chart.alternative for chart in charts.values())


def test_density_of_labels_stands_beside_that_of_codes_with_and_without_alignment():
    rows = blocks(Table)["codes-planets-density"].rows
    assert [(cells[0].text, cells[1].value, cells[2].text) for cells in rows] == [
        ("labels", 3, "25 %"),
        ("labels, each minus its mean", 3, "100 %"),
        ("PLST codes, r = 2", 2, "98 %"),
        ("aligned codes, r = 2", 2, "97 %"),
        ("PLST codes, r = 3: the labels rotated", 3, "95 %"),
        ("aligned codes, r = 3", 3, "95 %"),
    ]


def test_divergence_is_drawn_against_the_length_before_and_after():
    start, end = blocks(Chart)["codes-planets-divergence"].series
    assert start.x == end.x == [1, 2, 3]
    assert (start.y, end.y) == ([0.2, 0.05, 0.0], [0.1, 0.01, 0.0])
    assert (start.emphasis, end.emphasis) == (False, True)


def test_distances_are_drawn_with_their_quartiles():
    lines = blocks(Chart)["codes-planets-distances"].series
    assert [line.name for line in lines] == ["aligned, r = 2", "aligned, r = 3", "PLST, r = 2"]
    assert [line.emphasis for line in lines] == [True, False, False]
    assert (lines[0].x, lines[0].y) == ([1, 3], [0.7, 2.5])
    assert (lines[0].low, lines[0].high) == ([0.5, 2.0], [1, 3.5])
    assert lines[0].texts == ["mean 0.8 over 1,200 pairs", "mean 2.9 over 40 pairs"]


def test_the_table_of_lengths_has_both_codes_side_by_side():
    table = blocks(Table)["codes-planets-lengths"]
    titles = [column.title for column in table.columns]
    assert titles[:3] == ["r", "KL, PLST", "KL, aligned"]
    assert [cells[0].text for cells in table.rows] == ["1", "2", "3"]
    assert [cells[2].value for cells in table.rows] == [0.1, 0.01, 0.0]
    assert all(len(cells) == len(titles) for cells in table.rows)


def test_a_full_code_that_is_the_labels_is_called_so():
    assert "At r = 3, the rank of the labels, KL is 0" in words()
    assert "the code is the labels rotated, and nothing has been filled in" in words()


def test_a_full_code_that_is_not_the_labels_is_not_called_so():
    other = deepcopy(RESULT)
    other["steps"][-1]["aligned"]["largest_gap"] = 0.5
    assert "rotated, and nothing" not in words(other)
    assert "by at most 0.5." in words(other)
    assert "are the labels rotated on no data set," in verdict(Run([record(other)], {}))


def test_density_is_credited_to_alignment_only_where_alignment_adds_some():
    assert "not from alignment" in words()
    other = deepcopy(RESULT)
    other["density"]["centred"] = 0.3
    other["steps"][1]["principal"]["density"] = 0.6
    assert "not from alignment" not in words(other)
    assert "rotating without alignment gives 60 %" in words(other)


def test_what_alignment_does_is_counted_over_the_shorter_codes():
    assert "Of the 2 shorter lengths, alignment lowers KL at 2, raises" in words()
    assert "with label distances at 1, and lowers" in words()
    assert "of the labels at 2." in words()


def test_a_correlation_that_does_not_exist_is_a_dash_and_counts_for_nothing():
    other = deepcopy(RESULT)
    other["steps"][1]["aligned"]["spearman"] = None
    assert "with label distances at 0, and lowers" in words(other)
    assert blocks(Table, other)["codes-planets-lengths"].rows[1][4].text == "—"


def test_labels_of_rank_one_have_no_shorter_code():
    other = deepcopy(RESULT)
    full = step(1, judged(0.0, None, gap=0.0), judged(0.0, None, gap=0.0))
    other.update(rank=1, shown_components=1, steps=[full])
    assert "The labels have rank 1, so no code is shorter." in words(other)
    lines = blocks(Chart, other)["codes-planets-distances"].series
    assert [line.name for line in lines] == ["aligned, r = 1", "PLST, r = 1"]


def test_the_verdict_is_two_sentences_of_figures():
    other = deepcopy(RESULT)
    other["data"] = "moons"
    other["density"]["labels"] = 0.4
    other["steps"][1]["aligned"].update(kl=0.06, spearman=0.7)
    assert verdict(Run([record(), record(other)], {})) == (
        "Codes as long as the rank are the labels rotated on planets and moons, with nothing "
        "filled in; of the entries 25 % to 40 % differ from 0 in labels, 98 % in codes never "
        "aligned and 97 % in aligned ones. In codes of half that length alignment lowers KL on 1 "
        "of 2 data sets and raises the rank correlation of code distances with label distances "
        "on 1."
    )


def test_names_stay_unique_when_data_are_probed_twice():
    found = sections(Run([record(), record()], {}))
    document = Document("t", "v", {}, found)
    names = [block.name for block in (*document.blocks(Table), *document.blocks(Chart))]
    assert len(set(names)) == len(names) == 14
    assert [section.name for section in found] == ["codes-planets", "codes-planets-2"]
