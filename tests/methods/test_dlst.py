"""DLST: its presets, its readings, and what it reaches on official splits."""

from __future__ import annotations

import numpy as np
import pytest

from dlst.data import load, load_multidigits
from dlst.decoders import EvidenceDecoder, MLkNNDecoder
from dlst.encoders import DistributionEncoder, FullCode
from dlst.methods import DLST, DLST1, DLST2, MLkNN
from dlst.metrics import evaluate
from dlst.regressors import KernelLogisticRegression, KernelRidge


@pytest.fixture(scope="module")
def digits():
    data = load_multidigits()
    return data.train.subset(np.arange(200)), data.test.subset(np.arange(50))


@pytest.mark.parametrize(
    ("preset", "regressor", "decoder"),
    [
        ("evidence", KernelRidge, EvidenceDecoder),
        ("paper", KernelLogisticRegression, MLkNNDecoder),
        ("literal", KernelLogisticRegression, MLkNNDecoder),
    ],
)
def test_presets_are_made_of_the_parts_they_name(preset, regressor, decoder, digits):
    train, _ = digits
    model = DLST(preset, random_state=0).fit(train.X, train.Y)
    assert isinstance(model.regressor_, regressor)
    assert isinstance(model.decoder_, decoder)
    if preset != "evidence":
        assert isinstance(model.encoder_, DistributionEncoder)
        assert model.decoder_.n_neighbors == 10
        assert model.component_choice_ == {}
    if preset == "paper":
        assert (model.regressor_.loss, model.regressor_.output) == ("soft", "code")
        np.testing.assert_array_equal(model.codes_, model.transform(train.X))
    if preset == "literal":
        assert (model.regressor_.loss, model.regressor_.output) == ("printed", "probability")
        assert model.regressor_.alpha == 0.01
        np.testing.assert_array_equal(model.codes_, model.encoder_.transform(train.Y))


def test_an_unknown_preset_is_named(digits):
    train, _ = digits
    with pytest.raises(ValueError, match=r"preset must be one of evidence, paper, .*; got 'best'"):
        DLST("best").fit(train.X, train.Y)


def test_the_automatic_code_is_the_one_whose_vote_loses_least(digits):
    train, test = digits
    model = DLST(random_state=0).fit(train.X, train.Y)
    choice = model.component_choice_
    assert set(choice) == {"full", "half"}
    chosen = min(choice, key=choice.get)
    assert isinstance(model.encoder_, FullCode if chosen == "full" else DistributionEncoder)
    assert model.n_components_ == {"full": 10, "half": 5}[chosen]
    assert model.transform(test.X).shape[1] == model.codes_.shape[1]
    half = DLST(n_components="half", random_state=0).fit(train.X, train.Y)
    assert half.n_components_ == 5
    assert half.kl_divergence_ > 0
    assert half.component_choice_ == {}


def test_many_label_sets_are_not_aligned_to_choose(digits, monkeypatch):
    train, _ = digits
    monkeypatch.setattr("dlst.methods.dlst.MOST_ALIGNED_SETS", 10)
    model = DLST(random_state=0).fit(train.X, train.Y)
    assert model.component_choice_ == {}
    assert isinstance(model.encoder_, FullCode)


def test_a_half_code_is_chosen_where_what_it_drops_is_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    base = X[:, :2] @ rng.normal(size=(2, 2)) + 0.3 * rng.normal(size=(100, 2)) > 0
    flips = rng.random((100, 12)) < 0.3
    Y = (np.repeat(base, 6, axis=1) ^ flips).astype(int)
    model = DLST(random_state=0).fit(X, Y)
    assert model.component_choice_["half"] < model.component_choice_["full"]
    assert isinstance(model.encoder_, DistributionEncoder)
    assert model.n_components_ == 6
    assert model.kl_divergence_ > 0
    assert model.codes_.shape == (100, 6)


@pytest.mark.parametrize(
    ("n_components", "r"), [(3, 3), (0.3, 3), (None, 10), ("half", 5), (1, 1), (40, 10)]
)
def test_code_dimensions_as_asked(n_components, r, digits):
    train, test = digits
    model = DLST(n_components=n_components, random_state=0).fit(train.X, train.Y)
    assert model.n_components_ == r
    assert model.transform(test.X).shape == (50, r)
    if r == 10:
        assert model.kl_divergence_ == pytest.approx(0, abs=1e-12)


