"""DLST for wide sparse features: the choice, unknown labels, explanation, saved models, figures."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import dlst
from dlst.data import load
from dlst.decoders import EvidenceDecoder, ShortlistDecoder, StagedDecoder
from dlst.encoders import SignCode, SketchedCode
from dlst.methods import DLST, LabelSpaceClassifier, LinearDLST
from dlst.methods import dlst as module
from dlst.metrics import instance_average_precision, log_loss, macro_average_precision
from dlst.regressors import KernelRidge, LinearMachines


def texts(n=400, d=300, K=6, seed=0):
    """Rows of a few words; a label likes some words."""
    rng = np.random.default_rng(seed)
    topics = rng.random((K, d)) ** 12
    Y = (rng.random((n, K)) < rng.uniform(0.1, 0.4, size=K)).astype(float)
    rates = 0.01 + Y @ topics * 0.25
    return sp.csr_array(rng.poisson(rates).astype(float)), Y


def test_the_parts_are_those_it_names():
    X, Y = texts()
    model = LinearDLST(random_state=0).fit(X, Y)
    assert isinstance(model.encoder_, SignCode)
    assert isinstance(model.regressor_, LinearMachines)
    assert isinstance(model.decoder_, StagedDecoder)
    written_out = LabelSpaceClassifier(
        SignCode(), LinearMachines(), StagedDecoder(), random_state=0
    )
    written_out.fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), written_out.predict_proba(X))
    np.testing.assert_array_equal(model.codes_, model.regressor_.loo_predictions_)


def test_few_thin_rows_take_the_lower_left_out_log_loss():
    X, Y = texts()
    model = DLST(random_state=0).fit(X, Y)
    losses = model.regression_log_loss_
    assert set(losses) == {"kernel", "linear"}
    assert model.regression_ == min(losses, key=losses.get)
    for regression in losses:
        alone = DLST(regression=regression, random_state=0).fit(X, Y)
        assert alone.regression_log_loss_ == {}
        rows, probabilities, _ = alone.decoder_.out_of_sample()
        assert log_loss(Y[rows], probabilities) == pytest.approx(losses[regression])
        if regression == model.regression_:
            np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_many_thin_rows_are_linear_and_thick_ones_are_not(monkeypatch):
    monkeypatch.setattr(module, "KERNEL_ROWS", 100)
    X, Y = texts(n=150)
    assert DLST(random_state=0).fit(X, Y).regression_ == "linear"
    assert DLST(random_state=0).fit(X.toarray(), Y).regression_ == "linear"
    thick = np.random.default_rng(0).normal(size=(150, 5))
    assert DLST(random_state=0).fit(thick, Y).regression_ == "kernel"


@pytest.mark.parametrize(
    "parts",
    [{"decoder": EvidenceDecoder()}, {"regressor": KernelRidge()}, {"regression": "kernel"}],
)
def test_a_part_that_is_given_keeps_the_kernel(parts, monkeypatch):
    monkeypatch.setattr(module, "KERNEL_ROWS", 100)
    X, Y = texts(n=150)
    model = DLST(random_state=0, **parts).fit(X, Y)
    assert model.regression_ == "kernel"
    assert isinstance(model.regressor_, KernelRidge)


def test_parameters_are_those_of_the_composition_that_was_asked_for():
    assert DLST(regression="linear").get_params()["regressor__loss"] == "squared"
    model = DLST(regression="linear").set_params(decoder__least_gain=1.0, regressor__C=0.5)
    X, Y = texts()
    model.fit(X, Y)
    assert model.regressor_.C_ == 0.5
    assert [part.name for part in model.decoder_.evidences_] == ["direct"]
    assert "regressor__kernel" in DLST().get_params()


def test_unknown_labels_are_no_zeros():
    X, Y = texts(n=600)
    hidden = np.random.default_rng(1).random(Y.shape) < 0.4
    known = LinearDLST(random_state=0).fit(X[:400], np.where(hidden, np.nan, Y)[:400])
    zeros = LinearDLST(random_state=0).fit(X[:400], np.where(hidden, 0, Y)[:400])
    losses = [log_loss(Y[400:], model.predict_proba(X[400:])) for model in (known, zeros)]
    assert losses[0] < losses[1]


def test_it_comes_back_from_a_file(tmp_path):
    X, Y = texts()
    model = DLST(regression="linear", random_state=0).fit(X, Y)
    path = tmp_path / "model.skops"
    dlst.save_model(model, path)
    again = dlst.load_model(path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.decoder_.evidence_choice_ == model.decoder_.evidence_choice_


def test_a_saved_model_searches_once_for_both_votes_among_codes(monkeypatch, tmp_path):
    monkeypatch.setattr("dlst.decoders.evidences.offered_votes.SHARP_ABOVE", 3)
    X, Y = texts()
    model = LinearDLST(decoder=StagedDecoder(least_gain=-1.0), random_state=0).fit(X, Y)
    dlst.save_model(model, tmp_path / "model.skops")
    again = dlst.load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    wide, near = again.decoder_.evidences_[1:3]
    assert (near.name, near.wide) == ("near code vote", wide)


def test_the_best_labels_are_those_of_all_scores():
    X, Y = texts()
    model = LinearDLST(random_state=0).fit(X, Y)
    top = model.predict_top(X, 3)
    scores = model.decision_function(X)
    np.testing.assert_array_equal(top.scores, -np.sort(-scores, axis=1)[:, :3])


@pytest.mark.real_data
def test_it_reaches_its_figures_on_bibtex(real_data):
    data = load("bibtex")
    model = DLST(random_state=0).fit(data.train.X, data.train.Y)
    assert model.regression_ == "linear"
    scores = model.decision_function(data.test.X)
    assert instance_average_precision(data.test.Y, scores) > 0.64
    assert macro_average_precision(data.test.Y, scores) > 0.44


def test_near_probabilities_vote_for_whole_label_sets():
    X, Y = texts(n=500)
    twins = Y.copy()
    # Two labels that words cannot tell apart: which sets occur, neighbours know.
    twins[:, 5] = np.where(Y[:, 4] == 1, 1 - Y[:, 3], Y[:, 5])
    decoder = StagedDecoder(least_gain=-1.0)
    model = LinearDLST(decoder=decoder, decision="subset", random_state=0).fit(X[:400], twins[:400])
    vote = next(part for part in model.decoder_.evidences_ if part.name == "code vote")
    votes = model._row_votes(X[400:])
    assert votes.shape == (100, 400)
    assert (np.diff(votes.indptr) == vote.k_).all()
    rule = model.decisions_.rule("subset")
    assert rule.coef_[1] > 0
    # Votes on calibration rows are learnt from, then dropped: a model file holds none.
    assert vote.left_out_votes() is None
    sets = model.predict_sets(X[400:], k=3)
    assert sets.probabilities.shape == (100, 3)
    best = sets.sets[sets.indices[:, 0]].toarray()
    np.testing.assert_array_equal(best, model.predict(X[400:]))


def test_the_votes_on_calibration_rows_are_those_of_other_rows():
    X, Y = texts(n=300)
    decoder = StagedDecoder(least_gain=-1.0, random_state=0)
    codes = LinearMachines(random_state=0).fit(X, 2 * Y - 1).loo_predictions_
    decoder.fit(codes, Y, X=X, encoder=SignCode().fit(Y))
    rows, _, votes = decoder.out_of_sample()
    assert votes.shape == (len(rows), 300)
    assert not votes[np.arange(len(rows)), rows].any()
    decoder.forget()
    assert decoder.out_of_sample().votes is None
    assert decoder.votes(codes[:3], X=X[:3]).shape == (3, 300)


def test_of_very_many_labels_those_of_near_rows_are_scored(monkeypatch, tmp_path):
    monkeypatch.setattr("dlst.methods.linear_dlst.MANY_LABELS", 5)
    monkeypatch.setattr(module, "MANY_LABELS", 5)
    X, Y = texts()
    Y = np.hstack([Y, np.zeros((len(Y), 2))])
    with pytest.warns(UserWarning, match="2 of 8 labels"):
        model = DLST(random_state=0).fit(X, sp.csr_array(Y))
    assert isinstance(model.decoder_, ShortlistDecoder)
    assert isinstance(model.encoder_, SketchedCode)
    top = model.predict_top(X, 3)
    ranking = model.decision_function(X)
    np.testing.assert_allclose(np.take_along_axis(ranking, top.labels, axis=1), top.scores)
    assert (top.labels < 6).all()
    frequent = Y.mean(axis=0)[None] + np.zeros_like(Y)
    ours, by_frequency = (instance_average_precision(Y, S) for S in (ranking, frequent))
    assert ours > by_frequency + 0.1
    dlst.save_model(model, tmp_path / "m.skops")
    again = dlst.load_model(tmp_path / "m.skops").predict_top(X[:9], 3)
    np.testing.assert_array_equal(again.labels, top.labels[:9])
    given = LinearDLST(decoder=StagedDecoder(), random_state=0).fit(X, Y[:, :6])
    assert isinstance(given.decoder_, StagedDecoder)
