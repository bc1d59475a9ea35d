"""Tables as people have them, and their slips: what is read is told, what is not is one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

TAGS = [["office", "home"], ["office"], [], ["food & drink"]] * 5
WORDS = [
    "the printer has no paper",
    "paper is out",
    "what a day it is",
    "bread and soup at noon",
] * 5
LABELS = ["food & drink", "home", "office"]

CELLS = {
    "semicolons": " ; ".join,
    "commas": ", ".join,
    "bars": "|".join,
    "lines": "\n".join,
    "JSON": json.dumps,
    "Python": repr,
    "a tuple": lambda tags: repr(tuple(tags)),
    "a set": lambda tags: repr(set(tags)),
    "NumPy": lambda tags: str(np.array(tags, dtype=object)),
    "brackets alone": lambda tags: f"[{', '.join(tags)}]",
}


def write(path, **columns):
    pd.DataFrame({"text": WORDS, "size": np.arange(20) / 4, **columns}).to_csv(path, index=False)
    return path


def fit(run, table, *options):
    model = table.with_name("m.skops")
    return run("fit", table, "--labels", "tags", "--method", "plst", "-o", model, *options)


@pytest.mark.parametrize("written", CELLS)
def test_tags_of_a_cell_are_read_as_they_are_written(run, tmp_path, written):
    table = write(tmp_path / "t.csv", tags=[CELLS[written](tags) for tags in TAGS])
    code, out, err = fit(run, table)
    assert (code, err) == (0, "")
    assert "3 labels: food & drink, home, office" in out
    found = json.loads(run("datasets", table, "--labels", "tags", "--json")[1])
    assert found["label_names"] == LABELS
    assert found["label_frequencies"] == [5, 5, 10]
    assert found["n_without_label"] == 5


def test_a_model_judges_tags_in_any_writing(run, tmp_path):
    fit(run, write(tmp_path / "t.csv", tags=[";".join(tags) for tags in TAGS]))
    lists = write(tmp_path / "lists.csv", tags=[json.dumps(tags) for tags in TAGS])
    code, out, err = run("evaluate", tmp_path / "m.skops", lists, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["decisions"]["micro_f1"] > 0.9


def test_other_signs_between_tags_are_named(run, tmp_path):
    table = write(tmp_path / "t.csv", tags=[" ".join(tags).replace("food & ", "") for tags in TAGS])
    code, out, err = fit(run, table, "--label-delimiter", " ")
    assert (code, err) == (0, "")
    assert "3 labels: drink, home, office" in out
    assert run("evaluate", tmp_path / "m.skops", table, "--json")[0] == 0


def test_a_model_of_names_reads_what_looks_like_truth_values_as_names(run, tmp_path):
    fit(run, write(tmp_path / "t.csv", tags=["0;2", "1", "", "2"] * 5))
    new = write(tmp_path / "new.csv", tags=["0", "1", "", "0"] * 5)
    assert run("evaluate", tmp_path / "m.skops", new, "--json")[2].count("not known") == 0
    none = write(tmp_path / "none.csv", tags=[""] * 20)
    code, out, err = run("evaluate", tmp_path / "m.skops", none, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["decisions"]["micro_f1"] == 0


@pytest.mark.parametrize(("yes", "no"), [("Y", "N"), ("t", "f"), ("Yes", "No"), ("TRUE", "FALSE")])
def test_truth_values_are_read_as_they_are_written(run, tmp_path, yes, no):
    cells = {f"tag {k}": [yes if row % k == 0 else no for row in range(20)] for k in (2, 3)}
    table = write(tmp_path / "t.csv", **cells)
    facts = json.loads(run("datasets", table, "--labels", "tag *", "--json")[1])
    assert facts["label_frequencies"] == [10, 7]


def test_a_name_with_a_comma_is_quoted_among_others(run, tmp_path):
    out = fit(run, write(tmp_path / "t.csv", tags=["a, b;c", "c"] * 10))[1]
    assert "2 labels: 'a, b', c" in out


def test_predictions_may_go_to_the_shell(run, tmp_path):
    table = write(tmp_path / "t.csv", tags=[";".join(tags) for tags in TAGS])
    fit(run, table)
    code, out, err = run("predict", tmp_path / "m.skops", table, "-o", "-")
    assert (code, err) == (0, "")
    run("predict", tmp_path / "m.skops", table, "-o", tmp_path / "p.csv")
    assert out == (tmp_path / "p.csv").read_text()
    assert not (tmp_path / "-").exists()
    assert run("predict", tmp_path / "m.skops", table, "-o", "-", "--json")[0] == 2


def test_a_table_without_rows_has_nothing_to_judge_or_to_explain(run, tmp_path):
    fit(run, write(tmp_path / "t.csv", tags=[";".join(tags) for tags in TAGS]))
    (tmp_path / "none.csv").write_text("text,size,tags\n")
    for command in ("evaluate", "explain"):
        code, out, err = run(command, tmp_path / "m.skops", tmp_path / "none.csv")
        assert (code, out) == (2, "")
        assert "none.csv: expected rows to" in err


def test_columns_in_other_letters_are_found(run, tmp_path):
    fit(run, write(tmp_path / "t.csv", tags=[";".join(tags) for tags in TAGS]))
    (tmp_path / "new.csv").write_text("TEXT, Size\nwhat a day it is,1\n")
    err = run("predict", tmp_path / "m.skops", tmp_path / "new.csv", "-o", tmp_path / "p.csv")[2]
    assert "'text' is missing; 'TEXT' is not known, did you mean it?" in err
    assert "'size' is missing; ' Size' is not known, did you mean it?" in err


def test_brackets_in_some_cells_belong_to_names(run, tmp_path):
    tags = ["[WIP];bug" if tags else "[WIP]" for tags in TAGS]
    out = run("datasets", write(tmp_path / "t.csv", tags=tags), "--labels", "tags", "--json")[1]
    assert json.loads(out)["label_names"] == ["[WIP]", "bug"]


def test_a_label_column_may_hold_a_comma_in_its_name(run, tmp_path):
    table = write(tmp_path / "t.csv", **{"big, red": [0, 1] * 10})
    out = run("datasets", table, "--labels", "big, red", "--json")[1]
    assert json.loads(out)["label_names"] == ["big, red"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_decimal_commas_between_semicolons_are_numbers(run, tmp_path, mark):
    rows = [
        f"{words};{f'{size:.2f}'.replace('.', ',')};{size:.1f};{' , '.join(tags)}"
        for words, size, tags in zip(WORDS, np.arange(20) / 4, TAGS, strict=True)
    ]
    table = tmp_path / "excel.csv"
    table.write_text(mark + "\r\n".join(["text;price;share;tags", *rows, ""]), encoding="utf-8")
    code, out, err = fit(run, table)
    assert code == 0
    assert err == "note: cells such as '0,00' were read as numbers with a decimal comma\n"
    kinds = {words[0]: words[1] for words in map(str.split, out.splitlines()[2:5])}
    assert kinds == {"text": "category", "price": "number", "share": "number"}
    points = write(tmp_path / "points.csv").read_text().replace("size", "price,share")
    points = "\n".join(f"{line},{line.rsplit(',', 1)[-1]}" for line in points.splitlines()[1:])
    (tmp_path / "points.csv").write_text(f"text,price,share\n{points}\n")
    answers = []
    for asked in (table, tmp_path / "points.csv"):
        run("predict", tmp_path / "m.skops", asked, "-o", tmp_path / "p.csv", "--force")
        answers.append(pd.read_csv(tmp_path / "p.csv"))
    np.testing.assert_allclose(answers[0][LABELS], answers[1][LABELS], atol=0.02)


SLIPS = {
    ("fit", "t.csv", "--delimiter", ";;"): "--delimiter must be one ASCII character",
    ("fit", "t.csv", "--decision", "mirco"): "--decision must be one of own, f1, micro, macro, "
    "instance, hamming, subset, top, budget; got 'mirco'. Did you mean 'micro'?",
    ("fit", "t.csv", "--from", "cvs"): "--from must be one of arff, xc, libsvm, csv, jsonl, "
    "parquet, mat; got 'cvs'. Did you mean 'csv'?",
    ("fit", "t.csv", "--images", "clasical"): "got 'clasical'. Did you mean 'classical'?",
    ("fit", "t.csv", "--text", "txt"): "--text: expected a column 'txt', got none. Did you mean "
    "'text'?",
    ("fit", "tt.csv"): "tt.csv: expected a file, a folder or a known name, got none of them. Did "
    "you mean 't.csv'?",
    ("fit", "one.csv"): "expected at least 2 rows to learn from, got 1 sample. Give more rows.",
    ("fit", "untagged.csv"): "tags must be known in some rows; got 20 rows that are empty or say "
    "N/A. Tag some of them.",
    ("fit", "t.csv", "--set", "foo=1"): "dlst has no parameter 'foo'. It has cardinality, ",
    ("fit", "none.csv"): "expected at least 2 rows to learn from, got none. Give more rows.",
    ("fit", "old.csv"): "old.csv:2: expected UTF-8 text, got the byte 0xe9. Name the encoding of "
    "the file with --encoding, such as latin-1, or save it as UTF-8.",
    ("fit", "old.csv", "--encoding", "latin-11"): "--encoding must be the name of an encoding of "
    "text, such as latin-1, cp1252 or utf-16; got 'latin-11'.",
    ("fit", "odd.csv"): "got '1,5'. Write numbers with a decimal point and without signs between "
    "the thousands, or say what the column is: --category 'size', --text or --drop.",
    ("fit", "t.jsonl"): "t.jsonl:2: key 'user': expected a text, a number, a truth value, null or "
    "a list of tags, got an object. Write its parts as keys of their own, such as 'user.part'",
    ("fit", "t.json"): "t.json:1: expected a JSON object, got text that is none",
    ("fit", "t.xlsx"): "give dlst.Tagger what pandas.read_excel makes of it.",
    ("compare", "t.csv", "--methods", "plst", "--labels", "tgas"): "Did you mean 'tags'?",
    (
        "compare",
        "t.csv",
        "--split",
        "offical",
    ): "--split must be one of auto, official, random; got 'offical'. Did you mean 'official'?",
    (
        "compare",
        "t.csv",
        "--tuning",
        "onse",
    ): "--tuning must be one of none, once, cell; got 'onse'. Did you mean 'once'?",
    ("compare", "t.csv", "--decision", "mirco"): "got 'mirco'. Did you mean 'micro'?",
    ("compare", "t.csv", "--protocol", "fracton=0.1"): "got fracton. Did you mean 'fraction'?",
}


@pytest.mark.parametrize("words", SLIPS, ids=" ".join)
def test_a_slip_is_told_in_one_line_and_nothing_is_written(run, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "t.csv", tags=[";".join(tags) for tags in TAGS])
    write(tmp_path / "odd.csv", size=["1,5", *["2"] * 19], tags=["a;b", *["a"] * 19])
    (tmp_path / "one.csv").write_text("text,tags\nhello there my friend,a;b\n")
    (tmp_path / "none.csv").write_text("text,tags\n")
    write(tmp_path / "untagged.csv", tags=[""] * 20)
    (tmp_path / "old.csv").write_text("text,tags\ncafé,a\n", encoding="latin-1")
    (tmp_path / "t.json").write_text('[{"text": "hello", "tags": ["a"},]')
    (tmp_path / "t.jsonl").write_text('{"tags": ["a"]}\n{"user": {"name": "Ann"}}\n')
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    before = sorted(tmp_path.iterdir())
    labels = [] if "--labels" in words else ["--labels", "tags"]
    code, out, err = run(*words, *labels, "-o", tmp_path / "new.skops")
    assert (code, out) == (2, "")
    assert err.startswith("dlst: error: ")
    assert err.count("\n") == 1
    assert SLIPS[words] in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_file_that_cannot_be_written_is_told_before_the_work(run, tmp_path):
    table = write(tmp_path / "t.csv", tags=[";".join(tags) for tags in TAGS])
    for out, said in ((tmp_path, "got a folder"), ("/proc/m.skops", "got one that refuses")):
        if Path(out).parent.is_dir():
            assert said in run("fit", table, "--labels", "nowhere", "-o", out, "--force")[2]
