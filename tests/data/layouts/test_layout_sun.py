"""SUN attribute, on small files made here and on the real labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from dlst.data.layouts import (
    detect_layout,
    read_sunattribute,
)
from dlst.errors import ReadError

VOTES = np.array([[0, 1 / 3, 2 / 3], [1, 0, 0], [0, 0, 0], [1 / 3, 1, 2 / 3]])


def cells(*strings):
    array = np.empty((len(strings), 1), dtype=object)
    array[:, 0] = strings
    return array


def write_sun(folder, votes=VOTES):
    folder.mkdir(parents=True, exist_ok=True)
    scipy.io.savemat(folder / "attributeLabels_continuous.mat", {"labels_cv": votes})
    names = cells("sailing/ boating", "driving", "fire ")
    scipy.io.savemat(folder / "attributes.mat", {"attributes": names})


@pytest.mark.parametrize("below", ["", "SUNAttributeDB"])
@pytest.mark.parametrize(("votes", "least"), [("any", 1 / 3), ("majority", 2 / 3)])
def test_sun_labels_follow_the_votes(tmp_path, below, votes, least):
    write_sun(tmp_path / below)
    data = read_sunattribute(tmp_path, votes=votes)
    np.testing.assert_array_equal(data.Y.toarray(), np.round(VOTES * 3) >= round(least * 3))
    assert list(data.label_names) == ["sailing/ boating", "driving", "fire"]
    assert data.X.shape == (4, 0)
    assert detect_layout(tmp_path) == "sun"


def test_sun_refuses_an_unknown_rule_for_votes(tmp_path):
    with pytest.raises(ValueError, match="votes must be one of any, majority; got 'two'"):
        read_sunattribute(tmp_path, votes="two")


@pytest.mark.parametrize("variable", ["gist", "only_matrix"])
@pytest.mark.parametrize("turned", [False, True])
def test_sun_finds_gist_features_either_way_round(tmp_path, turned, variable):
    write_sun(tmp_path)
    gist = np.random.default_rng(0).random((4, 7))
    scipy.io.savemat(tmp_path / "gist.mat", {variable: gist.T if turned else gist, "n": 4})
    data = read_sunattribute(tmp_path)
    np.testing.assert_array_equal(data.X, gist)
    assert "features from gist.mat" in data.provenance.notes


def test_sun_checks_the_list_of_images_when_it_is_there(tmp_path):
    write_sun(tmp_path)
    scipy.io.savemat(tmp_path / "images.mat", {"images": cells("a.jpg", "b.jpg", "c.jpg", "d.jpg")})
    assert "images.mat" in read_sunattribute(tmp_path).provenance.files
    scipy.io.savemat(tmp_path / "images.mat", {"images": cells("a.jpg")})
    with pytest.raises(ReadError, match=r"images\.mat: expected 4 strings in images, got 1"):
        read_sunattribute(tmp_path)


def test_sun_refuses_other_votes_and_other_variables(tmp_path):
    write_sun(tmp_path, VOTES + 1)
    with pytest.raises(ReadError, match="expected shares of votes from 0 to 1"):
        read_sunattribute(tmp_path)
    write_sun(tmp_path, cells("a", "b"))
    with pytest.raises(ReadError, match="expected a matrix labels_cv, got object"):
        read_sunattribute(tmp_path)
    scipy.io.savemat(tmp_path / "attributeLabels_continuous.mat", {"labels": VOTES})
    with pytest.raises(ReadError, match="expected the variable labels_cv, got labels"):
        read_sunattribute(tmp_path)


def test_sun_refuses_an_attribute_twice(tmp_path):
    write_sun(tmp_path)
    scipy.io.savemat(tmp_path / "attributes.mat", {"attributes": cells("a", "b", "a")})
    with pytest.raises(ReadError, match="expected distinct attributes, got one twice"):
        read_sunattribute(tmp_path)


def test_sun_votes_stored_sparse_are_the_same(tmp_path):
    write_sun(tmp_path, sp.csc_matrix(VOTES))
    np.testing.assert_array_equal(read_sunattribute(tmp_path).Y.toarray(), VOTES > 0)


@pytest.mark.real_data
def test_real_sun_votes_give_both_cardinalities(real_data):
    folder = real_data / "sunattribute"
    if detect_layout(folder) is None:
        pytest.skip(f"no SUN attribute labels in {folder}")
    shares = scipy.io.loadmat(folder / "attributeLabels_continuous.mat", spmatrix=False)[
        "labels_cv"
    ]
    assert set(np.round(shares * 3, 6).ravel()) == {0, 1, 2, 3}
    for rule, least in (("any", 1), ("majority", 2)):
        Y = read_sunattribute(folder, votes=rule).Y
        np.testing.assert_array_equal(Y.toarray(), np.round(shares * 3) >= least)
