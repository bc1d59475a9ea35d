"""The composition: parts can be swapped, scores explained, labels placed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dlst.data import load_multidigits
from dlst.decisions import DecisionLayer
from dlst.decoders import (
    CodeDecoder,
    EvidenceDecoder,
    InverseDecoder,
    LinearDecoder,
    MLkNNDecoder,
    VoteDecoder,
)
from dlst.encoders import DistributionEncoder, FullCode, PrincipalEncoder
from dlst.errors import DataError
from dlst.methods import DLST, PLST, LabelSpaceClassifier, PaperDLST
from dlst.metrics import evaluate
from dlst.parts import OutOfSample, Scores
from dlst.regressors import KernelLogisticRegression, KernelRidge, LinearRidge


class Rotated(BaseEstimator):
    """The full code, turned by an orthogonal matrix."""

    def __init__(self, seed=None):
        self.seed = seed

    def fit_transform(self, Y, X=None):
        Z = FullCode().fit_transform(Y)
        K = Z.shape[1]
        rotation = np.eye(K)
        if self.seed is not None:
            rotation = np.linalg.qr(np.random.default_rng(self.seed).normal(size=(K, K)))[0]
        return Z @ rotation


@pytest.fixture(scope="module")
def digits():
    data = load_multidigits()
    return data.train.subset(np.arange(250)), data.test.subset(np.arange(60))


@pytest.fixture(scope="module")
def fitted(digits):
    train, _ = digits
    return LabelSpaceClassifier(random_state=0).fit(train.X, train.Y)


@pytest.fixture(scope="module")
def with_gaps(digits):
    """A model of rows of which some have no labels, and of labels of which two are constant."""
    train, _ = digits
    Y = train.Y.toarray()
    Y[::7] = np.nan
    Y = np.insert(Y, [0, 10], [[0.0, 1.0]], axis=1)
    Y[::7] = np.nan
    with pytest.warns(UserWarning, match="2 of 12 labels have only one value"):
        return LabelSpaceClassifier(random_state=0).fit(train.X, Y), Y


def instance_ap(model, data):
    scores = model.decision_function(data.X)
    return evaluate(data.Y, scores, ["instance_average_precision"])["instance_average_precision"]


@pytest.mark.parametrize(
    "parts",
    [
        {"regressor": Ridge(alpha=10.0)},
        {"decoder": LinearDecoder()},
        {"decoder": VoteDecoder()},
        {"decoder": MLkNNDecoder()},
        {"encoder": DistributionEncoder(5)},
        {"regressor": Ridge(alpha=10.0), "decoder": LinearDecoder(source="codes")},
        {"encoder": Rotated(1), "regressor": make_pipeline(StandardScaler(), Ridge(10.0))},
        {"encoder": TruncatedSVD(4, random_state=0), "decoder": GaussianNB()},
        {"regressor": LinearRidge(), "decoder": LogisticRegression()},
    ],
    ids=str,
)
def test_a_swapped_part_learns(parts, digits):
    train, test = digits
    model = LabelSpaceClassifier(**parts, random_state=0).fit(train.X, train.Y)
    for name, part in parts.items():
        fitted = getattr(model, f"{name}_")
        wrapped = {"regressor": "estimator_", "encoder": "transformer_", "decoder": "estimator"}
        assert type(part) in (type(fitted), type(getattr(fitted, wrapped[name], None)))
        assert getattr(model, name) is part
        assert not hasattr(part, "n_features_in_")
    prior = np.tile(train.Y.toarray().mean(axis=0), (60, 1))
    name = "instance_average_precision"
    assert instance_ap(model, test) > evaluate(test.Y, prior, [name])[name]


class Bare(CodeDecoder):
    """A decoder of somebody's, with nothing but what the composition asks for."""

    def fit(self, codes, Y, *, targets=None, X=None, smoother=None, encoder=None):
        self.mean_ = Y.toarray().mean(axis=0)
        return self

    def scores(self, codes, *, X=None):
        P = np.clip(codes + self.mean_, 0, 1)
        return Scores(P, P)


