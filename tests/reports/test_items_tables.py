"""Records become comparison tables, ranks, verdicts and provenance that say what they hold."""

from __future__ import annotations

import random
import shlex
import tomllib

import pytest

from dlst.cli.model_commands import parse_settings
from dlst.experiments import Cell, Plan, plan_of
from dlst.reports.document import Drawing, Table, Text
from dlst.reports.items import comparison, main_table, rank_table, variants
from dlst.reports.items._cells import ordered_frame, setting_words
from dlst.reports.provenance import failure_section, provenance_section, run_facts

AP, MICRO, MACRO = "instance_average_precision_labelled", "micro_f1_top_r", "macro_f1_top_r"
BUILDERS = (comparison, main_table, variants, rank_table)
TENTH = {"fraction": 0.1, "simulate": {"n_features": 64}}


def record(data, method, value, *, seed=0, split="random", protocol=None, tuning="none", **more):
    cell = Cell(data, method, {}, split, seed, protocol or {}, tuning)
    return {
        "key": cell.key,
        "kind": "evaluate",
        "cell": cell.as_dict(),
        "status": "done",
        "parameters": {},
        "metrics": {AP: value, MICRO: value - 0.1, MACRO: value - 0.2, "micro_f1": value - 0.05},
        "rows": {
            "n_train": 100,
            "n_test": 50,
            "n_features": 8,
            "n_labels": 6,
            "simulated": False,
            "floor": {AP: 0.40 + 0.02 * seed, MICRO: 0.3, MACRO: 0.1},
            "ceiling": {MICRO: 0.7, MACRO: 0.9},
        },
        "split": "official" if split == "official" else f"random, repeat {seed}",
        "data_sha256": f"{data}-hash",
        "seconds": {"tune": 0.0, "fit": 1.5, "predict": 0.5},
        "wall_seconds": 2.5,
        "peak_mib": 300.0 + seed,
        "versions": {"python": "3.11.7", "machine": "Linux x86_64", "dlst": "1.0"},
        "finished": f"2026-01-01T00:{seed:02d}:10+00:00",
        **more,
    }


def failed(data, method, **more):
    lacking = {"metrics": None, "rows": None, "split": None, "seconds": None}
    told = {"status": "failed", "message": "SVD did not converge", "traceback": "line 7 of fit"}
    return {**record(data, method, 0.5, **more), **lacking, **told}


def plan_values(data, methods, **more):
    return Plan(data, methods, **more).as_dict()


def tables_of(sections):
    return {b.name: b for section in sections for b in section.blocks if isinstance(b, Table)}


def words_of(sections):
    return " ".join(b.text for section in sections for b in section.blocks if isinstance(b, Text))


def column_of(table, title):
    place = [column.title for column in table.columns].index(title)
    return {row[0].text: row[place] for row in [*table.rows, *table.references]}


def grid(sets, methods, seeds, score, **more):
    return [
        record(data, method, score(data, method, seed), seed=seed, **more)
        for data in sets
        for seed in range(seeds)
        for method in methods
    ]


@pytest.fixture
def compared():
    """KRR beats DLST beats ML-kNN on three sets, by the same margin on every split."""
    level = {"dlst": 0.7, "krr": 0.75, "mlknn": 0.6}
    records = grid(
        ["emotions", "scene", "yeast"],
        list(level),
        7,
        lambda data, method, seed: level[method] + 0.001 * len(data) + 0.002 * seed,
    )
    random.Random(0).shuffle(records)
    plan = plan_values(["emotions", "scene", "yeast"], list(level), splits=["random"], seeds=7)
    return records, plan


def test_rows_and_columns_come_in_the_order_of_the_plan(compared):
    table = tables_of(comparison.sections(*compared))["scores-instance-average-precision-labelled"]
    assert [row[0].text for row in table.rows] == ["DLST", "KRR", "ML-kNN"]
    assert [column.title for column in table.columns] == ["method", "emotions", "scene", "yeast"]
    assert table.columns[1].direction == "higher"
    assert table.columns[1].meaning.startswith("100 training rows, 50 test rows")


