"""The probe "examples": label sets against the methods themselves, figures against loops."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dlst.data import Dataset, Split, load_multidigits
from dlst.errors import DataError
from dlst.methods import make
from dlst.paper.probes.examples import SHOWN_METHODS, examples

QUICK = {
    "dlst": {"regressor__n_basis": 60},
    "dlst-paper": {"regressor__n_basis": 40, "regressor__alpha": 0.1},
    "dlst1": {"n_basis": 40, "alpha": 0.1},
}


def small():
    return load_multidigits().with_split(Split(np.arange(200), np.arange(1500, 1560)))


@pytest.fixture(scope="module")
def data():
    return small()


@pytest.fixture(scope="module")
def result(data):
    return examples(data, {"n_examples": 4, "seed": 3, "parameters": QUICK})


@pytest.fixture(scope="module")
def models(data):
    made = {}
    for name in SHOWN_METHODS:
        seed = {} if name == "dlst2" else {"random_state": 3}
        model = make(name, **QUICK.get(name, {}), **seed)
        made[name] = model.fit(data.train.X, data.train.Y)
    return made


@pytest.fixture(scope="module")
def given(data, models):
    return {name: model.predict(data.test.X).toarray() == 1 for name, model in models.items()}


@pytest.fixture(scope="module")
def truth(data):
    return data.test.Y.toarray() == 1


def test_examples_show_truth_and_what_each_method_decides(result, given, truth):
    assert [example["row"] for example in result["examples"]] == [0, 19, 39, 59]
    for example in result["examples"]:
        row = example["row"]
        assert example["truth"] == np.flatnonzero(truth[row]).tolist()
        assert example["unknown"] == []
        assert list(example["given"]) == list(SHOWN_METHODS)
        for name, labels in example["given"].items():
            assert labels == np.flatnonzero(given[name][row]).tolist()


def test_figures_are_means_over_all_test_rows(result, given, truth):
    assert [method["name"] for method in result["methods"]] == list(SHOWN_METHODS)
    assert result["cardinality"] == pytest.approx(truth.sum() / 60, abs=1e-5)
    for method in result["methods"]:
        sets = [set(np.flatnonzero(row)) for row in given[method["name"]]]
        true = [set(np.flatnonzero(row)) for row in truth]
        right = sum(len(a & b) for a, b in zip(sets, true, strict=True))
        n_given, n_true = sum(map(len, sets)), sum(map(len, true))
        expected = {
            "given": n_given / 60,
            "right": right / 60,
            "precision": right / n_given,
            "recall": right / n_true,
            "exact": sum(a == b for a, b in zip(sets, true, strict=True)) / 60,
        }
        assert {key: method[key] for key in expected} == pytest.approx(expected, abs=1e-5)


def test_recall_at_equal_length_counts_the_best_r_labels(result, data, models, truth):
    assert result["r"] == int(np.ceil(data.train.cardinality))
    for method in result["methods"]:
        scores = models[method["name"]].decision_function(data.test.X)
        best = np.argsort(-scores, axis=1, kind="stable")[:, : result["r"]]
        found = np.take_along_axis(truth, best, axis=1).sum() / truth.sum()
        # Equal scores at the cut may be broken otherwise; that is one label or two in 120.
        assert method["recall_top_r"] == pytest.approx(found, abs=0.02)


def test_the_lead_is_a_paired_difference_with_its_standard_error(result, given, truth):
    papers = (given["dlst-paper"] & truth).sum(axis=1)
    for method in result["methods"]:
        difference = (given[method["name"]] & truth).sum(axis=1) - papers
        assert method["lead"] == pytest.approx(difference.mean(), abs=1e-5)
        assert method["lead_error"] == pytest.approx(np.std(difference, ddof=1) / 60**0.5, abs=1e-5)
    leads = {method["name"]: method["lead"] for method in result["methods"]}
    assert leads[result["papers_choice"]] == 0
    assert any(leads.values())


def test_images_are_ink_from_0_to_255(result, data):
    for example in result["examples"]:
        image = np.array(example["image"])
        assert image.shape == (8, 24)
        np.testing.assert_allclose(image / 255, data.test.images[example["row"]], atol=0.5 / 255)


def test_the_answer_is_small_json(result):
    assert len(json.dumps(result, allow_nan=False)) < 10_000


def test_the_same_seed_gives_the_same_answer(result, data):
    again = examples(data, {"n_examples": 4, "seed": 3, "parameters": QUICK})
    assert again["examples"] == result["examples"]


def test_rows_without_images_split_and_certain_labels(data):
    rng = np.random.default_rng(0)
    part = data.subset(np.arange(120))
    Y = part.Y.toarray()
    Y[rng.random(Y.shape) < 0.05] = np.nan
    plain = Dataset(part.X, Y, name="plain")
    found = examples(plain, {"n_examples": 500, "parameters": QUICK})
    assert (found["split"], found["n_train"], found["n_test"]) == ("random", 60, 60)
    assert len(found["examples"]) == 60
    assert {example["image"] for example in found["examples"]} == {None}
    assert sum(len(example["unknown"]) for example in found["examples"]) > 0
    for method in found["methods"]:
        judged = sum(
            len(set(example["given"][method["name"]]) - set(example["unknown"]))
            for example in found["examples"]
        )
        assert method["given"] == pytest.approx(judged / 60, abs=1e-5)


def test_brighter_images_are_brought_to_255(data):
    brighter = replace(data, X=data.X * 1000)
    few = brighter.with_split(Split(np.arange(40), np.arange(1500, 1501)))
    found = examples(few, {"n_examples": 1, "parameters": QUICK})
    assert np.max(found["examples"][0]["image"]) == 255
    assert {method["lead_error"] for method in found["methods"]} == {None}


def test_labels_without_features_are_refused(data):
    with pytest.raises(DataError, match="has labels only; a method needs features"):
        examples(Dataset(np.empty((2000, 0)), data.Y, name="bare"), {})