def test_a_decoder_needs_no_out_of_sample_probabilities_of_its_own(digits):
    train, test = digits
    model = LabelSpaceClassifier(decoder=Bare(), decision="micro", random_state=0)
    model.fit(train.X, train.Y)
    P = model.decisions_.calibrated(model.predict_proba(test.X))
    decided = model.decisions_.rules_["micro"].threshold_ <= P
    np.testing.assert_array_equal(model.predict(test.X).toarray(), decided)
    searched = model.codes_searched()
    np.testing.assert_array_equal(searched.rows, np.arange(250))
    np.testing.assert_array_equal(searched.codes, model.codes_)


def test_rules_learn_on_what_the_decoder_says_out_of_sample(digits):
    train, _ = digits

    class Told(Bare):
        def out_of_sample(self):
            return OutOfSample(np.array([3, 5]), np.array([[0.9] * 10, [0.2] * 10]))

    model = LabelSpaceClassifier(decoder=Told(), decision="micro").fit(train.X, train.Y)
    told = Told().out_of_sample()
    layer = DecisionLayer("micro").fit(told, train.Y)
    assert model.decisions_.rules_["micro"].threshold_ == layer.rules_["micro"].threshold_


def test_parameters_of_default_parts_are_reached_by_nested_names():
    model = LabelSpaceClassifier()
    listed = model.get_params()
    assert listed["regressor"] is None
    assert (listed["regressor__alpha"], listed["decoder__min_rows"]) == ("auto", 30)
    assert model.set_params(decoder__min_rows=9, random_state=1).decoder.min_rows == 9
    assert (model.regressor, model.random_state) == (None, 1)
    assert clone(model).get_params()["decoder__min_rows"] == 9
    model.set_params(decoder=MLkNNDecoder(3), decoder__smoothing=2.0)
    assert (model.decoder.n_neighbors, model.decoder.smoothing) == (3, 2.0)
    model.set_params(decoder=None, decoder__min_rows=5)
    assert model.decoder.min_rows == 5
    with pytest.raises(ValueError, match="Invalid parameter 'k'"):
        model.set_params(regressor__k=3)


def test_a_grid_can_search_default_parts(digits):
    train, _ = digits
    search = GridSearchCV(
        LabelSpaceClassifier(decoder=MLkNNDecoder(), random_state=0),
        {"regressor__alpha": [0.1, 1e6], "decoder__n_neighbors": [5, 10]},
        cv=3,
    ).fit(train.X, train.Y.toarray())
    assert search.best_estimator_.regressor_.alpha_ == search.best_params_["regressor__alpha"]
    assert len(set(search.cv_results_["mean_test_score"])) > 1


@pytest.mark.parametrize("part", ["encoder", "regressor", "decoder"])
def test_what_is_no_part_is_named(part, digits):
    train, _ = digits
    with pytest.raises(ValueError, match=f"{part} must be .*; got StandardScaler"):
        LabelSpaceClassifier(**{part: _NoPart()}).fit(train.X, train.Y)


class _NoPart(BaseEstimator):
    def __repr__(self, **_):
        return "StandardScaler of something else"


def test_plst_can_be_written_from_public_parts(digits):
    train, test = digits
    written = LabelSpaceClassifier(PrincipalEncoder(0.5), LinearRidge(), InverseDecoder(), tau=0)
    found = written.fit(train.X, train.Y).decision_function(test.X)
    expected = PLST(0.5).fit(train.X, train.Y).decision_function(test.X)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_paper_can_be_written_from_public_parts(digits):
    train, test = digits
    written = LabelSpaceClassifier(
        DistributionEncoder(100),
        KernelLogisticRegression(alpha="auto"),
        MLkNNDecoder(),
        codes="fitted",
        random_state=0,
    )
    found = written.fit(train.X, train.Y).predict_proba(test.X)
    expected = PaperDLST(random_state=0).fit(train.X, train.Y).predict_proba(test.X)
    assert found.tobytes() == expected.tobytes()


def test_ridge_and_the_linear_decoder_on_the_full_code_are_ridge_on_labels(digits):
    train, test = digits
    model = LabelSpaceClassifier(
        regressor=Ridge(alpha=10.0), decoder=LinearDecoder(), tau=0, scaling="none"
    ).fit(train.X, train.Y)
    expected = Ridge(alpha=10.0).fit(train.X, train.Y.toarray()).predict(test.X)
    np.testing.assert_allclose(model.decision_function(test.X), expected, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(test.X), np.clip(expected, 0, 1), atol=1e-10)


