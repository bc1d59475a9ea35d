"""What the demo finds: the table against the metrics themselves, the story against the model."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from dlst.data import Split, load_multidigits
from dlst.errors import DataError
from dlst.experiments import COLUMNS, DEMO_METHODS, run_demo
from dlst.methods import make
from dlst.metrics import evaluate, top_r_ceiling

QUICK = {
    "dlst": {"regressor__n_basis": 60},
    "dlst-paper": {"regressor__n_basis": 40, "regressor__alpha": 0.1},
}


@pytest.fixture(scope="module")
def data():
    return load_multidigits().with_split(Split(np.arange(200), np.arange(1500, 1560)))


@pytest.fixture(scope="module")
def result(data):
    return run_demo(data, seed=3, n_shown=4, parameters=QUICK)


@pytest.fixture(scope="module")
def model(data):
    return make("dlst", regressor__n_basis=60, random_state=3).fit(data.train.X, data.train.Y)


def column(key):
    return next(column for column in COLUMNS if column.key == key)


def test_the_rows_are_the_methods_then_ceiling_and_prior(result):
    assert [row.name for row in result.rows] == [*DEMO_METHODS, "ceiling", "prior"]
    assert [row.name for row in result.methods] == list(DEMO_METHODS)
    assert all(set(row.values) == {column.key for column in COLUMNS} for row in result.methods)


def test_a_methods_row_is_what_the_metrics_say_of_it(result, data, model):
    row, test = result.row("dlst"), data.test
    scores, decided = model.decision_function(test.X), model.predict(test.X)
    assert result.n_labels_per_row == int(np.ceil(data.train.Y.sum() / 200))
    names = ["micro_f1", "macro_f1"]
    by_rank = evaluate(test.Y, scores, names, r=result.n_labels_per_row)
    own = evaluate(test.Y, protocol=[*names, "hamming_loss"], Y_pred=decided)
    ranking = ["instance_average_precision", "macro_average_precision"]
    expected = {
        **evaluate(test.Y, scores, ranking),
        **{f"{name}_top_r": by_rank[name] for name in names},
        **own,
    }
    assert {key: row.values[key] for key in expected} == expected
    assert row.values["seconds"] > 0
    assert row.image_precision.mean() == pytest.approx(expected["instance_average_precision"])


def test_the_ceiling_stands_only_where_it_is_defined(result, data):
    ceiling = top_r_ceiling(data.test.Y, result.n_labels_per_row)
    row = result.row("ceiling")
    assert row.values == {
        "micro_f1_top_r": ceiling["micro_f1"],
        "macro_f1_top_r": ceiling["macro_f1_upper_bound"],
    }
    assert row.text(column("hamming_loss")) == "—"
    assert row.text(column("macro_f1_top_r")).startswith("≤0.")
    for key, value in row.values.items():
        assert all(method.values[key] <= value for method in result.methods)


def test_the_prior_ranks_by_training_frequency(result, data):
    frequency = data.train.Y.toarray().sum(axis=0)
    scores = np.tile(frequency, (60, 1))
    row = result.row("prior")
    expected = evaluate(data.test.Y, scores, ["instance_average_precision"])
    assert row.values["instance_average_precision"] == expected["instance_average_precision"]
    # No label has half the images, so by that rule nothing is found and every label is an error.
    assert frequency.max() < 100
    assert row.values["hamming_loss"] == pytest.approx(data.test.Y.sum() / (60 * 10))


def test_best_knows_directions_and_ties_at_shown_decimals(result):
    first, second, *rest = result.methods
    first = replace(first, values={**first.values, "hamming_loss": 0.10001, "micro_f1": 0.5})
    second = replace(second, values={**second.values, "hamming_loss": 0.09999, "micro_f1": 0.6})
    rest = [replace(r, values={**r.values, "hamming_loss": 0.2, "micro_f1": 0.4}) for r in rest]
    changed = replace(result, rows=(first, second, *rest, *result.rows[-2:]))
    assert changed.best(column("hamming_loss")) == (first, second)
    assert changed.best(column("micro_f1")) == (second,)


def test_the_map_projects_codes_and_label_centres_alike(result, data, model):
    latent = result.latent_map
    codes = model.transform(data.test.X) - model.codes_.mean(axis=0)
    assert latent.points.shape == (60, 2)
    assert latent.labels == tuple(range(10))
    assert latent.n_components == codes.shape[1]
    # One linear map takes codes to points; it must take the labels' centres to theirs.
    plane, *_ = np.linalg.lstsq(codes, latent.points, rcond=None)
    np.testing.assert_allclose(codes @ plane, latent.points, atol=1e-9)
    np.testing.assert_allclose(plane.T @ plane, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(model.label_centres_ @ plane, latent.centres, atol=1e-9)
    shares = np.linalg.eigvalsh(np.cov(codes.T))[::-1]
    assert latent.variance_shown == pytest.approx(shares[:2].sum() / shares.sum())


def test_the_terms_of_a_reason_add_up_to_the_models_probability(result, data, model):
    P = model.predict_proba(data.test.X)
    assert result.term_names == ("start", "direct", "code vote", "feature vote")
    assert [case.row for case in result.shown] == [0, 19, 39, 59]
    for case in result.shown:
        concerned = result.truth[case.row] | result.found[case.row]
        assert [reason.label for reason in case.reasons] == np.flatnonzero(concerned).tolist()
        for reason in case.reasons:
            assert sum(reason.terms) == pytest.approx(reason.logit)
            assert expit(reason.logit) == pytest.approx(P[case.row, reason.label])
            assert reason.probability == pytest.approx(P[case.row, reason.label])


def test_neighbours_are_training_images_nearest_first(result, data):
    train = data.train
    for case in result.shown:
        distances = [voter.distance for voter in case.neighbours]
        assert len(distances) == 5
        assert distances == sorted(distances)
        for voter in case.neighbours:
            matches = np.flatnonzero((voter.image.ravel() == train.X).all(axis=1))
            assert any(tuple(train.Y[[row]].indices) == voter.labels for row in matches)
    assert result.n_voters >= 5


def test_truth_found_and_images_belong_together(result, data, model):
    np.testing.assert_array_equal(result.truth, data.test.Y.toarray() == 1)
    np.testing.assert_array_equal(result.found, model.predict(data.test.X).toarray() == 1)
    np.testing.assert_array_equal(result.images.reshape(60, -1), data.test.X)


def test_the_table_is_json(result):
    table = json.loads(json.dumps(result.to_dict()))
    assert [row["title"] for row in table["rows"]][:2] == ["DLST", "DLST (paper)"]
    assert table["rows"][0]["hamming_loss"] == result.rows[0].values["hamming_loss"]
    assert table["rows"][5]["hamming_loss"] is None
    assert (table["n_train"], table["n_test"], table["seed"]) == (200, 60, 3)


def test_too_few_rows_for_a_vote_are_shown_without_neighbours(data):
    few = data.with_split(Split(np.arange(25), np.arange(1500, 1510)))
    found = run_demo(few, n_shown=2, parameters=QUICK)
    assert found.n_voters == 0
    assert all(not case.neighbours for case in found.shown)
    assert found.term_names == ("start", "direct")


def test_brighter_images_are_brought_to_one(data):
    eight_bit = replace(data, X=data.X * 255)
    few = eight_bit.with_split(Split(np.arange(25), np.arange(1500, 1503)))
    assert run_demo(few, n_shown=1, parameters=QUICK).images.max() == 1.0


def test_data_without_images_are_refused(data):
    with pytest.raises(DataError, match="the demo shows grey images; got image_shape=None"):
        run_demo(replace(data, image_shape=None))
