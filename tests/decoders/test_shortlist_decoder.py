"""The shortlist decoder: by loops, lists that are long enough, unlisted labels, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, logit

from dlst.decoders import ShortlistDecoder
from dlst.decoders.search import CosineRows, nearest_cosines
from dlst.encoders import SignCode, SketchedCode
from dlst.errors import DataError
from dlst.regressors import SparseMachines


def planted(n=120, K=60, n_topics=6, seed=0):
    """Rows of a topic share features and draw from its labels; some labels are everywhere."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, n_topics, n)
    X = sp.csr_array((rng.random((n, 40)) < 0.05) + (topic[:, None] == np.arange(40) % n_topics))
    chance = np.where(np.arange(K) % n_topics == topic[:, None], 0.3, 0.01)
    return X.astype(np.float64), sp.csr_array((rng.random((n, K)) < chance).astype(np.float64))


def fitted(X, Y, noise=0.05, **parameters):
    encoder = SketchedCode(8, random_state=0)
    Z = encoder.fit_transform(Y)
    codes = Z + noise * np.random.default_rng(1).normal(size=Z.shape)
    decoder = ShortlistDecoder(random_state=0, **parameters)
    return decoder.fit(codes, Y, targets=Z, X=X, encoder=encoder), codes


def test_lists_hold_the_labels_of_near_rows_with_the_logits_that_the_definition_says():
    X, Y = planted()
    decoder, codes = fitted(X, Y, n_code_neighbors=7, n_feature_neighbors=5)
    listed = decoder.shortlist(codes[:4], X=X[:4])
    unit = X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True)
    n, dense = len(codes), Y.toarray()
    prior = (dense.sum(axis=0) + 0.5) / (n + 1)
    for row in range(4):
        squares = (
            ((codes[row] - decoder.voters_) ** 2).sum(axis=1),
            2 - 2 * unit @ unit[row],
        )
        evidence, found = [], set()
        for squared, k in zip(squares, (7, 5), strict=True):
            order = np.argsort(squared, kind="stable")
            weights = 1 - squared[order[:k]] / squared[order[k]] + 1e-6
            n_eff = weights.sum() ** 2 / (weights**2).sum()
            share = weights @ dense[order[:k]] / weights.sum()
            vote = (n_eff * share + prior) / (n_eff + 1)
            evidence.append(logit(np.clip(vote, 1e-5, 1 - 1e-5)))
            found |= set(np.flatnonzero(dense[order[:k]].any(axis=0)).tolist())
        readout = codes[row] @ decoder.readout_.T
        tau = decoder.link_scale_
        link = np.log(np.logaddexp(0, readout / tau)) - np.log(np.logaddexp(0, (1 - readout) / tau))
        expected = decoder.intercept_ + decoder.slopes_ @ np.stack([*evidence, link])
        here = slice(listed.indptr[row], listed.indptr[row + 1])
        labels = listed.indices[here]
        assert set(labels.tolist()) == found
        np.testing.assert_allclose(listed.data[here], expected[labels], atol=1e-4)


def test_listed_labels_are_likelier_and_probabilities_are_calibrated():
    X, Y = planted(n=600)
    decoder, _ = fitted(X, Y)
    rows, P, _ = decoder.out_of_sample()
    truth = Y[rows].toarray()
    assert decoder.recall_ > 0.9
    assert P.shape == truth.shape
    assert P.sum() == pytest.approx(truth.sum(), rel=0.1)
    assert P[truth == 1].mean() > 3 * P[truth == 0].mean()


def test_lists_are_as_long_as_is_asked_and_end_with_frequent_labels():
    X, Y = planted()
    decoder, codes = fitted(X, Y, n_code_neighbors=1, n_feature_neighbors=1)
    short = decoder.shortlist(codes, X=X)
    longer = decoder.shortlist(codes, X=X, at_least=30)
    assert np.diff(short.indptr).min() < 30 <= np.diff(longer.indptr).min()
    dense = decoder.scores(codes, X=X).ranking
    rows = np.repeat(np.arange(len(codes)), np.diff(longer.indptr))
    np.testing.assert_allclose(longer.data, dense[rows, longer.indices])
    missing = np.setdiff1d(np.argsort(-Y.sum(axis=0), kind="stable")[:5], longer[[0]].indices)
    assert missing.size == 0


def test_a_row_does_not_vote_for_itself():
    X, Y = planted(n=40, K=200)
    own = sp.csr_array(sp.hstack([Y, sp.eye_array(40)]))
    decoder, _ = fitted(X, own)
    # Nobody else has its own label, so that no list can hold it.
    rows, P, _ = decoder.out_of_sample()
    assert np.all(P[np.arange(len(rows)), 200 + rows] < 0.05)


