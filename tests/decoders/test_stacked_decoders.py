"""The vote and evidence decoders: calibration, fallback, unknown labels, explanations, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from decoder_problems import NAN, RidgeSmoother, csr, planted, refit, slow_vote
from scipy.special import logit
from sklearn.base import clone

from dlst.decoders import DirectReadout, Evidence, EvidenceDecoder, VoteDecoder, clipped_logit
from dlst.decoders.calibration import fit_logistic
from dlst.decoders.evidences.direct import stretched_logit
from dlst.errors import DataError

SMALL = {"k_grid": (3, 6, 12), "rho_grid": (0.0, 0.2)}


def fitted(decoder, problem, **changes):
    X, Y, Z, smoother, codes = problem
    given = {"targets": Z, "X": X, "smoother": smoother} | changes
    return decoder.fit(codes, csr(Y), **given)


def new_rows(problem, n=20, seed=9):
    X, _, Z, smoother, _ = problem
    X_new = np.random.default_rng(seed).normal(size=(n, X.shape[1]))
    return smoother.predict(X_new, smoother.regress(Z)), X_new


def test_left_out_probabilities_come_from_refits_without_the_row():
    """Everything that a calibration row is judged by, done again by refits, loops and searches."""
    X, Y, Z, _, codes = problem = planted(n=36, K=3, d=2)
    k, rho, n = 5, 0.2, 36
    decoder = fitted(EvidenceDecoder(k_grid=[k], rho_grid=[rho]), problem)
    prior = (Y.sum(axis=0) + 0.5) / (n + 1)
    read = np.array([refit(X, Y, np.delete(np.arange(n), i), i) for i in range(n)])
    scale = np.array([read[Y[:, j] == 0, j].std() + 1e-3 for j in range(3)])
    direct = np.log(np.log1p(np.exp(read / scale))) - np.log(np.log1p(np.exp((1 - read) / scale)))
    votes = []
    for space in ("codes", "features"):
        squared = np.full((n, n), np.inf)
        for i in range(n):
            for j in set(range(n)) - {i}:
                if space == "features":
                    squared[i, j] = ((X[i] - X[j]) ** 2).sum()
                else:
                    code = refit(X, Z, np.delete(np.arange(n), [i, j]), j)
                    squared[i, j] = ((codes[i] - (1 - rho) * code - rho * Z[j]) ** 2).sum()
        order = np.argsort(squared, axis=1)[:, : k + 1]
        share = slow_vote(order, np.take_along_axis(squared, order, axis=1), k, Y, prior)
        votes.append(logit(np.clip(share, 1e-3, 1 - 1e-3)))
    evidence = np.stack([direct, *votes])
    intercepts, slopes = fit_logistic(evidence, Y)
    expected = 1 / (1 + np.exp(-intercepts - np.tensordot(slopes, evidence, axes=1)))
    np.testing.assert_allclose(decoder.slopes_, slopes, atol=1e-5)
    np.testing.assert_allclose(decoder.out_of_sample_proba_, expected, atol=1e-5)


def test_k_and_rho_are_those_with_the_least_left_out_log_loss():
    problem = planted(n=60)
    decoder = fitted(VoteDecoder(**SMALL), problem)
    vote = decoder.vote_
    assert vote.log_loss_.shape == (2, 3)
    alone = [
        [fitted(VoteDecoder([k], [rho]), problem).log_loss_ for k in (3, 6, 12)]
        for rho in (0.0, 0.2)
    ]
    np.testing.assert_allclose(vote.log_loss_, alone)
    place = np.unravel_index(np.argmin(alone), (2, 3))
    assert (vote.rho_, vote.k_) == ((0.0, 0.2)[place[0]], (3, 6, 12)[place[1]])
    assert decoder.log_loss_ == np.min(alone)


def test_new_rows_meet_the_blended_data_base():
    _, Y, Z, _, codes = problem = planted(n=50, K=3)
    decoder = fitted(VoteDecoder([7], [0.3]), problem)
    C, _ = new_rows(problem)
    base = 0.7 * codes + 0.3 * Z
    squared = ((C[:, None] - base[None]) ** 2).sum(axis=2)
    order = np.argsort(squared, axis=1)[:, :8]
    prior = (Y.sum(axis=0) + 0.5) / 51
    votes = slow_vote(order, np.take_along_axis(squared, order, axis=1), 7, Y, prior)
    expected = decoder.intercept_ + decoder.slopes_[0] * logit(np.clip(votes, 1e-3, 1 - 1e-3))
    np.testing.assert_allclose(decoder.decision_function(C), expected, atol=1e-9)


def test_without_a_smoother_neighbours_are_searched_among_the_codes_left_out():
    _, Y, Z, _, codes = planted(n=40, K=3)
    decoder = VoteDecoder([4], [0.2]).fit(codes, Y, targets=Z)
    base = 0.8 * codes + 0.2 * Z
    squared = ((codes[:, None] - base[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    order = np.argsort(squared, axis=1)[:, :5]
    prior = (Y.sum(axis=0) + 0.5) / 41
    votes = slow_vote(order, np.take_along_axis(squared, order, axis=1), 4, Y, prior)
    loss = -np.log(np.where(Y == 1, votes, 1 - votes)).mean()
    assert decoder.log_loss_ == pytest.approx(loss)
    assert VoteDecoder(**SMALL).fit(codes, Y).vote_.rho_grid_ == (0.0,)


def test_rotated_codes_give_the_same_probabilities():
    X, Y, Z, smoother, codes = problem = planted(n=60, K=4)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    C, X_new = new_rows(problem)
    plain = fitted(EvidenceDecoder(**SMALL), problem)
    turned = fitted(EvidenceDecoder(**SMALL), (X, Y, Z @ turn, smoother, codes @ turn))
    np.testing.assert_allclose(
        plain.predict_proba(C, X=X_new), turned.predict_proba(C @ turn, X=X_new), atol=1e-8
    )


def test_probabilities_are_better_than_the_prior():
    problem = planted(n=200, seed=4)
    X, _, Z, _, _ = problem
    for decoder in (VoteDecoder(), EvidenceDecoder()):
        Y = problem[1][:120]
        part = RidgeSmoother(X[:120])
        Z = Y - Y.mean(axis=0)
        decoder.fit(part.leave_one_out(Z), Y, targets=Z, X=X[:120], smoother=part)
        C = part.predict(X[120:], part.regress(Z))
        P, truth = decoder.predict_proba(C, X=X[120:]), problem[1][120:]
        loss = -np.log(np.where(truth == 1, P, 1 - P)).mean()
        prior = Y.mean(axis=0)
        base = -np.log(np.where(truth == 1, prior, 1 - prior)).mean()
        assert loss < 0.8 * base
        assert (decoder.slopes_ >= 0).all()


def test_ranking_scores_are_logits():
    problem = planted(n=60)
    C, X_new = new_rows(problem)
    found = fitted(EvidenceDecoder(**SMALL), problem).scores(C, X=X_new)
    np.testing.assert_allclose(logit(found.probabilities), found.ranking, atol=1e-9)


def test_few_rows_fall_back_to_the_direct_read_out():
    _, Y, _, smoother, _ = problem = planted(n=29, K=4)
    C, X_new = new_rows(problem)
    decoder = fitted(EvidenceDecoder(), problem)
    assert [evidence.name for evidence in decoder.evidences_] == ["direct"]
    read = smoother.predict(X_new, smoother.regress(Y))
    scores = decoder.decision_function(C, X=X_new)
    np.testing.assert_array_equal(np.argsort(scores, axis=None), np.argsort(read, axis=None))
    inside = (read > 0.2) & (read < 0.8)
    P = decoder.predict_proba(C, X=X_new)
    np.testing.assert_allclose(P[inside], read[inside], atol=0.02)
    assert decoder.out_of_sample_proba_.shape == (29, 4)
    assert len(fitted(EvidenceDecoder(min_rows=29), problem).evidences_) == 3
    Y[:2] = NAN
    assert len(fitted(EvidenceDecoder(min_rows=28), problem).evidences_) == 1


def test_unknown_entries_neither_vote_nor_calibrate():
    problem = planted(n=70, K=4, unknown=0.2, seed=1)
    C, X_new = new_rows(problem)
    decoder = fitted(EvidenceDecoder(**SMALL), problem)
    P = decoder.predict_proba(C, X=X_new)
    assert np.isfinite(P).all()
    _, Y, _, _, codes = problem
    # A row that nothing is known of, anywhere in the data base, changes no vote.
    far = np.vstack([codes, codes[:1]]), np.vstack([Y, np.full((1, 4), NAN)])
    with_row = VoteDecoder(**SMALL).fit(*far)
    without = VoteDecoder(**SMALL).fit(codes, Y)
    np.testing.assert_array_equal(with_row.predict_proba(C), without.predict_proba(C))
    np.testing.assert_array_equal(with_row.calibration_rows_, np.arange(70))


def test_the_read_out_replaces_unknown_entries_by_the_mean_of_their_label():
    _, Y, _, smoother, _ = problem = planted(n=50, K=3, unknown=0.3)
    decoder = fitted(EvidenceDecoder(code_vote=False, feature_vote=False), problem)
    filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
    left_out = smoother.leave_one_out(filled)
    scale = np.array([left_out[Y[:, j] == 0, j].std() + 1e-3 for j in range(3)])
    np.testing.assert_allclose(decoder.evidences_[0].link_scale_, scale)
    C, X_new = new_rows(problem)
    read = smoother.predict(X_new, smoother.regress(filled))
    expected = decoder.intercept_ + decoder.slopes_[0] * stretched_logit(read, scale)
    np.testing.assert_allclose(logit(decoder.predict_proba(C, X=X_new)), expected)


def test_blocks_of_labels_change_nothing(monkeypatch):
    problem = planted(n=50, K=5)
    C, X_new = new_rows(problem)
    for smoother in (problem[3], None):
        whole = fitted(EvidenceDecoder(**SMALL), problem, smoother=smoother)
        with monkeypatch.context() as patch:
            patch.setattr("dlst.decoders.evidences.direct.LABEL_BLOCK_ENTRIES", 100)
            cut = fitted(EvidenceDecoder(**SMALL), problem, smoother=smoother)
        np.testing.assert_allclose(
            whole.predict_proba(C, X=X_new), cut.predict_proba(C, X=X_new), atol=1e-6
        )


def test_without_a_smoother_the_read_out_is_a_ridge_on_the_codes():
    _, Y, _, _, codes = planted(n=40, K=3)
    decoder = EvidenceDecoder(code_vote=False, feature_vote=False).fit(codes, Y)
    ridge = decoder.evidences_[0].smoother_
    for i in (0, 17):
        kept = np.delete(np.arange(40), i)
        expected = refit(codes, Y, kept, i, penalty=ridge.alpha)
        np.testing.assert_allclose(ridge.leave_one_out(Y)[i], expected, atol=1e-10)
    everything = refit(codes, Y, np.arange(40), np.arange(40), penalty=ridge.alpha)
    np.testing.assert_allclose(ridge.predict(codes, ridge.regress(Y)), everything, atol=1e-10)
    assert decoder.predict_proba(codes).shape == (40, 3)


def test_constant_codes_leave_the_prevalence():
    Y = (np.arange(40) % 4 == 0).astype(float)[:, None]
    decoder = EvidenceDecoder(feature_vote=False).fit(np.zeros((40, 2)), Y)
    np.testing.assert_allclose(decoder.predict_proba(np.zeros((1, 2))), 0.25, atol=0.1)


def test_constant_labels_get_their_prevalence_and_disturb_no_other():
    X, Y, Z, smoother, codes = problem = planted(n=50, K=3)
    wide = np.column_stack([np.zeros(50), Y, np.ones(50)])
    wide[4, 4] = NAN
    C, X_new = new_rows(problem)
    plain = fitted(EvidenceDecoder(**SMALL), problem)
    decoder = fitted(EvidenceDecoder(**SMALL), (X, wide, Z, smoother, codes))
    P = decoder.predict_proba(C, X=X_new)
    assert (P[:, 0] == 0).all()
    assert (P[:, 4] == 1).all()
    assert (decoder.out_of_sample_proba_[:, [0, 4]] == [0, 1]).all()
    # Constant labels change log-losses, not the choice of k; intercepts and slopes are the same.
    np.testing.assert_allclose(P[:, 1:4], plain.predict_proba(C, X=X_new), atol=1e-5)
    assert np.isfinite(decoder.decision_function(C, X=X_new)).all()


def test_labels_that_are_all_constant_need_nothing_learnt():
    Y = np.tile([0.0, 1.0], (40, 1))
    for decoder in (EvidenceDecoder(), VoteDecoder()):
        decoder.fit(np.zeros((40, 1)), Y)
        np.testing.assert_array_equal(
            decoder.predict_proba(np.ones((3, 1))), np.tile([0, 1], (3, 1))
        )
        said = decoder.explain(np.ones((3, 1)))
        np.testing.assert_array_equal(said.probability, np.tile([0, 1], (3, 1)))
        assert said.neighbours_to_frame().empty
    assert decoder.vote_ is None
    assert decoder.log_loss_ == 0.0
    one = EvidenceDecoder().fit([[0.0]], [[1, 0]])
    np.testing.assert_array_equal(one.predict_proba([[5.0]]), [[1, 0]])


def test_explanations_add_up_to_the_logit_exactly():
    problem = planted(n=60, K=4)
    problem[1][:, 3] = 0
    C, X_new = new_rows(problem, n=6)
    decoder = fitted(EvidenceDecoder(**SMALL), problem)
    said = decoder.explain(C, X=X_new)
    assert said.sources == ("direct", "code vote", "feature vote")
    assert said.probability.tobytes() == decoder.predict_proba(C, X=X_new).tobytes()
    frame = said.to_frame(["a", "b", "c", "d"])
    sums = frame.groupby(["row", "label"])["contribution"].sum().unstack().to_numpy()
    np.testing.assert_allclose(sums, said.logit, atol=1e-12)
    assert list(frame.columns) == ["row", "label", "source", "contribution"]
    assert (frame.loc[frame["label"] == "d", "contribution"].isin([0.0, -30.0])).all()
    numbered = said.to_frame()
    assert numbered["label"].tolist()[:8] == [0] * 4 + [1] * 4


def test_explanations_name_the_neighbours_that_voted():
    X, Y, Z, _, codes = problem = planted(n=60, K=4)
    Y[5] = NAN
    decoder = fitted(EvidenceDecoder(**SMALL), problem)
    C, X_new = new_rows(problem, n=8)
    said = decoder.explain(C, X=X_new, rows=[6, 1])
    for name, queries, vote in (
        ("feature vote", X_new, decoder.evidences_[2]),
        ("code vote", C, decoder.evidences_[1]),
    ):
        rho = getattr(vote, "rho_", 0.0)
        base = X if name == "feature vote" else (1 - rho) * codes + rho * Z
        voters = said.neighbours[name]
        assert voters.indices.shape == (2, vote.k_)
        assert not (voters.indices == 5).any()
        apart = np.linalg.norm(queries[[6, 1]][:, None] - base[voters.indices], axis=2)
        np.testing.assert_allclose(voters.distances, apart)
        assert (np.diff(voters.weights, axis=1) <= 0).all()
    frame = said.neighbours_to_frame()
    assert set(frame["row"]) == {6, 1}
    assert len(frame) == 2 * sum(vote.k_ for vote in decoder.evidences_[1:])


class Oracle(Evidence):
    """Evidence that knows one thing: the sign of the first feature."""

    name = "oracle"

    def fit(self, training):
        self.n_labels_ = training.Y.shape[1]
        return self.values(None, training.X)[training.rows]

    def values(self, codes, X):
        return np.repeat(clipped_logit(X[:, :1] > 0), self.n_labels_, axis=1)


def test_an_evidence_is_added_in_one_line():
    X, _, _, _, codes = planted(n=90, K=2, seed=6)
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0]).astype(float)
    oracle = Oracle()
    decoder = EvidenceDecoder(**SMALL, direct=False, code_vote=False, extra=[oracle])
    decoder.fit(codes, Y, X=X)
    assert decoder.explain(codes, X=X, rows=[0]).sources == ("feature vote", "oracle")
    assert decoder.slopes_[1] > decoder.slopes_[0]
    assert not hasattr(oracle, "n_labels_")
    assert clone(decoder).get_params()["extra"] is not None


def test_enrichment_votes_with_guesses_and_calibrates_on_the_observed():
    problem = planted(n=80, K=3, unknown=0.1, seed=2)
    C, X_new = new_rows(problem)
    plain = fitted(EvidenceDecoder(**SMALL, n_queries="all"), problem)
    richer = fitted(EvidenceDecoder(**SMALL, enrichment=0.3), problem)
    present = np.nan_to_num(problem[1])
    known = ~np.isnan(problem[1])
    expected = present + 0.3 * (1 - present) * plain.out_of_sample_proba_ * known
    np.testing.assert_allclose(richer.evidences_[1].ballot_.values, expected)
    assert not np.allclose(richer.predict_proba(C, X=X_new), plain.predict_proba(C, X=X_new))
    mean = np.array([np.nanmean(richer.out_of_sample_proba_[known[:, j], j]) for j in range(3)])
    np.testing.assert_allclose(mean, np.nanmean(problem[1], axis=0), atol=0.02)
    none = fitted(EvidenceDecoder(**SMALL, enrichment=0.0), problem)
    np.testing.assert_array_equal(none.predict_proba(C, X=X_new), plain.predict_proba(C, X=X_new))


def test_calibration_rows_are_drawn_by_the_seed():
    problem = planted(n=120)
    C, X_new = new_rows(problem)
    one = fitted(EvidenceDecoder(**SMALL, n_queries=50, random_state=3), problem)
    two = fitted(EvidenceDecoder(**SMALL, n_queries=50, random_state=3, n_jobs=2), problem)
    other = fitted(EvidenceDecoder(**SMALL, n_queries=50, random_state=4), problem)
    assert one.out_of_sample_proba_.shape == (50, 5)
    assert len(np.unique(one.calibration_rows_)) == 50
    assert one.predict_proba(C, X=X_new).tobytes() == two.predict_proba(C, X=X_new).tobytes()
    assert not np.array_equal(one.calibration_rows_, other.calibration_rows_)
    whole = fitted(EvidenceDecoder(**SMALL), problem)
    np.testing.assert_array_equal(whole.calibration_rows_, np.arange(120))
    np.testing.assert_allclose(
        one.predict_proba(C, X=X_new), whole.predict_proba(C, X=X_new), atol=0.25
    )


def test_many_rows_are_calibrated_on_a_part(monkeypatch):
    monkeypatch.setattr("dlst.decoders.stack.AUTO_PAIRS", 40 * 80)
    monkeypatch.setattr("dlst.decoders.stack.AUTO_QUERIES", 30)
    assert len(fitted(VoteDecoder(random_state=0), planted(n=80)).calibration_rows_) == 40
    assert len(fitted(VoteDecoder(random_state=0), planted(n=160)).calibration_rows_) == 30


def test_sparse_features_give_what_dense_ones_give():
    problem = planted(n=60)
    C, X_new = new_rows(problem)
    problem[3].predict = lambda X, readout, plain=problem[3].predict: plain(
        X.toarray() if sp.issparse(X) else X, readout
    )
    dense = fitted(EvidenceDecoder(**SMALL), problem)
    sparse = fitted(EvidenceDecoder(**SMALL), problem, X=sp.csr_matrix(problem[0]))
    np.testing.assert_allclose(
        dense.predict_proba(C, X=X_new), sparse.predict_proba(C, X=csr(X_new)), atol=1e-9
    )


@pytest.mark.parametrize("n", [2, 3, 9])
def test_fewer_rows_than_neighbours_lower_k(n):
    Y = (np.arange(n) % 2).astype(float)[:, None]
    decoder = VoteDecoder().fit(np.arange(n, dtype=float)[:, None], Y)
    assert decoder.vote_.k_ == n - 1
    assert np.isfinite(decoder.predict_proba([[0.5]])).all()
    small = EvidenceDecoder(min_rows=0).fit(Y, Y, X=Y)
    assert np.isfinite(small.predict_proba([[0.5]], X=[[0.5]])).all()


def test_stretched_logit_is_a_logit_inside_and_keeps_the_order_outside():
    scores = np.linspace(-50, 50, 2001)
    values = stretched_logit(scores, np.full(2001, 0.05))
    assert (np.diff(values) > 0).all()
    assert np.isfinite(stretched_logit(np.array([-1e6, 1e6]), np.array([1e-3, 1e-3]))).all()
    middle = np.array([0.3, 0.5, 0.7])
    np.testing.assert_allclose(stretched_logit(middle, np.full(3, 0.01)), logit(middle), atol=1e-9)


@pytest.mark.parametrize(
    ("params", "changes", "message"),
    [
        ({"n_queries": 0}, {}, "n_queries must be 'auto', 'all' or an integer"),
        ({"n_queries": "some"}, {}, "n_queries must be"),
        ({"rho_grid": (0.5, 1.5)}, {}, "rho_grid must hold numbers from 0 to 1"),
        ({"rho_grid": ()}, {}, "rho_grid must hold"),
        ({"k_grid": (0,)}, {}, "k_grid must hold integers"),
        ({"enrichment": 2.0}, {}, "enrichment must be a number"),
        ({}, {"X": None}, "the direct read-out needs X"),
        ({"direct": False}, {"X": None}, "the feature vote needs X"),
        ({"direct": False, "code_vote": False, "feature_vote": False}, {}, "an evidence is needed"),
        ({"extra": [DirectReadout()]}, {}, "different names"),
    ],
)
def test_wrong_parameters_are_named(params, changes, message):
    with pytest.raises(ValueError, match=message):
        fitted(EvidenceDecoder(**params), planted(n=40), **changes)


def test_wrong_data_are_named():
    problem = planted(n=40)
    X, _, Z, _, _ = problem
    decoder = fitted(EvidenceDecoder(**SMALL), problem)
    C, X_new = new_rows(problem)
    with pytest.raises(ValueError, match="the direct read-out needs X of the new rows"):
        decoder.predict_proba(C)
    with pytest.raises(DataError, match="X must have the 4 columns of the fit; got 3"):
        decoder.predict_proba(C, X=X_new[:, :3])
    with pytest.raises(DataError, match="codes and X must have the same rows; got 20 and 7"):
        decoder.predict_proba(C, X=X_new[:7])
    with pytest.raises(DataError, match="codes and targets must have the same shape"):
        fitted(decoder, problem, targets=Z[:, :2])
    votes = EvidenceDecoder(**SMALL, direct=False).fit(problem[4], problem[1], X=X)
    with pytest.raises(ValueError, match="the feature vote needs X of the new rows"):
        votes.predict_proba(C)


@pytest.mark.parametrize(("values", "message"), [(np.ones((3, 1)), "shape"), (None, "finite")])
def test_an_evidence_that_gives_nonsense_is_named(values, message):
    class Nonsense(Evidence):
        name = "nonsense"

        def fit(self, training):
            shape = (len(training.rows), training.Y.shape[1])
            return np.full(shape, np.inf) if values is None else values

        def values(self, codes, X):
            return values

    with pytest.raises(ValueError, match=f"evidence 'nonsense' must give .*{message}"):
        fitted(EvidenceDecoder(**SMALL, extra=(Nonsense(),)), planted(n=40))
