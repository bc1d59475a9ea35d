"""The command line as a shell sees it: output, exit codes, one line for a mistake."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from dlst import __version__
from dlst.cli.data_commands import parse_labels, parse_nominal
from dlst.cli.views import print_json


@pytest.fixture
def csv(tmp_path):
    file = tmp_path / "toy.csv"
    file.write_text("x,label:a,label:b\n1,1,0\n2,1,1\n3,0,\n")
    return file


def test_version_and_help(run):
    assert run("--version") == (0, f"dlst {__version__}\n", "")
    code, out, _ = run()
    assert code == 0
    assert "datasets" in out
    assert run("datasets", "--help")[0] == 0


def test_listing_the_known_sets(run):
    code, out, err = run("datasets")
    assert (code, err) == (0, "")
    assert "yeast" in out
    assert "multidigits" in out
    rows = json.loads(run("datasets", "--json")[1])
    assert {row["name"] for row in rows} >= {"emotions", "scene", "yeast", "nus-wide"}
    assert all(row["citation"] and row["terms"] for row in rows)


def test_describing_a_file(run, csv):
    code, out, _ = run("datasets", csv)
    assert code == 0
    assert "cardinality" in out
    assert "unknown entries" in out
    facts = json.loads(run("datasets", csv, "--json")[1])
    assert facts["n_samples"] == 3
    assert facts["n_labels"] == 2
    assert facts["label_frequencies"] == [2, 1]
    assert facts["n_unknown"] == 1


def test_describing_a_known_set(run, real_data):
    facts = json.loads(run("datasets", "birds", "--json")[1])
    assert (facts["n_train"], facts["n_test"], facts["n_features"]) == (322, 323, 260)
    code, out, _ = run("datasets", "nus-wide")
    assert code == 0
    assert "labels only" in out
    assert "never occur" in run("datasets", "mediamill-2000")[1]


def test_a_known_set_that_is_absent_says_how_to_get_it(run, tmp_path, monkeypatch):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    code, out, _ = run("datasets", "yeast")
    assert code == 0
    assert "dlst datasets yeast --download" in out
    assert str(tmp_path / "voc2007") in "".join(run("datasets", "voc2007")[1].split())
    assert json.loads(run("datasets", "yeast", "--json")[1])["cached"] is False


def test_no_rows_are_described_without_nan(run, tmp_path):
    for name, text in {
        "a.csv": "x,label:a\n",
        "a.xc": "0 2 2\n",
        "a.arff": "@relation 'r: -C -1'\n@attribute x real\n@attribute a {0,1}\n@data\n",
    }.items():
        (tmp_path / name).write_text(text)
        code, out, err = run("datasets", tmp_path / name)
        assert (code, err) == (0, "")
        assert "nan" not in out
        assert "cardinality          none" in out
        assert json.loads(run("datasets", tmp_path / name, "--json")[1])["cardinality"] is None


def test_columns_can_be_named_as_nominal(run, csv):
    facts = json.loads(run("datasets", csv, "--nominal", "x", "--json")[1])
    assert facts["n_features"] == 3


def test_a_folder_that_hides_a_known_data_set_says_so(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "msrc").mkdir()
    (tmp_path / "mine").mkdir()
    code, _, err = run("datasets", "msrc")
    assert code == 2
    assert "There is a known data set 'msrc' too" in err
    assert "known data set" not in run("datasets", "mine")[2]


def test_converting_there_and_back(run, csv, tmp_path):
    code, out, err = run("convert", csv, tmp_path / "toy.arff")
    assert (code, out, err) == (0, f"wrote {tmp_path / 'toy.arff'}\n", "")
    again = json.loads(run("datasets", tmp_path / "toy.arff", "--json")[1])
    assert again["label_frequencies"] == [2, 1]


def test_converting_a_pair_writes_two_files_and_notes_what_is_lost(run, tmp_path, real_data):
    out = tmp_path / "emotions.xc"
    code, text, err = run("convert", "emotions", out)
    assert code == 0
    assert text.splitlines() == [
        f"wrote {tmp_path}/emotions-{side}.xc" for side in ("train", "test")
    ]
    assert err == "note: xc does not keep names.\n"
    answer = json.loads(run("convert", "emotions", out, "--force", "--json")[1])
    assert len(answer["written"]) == 2
    assert answer["loses"] == "names"


def test_convert_does_not_replace_unless_told(run, csv, tmp_path):
    out = tmp_path / "toy.arff"
    out.write_text("precious")
    code, _, err = run("convert", csv, out)
    assert code == 2
    assert err == f"dlst: error: {out}: exists already. Choose another name, or add --force.\n"
    assert out.read_text() == "precious"
    assert run("convert", csv, out, "--force")[0] == 0
    assert out.read_text().startswith("@relation")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("datasets", "nowhere.arff"), "expected a file, a folder or a known name"),
        (("datasets", "--bogus"), "No such option"),
        (("bogus",), "No such command"),
        (("convert", "yeast"), "Missing argument 'OUT'"),
        (("convert", "multidigits", "x.docx"), "expected a name that ends in one of"),
        (("convert", "multidigits", "no/such/folder/x.csv"), "Make it first"),
        (("datasets", "{csv}", "--labels", "zz"), "zz"),
        (("datasets", "{csv}", "--from", "word"), "--from must be one of"),
        (("datasets", "{csv}", "--nominal", "y"), "expected a column 'y'"),
    ],
)
def test_a_mistake_gets_code_2_and_one_line(run, csv, arguments, message):
    code, out, err = run(*(argument.format(csv=csv) for argument in arguments))
    assert code == 2
    assert out == ""
    assert err.startswith("dlst: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["[/b]", "[red]x", "\x1b[31mx", "\x07x", "\u202ex", ":smile:"])
def test_names_command_no_terminal(run, tmp_path, name):
    table = tmp_path / "t.csv"
    table.write_text(f"a,label:{name}\n1,1\n2,0\n")
    code, out, err = run("datasets", table)
    assert (code, err) == (0, "")
    assert re.sub("[\x1b\u202e]", "\ufffd", name).replace("\x07", "") in out
    assert not set("\x1b\x07\u202e") & set(out)


def test_mistakes_name_options_not_arguments(run, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1.5,1\n2.O,0\n3,1\n")
    no_method = "that `dlst methods` lists, or module:name; got 'dslt'."
    for arguments, told in (
        (["datasets", table], "labels with --labels: names, a pattern"),
        (["convert", table, tmp_path / "o.arff", "--labels", "b"], "name it with --nominal 'a'."),
        (["methods", "dslt"], no_method),
        (["compare", "multidigits", "--methods", "dslt"], no_method),
    ):
        code, _, err = run(*arguments)
        assert code == 2
        assert told in err
        assert not re.search(r"(labels|nominal)=|available\(\)", err)


def test_a_full_disk_is_one_line_too(run, csv, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    # The system names no file where it refuses a byte.
    monkeypatch.setattr(os, "fsync", full)
    code, _, err = run("convert", csv, tmp_path / "toy.arff")
    assert (code, err) == (2, f"dlst: error: {tmp_path / 'toy.arff'}: No space left on device.\n")


def test_an_interrupt_is_no_traceback(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dlst.data.load", interrupt)
    assert run("datasets", "multidigits") == (130, "", "dlst: interrupted.\n")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [(None, None), ("6", 6), ("-6", -6), ("a,b", "a,b"), ("tag_*", "tag_*")],
)
def test_parsing_labels(text, parsed):
    assert parse_labels(text) == parsed


@pytest.mark.parametrize(
    ("text", "parsed"),
    [(None, None), ("auto", "auto"), ("one-hot", "one-hot"), ("a, b", ["a", "b"])],
)
def test_parsing_nominal(text, parsed):
    assert parse_nominal(text) == parsed


def test_python_m_dlst_runs():
    done = subprocess.run(
        [sys.executable, "-m", "dlst", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"dlst {__version__}\n"


def test_json_has_null_for_numbers_that_are_none(capsys):
    print_json({"a": [float("nan"), 1.5], "b": {"c": float("inf")}})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5], "b": {"c": None}}
