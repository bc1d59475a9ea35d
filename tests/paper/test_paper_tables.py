"""Tables II and III and the ranks beside what the paper printed."""

from __future__ import annotations

import pytest
from run_records import (
    AP,
    MACRO,
    MICRO,
    column_of,
    compared_run,
    failed,
    grid,
    plan_values,
    scored,
    tables_of,
    words_of,
)

from dlst.paper import item, main_claims
from dlst.paper.published import main_value
from dlst.reports import Run
from dlst.reports.document import Drawing

main_table, rank_table, variants = map(item, ("table-main", "table-ranks", "table-variants"))

BUILDERS = (main_table, variants, rank_table)
TENTH = {"fraction": 0.1, "simulate": {"n_features": 64}}


@pytest.fixture
def compared():
    return compared_run()


# -- The main table ---------------------------------------------------------------------------


@pytest.fixture
def main():
    methods = ["dlst", "br", "dlst-paper"]
    level = dict(zip(methods, (0.8, 0.7, 0.75), strict=True))

    def score(data, method, seed):
        return level[method] + 0.01 * seed

    records = grid(["scene"], methods, 2, score)
    records += grid(["scene"], methods, 1, lambda *cell: score(*cell) - 0.3, split="official")
    records += grid(["mediamill-2000"], methods, 2, score)
    records += grid(["sunattribute"], methods, 2, score, protocol=TENTH)
    for each in records:
        each["rows"]["simulated"] = each["cell"]["data"] == "sunattribute"
        if each["cell"]["split"] == "official":
            each["rows"]["ceiling"][MICRO] = 0.75
    plan = plan_values(
        ["scene", "mediamill-2000", "sunattribute"],
        methods,
        splits=["official", "random"],
        seeds=2,
        item="table-main",
    )
    return records, plan


def test_official_and_random_splits_stand_apart(main):
    tables = tables_of(main_table.sections(Run(*main)))
    official = column_of(tables["main-micro-f1-top-r-official"], "scene")
    drawn = column_of(tables["main-micro-f1-top-r-random"], "scene")
    assert (official["DLST"].text, drawn["DLST"].text) == ("0.400", "0.705 ± 0.007")
    assert [column.title for column in tables["main-micro-f1-official"].columns[1:]] == ["scene"]
    titles = [column.title for column in tables["main-micro-f1-random"].columns]
    assert titles == ["method", "scene", "mediamill-2000"]


def test_simulated_features_are_shown_apart_and_count_in_no_verdict(main):
    records, plan = main
    for each in records:
        if each["cell"]["data"] == "sunattribute" and each["cell"]["method"] == "br":
            each["metrics"][AP] = 0.99
    tables = tables_of(main_table.sections(Run(records, plan)))
    apart = column_of(
        tables["simulated-instance-average-precision-labelled"], "sunattribute (simulated features)"
    )
    assert apart["BR"].best
    assert "DLST is best in 6 of 6 columns." in main_table.verdict(Run(records, plan))


def test_printed_values_stand_beside_ours_with_a_mark_where_they_cannot_be(main):
    table = tables_of(main_table.sections(Run(*main)))["main-micro-f1-top-r-printed"]
    rows = {(row[0].text, row[1].text): row for row in table.rows}
    dlst, br = rows["scene", "DLST"], rows["scene", "BR"]
    assert [cell.text for cell in dlst[2:7]] == ["0.705", "0.400", "0.7642", "0.300", "0.750"]
    assert dlst[7].text == main_claims.IMPOSSIBLE
    assert rows["scene", "DLST (paper)"][4].text == "0.7642"
    assert (br[4].text, br[7].text) == ("0.5987", "")


def test_a_printed_value_must_lie_outside_on_both_kinds_of_split():
    records = [
        scored("scene", "mrv", 0.8, seed=0),
        scored("scene", "mrv", 0.8, split="official"),
    ]
    for ceiling, marked in ((0.73, True), (0.74, False)):
        records[1]["rows"]["ceiling"][MICRO] = ceiling
        frame = Run(records).frame
        assert main_claims.beside(frame, MICRO)["is_impossible"].tolist() == [marked]


def test_a_part_of_mediamill_stands_for_it_and_is_said_to(main):
    records, plan = main
    for each in records:
        each["rows"]["floor"][AP] = 0.45
    sections = main_table.sections(Run(records, plan))
    assert "2,000 of its 43,907 rows" in words_of(sections)
    table = tables_of(sections)["main-instance-average-precision-labelled-printed"]
    marks = {(row[0].text, row[1].text): row[7].text for row in table.rows}
    assert marks["mediamill-2000", "BR"] == f"{main_claims.BELOW} (on our rows)"
    assert marks["scene", "BR"] == main_claims.BELOW
    assert marks["mediamill-2000", "DLST"] == ""


