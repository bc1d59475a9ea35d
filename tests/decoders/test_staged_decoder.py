"""The staged decoder: by loops, choices by what they add, unknown labels, few rows, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, RegressorMixin

from dlst.decoders import StagedDecoder
from dlst.decoders import staged as module
from dlst.decoders.calibration import fit_logistic, mean_log_loss
from dlst.decoders.evidences import offered_votes
from dlst.decoders.evidences.contract import EvidenceCache
from dlst.encoders import FullCode, PrincipalEncoder, SignCode
from dlst.errors import DataError
from dlst.regressors import as_regressor

SIGNS = SignCode().fit(np.zeros((1, 4)))


def problem(n=150, K=4, d=12, seed=0, noise=0.6):
    """Scores that know the labels a little, features that know them too."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 3))
    Y = (hidden @ rng.normal(size=(3, K)) + 0.5 * rng.normal(size=(n, K)) > 0.8).astype(float)
    codes = np.clip(2 * Y - 1, -0.6, 0.2) + noise * rng.normal(size=(n, K))
    X = sp.csr_array(np.maximum(hidden @ rng.normal(size=(3, d)), 0))
    return codes, Y, X


def slow_vote(squared, k, Y, prior, sharpness):
    """Vote row by row: weights fall with the distance, and the prior has one vote."""
    votes = np.empty((len(squared), Y.shape[1]))
    for i, distances in enumerate(squared):
        order = np.argsort(distances, kind="stable")
        weights = (1 - distances[order[:k]] / distances[order[k]]) ** sharpness + 1e-6
        share = weights @ Y[order[:k]] / weights.sum()
        n_eff = weights.sum() ** 2 / (weights**2).sum()
        votes[i] = (n_eff * share + prior) / (n_eff + 1)
    return logit(np.clip(votes, 1e-3, 1 - 1e-3))


def slow_link(codes, scale):
    share = (codes + 1) / 2
    return np.log(np.log1p(np.exp(share / scale))) - np.log(np.log1p(np.exp((1 - share) / scale)))


@pytest.mark.parametrize(
    ("n_axes", "sharpness", "k_grid"),
    [(2, 1, [12]), (10, 1, [12]), (10, 3, [12]), (10, 3, [3, 12])],
)
def test_it_is_what_the_definition_says(n_axes, sharpness, k_grid, monkeypatch):
    if sharpness == 3:
        monkeypatch.setattr("dlst.decoders.evidences.offered_votes.SHARP_ABOVE", 3)
    codes, Y, X = problem(n=100)
    rho, n = 0.1, 100
    decoder = StagedDecoder(k_grid=k_grid, rho_grid=[rho], n_axes=n_axes, least_gain=-1)
    decoder.fit(codes, Y, X=X, encoder=SIGNS)
    *among_codes, k_features = [part.k_ for part in decoder.evidences_[1:]]
    # Of more voters and many labels, the nearest have another vote.
    assert among_codes == k_grid[::-1]
    prior = (Y.sum(axis=0) + 0.5) / (n + 1)
    scale = np.array([((codes[Y[:, j] == 0, j] + 1) / 2).std() + 1e-3 for j in range(4)])
    direct = slow_link(codes, scale)
    intercept, slope = fit_logistic(direct[None], Y)
    roots = np.sqrt(expit(intercept + slope[0] * direct))
    centred = roots - roots.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:n_axes].T
    voters = (1 - rho) * centred @ axes + rho * (Y - roots.mean(axis=0)) @ axes
    near = ((centred @ axes)[:, None] - voters[None]) ** 2
    unit = X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True)
    votes = []
    among = [(k, near.sum(axis=2)) for k in among_codes]
    for k, squared in (*among, (k_features, 2 - 2 * unit @ unit.T)):
        np.fill_diagonal(squared, np.inf)
        votes.append(slow_vote(squared, k, Y, prior, sharpness))
    evidence = np.stack([direct, *votes])
    intercepts, slopes = fit_logistic(evidence, Y)
    logits = intercepts + np.tensordot(slopes, evidence, axes=1)
    np.testing.assert_allclose(decoder.slopes_, slopes, atol=1e-3)
    np.testing.assert_allclose(decoder.out_of_sample_proba_, expit(logits), atol=1e-3)


