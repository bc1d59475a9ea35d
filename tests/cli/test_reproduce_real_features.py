"""Who has the real features of SUN, NUS-WIDE or VOC gets them used, who has not simulated ones.

Labels and features here are small and made up, in the folders that the official archives unpack to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.io

from dlst._files import sha256
from dlst.data import load, registry
from dlst.data.layouts.voc import CLASSES
from dlst.experiments import Plan, Source, run
from dlst.experiments.protocols import rows_of
from dlst.paper import item

N, D, SIMULATED = 120, 6, 16
NOTE = "simulated features"


def made_up(n_labels):
    """Draw features, and labels that follow them."""
    rng = np.random.default_rng(n_labels)
    X = rng.integers(1, 100, size=(N, D)).astype(float)
    scores = (X - 50) @ rng.normal(size=(D, n_labels)) + 10 * rng.normal(size=(N, n_labels))
    return X, scores > 0


def strings(*values):
    cells = np.empty((len(values), 1), dtype=object)
    cells[:, 0] = values
    return cells


def write_sun(home, *, features, below="SUNAttributeDB"):
    folder = home / "sunattribute"
    archive = folder / below
    archive.mkdir(parents=True)
    X, Y = made_up(4)
    names = strings("driving", "fire", "sailing", "snow")
    scipy.io.savemat(archive / "attributeLabels_continuous.mat", {"labels_cv": Y * 2 / 3})
    scipy.io.savemat(archive / "attributes.mat", {"attributes": names})
    if features:
        scipy.io.savemat(folder / "gist.mat", {"gist": X})
    return X


def write_nuswide(home, *, features):
    folder = home / "nus-wide"
    for below in ("Groundtruth/AllLabels", "ImageList", "Low_Level_Features"):
        (folder / below).mkdir(parents=True)
    X, Y = made_up(5)
    for concept, column in zip(("cat", "sea", "sky", "sun", "tree"), Y.astype(int).T, strict=True):
        np.savetxt(folder / f"Groundtruth/AllLabels/Labels_{concept}.txt", column, fmt="%d")
    images = [f"{row:04d}.jpg\n" for row in range(N)]
    for name, rows in (
        ("Image", slice(None)),
        ("TrainImage", slice(0, N, 2)),
        ("TestImage", slice(1, N, 2)),
    ):
        (folder / f"ImageList/{name}list.txt").write_text("".join(images[rows]))
    if features:
        np.savetxt(folder / "Low_Level_Features/BoW_int.dat", X, fmt="%d")
    return X


def write_voc(home, *, features, below="VOCdevkit/VOC2007/ImageSets/Main"):
    folder = home / "voc2007"
    main = folder / below
    main.mkdir(parents=True)
    X, Y = made_up(20)
    marks = np.where(Y, 1, -1)
    # Some objects are hard to see.
    marks[::10, 3] = 0
    for side, rows in (("trainval", range(0, N, 2)), ("test", range(1, N, 2))):
        for name, column in zip(CLASSES, marks.T, strict=True):
            lines = [f"{row + 1:06d} {column[row]:2d}\n" for row in rows]
            (main / f"{name}_{side}.txt").write_text("".join(lines))
    if features:
        np.save(folder / "features.npy", X)
    return X


WRITERS = {"sunattribute": write_sun, "nus-wide": write_nuswide, "voc2007": write_voc}


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv("DLST_DATA", str(folder))
    return folder


@pytest.mark.parametrize("name", WRITERS)
def test_real_features_in_the_data_home_are_read_and_not_replaced(home, name):
    X = WRITERS[name](home, features=True)
    data = load(name, download=False)
    np.testing.assert_array_equal(data.X, X)
    rows = rows_of(data, "auto", 0, {"simulate": {"n_features": SIMULATED}})
    assert rows.train.n_features == rows.test.n_features == D
    assert rows.train.n_samples == rows.test.n_samples == N // 2
    both = np.vstack([rows.train.X, rows.test.X])
    np.testing.assert_array_equal(np.unique(both, axis=0), np.unique(X, axis=0))
    for part in (data, rows.train, rows.test):
        assert NOTE not in part.provenance.notes
        assert any(note.startswith("features from ") for note in part.provenance.notes)


@pytest.mark.parametrize("name", WRITERS)
def test_labels_alone_get_simulated_features_and_a_note_that_says_so(home, name):
    WRITERS[name](home, features=False)
    data = load(name, download=False)
    assert data.n_features == 0
    assert NOTE not in data.provenance.notes
    rows = rows_of(data, "auto", 0, {"simulate": {"n_features": SIMULATED}})
    assert rows.train.n_features == rows.test.n_features == SIMULATED
    assert NOTE in rows.train.provenance.notes
    assert NOTE in rows.test.provenance.notes


ITEMS = {
    "table-main": "sunattribute",
    "figure-missing": "sunattribute",
    "figure-nuswide": "nus-wide",
    "table-voc": "voc2007",
}
"""Items of the paper, and the set in each whose features not everybody has."""


def sources_of_items():
    """Give each set as its item treats it, by the first and the last of its protocols."""
    for of_paper, name in ITEMS.items():
        plan = item(of_paper).plan()
        source = next(source for source in plan.sources if source.name == name)
        protocols = source.protocols or plan.protocols
        yield Source(name, (source.splits or plan.splits)[:1], 1, [protocols[0], protocols[-1]])


@pytest.mark.parametrize("features", [True, False])
def test_the_paper_s_items_say_in_their_records_which_features_they_had(home, tmp_path, features):
    for write in WRITERS.values():
        write(home, features=features)
    plan = Plan(list(sources_of_items()), ["krr"])
    records = run(plan, tmp_path / "run")
    assert [record.get("message") for record in records] == [None] * len(records)
    assert {record["cell"]["data"] for record in records} == set(WRITERS)
    for record in records:
        assert record["rows"]["simulated"] is not features
        simulated = record["cell"]["protocol"]["simulate"]["n_features"]
        assert record["rows"]["n_features"] == (D if features else simulated)


@pytest.mark.parametrize("name", ["sunattribute", "voc2007"])
def test_features_pass_where_labels_are_checked_against_their_hashes(home, monkeypatch, name):
    X = WRITERS[name](home, features=True, below=".")
    known = registry.entry(name)
    hashed = tuple(
        file if file.optional else replace(file, sha256=sha256(home / name / file.name))
        for file in known.files
    )
    monkeypatch.setattr(registry, "entry", lambda _: replace(known, files=hashed))
    data = load(name, download=False)
    np.testing.assert_array_equal(data.X, X)
    (file,) = (file.name for file in known.files if file.role == "features")
    assert f"hash not known: {file}" in data.provenance.notes