def test_the_main_verdict_counts_wins_and_each_printed_value_once(main):
    records, plan = main
    told = main_table.verdict(Run(records, plan))
    assert told.startswith(
        "On random splits of data with real features DLST is best in 6 of 6 columns."
    )
    # Three sets, three measures, BR and one DLST; only Scene's micro-F1 of DLST is too high.
    assert "Of the 18 values" in told
    assert "under its protocol: 1;" in told
    below = sum(
        value < floor
        for measure, floor in ((AP, 0.41), (MICRO, 0.3), (MACRO, 0.1))
        for data in ("scene", "mediamill-2000", "sunattribute")
        for method in ("dlst", "br")
        if (value := main_value(measure, data, method)) and (data, measure) != ("scene", AP)
    )
    assert f"alone: {below}." in told
    for each in records:
        if each["cell"]["method"] == "br" and each["cell"]["data"] == "scene":
            each["metrics"][AP] = 0.95
    assert "It is beaten in instance AP on scene (BR)" in main_table.verdict(Run(records, plan))


# -- Variants ---------------------------------------------------------------------------------


@pytest.fixture
def ablation():
    level = {"dlst": 0.9, "dlst-paper": 0.72, "dlst1": 0.75, "dlst2": 0.6}
    records = grid(["scene"], list(level), 3, lambda data, method, seed: level[method])
    return records, plan_values(["scene"], list(level), splits=["random"], seeds=3)


def test_variants_stand_beside_the_printed_table(ablation):
    table = tables_of(variants.sections(Run(*ablation)))[
        "variants-instance-average-precision-labelled-random"
    ]
    scene = column_of(table, "scene")
    assert scene["DLST"].text == "0.900 ± 0.000"
    assert scene["paper: DLST"].text == "0.536 ± 0.001"
    assert scene["paper: DLST₂"].text == "0.453 ± 0.020"


def test_gains_are_relative_and_beside_the_printed_ones(ablation):
    gains = column_of(
        tables_of(variants.sections(Run(*ablation)))["gains-instance-average-precision-labelled"],
        "scene",
    )
    assert gains["DLST over DLST₁"].text == "+20.0 %"
    assert gains["DLST (paper) over DLST₁"].text == "-4.0 %"
    assert gains["DLST over DLST₂"].text == "+50.0 %"
    assert gains["paper: DLST over DLST₁"].value == pytest.approx(0.536 / 0.446 - 1)


def test_the_variants_verdict_says_where_a_preset_is_not_above_both(ablation):
    told = variants.verdict(Run(*ablation))
    assert "DLST is above both variants in 3 of 3 columns" in told
    assert (
        "DLST (paper) is above both variants in 0 of 3 columns (not in instance AP on scene" in told
    )
    assert "DLST gains +20.0 % and +50.0 %" in told
    assert "the paper prints +20.2 % and +18.3 %" in told


# -- Ranks ------------------------------------------------------------------------------------


def test_each_measure_has_an_overview_a_table_and_a_diagram(compared):
    sections = rank_table.sections(Run(*compared))
    overview = tables_of(sections)["mean-ranks"]
    assert [row[0].text for row in overview.rows] == ["KRR", "DLST", "ML-kNN"]
    assert [cell.text for cell in overview.rows[0][1:]] == ["1.00"] * 4
    drawings = [b for section in sections for b in section.blocks if isinstance(b, Drawing)]
    assert len(drawings) == 4
    assert drawings[0].svg.startswith("<svg")
    assert "best first: KRR 1.00, DLST 2.00, ML-kNN 3.00" in drawings[0].alternative
    rows = {row[0].text: row for row in tables_of(sections)["ranks-micro-f1"].rows}
    assert [cell.text for cell in rows["KRR"][3:5]] == ["0/0/3", "-0.050"]
    assert rows["KRR"][9].value == pytest.approx(0.99, abs=0.02)
    assert "Friedman" in words_of(sections)
    assert "Protocol: 7 random splits." in words_of(sections)


def test_the_rank_verdict_names_the_winner_and_the_tests(compared):
    told = rank_table.verdict(Run(*compared))
    assert "DLST does not have the best mean rank everywhere (best: KRR by instance AP" in told
    assert "with 3 data sets no pair with DLST is significant after Holm" in told


def test_a_method_that_mostly_failed_is_named_and_costs_no_data_set(compared):
    records, plan = compared
    poor = [scored("scene", "mc", 0.9, seed=seed) for seed in range(7)]
    poor += [failed(data, "mc") for data in ("emotions", "yeast")]
    plan = plan_values(["emotions", "scene", "yeast"], ["dlst", "krr", "mlknn", "mc"])
    sections = rank_table.sections(Run(records + poor, plan))
    assert "Not ranked, as results on a third of the data sets are missing: MC." in words_of(
        sections
    )
    assert "3 methods on 3 data sets" in rank_table.verdict(Run(records + poor, plan))


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.name)
def test_names_of_tables_and_drawings_are_unique(builder, compared):
    records, plan = compared
    sections = builder.sections(Run(records, plan))
    names = [b.name for section in sections for b in section.blocks if hasattr(b, "name")]
    assert len(names) == len(set(names))
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)


@pytest.mark.parametrize("tau", [None, 0.0])
def test_the_page_says_whether_the_ranking_is_corrected_by_the_prior(main, tau):
    records, plan = main
    told = [{**each, "tau": tau, "decision": None if tau is None else "own"} for each in records]
    words = words_of(main_table.sections(Run(told, plan)))
    assert ("DLST alone ranks by logit p" in words) == (tau is None)
    assert ("Prior correction of rankings: none, for any method" in words) == (tau == 0)