def test_cells_show_mean_deviation_best_and_who_differs_from_the_reference(compared):
    table = tables_of(comparison.sections(*compared))["scores-instance-average-precision-labelled"]
    scene = column_of(table, "scene")
    assert scene["KRR"].text == "0.761 ± 0.004 ▲"
    assert scene["KRR"].value == pytest.approx(0.761)
    assert scene["KRR"].best
    assert scene["DLST"].text == "0.711 ± 0.004"
    assert not scene["DLST"].best
    assert not scene["DLST"].tied
    assert scene["ML-kNN"].text.endswith("▼")
    assert "better and worse than DLST" in table.note


def test_few_runs_get_no_marks(compared):
    records, plan = compared
    few = [each for each in records if each["cell"]["seed"] < 2]
    table = tables_of(comparison.sections(few, plan))["scores-instance-average-precision-labelled"]
    assert not any("▲" in cell.text or "▼" in cell.text for row in table.rows for cell in row)
    assert "too few runs" in table.note


def test_floor_is_a_mean_over_splits_and_a_ceiling_stands_under_top_r_alone(compared):
    tables = tables_of(comparison.sections(*compared))
    shown = tables["scores-instance-average-precision-labelled"].references
    assert [row[0].text for row in shown] == ["floor: labels by frequency alone"]
    assert shown[0][1].value == pytest.approx(0.46)
    top_r = tables["scores-micro-f1-top-r"].references
    assert [row[1].text for row in top_r] == ["0.300", "0.700"]
    assert tables["scores-micro-f1"].references == []
    assert tables["scores-micro-f1"].title == "Micro-F1, own decisions"


def test_ranks_need_three_sets_three_methods_and_one_protocol_each(compared):
    records, plan = compared
    names = [section.name for section in comparison.sections(records, plan)]
    assert names == ["scores", "ranks", "costs"]
    two_sets = [each for each in records if each["cell"]["data"] != "yeast"]
    assert "ranks" not in [section.name for section in comparison.sections(two_sets, plan)]
    again = [
        record("scene", method, 0.5, protocol={"missing": 0.2})
        for method in ("dlst", "krr", "mlknn")
    ]
    assert "ranks" not in [each.name for each in comparison.sections(records + again, plan)]


def test_a_verdict_says_when_the_first_method_loses(compared):
    told = comparison.verdict(*compared)
    assert "KRR has the best mean rank of 3 methods on 3 data sets, 1.00" in told
    assert "DLST is number 2 with 2.00" in told
    assert "DLST is best in 0 of 12 columns" in told
    assert "beaten most often by KRR (in 12)" in told


def test_a_verdict_without_ranks_counts_columns(compared):
    records, plan = compared
    one = [each for each in records if each["cell"]["data"] == "scene"]
    assert comparison.verdict(one, plan).startswith(
        "By instance AP KRR is best on 1 of 1 data sets"
    )


def test_official_and_random_splits_are_columns_of_their_own(compared):
    records, plan = compared
    official = [record("scene", method, 0.5, split="official") for method in ("dlst", "krr")]
    table = tables_of(comparison.sections(records + official, plan))["scores-micro-f1"]
    titles = [column.title for column in table.columns]
    assert {"scene (official split)", "scene (random splits)", "yeast"} <= set(titles)


def test_a_failed_cell_of_an_automatic_split_joins_the_others_of_its_data():
    official = record("scene", "dlst", 0.7, split="auto") | {"split": "official, 9/9 rows"}
    frame = ordered_frame([failed("scene", "krr", split="auto"), official], {})
    assert set(frame["drawn"]) == {"official"}


def test_failed_cells_are_dashes_and_simulated_features_are_told():
    records = [record("scene", "dlst", 0.7), failed("scene", "krr")]
    records[0]["rows"]["simulated"] = True
    sections = comparison.sections(records, plan_values(["scene"], ["dlst", "krr"]))
    table = tables_of(sections)["scores-micro-f1"]
    cells = column_of(table, "scene (simulated features)")
    assert (cells["DLST"].text, cells["KRR"].text) == ("0.650", "—")
    assert "**scene: simulated features.**" in words_of(sections)
    assert "Tuning: default parameters." in words_of(sections)


