"""Records become comparison tables, ranks, verdicts and provenance that say what they hold."""

from __future__ import annotations

import shlex
import tomllib

import pytest
from run_records import (
    column_of,
    compared_run,
    failed,
    plan_values,
    scored,
    tables_of,
    words_of,
)

from dlst.cli.model_options import parse_settings
from dlst.experiments import Plan, plan_of
from dlst.reports import Run, comparison
from dlst.reports.provenance import failure_section, provenance_section, run_facts
from dlst.reports.words import setting_words

TENTH = {"fraction": 0.1, "simulate": {"n_features": 64}}


@pytest.fixture
def compared():
    return compared_run()


def test_rows_and_columns_come_in_the_order_of_the_plan(compared):
    table = tables_of(comparison.sections(Run(*compared)))[
        "scores-instance-average-precision-labelled"
    ]
    assert [row[0].text for row in table.rows] == ["DLST", "KRR", "ML-kNN"]
    assert [column.title for column in table.columns] == ["method", "emotions", "scene", "yeast"]
    assert table.columns[1].direction == "higher"
    assert table.columns[1].meaning.startswith("100 training rows, 50 test rows")


def test_cells_show_mean_deviation_best_and_who_differs_from_the_reference(compared):
    table = tables_of(comparison.sections(Run(*compared)))[
        "scores-instance-average-precision-labelled"
    ]
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
    table = tables_of(comparison.sections(Run(few, plan)))[
        "scores-instance-average-precision-labelled"
    ]
    assert not any("▲" in cell.text or "▼" in cell.text for row in table.rows for cell in row)
    assert "too few runs" in table.note


def test_floor_is_a_mean_over_splits_and_a_ceiling_stands_under_top_r_alone(compared):
    tables = tables_of(comparison.sections(Run(*compared)))
    shown = tables["scores-instance-average-precision-labelled"].references
    assert [row[0].text for row in shown] == ["floor: labels by frequency alone"]
    assert shown[0][1].value == pytest.approx(0.46)
    top_r = tables["scores-micro-f1-top-r"].references
    assert [row[1].text for row in top_r] == ["0.300", "0.700"]
    assert tables["scores-micro-f1"].references == []
    assert tables["scores-micro-f1"].title == "Micro-F1, own decisions"


def test_ranks_need_three_sets_three_methods_and_one_protocol_each(compared):
    records, plan = compared
    names = [section.name for section in comparison.sections(Run(records, plan))]
    assert names == ["scores", "ranks", "costs"]
    two_sets = [each for each in records if each["cell"]["data"] != "yeast"]
    assert "ranks" not in [section.name for section in comparison.sections(Run(two_sets, plan))]
    again = [
        scored("scene", method, 0.5, protocol={"missing": 0.2})
        for method in ("dlst", "krr", "mlknn")
    ]
    assert "ranks" not in [each.name for each in comparison.sections(Run(records + again, plan))]


def test_a_verdict_says_when_the_first_method_loses(compared):
    told = comparison.verdict(Run(*compared))
    assert "KRR has the best mean rank of 3 methods on 3 data sets, 1.00" in told
    assert "DLST is number 2 with 2.00" in told
    assert "DLST is best in 0 of 12 columns" in told
    assert "beaten most often by KRR (in 12)" in told


def test_a_verdict_without_ranks_counts_columns(compared):
    records, plan = compared
    one = [each for each in records if each["cell"]["data"] == "scene"]
    assert "DLST, 0.711, is behind the next best, KRR, 0.761 (" in comparison.verdict(
        Run(one, plan)
    )


def test_official_and_random_splits_are_columns_of_their_own(compared):
    records, plan = compared
    official = [scored("scene", method, 0.5, split="official") for method in ("dlst", "krr")]
    table = tables_of(comparison.sections(Run(records + official, plan)))["scores-micro-f1"]
    titles = [column.title for column in table.columns]
    assert {"scene (official split)", "scene (random splits)", "yeast"} <= set(titles)


def test_a_failed_cell_of_an_automatic_split_joins_the_others_of_its_data():
    official = scored("scene", "dlst", 0.7, split="auto") | {"split": "official, 9/9 rows"}
    run = Run([failed("scene", "krr", split="auto"), official])
    assert set(run.frame["drawn"]) == {"official"}