def test_of_many_labels_more_rows_are_offered_a_vote(monkeypatch):
    codes, Y, X = problem(n=800)
    asked = {}
    for name, above in (("few", 100), ("many", 3)):
        monkeypatch.setattr("dlst.decoders.evidences.offered_votes.SHARP_ABOVE", above)
        decoder = StagedDecoder(least_gain=-1, random_state=0)
        decoder.fit(codes, Y, X=X, encoder=SIGNS)
        vote = decoder.evidences_[1]
        asked[name] = max(vote.k_grid), vote.ballot_.sharpness
    assert asked == {"few": (320, 1), "many": (1280, 3)}


def test_new_rows_go_the_same_way_as_calibration_rows():
    codes, Y, X = problem(n=200)
    decoder = StagedDecoder(k_grid=[15], least_gain=-1, random_state=0)
    decoder.fit(codes[1:], Y[1:], X=X[1:], encoder=SIGNS)
    scores = decoder.scores(codes[:1], X=X[:1])
    found = decoder.explain(codes[:1], X=X[:1])
    np.testing.assert_allclose(found.probability, scores.probabilities)
    np.testing.assert_allclose(scores.ranking, logit(scores.probabilities))
    assert found.sources == ("direct", "code vote", "feature vote")
    assert found.neighbours["feature vote"].indices.shape == (1, 15)
    assert decoder.searched() is None


def test_the_nearest_voters_are_searched_once_and_go_the_same_way_too(monkeypatch):
    monkeypatch.setattr(offered_votes, "SHARP_ABOVE", 3)
    codes, Y, X = problem(n=400)
    decoder = StagedDecoder(n_queries=200, n_pilots=80, least_gain=-1, random_state=0)
    decoder.fit(codes, Y, X=X, encoder=SIGNS)
    wide, near = decoder.evidences_[1:3]
    assert (wide.name, near.name) == ("code vote", "near code vote")
    assert near.k_ < wide.k_
    searches = []
    search = offered_votes.nearest_codes
    monkeypatch.setattr(
        offered_votes,
        "nearest_codes",
        lambda *given, **more: searches.append(1) or search(*given, **more),
    )
    scores = decoder.scores(codes[:5], X=X[:5])
    assert len(searches) == 1
    found = decoder.explain(codes[:5], X=X[:5])
    np.testing.assert_allclose(found.probability, scores.probabilities)
    voters = {name: votes.indices for name, votes in found.neighbours.items()}
    np.testing.assert_array_equal(voters["near code vote"], voters["code vote"][:, : near.k_])
    queries = wide.space_of_codes.transform(codes[:5], X[:5], EvidenceCache())
    squared = ((queries[:, None] - wide.voters_) ** 2).sum(axis=2)
    alone = slow_vote(squared, near.k_, Y, (Y.sum(axis=0) + 0.5) / 401, 3)
    np.testing.assert_allclose(near.values(codes[:5], X[:5]), alone, atol=1e-7)


def test_nearest_voters_that_add_nothing_are_sent_home(monkeypatch):
    monkeypatch.setattr(offered_votes, "SHARP_ABOVE", 3)
    monkeypatch.setattr(offered_votes.NearVote, "cost", 1e9)
    codes, Y, X = problem(n=400)
    decoder = StagedDecoder(feature_vote=False, random_state=0).fit(codes, Y, X=X, encoder=SIGNS)
    assert not decoder.evidence_choice_["near code vote"]["kept"]
    assert [part.name for part in decoder.evidences_] == ["direct", "code vote"]


def test_each_vote_takes_what_adds_most_to_those_before_it():
    codes, Y, X = problem(n=300)
    decoder = StagedDecoder(k_grid=[5, 20, 60], rho_grid=[0.0, 0.2], least_gain=-1)
    decoder.fit(codes, Y, X=X, encoder=SIGNS)
    chosen = decoder.evidence_choice_
    losses = {}
    for k in (5, 20, 60):
        for rho in (0.0, 0.2):
            alone = StagedDecoder(
                k_grid=[k], rho_grid=[rho], feature_vote=False, least_gain=-1
            ).fit(codes, Y, encoder=SIGNS)
            losses[k, rho] = alone.evidence_choice_["code vote"]["log_loss"]
    best = min(losses, key=losses.get)
    assert best == (chosen["code vote"]["k"], chosen["code vote"]["rho"])
    assert chosen["code vote"]["log_loss"] == pytest.approx(losses[best])
    assert chosen["feature vote"]["log_loss"] < losses[best] < chosen["direct"]["log_loss"]