def test_paths_are_shown_by_their_names_unless_names_repeat():
    plan = plan_values(["/a/x.csv", "/b/y.csv"], ["dlst"])
    records = [record("/a/x.csv", "dlst", 0.7), record("/b/y.csv", "dlst", 0.7)]
    table = tables_of(comparison.sections(records, plan))["scores-micro-f1"]
    assert [column.title for column in table.columns[1:]] == ["x.csv", "y.csv"]
    records.append(record("/b/x.csv", "dlst", 0.7))
    table = tables_of(comparison.sections(records, plan))["scores-micro-f1"]
    assert "/b/x.csv" in [column.title for column in table.columns]


def test_the_titles_of_a_plan_are_used():
    plan = plan_values(["scene"], [{"method": "dlst", "title": "ours"}])
    table = tables_of(comparison.sections([record("scene", "dlst", 0.7)], plan))["scores-micro-f1"]
    assert table.rows[0][0].text == "ours"


def test_protocols_in_words():
    assert setting_words(TENTH) == "10 % of each class to train on"
    assert setting_words({"rows": [1500, 1000]}) == "at most 1,500 training and 1,000 test rows"
    assert setting_words({"per_label": True}) == ""


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.__name__.split(".")[-1])
def test_a_run_of_failures_alone_is_told_without_error(builder):
    plan = plan_values(["scene"], ["dlst"])
    for records in ([], [failed("scene", "dlst")]):
        assert words_of(builder.sections(records, plan))
        assert builder.verdict(records, plan)


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
    tables = tables_of(main_table.sections(*main))
    official = column_of(tables["main-micro-f1-top-r-official"], "scene")
    drawn = column_of(tables["main-micro-f1-top-r-random"], "scene")
    assert (official["DLST"].text, drawn["DLST"].text) == ("0.400", "0.705 ± 0.007")
    assert [column.title for column in tables["main-micro-f1-official"].columns[1:]] == ["scene"]
    titles = [column.title for column in tables["main-micro-f1-random"].columns]
    assert "sunattribute (10 % of each class to train on, simulated features)" in titles


def test_printed_values_stand_beside_ours_with_a_mark_where_they_cannot_be(main):
    table = tables_of(main_table.sections(*main))["main-micro-f1-top-r-printed"]
    rows = {(row[0].text, row[1].text): row for row in table.rows}
    dlst, br = rows["scene", "DLST"], rows["scene", "BR"]
    assert [cell.text for cell in dlst[2:7]] == ["0.705", "0.400", "0.7642", "0.300", "0.750"]
    assert dlst[7].text == main_table.IMPOSSIBLE
    assert rows["scene", "DLST (paper)"][4].text == "0.7642"
    assert (br[4].text, br[7].text) == ("0.5987", "")


def test_a_printed_value_must_lie_outside_on_both_kinds_of_split():
    records = [
        record("scene", "mrv", 0.8, seed=0),
        record("scene", "mrv", 0.8, split="official"),
    ]
    for ceiling, marked in ((0.73, True), (0.74, False)):
        records[1]["rows"]["ceiling"][MICRO] = ceiling
        frame = ordered_frame(records, {})
        assert [each.is_impossible for each in main_table.compared(frame, MICRO)] == [marked]


def test_a_part_of_mediamill_stands_for_it_and_is_said_to(main):
    records, plan = main
    for each in records:
        each["rows"]["floor"][AP] = 0.45
    sections = main_table.sections(records, plan)
    assert "2,000 of its 43,907 rows" in words_of(sections)
    table = tables_of(sections)["main-instance-average-precision-labelled-printed"]
    marks = {(row[0].text, row[1].text): row[7].text for row in table.rows}
    assert marks["mediamill-2000", "BR"] == f"{main_table.BELOW} (on our rows)"
    assert marks["scene", "BR"] == main_table.BELOW
    assert marks["mediamill-2000", "DLST"] == ""


