"""Other bytes have another name, whatever way the data are given."""

from __future__ import annotations

import pytest

from dlst.data import fingerprint


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a,label:b\n1,0\n")
    return file


def test_a_file_counts_with_its_bytes_and_not_with_its_folder(table, tmp_path):
    before = fingerprint(table)
    assert len(before) == 64
    assert fingerprint(str(table)) == before
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = table.rename(elsewhere / "table.csv")
    assert fingerprint(moved) == before
    moved.write_text("a,label:b\n1,1\n")
    assert fingerprint(moved) != before


def test_the_label_file_of_an_arff_counts(tmp_path):
    arff, xml = tmp_path / "set-train.arff", tmp_path / "set.xml"
    arff.write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    alone = fingerprint(arff)
    xml.write_text('<labels><label name="a"></label></labels>')
    both = fingerprint(arff)
    xml.write_text('<labels><label name="b"></label></labels>')
    assert len({alone, both, fingerprint(arff)}) == 3


def test_all_of_a_folder_counts(table):
    folder = table.parent
    before = fingerprint(folder)
    (folder / "deeper").mkdir()
    (folder / "deeper" / "more.txt").write_text("x")
    assert fingerprint(folder) != before


def test_files_named_by_options_count(table, tmp_path):
    test = tmp_path / "other.csv"
    test.write_text("a,label:b\n2,0\n")
    before = fingerprint(table, {"test": str(test), "labels": ["b"]})
    test.write_text("a,label:b\n2,1\n")
    assert fingerprint(table, {"test": str(test), "labels": ["b"]}) != before
    assert fingerprint(table, {"labels": "label:*"}) == fingerprint(table)


def test_names_count_with_their_files_in_the_data_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    assert fingerprint("cal500") == ""
    (tmp_path / "cal500").mkdir()
    (tmp_path / "cal500" / "cal500.arff").write_text("x")
    before = fingerprint("cal500")
    (tmp_path / "cal500" / "cal500.arff").write_text("y")
    assert before != fingerprint("CAL500") != ""


def test_embedded_data_have_a_name_and_absent_ones_none(tmp_path):
    assert len(fingerprint("multidigits")) == 64
    assert fingerprint(tmp_path / "absent.csv") == ""
    assert fingerprint("no such name") == ""