def test_simulated_features_and_tuning_are_told():
    records = [scored("scene", "dlst", 0.7), failed("scene", "krr")]
    records[0]["rows"]["simulated"] = True
    sections = comparison.sections(Run(records, plan_values(["scene"], ["dlst", "krr"])))
    assert "**scene: simulated features.**" in words_of(sections)
    assert "Tuning: default parameters." in words_of(sections)


def test_paths_are_shown_by_their_names_unless_names_repeat():
    plan = plan_values(["/a/x.csv", "/b/y.csv"], ["dlst"])
    records = [scored("/a/x.csv", "dlst", 0.7), scored("/b/y.csv", "dlst", 0.7)]
    table = tables_of(comparison.sections(Run(records, plan)))["scores"]
    assert [row[1].text for row in table.rows] == ["x.csv", "y.csv"]
    records.append(scored("/b/x.csv", "dlst", 0.7))
    table = tables_of(comparison.sections(Run(records, plan)))["scores"]
    assert "/b/x.csv" in [row[1].text for row in table.rows]


def test_the_titles_of_a_plan_are_used():
    plan = plan_values(["scene"], [{"method": "dlst", "title": "ours"}])
    table = tables_of(comparison.sections(Run([scored("scene", "dlst", 0.7)], plan)))["scores"]
    assert table.rows[0][0].text == "ours"


def test_protocols_in_words():
    assert setting_words(TENTH) == "10 % of each class to train on"
    assert setting_words({"rows": [1500, 1000]}) == "at most 1,500 training and 1,000 test rows"
    assert setting_words({"per_label": True}) == ""


def test_a_run_of_failures_alone_is_told_without_error():
    plan = plan_values(["scene"], ["dlst"])
    for records in ([], [failed("scene", "dlst")]):
        assert words_of(comparison.sections(Run(records, plan)))
        assert comparison.verdict(Run(records, plan))


# -- Failures and provenance ------------------------------------------------------------------


def test_failures_are_listed_with_message_and_key():
    bad = failed("/data/scene", "krr", seed=3)
    probe = {"key": "p", "kind": "probe", "probe": {"probe": "map", "data": "yeast"}}
    section = failure_section([scored("scene", "dlst", 0.7), bad, {**probe, "status": "timeout"}])
    assert section.blocks[0].text == "Of 3 pieces of work 2 failed: 1 failed, 1 timeout."
    told, status, message, key = section.blocks[1].rows[0]
    assert told.text == "KRR on scene, random split, seed 3"
    assert (status.text, message.text, key.text) == ("failed", "SVD did not converge", bad["key"])
    assert message.note == "line 7 of fit"
    assert section.blocks[1].rows[1][0].text == "map of yeast"


def test_no_failure_is_one_sentence():
    section = failure_section([scored("scene", "dlst", 0.7)])
    assert [block.text for block in section.blocks] == [
        "Nothing failed; pieces of work finished: 1."
    ]


def test_the_head_counts_work_data_methods_and_time(compared):
    records, plan = compared
    facts = run_facts(Run([*records, failed("scene", "mc")], plan))
    assert list(facts.values()) == ["63 of 64", "3", "4", "3 min"]
    assert "not yet run" not in facts
    assert run_facts(Run(records[:60], {**plan, "asked": 63}))["not yet run"] == "3"


def test_provenance_tells_surroundings_data_and_time(compared):
    tables = tables_of([provenance_section(Run(*compared))])
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
    tenths = (scored("birds", "br", 0.5, seed=s, tuning="cell", protocol=TENTH) for s in (0, 1))
    records = [*records, *tenths]
    table = tables_of([provenance_section(Run(records, plan))])["commands"]
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
    fixed = scored("msrc", "dlst", 0.7)
    fixed["cell"]["parameters"] = {"n_neighbors": 3}
    once = scored("msrc", "br", 0.7, tuning="once")
    section = provenance_section(Run([fixed, once], {"command": "dlst reproduce it"}))
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
    code = provenance_section(Run([], plan.as_dict())).blocks[-1].text
    assert plan_of(tomllib.loads(code)) == plan