def test_the_main_verdict_counts_wins_and_each_printed_value_once(main):
    records, plan = main
    told = main_table.verdict(records, plan)
    assert told.startswith("On random splits DLST is best in 9 of 9 columns.")
    # Three sets, three measures, BR and one DLST; only Scene's micro-F1 of DLST is too high.
    assert "Of the 18 values" in told
    assert "under its protocol: 1;" in told
    below = sum(
        value < floor
        for measure, floor in ((AP, 0.41), (MICRO, 0.3), (MACRO, 0.1))
        for data in ("scene", "mediamill-2000", "sunattribute")
        for method in ("dlst", "br")
        if (value := main_table.main_value(measure, data, method))
        and (data, measure) != ("scene", AP)
    )
    assert f"alone: {below}." in told
    for each in records:
        if each["cell"]["method"] == "br" and each["cell"]["data"] == "scene":
            each["metrics"][AP] = 0.95
    assert "not best in instance AP on scene (BR)" in main_table.verdict(records, plan)


# -- Variants ---------------------------------------------------------------------------------


@pytest.fixture
def ablation():
    level = {"dlst": 0.9, "dlst-paper": 0.72, "dlst1": 0.75, "dlst2": 0.6}
    records = grid(["scene"], list(level), 3, lambda data, method, seed: level[method])
    return records, plan_values(["scene"], list(level), splits=["random"], seeds=3)


def test_variants_stand_beside_the_printed_table(ablation):
    table = tables_of(variants.sections(*ablation))[
        "variants-instance-average-precision-labelled-random"
    ]
    scene = column_of(table, "scene")
    assert scene["DLST"].text == "0.900 ± 0.000"
    assert scene["paper: DLST"].text == "0.536 ± 0.001"
    assert scene["paper: DLST₂"].text == "0.453 ± 0.020"


def test_gains_are_relative_and_beside_the_printed_ones(ablation):
    gains = column_of(
        tables_of(variants.sections(*ablation))["gains-instance-average-precision-labelled"],
        "scene",
    )
    assert gains["DLST over DLST₁"].text == "+20.0 %"
    assert gains["DLST (paper) over DLST₁"].text == "-4.0 %"
    assert gains["DLST over DLST₂"].text == "+50.0 %"
    assert gains["paper: DLST over DLST₁"].value == pytest.approx(0.536 / 0.446 - 1)


def test_the_variants_verdict_says_where_a_preset_is_not_above_both(ablation):
    told = variants.verdict(*ablation)
    assert "DLST is above both variants in 3 of 3 columns" in told
    assert (
        "DLST (paper) is above both variants in 0 of 3 columns (not in instance AP on scene" in told
    )
    assert "DLST gains +20.0 % and +50.0 %" in told
    assert "the paper prints +20.2 % and +18.3 %" in told


# -- Ranks ------------------------------------------------------------------------------------


def test_each_measure_has_an_overview_a_table_and_a_diagram(compared):
    sections = rank_table.sections(*compared)
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
    told = rank_table.verdict(*compared)
    assert "DLST does not have the best mean rank everywhere (best: KRR by instance AP" in told
    assert "of 8 Holm-corrected Wilcoxon tests 0 show it better" in told


def test_a_method_that_mostly_failed_is_named_and_costs_no_data_set(compared):
    records, plan = compared
    poor = [record("scene", "mc", 0.9, seed=seed) for seed in range(7)]
    poor += [failed(data, "mc") for data in ("emotions", "yeast")]
    plan = plan_values(["emotions", "scene", "yeast"], ["dlst", "krr", "mlknn", "mc"])
    sections = rank_table.sections(records + poor, plan)
    assert "Not ranked, for want of results on a third of the data sets: MC." in words_of(sections)
    assert "3 methods on 3 data sets" in rank_table.verdict(records + poor, plan)


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.__name__.split(".")[-1])
def test_names_of_tables_and_drawings_are_unique(builder, compared):
    records, plan = compared
    sections = builder.sections(records, plan)
    names = [b.name for section in sections for b in section.blocks if hasattr(b, "name")]
    assert len(names) == len(set(names))
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)