def test_a_vote_that_adds_nothing_is_dropped_and_said():
    codes, Y, _ = problem(n=400)
    noise = sp.csr_array(np.random.default_rng(5).random((400, 30)))
    decoder = StagedDecoder(k_grid=[20], random_state=0).fit(codes, Y, X=noise, encoder=SIGNS)
    assert not decoder.evidence_choice_["feature vote"]["kept"]
    assert decoder.evidence_choice_["feature vote"]["gain"] < 0.001
    assert [part.name for part in decoder.evidences_] == ["direct", "code vote"]


def test_unknown_labels_neither_vote_nor_weigh():
    codes, Y, X = problem(n=300)
    hidden = np.random.default_rng(2).random(Y.shape) < 0.3
    decoder = StagedDecoder(k_grid=[20], least_gain=-1, random_state=0)
    with_nan = decoder.fit(codes, np.where(hidden, np.nan, Y), X=X, encoder=SIGNS).scores(
        codes, X=X
    )
    flipped = np.where(hidden, 1 - Y, Y)
    complete = StagedDecoder(k_grid=[20], least_gain=-1, random_state=0).fit(
        codes, Y, X=X, encoder=SIGNS
    )
    wrong = StagedDecoder(k_grid=[20], least_gain=-1, random_state=0).fit(
        codes, flipped, X=X, encoder=SIGNS
    )
    truth = complete.scores(codes, X=X).probabilities
    gap = np.abs(with_nan.probabilities - truth).mean()
    assert gap < 0.5 * np.abs(wrong.scores(codes, X=X).probabilities - truth).mean()


def test_rows_and_pilots_are_drawn_within_their_limits(monkeypatch):
    codes, Y, X = problem(n=300)
    monkeypatch.setattr(module, "STACK_ENTRIES", 4 * 120)
    monkeypatch.setattr(module, "PILOT_ENTRIES", 4 * 50)
    monkeypatch.setattr(module, "LEAST_ROWS", 1)
    decoder = StagedDecoder(k_grid=[20], random_state=0).fit(codes, Y, X=X, encoder=SIGNS)
    rows, probabilities, _ = decoder.out_of_sample()
    assert rows.shape == (120,)
    assert probabilities.shape == (120, 4)
    again = StagedDecoder(k_grid=[20], random_state=0, n_jobs=2).fit(codes, Y, X=X, encoder=SIGNS)
    np.testing.assert_array_equal(again.out_of_sample().rows, rows)
    np.testing.assert_array_equal(again.out_of_sample().probabilities, probabilities)


def test_few_rows_are_read_by_their_scores_alone():
    codes, Y, X = problem(n=20)
    decoder = StagedDecoder().fit(codes, Y, X=X, encoder=SIGNS)
    assert [part.name for part in decoder.evidences_] == ["direct"]
    probabilities = decoder.predict_proba([[-1.0, 0.0, 1.0, 3.0]], X=X[:1])
    assert np.all(np.diff(probabilities[0, ~decoder.constant_]) > 0)


def test_a_constant_label_keeps_its_prevalence():
    codes, Y, X = problem(n=100)
    Y[:, 1], Y[:, 2] = 0, 1
    decoder = StagedDecoder(k_grid=[10]).fit(codes, Y, X=X, encoder=SIGNS)
    assert np.all(decoder.predict_proba(codes, X=X)[:, 1:3] == [0, 1])
    nothing = StagedDecoder().fit(codes, np.ones_like(Y), X=X, encoder=SIGNS)
    assert np.all(nothing.predict_proba(codes, X=X) == 1)


def test_the_feature_vote_needs_features():
    codes, Y, _ = problem()
    with pytest.raises(ValueError, match="feature_vote=False and second=None"):
        StagedDecoder().fit(codes, Y, encoder=SIGNS)
    with pytest.raises(DataError, match=r"must have a linear encoder.*got FullCode\(\)"):
        StagedDecoder().fit(codes, Y, encoder=FullCode())


