"""DLST and the paper's pipelines: their parts, readings, and figures on official splits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from dlst.data import load, load_multidigits
from dlst.decoders import EvidenceDecoder, MLkNNDecoder, VoteDecoder
from dlst.encoders import ChosenCode, DistributionEncoder, FullCode
from dlst.methods import DLST, DLST1, DLST2, LiteralDLST, MLkNN, PaperDLST, make
from dlst.metrics import evaluate
from dlst.regressors import KernelLogisticRegression, KernelRidge


@pytest.fixture(scope="module")
def digits():
    data = load_multidigits()
    return data.train.subset(np.arange(200)), data.test.subset(np.arange(50))


def paper(**parameters):
    return PaperDLST(random_state=0).set_params(**parameters)


def literal(**parameters):
    return LiteralDLST(random_state=0).set_params(**parameters)


def test_the_default_is_made_of_the_parts_it_names(digits):
    train, _ = digits
    model = DLST(random_state=0).fit(train.X, train.Y)
    assert isinstance(model.encoder_, ChosenCode)
    assert isinstance(model.regressor_, KernelRidge)
    assert isinstance(model.decoder_, EvidenceDecoder)


@pytest.mark.parametrize("made", [paper, literal])
def test_the_papers_pipelines_are_made_of_the_parts_they_name(made, digits):
    train, _ = digits
    model = made().fit(train.X, train.Y)
    assert isinstance(model.encoder_, DistributionEncoder)
    assert isinstance(model.regressor_, KernelLogisticRegression)
    assert isinstance(model.decoder_, MLkNNDecoder)
    assert model.decoder_.n_neighbors_ == 10
    loss, output = model.regressor_.loss, model.regressor_.output
    if made is paper:
        assert (loss, output) == ("soft", "code")
        # Two threads of BLAS may sum in another order the second time.
        np.testing.assert_allclose(model.codes_, model.transform(train.X), rtol=0, atol=1e-12)
    else:
        assert (loss, output, model.regressor_.alpha) == ("printed", "probability", 0.01)
        np.testing.assert_array_equal(model.codes_, model.encoder_.transform(train.Y))


def test_the_automatic_code_is_the_one_whose_vote_loses_least(digits):
    train, test = digits
    model = DLST(random_state=0).fit(train.X, train.Y)
    choice = model.encoder_.log_loss_
    assert set(choice) == {"full", "half"}
    chosen = min(choice, key=choice.get)
    kind = FullCode if chosen == "full" else DistributionEncoder
    assert isinstance(model.encoder_.encoder_, kind)
    assert model.n_components_ == {"full": 10, "half": 5}[chosen]
    assert model.transform(test.X).shape[1] == model.codes_.shape[1]
    smoother = model.regressor_.smoother_
    for name, encoder in (
        ("full", FullCode()),
        ("half", DistributionEncoder("half", max_iter=80)),
    ):
        Z = encoder.fit_transform(train.Y)
        vote = VoteDecoder(random_state=model.decoder_.random_state)
        vote.fit(smoother.leave_one_out(Z), train.Y, targets=Z, smoother=smoother)
        assert choice[name] == pytest.approx(vote.log_loss_, abs=1e-12)


def test_choosing_regresses_once(digits, monkeypatch):
    train, _ = digits
    seen = []
    select = KernelRidge._select
    monkeypatch.setattr(KernelRidge, "_select", lambda *given: seen.append(1) or select(*given))
    DLST(random_state=0).fit(train.X, train.Y)
    assert len(seen) == 1


def test_a_half_code_is_chosen_where_what_it_drops_is_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    base = X[:, :2] @ rng.normal(size=(2, 2)) + 0.3 * rng.normal(size=(100, 2)) > 0
    flips = rng.random((100, 12)) < 0.3
    Y = (np.repeat(base, 6, axis=1) ^ flips).astype(int)
    model = DLST(random_state=0).fit(X, Y)
    assert model.encoder_.log_loss_["half"] < model.encoder_.log_loss_["full"]
    assert isinstance(model.encoder_.encoder_, DistributionEncoder)
    assert model.n_components_ == 6
    assert model.encoder_.kl_divergence_ > 0
    assert model.codes_.shape == (100, 6)


@pytest.mark.parametrize(
    ("n_components", "r"), [(3, 3), (0.3, 3), (None, 10), ("half", 5), (1, 1), (40, 10)]
)
def test_code_dimensions_as_asked(n_components, r, digits):
    train, test = digits
    model = make("dlst", encoder__n_components=n_components, random_state=0)
    model.fit(train.X, train.Y)
    assert model.n_components_ == r
    assert model.transform(test.X).shape == (50, r)
    if r == 10:
        assert model.encoder_.kl_divergence_ == pytest.approx(0, abs=1e-12)


READINGS = [
    *(
        {"encoder__distance": distance}
        for distance in ("sqeuclidean", "hamming", "euclidean", "normalized", "cosine")
    ),
    *({"encoder__n_components": r} for r in (0.25, "half", None)),
    *({"encoder__solver": solver} for solver in ("lbfgs", "momentum")),
    {"encoder__n_restarts": 1},
    *({"regressor__kernel": kernel} for kernel in ("rbf", "linear", "polynomial", "cosine")),
    {"regressor__kernel": "chi2", "scaling": "none"},
    *({"regressor__gamma": gamma} for gamma in ("median", "scale", 0.01)),
    *(
        {"regressor__basis": basis, "regressor__n_basis": 60}
        for basis in ("random", "kmeans++", "leverage")
    ),
    *({"regressor__penalty": penalty} for penalty in ("rkhs", "ridge")),
    {"regressor__alpha": 0.01},
    *({"regressor__loss": loss} for loss in ("soft", "printed", "binary", "binary-median")),
    *({"regressor__output": output} for output in ("code", "probability", "margin", "signed")),
    *({"codes": codes} for codes in ("out-of-sample", "fitted", "targets")),
    {"decoder__n_neighbors": 5, "decoder__smoothing": 0.5},
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("made", [paper, literal])
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_every_reading_of_the_paper_can_be_chosen(made, reading, digits):
    train, test = digits
    train = train.subset(np.arange(100))
    fixed = {"encoder__n_components": 4, "regressor__alpha": 0.1}
    P = made(**{**fixed, **reading}).fit(train.X, train.Y).predict_proba(test.X)
    assert ((P >= 0) & (P <= 1)).all()
    assert P.std(axis=0).max() > 0
    # A parameter that is no default changes the outcome.
    plain = made(**fixed)
    if plain.get_params() | reading != plain.get_params() and reading not in _SAME[made]:
        assert not np.array_equal(plain.fit(train.X, train.Y).predict_proba(test.X), P)


# The same by another name: what the pipeline does by itself, and what cannot matter to it.
_SAME = {
    paper: [
        {"encoder__distance": "hamming"},
        {"encoder__n_restarts": 1},
        {"codes": "fitted"},
    ],
    literal: [
        {"encoder__distance": "hamming"},
        {"encoder__n_restarts": 1},
        {"codes": "targets"},
    ],
}


@pytest.mark.parametrize(
    "reading",
    [
        {"regressor": KernelLogisticRegression(alpha=0.1)},
        {"regressor": Ridge()},
        {"codes": "fitted"},
        {"codes": "targets"},
        {"decoder__enrichment": 0.3},
        {"tau": 0.0},
        {"regressor__n_basis": 60},
        {"regressor__kernel": "linear"},
    ],
    ids=str,
)
def test_the_default_takes_other_readings_too(reading, digits):
    train, test = digits
    plain = DLST(random_state=0).fit(train.X, train.Y)
    other = make("dlst", **reading, random_state=0).fit(train.X, train.Y)
    S = other.decision_function(test.X)
    assert np.isfinite(S).all()
    assert not np.array_equal(plain.decision_function(test.X), S)


def test_the_paper_penalty_is_cross_validated_unless_given(digits):
    train, _ = digits
    chosen = paper(encoder__n_components=3).fit(train.X, train.Y)
    assert chosen.regressor_.alpha_ in (0.01, 0.03, 0.1, 0.3, 1.0)
    given = paper(encoder__n_components=3, regressor__alpha=0.02).fit(train.X, train.Y)
    assert given.regressor_.alpha_ == 0.02


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"codes": "best"}, "codes must be .*out-of-sample, fitted, targets; got 'best'"),
        (
            {"regressor__loss": "lasso"},
            "loss must be one of soft, printed, binary, binary-median; got 'lasso'",
        ),
        ({"regressor__alpha": 0}, "alpha must be a number above 0.*; got 0"),
        ({"regressor__loss": "printed"}, "alpha must be a number with loss='printed'; got 'auto'"),
        ({"decoder__n_neighbors": 0}, "n_neighbors must be an integer of at least 1; got 0"),
        ({"decoder__smoothing": -1}, "smoothing must be a number of at least 0; got -1"),
        ({"decoder__smoothing": None}, "smoothing must be a number of at least 0; got None"),
        ({"regressor__output": "x"}, "^output must be one of"),
        ({"regressor__penalty": "x"}, "^penalty must be one of"),
        ({"encoder__n_components": 0}, "n_components must be"),
        ({"encoder__distance": "far"}, "distance must be one of"),
        ({"regressor__kernel": "round"}, "kernel must be"),
    ],
)
def test_a_wrong_parameter_of_the_papers_parts_is_named(parameters, message, digits):
    train, _ = digits
    with pytest.raises(ValueError, match=message):
        paper(**parameters).fit(train.X, train.Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tau": "x"}, "tau must be a finite number or 'auto'; got 'x'"),
        ({"tau": np.inf}, "tau must be a finite number or 'auto'; got inf"),
        (
            {"decoder__enrichment": 2},
            "enrichment must be a number of at least 0 and of at most 1; got 2",
        ),
        ({"encoder__n_components": "x"}, "n_components must be"),
        ({"encoder__distance": "far"}, "distance must be one of"),
        ({"regressor__alpha": "x"}, "alpha must be"),
    ],
)
def test_a_wrong_parameter_of_the_default_parts_is_named(parameters, message, digits):
    train, _ = digits
    with pytest.raises(ValueError, match=message):
        DLST().set_params(**parameters).fit(train.X, train.Y)


def test_the_ranking_lifts_rare_labels_by_tau(digits):
    train, test = digits
    plain, lifted = (
        make("dlst", tau=tau, random_state=0).fit(train.X, train.Y) for tau in (0.0, 0.5)
    )
    lift = lifted.decision_function(test.X) - plain.decision_function(test.X)
    # Two fits: with more than one thread BLAS may add in another order the second time.
    np.testing.assert_allclose(lift, np.tile(lift[0], (50, 1)), atol=1e-7)
    assert (
        np.diff(lift[0][np.argsort(train.Y.toarray().mean(axis=0), kind="stable")]) <= 1e-7
    ).all()
    P = plain.predict_proba(test.X)
    np.testing.assert_allclose(lifted.predict_proba(test.X), P, rtol=0, atol=1e-9)


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
def test_the_papers_pipeline_reaches_its_figures_on_official_splits(name, real_data):
    data = load(name)
    model = PaperDLST(random_state=0).fit(data.train.X, data.train.Y)
    ap = evaluate(data.test.Y, model.decision_function(data.test.X), ["instance_average_precision"])
    assert ap["instance_average_precision"] >= OFFICIAL[name]["paper_ap"]