# -- Failures and provenance ------------------------------------------------------------------


def test_failures_are_listed_with_message_and_key():
    bad = failed("/data/scene", "krr", seed=3)
    probe = {"key": "p", "kind": "probe", "probe": {"probe": "map", "data": "yeast"}}
    section = failure_section([record("scene", "dlst", 0.7), bad, {**probe, "status": "timeout"}])
    assert section.blocks[0].text == "Of 3 pieces of work 2 failed: 1 failed, 1 timeout."
    told, status, message, key = section.blocks[1].rows[0]
    assert told.text == "KRR on scene, random split, seed 3"
    assert (status.text, message.text, key.text) == ("failed", "SVD did not converge", bad["key"])
    assert message.note == "line 7 of fit"
    assert section.blocks[1].rows[1][0].text == "map of yeast"


def test_no_failure_is_one_sentence():
    section = failure_section([record("scene", "dlst", 0.7)])
    assert [block.text for block in section.blocks] == [
        "Nothing failed; pieces of work finished: 1."
    ]


def test_the_head_counts_work_data_methods_and_time(compared):
    records, plan = compared
    facts = run_facts([*records, failed("scene", "mc")], plan)
    assert list(facts.values()) == ["63 of 64", "3", "4", "3 min"]
    assert "not yet run" not in facts
    assert run_facts(records[:60], plan)["not yet run"] == "3"


def test_provenance_tells_surroundings_data_and_time(compared):
    tables = tables_of([provenance_section(*compared)])
    facts = {row[0].text: row[1].text for row in tables["provenance"].rows}
    assert facts["python"] == "3.11.7"
    assert facts["seeds"] == "0 to 6"
    assert facts["pieces of work"] == "63 evaluate"
    assert facts["largest peak of memory"] == "306 MiB"
    assert facts["from first to last"] == "6 min"
    assert {row[1].text for row in tables["data-hashes"].rows} == {
        "emotions-hash",
        "scene-hash",
        "yeast-hash",
    }


def test_each_command_gives_the_record_whose_key_stands_beside_it(compared):
    records, plan = compared
    tenths = (record("birds", "br", 0.5, seed=s, tuning="cell", protocol=TENTH) for s in (0, 1))
    records = [*records, *tenths]
    table = tables_of([provenance_section(records, plan)])["commands"]
    assert len(table.rows) == 10
    for row in table.rows:
        *_, seeds, command, key = (cell.text for cell in row)
        words = shlex.split(command)
        pairs = list(zip(words[3::2], words[4::2], strict=True))
        given = dict(pairs)
        protocol = parse_settings([value for name, value in pairs if name == "--protocol"])
        again = Plan(
            [words[2]],
            [given["--methods"]],
            splits=[given["--split"]],
            seeds=int(given["--seeds"]),
            protocols=[protocol],
            tuning=given.get("--tuning", "none"),
        ).cells()
        assert key in [cell.key for cell in again]
        assert [cell.seed for cell in again][-1] == int(seeds[-1])


def test_what_options_cannot_say_is_left_to_the_plan_or_the_whole_run():
    fixed = record("msrc", "dlst", 0.7)
    fixed["cell"]["parameters"] = {"n_neighbors": 3}
    once = record("msrc", "br", 0.7, tuning="once")
    section = provenance_section([fixed, once], {"command": "dlst reproduce it"})
    commands = [row[4].text for row in tables_of([section])["commands"].rows]
    assert commands == ["dlst compare --plan plan.toml --out again", "dlst reproduce it"]


def test_the_plan_in_a_report_is_a_plan_again():
    plan = Plan(
        [{"name": "msrc", "protocols": [TENTH], "splits": ["random"]}, 'a "quoted" \\ path'],
        ["krr", {"method": "plst", "parameters": {"n_components": 0.5}, "title": "PLST½"}],
        seeds=3,
        tuning="once",
        command="dlst reproduce table-main",
    )
    code = provenance_section([], plan.as_dict()).blocks[-1].text
    assert plan_of(tomllib.loads(code)) == plan