READINGS = [
    *({"distance": d} for d in ("sqeuclidean", "hamming", "euclidean", "normalized", "cosine")),
    *({"n_components": r} for r in (0.25, "half", None)),
    *({"solver": solver} for solver in ("lbfgs", "momentum")),
    {"n_restarts": 1},
    *({"kernel": kernel} for kernel in ("rbf", "linear", "polynomial", "cosine")),
    {"kernel": "chi2", "scaling": "none"},
    *({"gamma": gamma} for gamma in ("median", "scale", 0.01)),
    *({"basis": basis, "n_basis": 60} for basis in ("random", "kmeans++", "leverage")),
    *({"penalty": penalty} for penalty in ("rkhs", "ridge")),
    {"alpha": 0.01},
    *({"regression": loss} for loss in ("ridge", "soft", "printed", "binary", "binary-median")),
    *({"output": output} for output in ("code", "probability", "margin", "signed")),
    *({"search": search} for search in ("out-of-sample", "fitted", "targets")),
    {"n_neighbors": 5, "smoothing": 0.5},
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("preset", ["paper", "literal"])
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_every_reading_of_the_paper_can_be_chosen(preset, reading, digits):
    train, test = digits
    train = train.subset(np.arange(100))
    chosen = {"n_components": 4, "alpha": 0.1, **reading}
    P = DLST(preset, **chosen, random_state=0).fit(train.X, train.Y).predict_proba(test.X)
    assert ((P >= 0) & (P <= 1)).all()
    assert P.std(axis=0).max() > 0
    # A parameter that is no default changes the outcome.
    plain = DLST(preset, n_components=4, alpha=0.1, random_state=0)
    if plain.get_params() | reading != plain.get_params() and reading not in _SAME[preset]:
        assert not np.array_equal(plain.fit(train.X, train.Y).predict_proba(test.X), P)


# The same by another name: what the preset does by itself, and what cannot matter to it.
_SAME = {
    "paper": [
        {"distance": "hamming"},
        {"gamma": "median"},
        {"n_restarts": 1},
        {"regression": "soft"},
        {"output": "code"},
        {"search": "fitted"},
    ],
    "literal": [
        {"distance": "hamming"},
        {"gamma": "median"},
        {"n_restarts": 1},
        {"regression": "printed"},
        {"output": "probability"},
        {"search": "targets"},
        {"alpha": 0.01},
    ],
}


@pytest.mark.parametrize(
    "reading",
    [
        {"regression": "soft", "alpha": 0.1},
        {"search": "fitted"},
        {"search": "targets"},
        {"enrichment": 0.3},
        {"tau": 0.0},
        {"n_basis": 60},
        {"kernel": "linear"},
    ],
    ids=str,
)
def test_the_default_takes_other_readings_too(reading, digits):
    train, test = digits
    plain = DLST(random_state=0).fit(train.X, train.Y)
    other = DLST(**reading, random_state=0).fit(train.X, train.Y)
    S = other.decision_function(test.X)
    assert np.isfinite(S).all()
    assert not np.array_equal(plain.decision_function(test.X), S)


def test_the_paper_penalty_is_cross_validated_unless_given(digits):
    train, _ = digits
    chosen = DLST("paper", n_components=3, random_state=0).fit(train.X, train.Y)
    assert chosen.regressor_.alpha in (0.01, 0.03, 0.1, 0.3, 1.0)
    given = DLST("paper", n_components=3, alpha=0.02, random_state=0).fit(train.X, train.Y)
    assert given.regressor_.alpha == 0.02


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"search": "best"}, "search must be one of out-of-sample, fitted, targets; got 'best'"),
        (
            {"regression": "lasso"},
            "regression must be one of ridge, soft, printed, binary, binary-median; got 'lasso'",
        ),
        ({"alpha": 0}, "alpha must be a number above 0; got 0"),
        ({"alpha": "small"}, "alpha must be a number above 0; got 'small'"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer of at least 1; got 0"),
        ({"smoothing": -1}, "smoothing must be a number of at least 0; got -1"),
        ({"smoothing": None}, "smoothing must be a number of at least 0; got None"),
        ({"tau": "x"}, "tau must be a finite number; got 'x'"),
        ({"tau": np.inf}, "tau must be a finite number; got inf"),
        ({"enrichment": 2}, "enrichment must be a number of at least 0 and of at most 1; got 2"),
        ({"preset": "paper", "output": "x"}, "^output must be one of"),
        ({"preset": "paper", "penalty": "x"}, "^penalty must be one of"),
        ({"n_components": 0}, "n_components must be"),
        ({"distance": "far"}, "distance must be one of"),
        ({"kernel": "round"}, "kernel must be"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message, digits):
    train, _ = digits
    with pytest.raises(ValueError, match=message):
        DLST(**parameters).fit(train.X, train.Y)


def test_the_ranking_lifts_rare_labels_by_tau(digits):
    train, test = digits
    plain = DLST(tau=0.0, random_state=0).fit(train.X, train.Y)
    lifted = DLST(tau=0.5, random_state=0).fit(train.X, train.Y)
    lift = lifted.decision_function(test.X) - plain.decision_function(test.X)
    np.testing.assert_allclose(lift, np.tile(lift[0], (50, 1)), atol=1e-10)
    assert (np.diff(lift[0][np.argsort(train.Y.toarray().mean(axis=0), kind="stable")]) <= 0).all()
    np.testing.assert_array_equal(plain.predict_proba(test.X), lifted.predict_proba(test.X))


def test_the_second_variant_is_mlknn_on_scaled_features(digits):
    train, test = digits
    found = DLST2(scaling="none").fit(train.X, train.Y).predict_proba(test.X)
    expected = MLkNN().fit(train.X, train.Y).predict_proba(test.X)
    np.testing.assert_array_equal(found, expected)
    assert DLST2().fit(train.X, train.Y).scaler_.scaling_ == "standard"


def test_the_first_variant_regresses_each_label_by_itself(digits):
    train, test = digits
    together = DLST1(alpha=0.25).fit(train.X, train.Y).predict_proba(test.X)
    alone = DLST1(alpha=0.25).fit(train.X, train.Y[:, [3]]).predict_proba(test.X)
    np.testing.assert_allclose(alone[:, 0], together[:, 3], atol=1e-4)


# A hundredth below what it reaches: a dozen decisions of emotions, dozens of the others.
OFFICIAL = {
    "emotions": {"ap": 0.827, "macro_ap": 0.763, "micro_f1": 0.719, "paper_ap": 0.802},
    "scene": {"ap": 0.877, "macro_ap": 0.858, "micro_f1": 0.775, "paper_ap": 0.867},
    "yeast": {"ap": 0.759, "macro_ap": 0.509, "micro_f1": 0.668, "paper_ap": 0.741},
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", OFFICIAL)
def test_the_default_reaches_its_figures_on_official_splits(name, real_data):
    data, least = load(name), OFFICIAL[name]
    model = DLST(decision="micro", random_state=0).fit(data.train.X, data.train.Y)
    X, Y = data.test.X, data.test.Y
    ap = evaluate(Y, model.decision_function(X), ["instance_average_precision"])
    assert ap["instance_average_precision"] >= least["ap"]
    macro = evaluate(Y, model.predict_proba(X), ["macro_average_precision"])
    assert macro["macro_average_precision"] >= least["macro_ap"]
    f1 = evaluate(Y, None, ["micro_f1"], Y_pred=model.predict(X))
    assert f1["micro_f1"] >= least["micro_f1"]


@pytest.mark.real_data
@pytest.mark.parametrize("name", OFFICIAL)
def test_the_paper_preset_reaches_its_figures_on_official_splits(name, real_data):
    data = load(name)
    model = DLST("paper", random_state=0).fit(data.train.X, data.train.Y)
    ap = evaluate(data.test.Y, model.decision_function(data.test.X), ["instance_average_precision"])
    assert ap["instance_average_precision"] >= OFFICIAL[name]["paper_ap"]
