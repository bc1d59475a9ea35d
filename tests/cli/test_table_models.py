"""Tables from the shell: fit, info, predict, evaluate and explain, as a new user would."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dlst import data as dlst_data
from dlst.cli import main
from dlst.persistence import describe_model, load_model

TRAIN = 160


@pytest.fixture(scope="module")
def tickets() -> pd.DataFrame:
    """Make tickets with text, category, number, date, id and tags."""
    rng = np.random.default_rng(0)
    words = {"billing": ["invoice", "refund", "money"], "printer": ["paper", "jam", "toner"]}
    rows = []
    for number in range(200):
        tags = sorted(rng.choice(list(words), rng.integers(1, 3), replace=False))
        text = [word for tag in tags for word in rng.choice(words[tag], 2)]
        text += list(rng.choice(["the", "please", "help", "is"], 4))
        rows.append(
            {
                "ticket": f"{number:05d}x",
                "text": ", ".join(text),
                "team": rng.choice(["red", "blue"]),
                "zip": f"0{rng.integers(1, 4)}",
                "size_kb": round(float(rng.normal(20, 5)), 2),
                "opened": f"2024-0{rng.integers(1, 10)}-1{rng.integers(0, 10)}",
                "tags": ";".join(tags),
            }
        )
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def files(tickets: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tickets")
    tickets[:TRAIN].to_csv(folder / "train.csv", index=False)
    tickets[TRAIN:].to_csv(folder / "test.csv", index=False)
    tickets[TRAIN:].drop(columns="tags").to_csv(folder / "new.csv", index=False)
    options = {"--test": "test.csv", "--out": "m.skops", "--card": "card.md"}
    paths = [word for name, file in options.items() for word in (name, str(folder / file))]
    fit = ["fit", str(folder / "train.csv"), "--labels", "tags", "--category", "zip"]
    assert main([*fit, *paths]) == 0
    return folder


def test_fit_tells_how_columns_were_read(run, files, tmp_path):
    command = ("fit", files / "train.csv", "--labels", "tags", "-o", tmp_path / "m.skops")
    code, out, err = run(*command, "--drop", "team", "--id", "ticket", "--method", "mlknn")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["how", "your", "columns", "were", "read"]
    kinds = {line[0]: line[1] for line in lines[2:8]}
    assert kinds == {
        "ticket": "id",
        "text": "text",
        "team": "ignored",
        "zip": "number",
        "size_kb": "number",
        "opened": "date",
    }


def test_info_tells_what_a_model_is(run, files):
    code, out, _ = run("info", files / "m.skops")
    assert code == 0
    for told in ("DLST", "160 rows", "billing, printer", "on 40 test rows", "how your columns"):
        assert told in out
    facts = json.loads(run("info", files / "m.skops", "--json")[1])
    assert facts["labels"] == ["billing", "printer"]
    assert facts["columns"][3] == {"name": "zip", "kind": "category", "reason": "given"}
    assert facts["scores"]["decisions"]["micro_f1"] > 0.95
    assert facts["bytes"] == (files / "m.skops").stat().st_size
    assert facts["scores"] == describe_model(files / "m.skops")["about"]["scores"]


def test_a_card_is_written(files):
    card = (files / "card.md").read_text()
    for told in (
        "# m",
        "160 rows",
        "\n## How the columns were read\n",
        "micro_f1",
        "dlst predict m.skops",
    ):
        assert told in card


def test_evaluate_remembers_the_labels(run, files):
    code, out, err = run("evaluate", files / "m.skops", files / "test.csv", "--json")
    assert (code, err) == (0, "")
    scores = describe_model(files / "m.skops")["about"]["scores"]
    assert json.loads(out)["scores"] == scores["scores"]


def test_labels_that_training_did_not_have_are_told(run, files, tickets, tmp_path):
    odd = tickets[TRAIN:].assign(tags="billing;weather")
    odd.to_csv(tmp_path / "odd.csv", index=False)
    code, _, err = run("evaluate", files / "m.skops", tmp_path / "odd.csv", "--json")
    assert code == 0
    assert "note: labels that are not known to the model and are not judged (1): weather" in err


def test_predictions_keep_ids_and_names(run, files, tickets, tmp_path):
    out = tmp_path / "out.csv"
    code, _, err = run("predict", files / "m.skops", files / "new.csv", "-o", out)
    assert (code, err) == (0, "")
    found = pd.read_csv(out, dtype={"ticket": str})
    assert found.columns.tolist() == ["ticket", "tags", "billing", "printer"]
    assert found["ticket"].tolist() == tickets["ticket"][TRAIN:].tolist()
    tagger = load_model(files / "m.skops")
    new = tickets[TRAIN:].drop(columns="tags")
    np.testing.assert_allclose(found[["billing", "printer"]], tagger.predict_proba(new), rtol=1e-12)
    assert found["tags"].str.split(";").tolist() == tagger.predict_tags(new)


def test_predictions_keep_all_columns_as_they_are_written(run, files, tmp_path):
    out = tmp_path / "out.csv"
    run("predict", files / "m.skops", files / "test.csv", "-o", out, "--keep", "--top", "1")
    found, given = (pd.read_csv(path, dtype=str) for path in (out, files / "test.csv"))
    added = ["predicted tags", "tag1", "probability1"]
    assert found.columns.tolist() == [*given.columns, *added]
    pd.testing.assert_frame_equal(found[given.columns], given)
    assert (found["tag1"] == found["predicted tags"].str.split(";").str[0]).all()


def test_columns_in_any_order_with_gaps_and_news_are_read_and_told(run, files, tickets, tmp_path):
    new = tickets[TRAIN:].drop(columns="tags")
    mixed = new[new.columns[::-1]].assign(extra=1)
    mixed.loc[TRAIN, "team"] = "green"
    mixed.loc[TRAIN + 1, "size_kb"] = np.nan
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    code, _, err = run(
        "predict", files / "m.skops", tmp_path / "mixed.csv", "-o", tmp_path / "out.csv"
    )
    assert code == 0
    assert err.splitlines() == [
        "note: 'extra': column is not known to the model and is not used",
        "note: 'size_kb': empty cell, read as the median of the training rows (1)",
        "note: 'team': unknown category, read as none of the known (1)",
    ]
    run("predict", files / "m.skops", files / "new.csv", "-o", tmp_path / "straight.csv")
    found, straight = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("out", "straight"))
    pd.testing.assert_frame_equal(found[2:], straight[2:])


def test_blocks_of_a_file_give_the_same(run, files, tmp_path, monkeypatch):
    from dlst import _files
    from dlst.data.tables import csv_text

    run("predict", files / "m.skops", files / "new.csv", "-o", tmp_path / "a.csv", "--keep")
    monkeypatch.setattr(
        csv_text, "text_blocks", lambda path, **how: _files.text_blocks(path, 150, **how)
    )
    run("predict", files / "m.skops", files / "new.csv", "-o", tmp_path / "b.csv", "--keep")
    assert (tmp_path / "a.csv").read_text().count("\n") == 41
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), pd.read_csv(tmp_path / "b.csv"))


@pytest.mark.parametrize("suffix", ["tsv", "parquet", "csv.gz", "jsonl", "json"])
def test_other_tables_are_read_too(run, files, tickets, tmp_path, suffix):
    new, path = tickets[TRAIN:].drop(columns="tags"), tmp_path / f"new.{suffix}"
    if suffix == "parquet":
        new.to_parquet(path)
    elif suffix.startswith("json"):
        new.to_json(path, orient="records", lines=suffix == "jsonl")
    else:
        new.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    run("predict", files / "m.skops", files / "new.csv", "-o", tmp_path / "a.csv")
    assert run("predict", files / "m.skops", path, "-o", tmp_path / "b.csv")[0] == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


@pytest.mark.parametrize("suffix", ["jsonl", "json", "ndjson.gz"])
def test_predictions_in_json_have_lists_of_tags_and_numbers(run, files, tickets, tmp_path, suffix):
    tables = {name: tmp_path / f"{name}.{suffix}" for name in ("new", "found", "best", "again")}
    rows = tickets[TRAIN:].assign(tags=tickets["tags"].str.split(";"))
    rows.to_json(tables["new"], orient="records", lines=suffix != "json")
    run("predict", files / "m.skops", files / "new.csv", "-o", tmp_path / "a.csv")
    expected = pd.read_csv(tmp_path / "a.csv", dtype={"ticket": str})
    assert run("predict", files / "m.skops", tables["new"], "-o", tables["found"])[0] == 0
    found = pd.read_json(tables["found"], lines=suffix != "json", dtype={"ticket": str})
    found["tags"] = found["tags"].str.join(";")
    pd.testing.assert_frame_equal(found.astype({"ticket": "str", "tags": "str"}), expected)
    for name, options in (("best", ["--top", "1"]), ("again", ["--keep"])):
        run("predict", files / "m.skops", tables["new"], "-o", tables[name], *options)
    best = pd.read_json(tables["best"], lines=suffix != "json")
    assert best.columns.tolist() == ["ticket", "tags", "tag1", "probability1"]
    again = pd.read_json(tables["again"], lines=suffix != "json")
    assert again["tags"].tolist() == rows["tags"].tolist()
    assert again["predicted tags"].str.join(";").tolist() == found["tags"].tolist()
    tested, told = (
        json.loads(run("evaluate", files / "m.skops", file, "--json")[1])["scores"]
        for file in (files / "test.csv", tables["new"])
    )
    assert told == tested


def test_the_delimiter_of_the_training_table_is_not_asked_of_json(run, tickets, tmp_path):
    table, new, model = tmp_path / "t.csv", tmp_path / "new.jsonl", tmp_path / "m.skops"
    tickets.assign(tags=tickets["tags"].str.replace(";", "|")).to_csv(table, sep="%", index=False)
    tickets.assign(tags=tickets["tags"].str.split(";")).to_json(new, orient="records", lines=True)
    fit = ("fit", table, "--labels", "tags", "--delimiter", "%", "--method", "plst", "-o", model)
    assert run(*fit)[0] == 0
    scores = [json.loads(run("evaluate", model, file, "--json")[1]) for file in (table, new)]
    assert scores[0]["scores"] == scores[1]["scores"]


@pytest.mark.parametrize("given", [("utf-16",), ("latin-1", "--encoding", "latin-1")])
def test_every_command_reads_other_encodings(run, files, tickets, tmp_path, given):
    encoding, *option = given
    path, new = tmp_path / "t.csv", tmp_path / "new.jsonl"
    rows = tickets.assign(team=tickets["team"].replace({"blue": "bleu décoré"}))
    rows.to_csv(path, index=False, encoding=encoding)
    rows = rows.drop(columns="tags").to_dict("records")
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    new.write_text(lines, encoding=encoding)
    model = tmp_path / "m.skops"
    fit = ("fit", path, "--labels", "tags", "-o", model, *option)
    assert run(*fit)[0] == 0
    assert run("info", model)[0] == 0
    shown = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file, out in zip((path, new), shown, strict=True):
        code, _, err = run("predict", model, file, "-o", out, *option)
        assert (code, "unknown category" in err) == (0, False)
    assert shown[0].read_text() == shown[1].read_text()
    for words in (("evaluate", model, path), ("explain", model, path), ("datasets", path)):
        labels = ("--labels", "tags") if words[0] == "datasets" else ()
        code, _, err = run(*words, *labels, *option)
        assert code == 0, err
    compare = ("compare", path, "--labels", "tags", "--methods", "plst", "-o", tmp_path / "run")
    assert run(*compare, "--no-map", *option)[0] == 0
    numbers = tmp_path / "n.csv"
    numbers.write_text("größe,label:é\n1,0\n2,1\n", encoding=encoding)
    assert run("convert", numbers, tmp_path / "n.arff", *option)[0] == 0
    assert dlst_data.load(tmp_path / "n.arff").feature_names == ("größe",)
    if option:
        assert "with --encoding" in run("predict", model, path, "-o", shown[0], "--force")[2]
        tickets.to_parquet(tmp_path / "t.parquet")
        err = run("predict", model, tmp_path / "t.parquet", "-o", tmp_path / "c.csv", *option)[2]
        assert "--encoding is for CSV and JSON" in err


def test_an_empty_table_gives_an_empty_table(run, files, tmp_path):
    header = (files / "new.csv").read_text().splitlines()[0]
    (tmp_path / "none.csv").write_text(header + "\n")
    out = tmp_path / "out.csv"
    assert run("predict", files / "m.skops", tmp_path / "none.csv", "-o", out)[0] == 0
    assert out.read_text() == "ticket,tags,billing,printer\n"


def test_names_that_hold_the_sign_between_tags_are_joined_by_another(run, tmp_path):
    table, model, out = (tmp_path / name for name in ("t.csv", "m.skops", "p.csv"))
    rows = [f"{i % 5},{int(i % 5 > 1)},{int(i % 5 < 4)}" for i in range(30)]
    table.write_text("\n".join(['size,"label:a;b",label:c', *rows, ""]))
    assert run("fit", table, "--method", "mlknn", "--out", model)[0] == 0
    code, _, err = run("predict", model, table, "--out", out)
    assert code == 0
    assert "note: names of labels hold ';', so tags are joined by '|'" in err
    found = pd.read_csv(out, keep_default_na=False)
    assert {tag for cell in found["tags"] for tag in cell.split("|")} == {"a;b", "c"}
    read = dlst_data.read_table(out, labels="tags", label_delimiter="|")
    assert read.label_names == ("a;b", "c")


def test_a_file_that_is_read_is_not_replaced(run, files, tmp_path):
    model, new = tmp_path / "m.skops", tmp_path / "new.csv"
    model.write_bytes((files / "m.skops").read_bytes())
    new.write_bytes((files / "new.csv").read_bytes())
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("a,b\n1,1\n2,0\n")
    for arguments in (
        ["predict", model, new, "--out", new],
        ["predict", model, new, "--out", tmp_path / "." / "m.skops"],
        ["fit", new, "--labels", "team", "--out", new],
        ["convert", numbers, numbers, "--labels", "b"],
    ):
        code, _, err = run(*arguments, "--force")
        assert code == 2
        assert "is read by this command. Choose another name." in err
    assert new.read_bytes() == (files / "new.csv").read_bytes()


def test_a_bad_cell_is_named_by_its_line(run, files, tickets, tmp_path):
    for name in ("train", "new"):
        text = (files / f"{name}.csv").read_text().splitlines()
        number = str(tickets["size_kb"][5 if name == "train" else TRAIN + 5])
        text[6] = text[6].replace(f",{number},", ",2.O,")
        (tmp_path / f"{name}.csv").write_text("\n".join(text))
    code, _, err = run(
        "fit", tmp_path / "train.csv", "--labels", "tags", "-o", tmp_path / "m.skops"
    )
    assert code == 2
    assert "train.csv:7: column 'size_kb': expected a number as in 159 other cells" in err
    code, _, err = run("predict", files / "m.skops", tmp_path / "new.csv", "-o", tmp_path / "o.csv")
    assert code == 2
    assert "new.csv:7: column 'size_kb': expected a number, got '2.O'" in err
    assert not (tmp_path / "o.csv").exists()


def test_missing_columns_are_named(run, files, tickets, tmp_path):
    renamed = tickets[TRAIN:].rename(columns={"size_kb": "size"})
    renamed.to_csv(tmp_path / "new.csv", index=False)
    code, _, err = run("predict", files / "m.skops", tmp_path / "new.csv", "-o", tmp_path / "o.csv")
    assert code == 2
    assert "column 'size_kb' is missing; 'size' is not known, did you mean it?" in err


def test_explain_shows_words_and_the_texts_of_voters(run, files, tickets):
    code, out, _ = run("explain", files / "m.skops", files / "test.csv", "--row", 3)
    assert code == 0
    row = tickets.iloc[TRAIN + 3]
    assert row["ticket"] in out
    assert row["text"] in out
    assert "what the direct evidence loses without it" in out
    facts = json.loads(
        run("explain", files / "m.skops", files / "test.csv", "--row", 3, "--json")[1]
    )
    assert facts["true"] == row["tags"].split(";")
    assert len(json.dumps(facts)) < 8000


def test_a_pair_in_a_folder_has_a_split_and_says_which_side_is_used(run, files, tmp_path):
    for name in ("train", "test"):
        (tmp_path / f"{name}.csv").write_bytes((files / f"{name}.csv").read_bytes())
    m = tmp_path / "m.skops"
    code, out, _ = run("fit", tmp_path, "--labels", "tags", "-o", m, "--method", "mlknn")
    assert code == 0
    assert "fitted mlknn to 160 rows" in out
    assert "on 40 test rows" in out
    code, _, err = run("predict", m, tmp_path, "-o", tmp_path / "out.csv")
    assert (code, "these are the 40 test rows" in err) == (0, True)
    assert len(pd.read_csv(tmp_path / "out.csv")) == 40
    run("predict", m, tmp_path, "-o", tmp_path / "all.csv", "--all")
    assert len(pd.read_csv(tmp_path / "all.csv")) == 200


def test_a_folder_of_pictures_is_learnt(run, tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "images").mkdir()
    rows = []
    for number in range(40):
        colour = "red" if number % 2 else "blue"
        noise = rng.integers(0, 60, (40, 40, 3), dtype=np.uint8)
        noise[:, :, 0 if colour == "red" else 2] += 180
        Image.fromarray(noise).save(tmp_path / "images" / f"{number}.png")
        rows.append({"file": f"images/{number}.png", "tags": colour})
    pd.DataFrame(rows).to_csv(tmp_path / "labels.csv", index=False)
    m, out = tmp_path / "m.skops", tmp_path / "p.csv"
    assert run("fit", tmp_path / "labels.csv", "--labels", "tags", "-o", m)[0] == 0
    assert run("predict", m, tmp_path / "labels.csv", "-o", out, "--keep")[0] == 0
    found = pd.read_csv(out)
    assert found["file"].tolist() == [row["file"] for row in rows]
    assert (found["tags"] == found["predicted tags"]).all()
    assert run("predict", m, tmp_path / "labels.csv", "-o", tmp_path / "r.csv")[0] == 0
    assert pd.read_csv(tmp_path / "r.csv")["file"].tolist() == found["file"].tolist()
    read_whole = ("--labels", "tags", "-o", tmp_path / "w.csv")
    assert run("predict", m, tmp_path / "labels.csv", *read_whole)[0] == 0
    assert (tmp_path / "w.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()
    # A model says nothing of the folders of the machine that it was fitted on.
    facts = json.loads(run("explain", m, tmp_path / "labels.csv", "--row", 3, "--json")[1])
    told = [facts, *facts["voters"]["feature vote"]]
    assert all(re.fullmatch(r"file \d+\.png", each["text"]) for each in told)
    (tmp_path / "images" / "3.png").unlink()
    code, _, err = run("predict", m, tmp_path / "labels.csv", "-o", tmp_path / "q.csv")
    assert code == 2
    assert "3.png: expected a picture, got no such file" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--text", "txet"), "text: expected a column 'txet', got none. Did you mean 'text'"),
        (("--text", "text", "--drop", "text"), "must have one kind"),
        (("--nominal", "auto"), "name the columns of a table with --category"),
        (("--images", "magic"), "--images must be one of classical, pretrained"),
        (("--date", "opened=%d/%m/%Y"), "expected a date (%d/%m/%Y), got"),
    ],
)
def test_mistakes_about_columns_are_told(run, files, tmp_path, arguments, message):
    command = ("fit", files / "train.csv", "--labels", "tags", "-o", tmp_path / "m.skops")
    code, _, err = run(*command, *arguments)
    assert code == 2
    assert message in err


def test_column_options_are_for_tables(run, tmp_path):
    code, _, err = run("fit", "multidigits", "-o", tmp_path / "m.skops", "--text", "x0")
    assert code == 2
    assert "--text is for tables" in err


def test_compare_takes_tables_with_texts(run, files, tmp_path):
    command = ("compare", files / "train.csv", "--labels", "tags", "--category", "zip")
    options = ("--methods", "br,mlknn", "-o", tmp_path / "run", "--no-map", "--json")
    code, out, err = run(*command, *options)
    assert (code, err) == (0, "")
    records = json.loads(out)["records"]
    assert [record["status"] for record in records] == ["done", "done"]
    assert records[0]["metrics"]["micro_f1"] > 0.8


def test_datasets_tells_how_a_table_is_read(run, files):
    code, out, _ = run("datasets", files / "train.csv", "--labels", "tags")
    assert code == 0
    assert "how your columns were read" in out
    assert "billing" in out
    facts = json.loads(run("datasets", files / "train.csv", "--labels", "tags", "--json")[1])
    kinds = {column["name"]: column["kind"] for column in facts["columns"]}
    assert (kinds["text"], kinds["opened"], facts["n_labels"]) == ("text", "date", 2)


def test_a_column_of_weights_counts_rows_and_is_no_feature(run, files, tickets, tmp_path):
    weights = np.arange(TRAIN) % 3
    weighed = tickets[:TRAIN].assign(count=weights)
    weighed.to_csv(tmp_path / "weighed.csv", index=False)
    tickets[:TRAIN][weights > 0].assign(count=weights[weights > 0]).to_csv(
        tmp_path / "kept.csv", index=False
    )
    for name in ("weighed", "kept"):
        options = ("--labels", "tags", "--weight", "count", "--method", "krr", "--drop", "opened")
        code, out, err = run(
            "fit", tmp_path / f"{name}.csv", *options, "--out", tmp_path / f"{name}.skops"
        )
        assert code == 0, err
        assert "ignored" in out
    heavy = load_model(tmp_path / "weighed.skops")
    assert list(heavy.method_.training_rows_) == list(np.flatnonzero(weights))
    code, _, err = run(
        "predict", tmp_path / "weighed.skops", files / "new.csv", "--out", tmp_path / "p.csv"
    )
    assert code == 0, err


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        ("heavy", ("--weight", "count"), "tickets.csv:2: column 'count': a weight is a number"),
        ("1", ("--weight", "cuont"), "there must be a column 'cuont' of weights"),
        ("1", ("--weight", "count", "--method", "mlknn"), "--weight goes with methods that weigh"),
    ],
)
def test_mistakes_about_weights_are_told(run, tickets, tmp_path, weights, options, message):
    tickets[:40].assign(count=weights).to_csv(tmp_path / "tickets.csv", index=False)
    code, _, err = run(
        "fit", tmp_path / "tickets.csv", "--labels", "tags", *options, "--out", tmp_path / "m.skops"
    )
    assert code != 0
    assert message in " ".join(err.split())
