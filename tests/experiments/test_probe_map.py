"""The latent map's values, against the model itself and projections made the slow, obvious way."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from dlst.data import Dataset, Split, load_multidigits, random_split, save
from dlst.errors import DataError, PlanError
from dlst.experiments.probes import address_of, answer
from dlst.experiments.probes.latent_map import latent_map
from dlst.methods import make

QUICK = {"regressor__n_basis": 60}
SETTINGS = {
    "parameters": QUICK,
    "seed": 3,
    "n_test": 40,
    "n_train": 150,
    "n_neighbours": 4,
    "n_reasons": 5,
}
FOUR_DIGITS = {"rtol": 6e-4, "atol": 1e-9}


@pytest.fixture(scope="module")
def data():
    return load_multidigits().with_split(Split(np.arange(200), np.arange(1500, 1560)))


@pytest.fixture(scope="module")
def result(data):
    return latent_map(data, SETTINGS)


@pytest.fixture(scope="module")
def model(data):
    return make("dlst", **QUICK, random_state=3).fit(data.train.X, data.train.Y)


@pytest.fixture(scope="module")
def unsplit():
    """Three labels decided by four features, neither split nor images."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    Y = X[:, :3] + 0.3 * rng.normal(size=(90, 3)) > 0.4
    return Dataset(X, Y, label_names=["a", "b", "c"], name="planted")


def shown_rows(result):
    return [point["row"] for point in result["test"]]


def places(points):
    return np.array([[point["x"], point["y"]] for point in points])


def slow_plane(codes):
    """Find two directions of most variance from the covariance, each with its largest load up."""
    values, vectors = np.linalg.eigh(np.cov(codes.T))
    axes = []
    for place in np.argsort(values)[::-1][:2]:
        axis = vectors[:, place]
        axes.append(axis if axis[np.argmax(np.abs(axis))] > 0 else -axis)
    return np.array(axes).T, np.sort(values)[::-1]


def test_rows_are_spread_over_the_test_rows_of_the_official_split(result):
    rows = shown_rows(result)
    assert len(rows) == 40
    assert (rows[0], rows[-1]) == (1500, 1559)
    assert set(np.diff(rows)) <= {1, 2}


def test_places_of_test_rows_are_their_codes_projected(result, data, model):
    codes = model.transform(data.X[shown_rows(result)])
    axes, variances = slow_plane(codes)
    expected = [[(code - model.codes_.mean(axis=0)) @ axis for axis in axes.T] for code in codes]
    np.testing.assert_allclose(places(result["test"]), expected, **FOUR_DIGITS)
    assert result["n_components"] == codes.shape[1]
    assert result["variance_shown"] == pytest.approx(
        variances[:2].sum() / variances.sum(), abs=1e-4
    )


def test_training_rows_and_labels_lie_in_the_same_plane(result, data, model):
    axes, _ = slow_plane(model.transform(data.X[shown_rows(result)]))
    rows = [point["row"] for point in result["train"]]
    expected = (model.codes_searched().codes[rows] - model.codes_.mean(axis=0)) @ axes
    np.testing.assert_allclose(places(result["train"]), expected, **FOUR_DIGITS)
    np.testing.assert_allclose(
        places(result["centres"]), model.label_centres_ @ axes, rtol=6e-4, atol=1e-6
    )
    assert [centre["label"] for centre in result["centres"]] == list(range(10))


def test_neighbours_are_the_nearest_of_those_who_voted(result, data, model):
    votes = model.explain(data.X[shown_rows(result)]).neighbours["code vote"]
    assert result["n_voters"] == votes.indices.shape[1] > 4
    for place, point in enumerate(result["test"]):
        found = [result["train"][voter["train"]]["row"] for voter in point["neighbours"]]
        assert found == votes.indices[place, :4].tolist()
        np.testing.assert_allclose(
            [voter["weight"] for voter in point["neighbours"]],
            votes.weights[place, :4],
            **FOUR_DIGITS,
        )
        code = model.transform(data.X[[point["row"]]])
        for voter, row in zip(point["neighbours"], found, strict=True):
            distance = np.linalg.norm(code - model.codes_searched().codes[row])
            assert voter["distance"] == pytest.approx(distance, rel=6e-4)


def test_neighbours_come_first_in_the_list_of_training_rows_then_others(result, data):
    near = {voter["train"] for point in result["test"] for voter in point["neighbours"]}
    assert near == set(range(len(near)))
    rows = [point["row"] for point in result["train"]]
    assert len(rows) == len(set(rows)) == 150
    assert len(near) < 150
    assert set(rows) <= set(data.split.train.tolist())
    for point in result["train"]:
        assert point["labels"] == data.Y[[point["row"]]].indices.tolist()