def test_which_training_codes_the_decoder_sees(digits):
    train, _ = digits
    seen = {
        codes: LabelSpaceClassifier(codes=codes, random_state=0).fit(train.X, train.Y)
        for codes in ("out-of-sample", "fitted", "targets")
    }
    np.testing.assert_array_equal(seen["targets"].codes_, FullCode().fit_transform(train.Y))
    np.testing.assert_allclose(seen["fitted"].codes_, seen["fitted"].transform(train.X), atol=1e-12)
    loo = seen["out-of-sample"]
    np.testing.assert_array_equal(loo.codes_, loo.regressor_.loo_predictions_)


def test_a_regressor_without_leave_one_out_is_cross_fitted(digits):
    train, _ = digits
    model = LabelSpaceClassifier(regressor=Ridge(1.0), scaling="none").fit(train.X, train.Y)
    fitted = model.regressor_.predict(train.X)
    Z = FullCode().fit_transform(train.Y)
    assert ((model.codes_ - Z) ** 2).mean() > 1.2 * ((fitted - Z) ** 2).mean()


def test_an_unknown_choice_of_codes_is_named(digits):
    train, _ = digits
    with pytest.raises(ValueError, match=r"codes must be .* out-of-sample, .*; got 'best'"):
        LabelSpaceClassifier(codes="best").fit(train.X, train.Y)


@pytest.mark.parametrize("decoder", [EvidenceDecoder(), VoteDecoder()], ids=["evidence", "vote"])
def test_scores_do_not_depend_on_the_rotation_of_the_codes(decoder, digits):
    train, test = digits
    found = [
        LabelSpaceClassifier(Rotated(seed), decoder=decoder, random_state=0)
        .fit(train.X, train.Y)
        .predict_proba(test.X)
        for seed in (None, 1, 2)
    ]
    np.testing.assert_allclose(found[1], found[0], atol=1e-8)
    np.testing.assert_allclose(found[2], found[0], atol=1e-8)


def test_contributions_add_up_to_the_logit_of_the_probability(fitted, digits):
    _, test = digits
    explanation = fitted.explain(test.X)
    assert explanation.contributions.shape == (60, 10, 3)
    assert set(explanation.sources) == {"direct", "code vote", "feature vote"}
    total = explanation.intercept + explanation.contributions.sum(axis=2)
    np.testing.assert_allclose(total, logit(fitted.predict_proba(test.X)), atol=1e-10)
    table = explanation.to_frame(fitted.label_names_)
    summed = table.groupby(["row", "label"], sort=False)["contribution"].sum().to_numpy()
    np.testing.assert_allclose(summed.reshape(60, 10), total, atol=1e-10)


def test_explanations_hold_constant_labels_and_rows_as_given_to_fit(with_gaps, digits):
    model, Y = with_gaps
    train, test = digits
    explanation = model.explain(test.X)
    P = model.predict_proba(test.X)
    assert explanation.contributions.shape == (60, 12, 3)
    np.testing.assert_array_equal(explanation.constant, [True] + [False] * 10 + [True])
    np.testing.assert_allclose(explanation.probability, P, atol=1e-12)
    varying = np.arange(1, 11)
    np.testing.assert_allclose(explanation.logit[:, varying], logit(P[:, varying]), atol=1e-10)
    assert (explanation.contributions[:, [0, 11]] == 0).all()
    labelled = set(np.flatnonzero(~np.isnan(Y).all(axis=1)).tolist())
    for votes in explanation.neighbours.values():
        assert set(votes.indices.ravel().tolist()) <= labelled
    # Rows given to fit: the nearest in feature space lie as far as the explanation says.
    votes = explanation.neighbours["feature vote"]
    rows = model.scaler_.transform(train.X)[votes.indices]
    distances = np.linalg.norm(rows - model.scaler_.transform(test.X)[:, None], axis=2)
    np.testing.assert_allclose(votes.distances, distances, atol=1e-6)


@pytest.mark.parametrize("role", ["encoder", "regressor", "decoder"])
@pytest.mark.parametrize("part", ["ridge", 3])
def test_what_is_no_part_is_refused_by_its_role(role, part, digits):
    with pytest.raises(ValueError, match=f"{role} must be an? .*; got {part!r}"):
        LabelSpaceClassifier(**{role: part}).fit(digits[0].X, digits[0].Y)


