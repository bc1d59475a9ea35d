"""The registry: its facts, names, and reading by name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

import numpy as np
import pytest

from dlst.data import registry
from dlst.data.catalogue import available, entry
from dlst.data.registry import data_home, files, is_cached, load_registered
from dlst.errors import DataHomeError, UnknownNameError

PAPER = ["scene", "emotions", "yeast", "mediamill", "msrc", "sunattribute", "voc2007", "nus-wide"]
ROLES = {"train", "test", "all", "labels", "names", "images", "features"}

TOY_ARFF = """@relation toy
@attribute a numeric
@attribute b numeric
@attribute sky {0,1}
@attribute sea {0,1}
@data
"""
TOY_XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sky"></label><label name="sea"></label>
</labels>
"""


def test_every_set_of_the_paper_is_known():
    assert set(PAPER) <= set(available())
    assert len(available()) == 17


def test_the_paper_s_tables_agree_with_the_registry_but_for_what_the_notes_explain():
    tables = {
        "scene": (2407, 294, 6, 1.074),
        "emotions": (593, 72, 6, 1.869),
        "yeast": (2417, 103, 14, 4.237),
        "mediamill": (43907, 120, 101, 4.376),
        "msrc": (591, 512, 23, None),
        "sunattribute": (None, 512, 102, 15.526),
        "voc2007": (9963, 2048, 20, 1.560),
        "nus-wide": (269648, 500, 81, 1.869),
    }
    for name, (n, d, K, cardinality) in tables.items():
        known = entry(name)
        assert (known.n_features, known.n_labels) == (d, K)
        if n is None or cardinality is None:
            assert any("paper" in note for note in known.notes)
        assert n in (None, known.n_samples)
        # The paper rounds 1.8685 of Emotions up.
        assert cardinality is None or abs(known.cardinality - cardinality) <= 0.001 + 1e-9


@pytest.mark.parametrize("name", available())
def test_an_entry_is_complete_and_consistent(name):
    known = entry(name)
    assert known.name == name == name.casefold()
    assert known.format in {"mulan", "sun", "nus-wide", "voc"}
    for text in (known.title, known.domain, known.terms):
        assert text
    assert re.search(r"\b(19|20)\d\d\b", known.citation)
    assert known.source.startswith(("http://", "https://"))
    assert known.split is None or sum(known.split) == known.n_samples
    assert 0 < known.cardinality < known.n_labels
    assert known.n_label_sets <= known.n_samples
    if known.file("labels").url is None:
        assert known.instructions.endswith(".")
        assert set(re.findall(r"\{.*?\}", known.instructions)) <= {"{folder}"}


@pytest.mark.parametrize("name", available())
def test_file_names_are_plain_and_hashes_and_addresses_well_formed(name):
    known = entry(name)
    for file in known.files:
        assert PurePosixPath(file.name).name == PureWindowsPath(file.name).name == file.name
        # Written through a function that would compress it a second time.
        assert not file.name.endswith(".gz")
        assert file.role in ROLES
        assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.url is None or re.fullmatch(
            r"https://raw\.githubusercontent\.com/tsoumakas/mulan/[0-9a-f]{40}/data/multi-label/"
            rf"{name}/{re.escape(file.name)}",
            file.url,
        )
        # What is downloaded must be checkable.
        assert file.url is None or file.sha256 is not None
    assert len({file.name for file in known.files}) == len(known.files)


def test_names_and_aliases_are_distinct_and_in_lower_case():
    names = [name for known in map(entry, available()) for name in (known.name, *known.aliases)]
    assert len(set(names)) == len(names)
    assert all(name == name.casefold().strip() for name in names)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("NUS-WIDE", "nus-wide"),
        ("nuswide", "nus-wide"),
        ("Tmc2007", "tmc2007-500"),
        (" VOC", "voc2007"),
    ],
)
def test_case_and_aliases_do_not_matter(given, meant):
    assert entry(given).name == meant


def test_an_unknown_name_lists_the_nearest():
    with pytest.raises(UnknownNameError, match=r"'emotion' is not known; the nearest.*emotions"):
        entry("emotion")
    with pytest.raises(UnknownNameError, match="known names are: emotions, scene"):
        entry("zzzzzz")


@pytest.mark.parametrize("name", ["../yeast", "/etc/passwd", "yeast/../scene", "..", "", "a\x00b"])
@pytest.mark.parametrize("function", [entry, files, is_cached, load_registered])
def test_path_tricks_never_reach_the_file_system(name, function, monkeypatch):
    monkeypatch.setattr(registry, "path_of", lambda *_: pytest.fail("reached the file system"))
    with pytest.raises(UnknownNameError):
        function(name)


