"""Mulan's label files: real ones, hostile ones, and finding them."""

from __future__ import annotations

import pytest

from dlst.data.arff.labels_xml import find_labels_xml, read_labels_xml, write_labels_xml
from dlst.errors import ReadError


@pytest.fixture
def xml(tmp_path):
    def make(text):
        file = tmp_path / "labels.xml"
        file.write_text(text, encoding="utf-8")
        return file

    return make


def test_names_parents_and_other_elements(xml):
    tree = read_labels_xml(
        xml(
            '<labels><label name=" a "><note/><label name="b &amp; c"/></label>'
            '<label name="d"/></labels>'
        )
    )
    assert tree.names == ("a", "b & c", "d")
    assert tree.parents == (-1, 0, -1)


def test_an_entity_bomb_is_refused_before_it_grows(xml):
    bomb = '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "&a;" * 10}">' for i in range(20)
    )
    expected = r"^\S*labels\.xml:1: document types and entities are not read"
    with pytest.raises(ReadError, match=expected):
        read_labels_xml(xml(f'{bomb}]><labels><label name="&a19;"/></labels>'))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<labels>", "expected XML"),
        ("not xml", "expected XML"),
        ("", "expected XML"),
        ("<label name='a'/>", "expected <labels> as the first element, got <label>"),
        ("<labels></labels>", "expected <label name"),
        ("<labels>\n<label/></labels>", "labels.xml:2: expected a name"),
        ("<labels><label name='a'/><label name='a'/></labels>", "'a' is listed twice"),
        ("<labels>" * 200, "at most 100 nested elements"),
        ('<?xml version="1.0" encoding="klingon"?><labels/>', "expected"),
    ],
)
def test_wrong_files_get_one_clear_error(xml, text, message):
    with pytest.raises(ReadError, match=message) as caught:
        read_labels_xml(xml(text))
    assert str(caught.value).count("labels.xml") == 1, "told once, not wrapped in another fault"
    assert ("encoding" in str(caught.value)) == ("klingon" in text)


def test_a_written_hierarchy_reads_back(tmp_path):
    names, parents = ('a "quoted" <one>', "b", "c", "d"), (-1, 0, 1, -1)
    write_labels_xml(tmp_path / "x.xml", names, parents)
    assert read_labels_xml(tmp_path / "x.xml") == (names, parents)


def test_a_deep_hierarchy_is_written_without_recursion(tmp_path):
    n = 5000
    write_labels_xml(tmp_path / "x.xml", [f"l{i}" for i in range(n)], [i - 1 for i in range(n)])
    assert (tmp_path / "x.xml").read_text().count("</label>") == n


@pytest.mark.parametrize(
    ("arff", "xml", "found"),
    [
        ("scene.arff", "scene.xml", True),
        ("Corel5k-train-sparse.arff", "corel5k.xml", True),
        ("yeast_test.arff.gz", "yeast.xml", True),
        ("yeastTrain-10.arff", "yeast.xml", True),
        ("a.arff", "b.xml", False),
    ],
)
def test_finding_the_file_of_an_arff(tmp_path, arff, xml, found):
    (tmp_path / xml).touch()
    assert find_labels_xml(tmp_path / arff) == ((tmp_path / xml) if found else None)
    assert find_labels_xml(tmp_path / arff, any_name=True) == tmp_path / xml


def test_two_files_with_other_names_are_not_guessed_between(tmp_path):
    (tmp_path / "b.xml").touch()
    (tmp_path / "c.xml").touch()
    assert find_labels_xml(tmp_path / "a.arff", any_name=True) is None
    assert find_labels_xml(tmp_path / "no" / "a.arff") is None