def test_what_cannot_be_explained_says_so(digits):
    train, test = digits
    model = LabelSpaceClassifier(decoder=LinearDecoder()).fit(train.X, train.Y)
    with pytest.raises(DataError, match="LinearDecoder does not explain its scores"):
        model.explain(test.X)
    with pytest.warns(UserWarning, match="only one value"):
        constant = LabelSpaceClassifier().fit(train.X, np.ones((250, 2)))
    with pytest.raises(DataError, match="every label is constant"):
        constant.explain(test.X)
    assert constant.transform(test.X).shape == (60, 0)
    assert list(constant.get_feature_names_out()) == []


def test_transform_gives_named_codes(fitted, digits):
    _, test = digits
    codes = fitted.transform(test.X)
    assert codes.shape == (60, 10)
    assert fitted.get_feature_names_out().tolist() == [f"code{i}" for i in range(10)]
    np.testing.assert_array_equal(
        codes, fitted.regressor_.predict(fitted.scaler_.transform(test.X))
    )


def test_transform_gives_a_frame_when_asked(digits):
    train, test = digits
    model = LabelSpaceClassifier(DistributionEncoder(3), random_state=0)
    frame = model.set_output(transform="pandas").fit(train.X, train.Y).transform(test.X)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["code0", "code1", "code2"]


def test_codes_can_feed_the_next_step_of_a_pipeline(digits):
    train, test = digits
    pipeline = make_pipeline(LabelSpaceClassifier(random_state=0), Ridge())
    pipeline.fit(train.X, train.Y.toarray())
    assert pipeline.predict(test.X).shape == (60, 10)


def test_the_label_map_places_each_label_at_the_mean_of_its_rows(fitted, digits):
    train, _ = digits
    table = fitted.label_map()
    assert table.columns.tolist() == [
        *(f"code{i}" for i in range(10)),
        "frequency",
        "nearest",
        "correlation",
    ]
    assert table.index.tolist() == [f"label{j}" for j in range(10)]
    Y = train.Y.toarray()
    assert table["frequency"].tolist() == Y.sum(axis=0).tolist()
    centred = fitted.codes_ - fitted.codes_.mean(axis=0)
    centres = np.array([centred[Y[:, j] == 1].mean(axis=0) for j in range(10)])
    np.testing.assert_allclose(table.iloc[:, :10].to_numpy(float), centres, atol=1e-10)
    directions = centres / np.linalg.norm(centres, axis=1, keepdims=True)
    for j in range(10):
        cosines = [-np.inf if i == j else directions[i] @ directions[j] for i in range(10)]
        assert table["nearest"].iloc[j] == f"label{int(np.argmax(cosines))}"
        assert table["correlation"].iloc[j] == pytest.approx(max(cosines))


def test_the_label_map_holds_the_labels_that_vary(with_gaps):
    model, _ = with_gaps
    assert model.label_map().index.tolist() == [f"label{j}" for j in range(1, 11)]


def test_the_label_map_of_one_label_has_no_nearest(digits):
    train, _ = digits
    table = LabelSpaceClassifier(random_state=0).fit(train.X, train.Y[:, [1]]).label_map()
    assert table["nearest"].tolist() == [None]
    assert np.isnan(table["correlation"].iloc[0])


def test_parts_without_a_seed_get_one_and_others_keep_theirs(digits):
    train, _ = digits
    model = LabelSpaceClassifier(
        regressor=KernelRidge(n_basis=50, random_state=7), random_state=0
    ).fit(train.X, train.Y)
    assert model.regressor_.random_state == 7
    assert isinstance(model.decoder_.random_state, int)
    assert model.decoder is None
    sampled = [
        LabelSpaceClassifier(regressor=KernelRidge(n_basis=50), random_state=seed)
        .fit(train.X, train.Y)
        .predict_proba(train.X[:5])
        for seed in (0, 0, np.random.RandomState(0), 1)
    ]
    assert sampled[0].tobytes() == sampled[1].tobytes() == sampled[2].tobytes()
    assert not np.array_equal(sampled[0], sampled[3])


def test_the_default_composition_is_dlst_with_the_full_code(digits):
    train, test = digits
    composed = LabelSpaceClassifier(
        regressor=KernelRidge(gamma="auto", alpha="auto"), random_state=0
    ).fit(train.X, train.Y)
    dlst = DLST(DistributionEncoder(), random_state=0).fit(train.X, train.Y)
    np.testing.assert_allclose(
        composed.predict_proba(test.X), dlst.predict_proba(test.X), atol=1e-6
    )