def test_all_neighbours_are_kept_whatever_the_room(data, result):
    few = latent_map(data, {**SETTINGS, "n_train": 1})
    near = {voter["train"] for point in few["test"] for voter in point["neighbours"]}
    assert len(few["train"]) == len(near) > 1
    assert few["test"] == result["test"]


def test_truth_and_found_are_the_data_s_and_the_model_s(result, data, model):
    rows = shown_rows(result)
    assert [point["truth"] for point in result["test"]] == [
        np.flatnonzero(row).tolist() for row in data.Y[rows].toarray()
    ]
    assert [point["found"] for point in result["test"]] == [
        np.flatnonzero(row).tolist() for row in model.predict(data.X[rows]).toarray()
    ]


def test_terms_add_up_to_the_logit_of_the_model_s_probability(result, data, model):
    assert result["terms"] == ["start", "direct", "code vote", "feature vote"]
    P = model.predict_proba(data.X[shown_rows(result)])
    for place, point in enumerate(result["test"]):
        for reason in point["reasons"]:
            assert len(reason["terms"]) == 4
            assert sum(reason["terms"]) == pytest.approx(reason["logit"], abs=0.003)
            probability = P[place, reason["label"]]
            assert reason["probability"] == pytest.approx(probability, abs=6e-4)
            assert expit(reason["logit"]) == pytest.approx(probability, abs=6e-4)


def test_reasons_are_given_for_true_and_found_labels_then_for_the_most_probable(
    result, data, model
):
    P = model.predict_proba(data.X[shown_rows(result)])
    for place, point in enumerate(result["test"]):
        concerned = set(point["truth"]) | set(point["found"])
        labels = [reason["label"] for reason in point["reasons"]]
        assert len(labels) == len(set(labels)) == max(5, len(concerned))
        assert set(labels[: len(concerned)]) == concerned
        others = [label for label in np.argsort(-P[place]) if label not in concerned]
        assert labels[len(concerned) :] == others[: len(labels) - len(concerned)]


def test_labels_that_matter_are_explained_whatever_the_room(data):
    found = latent_map(data, {**SETTINGS, "n_test": 5, "n_reasons": 1})
    for point in found["test"]:
        labels = {reason["label"] for reason in point["reasons"]}
        assert labels >= set(point["truth"]) | set(point["found"])


def test_images_are_grey_pixels_of_the_shown_rows(result, data):
    images = result["images"]
    assert (images["height"], images["width"]) == data.image_shape
    expected = np.rint(255 * data.X[shown_rows(result)])
    np.testing.assert_array_equal(images["pixels"], expected)
    assert all(type(value) is int for value in images["pixels"][0])
    neighbours = [each["row"] for each in result["train"]][: len(result["train_images"]["pixels"])]
    expected = np.rint(255 * data.X[neighbours])
    np.testing.assert_array_equal(result["train_images"]["pixels"], expected)
    voters = {each["train"] for row in result["test"] for each in row["neighbours"]}
    assert voters == set(range(len(neighbours)))
    brighter = replace(data, X=data.X * 16)
    assert np.max(latent_map(brighter, {**SETTINGS, "n_test": 5})["images"]["pixels"]) == 255


def test_the_result_is_small_and_plain(result):
    line = json.dumps(result, allow_nan=False)
    assert json.loads(line) == result
    # 40 test rows with 4 neighbours and 5 reasons each, 150 training rows; images apart.
    # A pixel is three digits, a comma and a space at most.
    n_images = sum(len(result[name]["pixels"]) for name in ("images", "train_images"))
    assert len(line) < 45_000 + 5 * 192 * n_images
    assert result["data"] == "multidigits"
    assert result["method"] == "DLST"
    assert result["split"] == "official"
    assert result["label_names"] == [str(digit) for digit in range(10)]


def test_the_same_seed_gives_the_same_result(data, result):
    assert latent_map(data, SETTINGS) == result


def test_data_without_a_split_are_halved_by_the_seed(unsplit):
    first, again, other = (latent_map(unsplit, {"seed": seed}) for seed in (1, 1, 2))
    assert first == again
    assert shown_rows(first) != shown_rows(other)
    assert first["split"] == "random"
    halves = random_split(unsplit, 0.5, random_state=1)
    assert shown_rows(first) == halves.test.tolist()
    assert sorted(point["row"] for point in first["train"]) == halves.train.tolist()
    assert first["images"] is None
    assert first["label_names"] == ["a", "b", "c"]
    fitted = make("dlst", random_state=1).fit(unsplit.X[halves.train], unsplit.Y[halves.train])
    found = fitted.predict(unsplit.X[halves.test]).toarray()
    assert [point["found"] for point in first["test"]] == [
        np.flatnonzero(row).tolist() for row in found
    ]