def test_files_lie_below_the_data_home(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    assert files("CAL500") == {
        "cal500.arff": tmp_path / "cal500" / "cal500.arff",
        "cal500.xml": tmp_path / "cal500" / "cal500.xml",
    }
    assert not is_cached("cal500")


def test_a_missing_set_without_address_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    with pytest.raises(DataHomeError) as caught:
        load_registered("mediamill")
    message = str(caught.value)
    assert f"Put it at {tmp_path / 'mediamill' / 'mediamill-train.arff'}" in message
    assert "http://mulan.sourceforge.net/datasets-mlc.html" in message
    assert f"unpack its files into {tmp_path / 'mediamill'}." in message


def test_a_damaged_file_of_a_known_set_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    folder = tmp_path / "cal500"
    folder.mkdir()
    (folder / "cal500.arff").write_text(TOY_ARFF)
    (folder / "cal500.xml").write_text(TOY_XML)
    assert is_cached("cal500")
    with pytest.raises(DataHomeError, match=r"cal500\.arff is damaged, half-written or edited"):
        load_registered("cal500")


def test_files_of_unknown_hash_are_read_with_a_note(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    folder = tmp_path / "mediamill"
    folder.mkdir()
    (folder / "mediamill-train.arff").write_text(TOY_ARFF + "1,2,1,0\n3,4,1,1\n")
    (folder / "mediamill-test.arff").write_text(TOY_ARFF + "5,6,0,1\n")
    (folder / "mediamill.xml").write_text(TOY_XML)
    data = load_registered("Mediamill", download=False)
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [1, 1], [0, 1]])
    assert data.name == "mediamill"
    assert data.split.train.tolist() == [0, 1]
    assert data.split.test.tolist() == [2]
    assert data.provenance.notes[-1] == "hash not known: mediamill-train.arff and 2 more"
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in data.provenance.files.values())


def test_an_unpacked_official_archive_serves_in_place_of_the_listed_files(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    labels = tmp_path / "nus-wide" / "Groundtruth" / "AllLabels"
    labels.mkdir(parents=True)
    assert not is_cached("nus-wide")
    (labels / "Labels_sky.txt").write_text("1\n0\n")
    (labels / "Labels_sea.txt").write_text("0\n0\n")
    assert is_cached("nus-wide")
    data = load_registered("nuswide")
    assert data.Y.toarray().tolist() == [[0, 1], [0, 0]]
    assert data.provenance.citation == entry("nus-wide").citation
    assert (
        "hash not known: Groundtruth/AllLabels/Labels_sea.txt and 1 more" in data.provenance.notes
    )


@pytest.mark.real_data
@pytest.mark.parametrize("name", available())
def test_statistics_of_a_real_set_are_the_registered_ones(real_data, name):
    if not is_cached(name):
        pytest.skip(f"{name} is not in {data_home()}")
    known, data = entry(name), load_registered(name, download=False)
    found = data.statistics()
    assert found.n_samples == known.n_samples
    assert found.n_features == (0 if known.has_optional_features else known.n_features)
    assert found.n_labels == known.n_labels
    assert round(found.cardinality, 3) == known.cardinality
    assert found.n_label_sets == known.n_label_sets
    assert (data.split and (len(data.split.train), len(data.split.test))) == known.split
    assert data.name == name
    assert data.provenance.source == known.source
    assert data.provenance.citation == known.citation
    assert data.provenance.terms == known.terms
    needed = {file.name: file.sha256 for file in known.files if not file.optional}
    assert dict(data.provenance.files) == needed
    assert not any("hash not known" in note for note in data.provenance.notes)


@pytest.mark.real_data
def test_the_table_beside_the_real_data_says_the_same(real_data):
    readme = real_data / "README.md"
    if not readme.is_file():
        pytest.skip(f"no {readme}")
    rows = [line.strip("| \n").split("|") for line in readme.read_text().splitlines()]
    table = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows if len(row) == 7}
    compared = [name for name in available() if name in table]
    assert len(compared) == 16
    for name in compared:
        known = entry(name)
        n, d, K, cardinality_text, label_sets, _ = table[name]
        counts = [int(count) for count in re.findall(r"\d+", n)]
        assert counts == (list(known.split) if known.split else [known.n_samples])
        assert d == ("labels only" if known.has_optional_features else str(known.n_features))
        assert int(K) == known.n_labels
        # The table has two or three decimals and rounds Emotions (1.8685) up.
        tolerance = 0.001 if len(cardinality_text.partition(".")[2]) == 3 else 0.005
        assert float(cardinality_text) == pytest.approx(known.cardinality, abs=tolerance + 1e-9)
        assert int(label_sets) == known.n_label_sets


@pytest.mark.real_data
def test_options_reach_the_reader(real_data):
    if not is_cached("sunattribute"):
        pytest.skip("sunattribute is absent")
    assert load_registered("sun", votes="majority").cardinality < 10


@pytest.mark.real_data
def test_a_split_that_is_not_official_is_not_called_so(real_data):
    if not is_cached("mediamill-2000"):
        pytest.skip("mediamill-2000 is absent")
    assert load_registered("mediamill-2000").split.name == "as supplied"
