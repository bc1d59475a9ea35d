"""Contenders: the best of all labels, to the last bit, with ties, handicaps and rows of zeros."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.decoders import StagedDecoder, stack
from dlst.encoders import SignCode
from dlst.methods import LinearDLST
from dlst.methods.top_labels import best_of_all


def texts(n=300, d=120, K=40, seed=0):
    """Rows of a topic share words and draw from its labels, so that near rows know them."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 6, n)
    X = rng.poisson(0.05 + 0.5 * (np.arange(d) % 6 == topic[:, None]))
    Y = rng.random((n, K)) < np.where(np.arange(K) % 6 == topic[:, None], 0.5, 0.02)
    return sp.csr_array(X.astype(float)), Y.astype(float)


@pytest.mark.parametrize(("tau", "n_votes"), [(0.0, 2), (0.3, 2), (0.3, 3)])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_the_best_of_contenders_are_the_best_of_all(tau, n_votes, k, monkeypatch):
    monkeypatch.setattr(stack, "LISTED_LABELS", 1)
    if n_votes == 3:
        monkeypatch.setattr("dlst.decoders.evidences.offered_votes.SHARP_ABOVE", 1)
    X, Y = texts()
    model = LinearDLST(decoder=StagedDecoder(least_gain=-1), tau=tau, random_state=0).fit(X, Y)
    assert model.decoder_.has_shortlist
    assert sum(part.takes_polls for part in model.decoder_.evidences_) == n_votes
    X = sp.csr_array(sp.vstack([X[:60], sp.csr_array((3, X.shape[1]))]))
    top, expected = model.predict_top(X, k), best_of_all(model.decision_function(X), k)
    np.testing.assert_array_equal(top.labels, expected.labels)
    np.testing.assert_array_equal(top.scores, expected.scores)


@pytest.mark.parametrize("K", [1, 6])
def test_ties_go_to_the_lowest_label_and_few_others_contend(K, monkeypatch):
    monkeypatch.setattr(stack, "LISTED_LABELS", 1)
    X, Y = texts(K=K)
    codes, twice = (
        np.hstack([part, part]) for part in (2 * Y - 1 + 0.3 * np.sin(X.sum(axis=1))[:, None], Y)
    )
    decoder = StagedDecoder(least_gain=-1, random_state=0)
    decoder.fit(codes, twice, X=X, encoder=SignCode().fit(twice))
    listed = decoder.shortlist(codes, X=X, at_least=1)
    all_scores = decoder.scores(codes, X=X).ranking
    rows = np.repeat(np.arange(len(codes)), np.diff(listed.indptr))
    np.testing.assert_array_equal(listed.data, all_scores[rows, listed.indices])
    best = all_scores.max(axis=1)
    for row in range(len(codes)):
        stored = listed.indices[listed.indptr[row] : listed.indptr[row + 1]]
        assert set(np.flatnonzero(all_scores[row] == best[row])) <= set(stored)


def test_unknown_labels_have_no_shortlist(monkeypatch):
    monkeypatch.setattr(stack, "LISTED_LABELS", 1)
    X, Y = texts(K=6)
    Y[::7, 2] = np.nan
    model = LinearDLST(decoder=StagedDecoder(least_gain=-1), random_state=0).fit(X, Y)
    assert not model.decoder_.has_shortlist


def test_best_of_all_is_a_stable_order():
    scores = np.random.default_rng(0).integers(0, 4, size=(50, 9)).astype(float)
    for k in (1, 4, 9):
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(best_of_all(scores, k).labels, order)