def test_a_random_half_can_be_asked_for(unsplit):
    split = unsplit.with_split(Split(np.arange(60), np.arange(60, 90)))
    assert shown_rows(latent_map(split, {})) == list(range(60, 90))
    assert latent_map(split, {"split": "random"}) == latent_map(unsplit, {})
    with pytest.raises(DataError, match="has no official split"):
        latent_map(unsplit, {"split": "official"})


def test_unlabelled_training_rows_have_no_place(unsplit):
    Y = unsplit.Y.toarray()
    Y[[0, 7, 20]] = np.nan
    Y[30, 1] = np.nan
    split = Split(np.arange(60), np.arange(60, 90))
    data = replace(unsplit, Y=sp.csr_array(Y), split=split)
    found = latent_map(data, {})
    rows = [point["row"] for point in found["train"]]
    assert sorted(rows) == sorted(set(range(60)) - {0, 7, 20})
    fitted = make("dlst", random_state=0).fit(data.train.X, data.train.Y)
    votes = fitted.explain(data.test.X).neighbours["code vote"]
    for place, point in enumerate(found["test"]):
        near = [rows[voter["train"]] for voter in point["neighbours"]]
        assert near == votes.indices[place, :8].tolist()
    by_row = {point["row"]: point["labels"] for point in found["train"]}
    assert by_row[30] == [label for label in (0, 2) if Y[30, label] == 1]


def test_the_paper_s_votes_are_counts_of_fitted_codes(unsplit):
    found = latent_map(unsplit, {"method": "dlst-paper", "parameters": {"regressor__alpha": 0.1}})
    assert found["method"] == "DLST (paper)"
    assert found["terms"] == ["start", "count"]
    assert found["n_voters"] == 10
    rows = [point["row"] for point in found["train"]]
    halves = random_split(unsplit, 0.5, random_state=0)
    train = unsplit.subset(halves.train)
    fitted = make("dlst-paper", regressor__alpha=0.1, random_state=0).fit(train.X, train.Y)
    codes = fitted.transform(unsplit.X)
    axes, _ = slow_plane(codes[halves.test])
    expected = (codes[rows] - fitted.codes_.mean(axis=0)) @ axes
    np.testing.assert_allclose(places(found["train"]), expected, rtol=6e-4, atol=1e-6)
    for point in found["test"]:
        assert {voter["weight"] for voter in point["neighbours"]} == {1.0}
        for reason in point["reasons"]:
            assert sum(reason["terms"]) == pytest.approx(reason["logit"], abs=0.002)


def test_too_few_rows_for_a_vote_are_placed_without_neighbours(unsplit):
    few = unsplit.with_split(Split(np.arange(25), np.arange(60, 90)))
    found = latent_map(few, {})
    assert found["n_voters"] == 0
    assert found["terms"] == ["start", "direct"]
    assert not any(point["neighbours"] for point in found["test"])
    assert len(found["train"]) == 25


def test_codes_of_one_dimension_lie_on_a_line(unsplit):
    one = replace(unsplit, Y=unsplit.Y[:, :1], label_names=["a"])
    found = latent_map(one, {})
    assert found["n_components"] == 1
    assert found["variance_shown"] == 1.0
    assert not places(found["test"])[:, 1].any()
    assert places(found["test"])[:, 0].std() > 0.1


def test_a_probe_of_a_plan_gives_the_same(unsplit, tmp_path):
    (file,) = save(unsplit, tmp_path / "planted.csv")
    given = {"probe": "map", "data": str(file), "n_test": 10}
    assert answer(given, address_of(given)) == latent_map(unsplit, {"n_test": 10})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_tests": 3}, "the probe map has method, .*; got n_tests"),
        ({"n_test": 0}, "n_test must be a whole number from 1 on; got 0"),
        ({"n_train": True}, "n_train must be a whole number from 1 on; got True"),
        ({"split": "half"}, "split must be one of auto, official, random; got 'half'"),
        ({"method": "br"}, "a map needs a method with codes, such as dlst; got 'br'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(unsplit, settings, message):
    with pytest.raises(PlanError, match=message):
        latent_map(unsplit, settings)


def test_methods_and_data_that_cannot_be_shown_are_refused(unsplit):
    with pytest.raises(DataError, match="InverseDecoder does not explain its scores"):
        latent_map(unsplit, {"method": "plst"})
    with pytest.raises(DataError, match="planted: has labels only; a map of codes needs features"):
        latent_map(replace(unsplit, X=np.empty((90, 0)), feature_names=()), {})