def test_the_log_loss_of_a_stack_is_that_of_its_probabilities():
    codes, Y, _ = problem()
    known = np.random.default_rng(0).random(Y.shape) < 0.7
    evidence = np.stack([codes, codes**2])
    intercepts, slopes = fit_logistic(evidence, Y, known)
    p = expit(intercepts + np.tensordot(slopes, evidence, axes=1))
    losses = -np.log(np.where(Y == 1, p, 1 - p))
    found = mean_log_loss(intercepts, slopes, evidence, Y, known)
    assert found == pytest.approx(losses[known].mean())


def test_codes_of_any_linear_encoder_are_read_by_its_inverse():
    _, Y, X = problem()
    encoder = PrincipalEncoder(3).fit(Y)
    Z = encoder.transform(Y) + 0.3 * np.random.default_rng(0).normal(size=(150, 3))
    one = StagedDecoder(k_grid=[10], random_state=0).fit(Z, Y, X=X, encoder=encoder)
    signs = 2 * encoder.inverse_transform(Z) - 1
    two = StagedDecoder(k_grid=[10], random_state=0).fit(signs, Y, X=X, encoder=SIGNS)
    np.testing.assert_allclose(one.predict_proba(Z, X=X), two.predict_proba(signs, X=X), atol=1e-8)


class Oracle(RegressorMixin, BaseEstimator):
    """A regressor whose first features are the signs; it counts its fits."""

    def fit(self, X, y):
        assert np.isin(y[np.isfinite(y)], (-1, 1)).all()
        self.n_rows_ = len(y)
        self.n_targets_ = y.shape[1]
        return self

    def predict(self, X):
        return X.toarray()[:, : self.n_targets_]


def test_a_second_opinion_joins_and_makes_codes_where_it_knows_more():
    codes, Y, X = problem(n=300, noise=1.5)
    rng = np.random.default_rng(4)
    hints = sp.csr_array(np.hstack([2 * Y - 1 + 0.4 * rng.normal(size=Y.shape), X.toarray()]))
    alone = StagedDecoder(random_state=0).fit(codes, Y, X=hints, encoder=SIGNS)
    decoder = StagedDecoder(second=as_regressor(Oracle()), random_state=0).fit(
        codes, Y, X=hints, encoder=SIGNS
    )
    assert decoder.evidence_choice_["second opinion"]["kept"]
    assert [part.name for part in decoder.evidences_][:2] == ["direct", "second opinion"]
    assert decoder.evidences_[1].regressor_.estimator_.n_rows_ == 300
    losses = [np.abs(Y - found.out_of_sample_proba_).mean() for found in (decoder, alone)]
    assert losses[0] < 0.8 * losses[1]
    again = decoder.predict_proba(codes[:5], X=hints[:5])
    np.testing.assert_allclose(again > 0.5, Y[:5] == 1)


def test_a_second_opinion_that_knows_nothing_is_sent_home():
    codes, Y, _ = problem(n=2000, noise=0.3)
    noise = sp.csr_array(np.random.default_rng(5).normal(size=(2000, 6)))
    decoder = StagedDecoder(second=as_regressor(Oracle()), feature_vote=False, random_state=0)
    decoder.fit(codes, Y, X=noise, encoder=SIGNS)
    assert not decoder.evidence_choice_["second opinion"]["kept"]
    assert [part.name for part in decoder.evidences_] == ["direct", "code vote"]


def test_a_walk_ends_where_no_step_of_one_choice_is_better():
    asked = []

    def loss(at):
        asked.append((at["k"], at["rho"]))
        return (np.log2(at["k"]) - 5) ** 2 + 3 * (at["rho"] - 0.1) ** 2

    found = module.climbed({"k": [4, 8, 16, 32, 64, 128], "rho": [0.0, 0.1, 0.2]}, loss)
    assert found == (0.0, {"k": 32, "rho": 0.1})
    assert len(asked) == len(set(asked)) < 18
    assert module.climbed({}, lambda at: 7.0) == (7.0, {})