def test_more_labels_than_are_told_of_all_rows_are_told_of_some(monkeypatch):
    X, Y = planted()
    monkeypatch.setattr("dlst.decoders.shortlist.CALIBRATION_ENTRIES", 0)
    monkeypatch.setattr("dlst.decoders.shortlist.FEWEST_CALIBRATION_ROWS", 10)
    decoder, _ = fitted(X, Y)
    told = decoder.out_of_sample()
    assert told.probabilities.shape == (10, 60)
    assert told.rows.max() > 60


def test_labels_own_regressions_are_evidence_and_find_labels_that_no_near_row_has():
    X, Y = planted(n=300)
    machines = SparseMachines(C=1.0, random_state=0)
    few = {"n_code_neighbors": 2, "n_feature_neighbors": 2, "noise": 1.0}
    decoder, codes = fitted(X, Y, direct=machines, n_direct=9, **few)
    without, _ = fitted(X, Y, **few)
    assert decoder.slopes_.shape == (4,)
    assert decoder.slopes_[3] > 0
    assert decoder.recall_ > without.recall_ + 0.1
    listed = decoder.shortlist(codes[:5], X=X[:5])
    best = np.argsort(-decoder.direct_.scores(X[:5]), axis=1)[:, :9]
    for row in range(5):
        assert set(best[row].tolist()) <= set(listed[[row]].indices.tolist())
    why = decoder.explain(codes[:5], X=X[:5])
    assert why.sources[-1] == "direct"
    np.testing.assert_allclose(why.logit, decoder.scores(codes[:5], X=X[:5]).ranking)


def test_regressions_that_save_too_little_are_sent_home():
    X, Y = planted()
    machines = SparseMachines(C=1.0, random_state=0)
    plain, codes = fitted(X, Y, least_gain=1.0)
    kept, _ = fitted(X, Y, direct=machines, least_gain=-10.0)
    dropped, _ = fitted(X, Y, direct=machines, least_gain=1.0)
    assert (kept.direct_ is None, dropped.direct_) == (False, None)
    assert (len(kept.slopes_), len(dropped.slopes_)) == (4, 3)
    assert kept.log_loss_ != plain.log_loss_
    assert dropped.log_loss_ == plain.log_loss_
    assert not dropped.evidence_choice_["direct"]["kept"]
    found, expected = (each.shortlist(codes[:5], X=X[:5]) for each in (dropped, plain))
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_codes_that_tell_nothing_are_searched_no_more():
    X, Y = planted(n=400)
    telling, _ = fitted(X, Y)
    silent, codes = fitted(X, Y, noise=100.0)
    kept = [one.evidence_choice_["code vote"]["kept"] for one in (telling, silent)]
    assert kept == [True, False]
    assert silent.searched() is None
    assert silent.slopes_[0] == 0.0
    # Lists hold what rows with similar features have, and nothing else.
    listed = silent.shortlist(codes[:3], X=X[:3])
    near = nearest_cosines(CosineRows(X), 41, X[:3]).indices[:, :40]
    for row in range(3):
        expected = np.unique(Y[near[row]].indices)
        np.testing.assert_array_equal(np.sort(listed[[row]].indices), expected)
    why = silent.explain(codes[:3], X=X[:3])
    assert list(why.neighbours) == ["feature vote"]
    np.testing.assert_allclose(why.logit, silent.scores(codes[:3], X=X[:3]).ranking)


def test_blocks_of_rows_change_nothing(monkeypatch):
    X, Y = planted()
    whole, codes = fitted(X, Y, direct=SparseMachines(C=1.0, random_state=0))
    monkeypatch.setattr("dlst.decoders.neighbours.BLOCK_ENTRIES", 500)
    blocks, _ = fitted(X, Y, direct=SparseMachines(C=1.0, random_state=0))
    np.testing.assert_allclose(blocks.slopes_, whole.slopes_, rtol=1e-6)
    told, expected = (one.scores(codes, X=X).ranking for one in (blocks, whole))
    np.testing.assert_allclose(told, expected, atol=1e-6)


def test_errors_say_what_is_needed():
    X, Y = planted()
    with pytest.raises(DataError, match="must have X and a linear encoder"):
        ShortlistDecoder().fit(Y.toarray(), Y, encoder=SignCode().fit(Y))
    decoder, codes = fitted(X, Y)
    with pytest.raises(DataError, match="X must have the 40 columns of the fit; got None"):
        decoder.scores(codes)
    assert np.all(expit(decoder.shortlist(codes[:2], X=X[:2]).data) < 1)


def test_terms_of_an_explanation_add_up_and_voters_are_named():
    X, Y = planted()
    decoder, codes = fitted(X, Y, n_code_neighbors=7, n_feature_neighbors=5)
    why = decoder.explain(codes, X=X, rows=[3, 8])
    np.testing.assert_allclose(why.logit, decoder.scores(codes[[3, 8]], X=X[[3, 8]]).ranking)
    assert why.sources == ("listed", "code vote", "feature vote", "read-out")
    assert why.neighbours["code vote"].indices.shape == (2, 7)
    assert why.neighbours["feature vote"].space == "features"
