"""Leaves of trees and counts of neighbours, against loops; slopes by frequency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from decoder_problems import NAN, csr, planted
from sklearn.ensemble import ExtraTreesRegressor

from dlst._weights import Weights
from dlst.decoders import (
    CountPosterior,
    EvidenceDecoder,
    ExtraTreesVote,
    MLkNNDecoder,
    RandomForestVote,
    clipped_logit,
)
from dlst.decoders._inputs import Labels
from dlst.decoders.evidences.contract import TrainingRows
from dlst.decoders.evidences.forests import Trees, _label_axes
from dlst.decoders.leave_two_out import leave_two_out_neighbours
from dlst.errors import DataError
from dlst.methods import DLST
from dlst.persistence import load_model, save_model

RNG = np.random.default_rng(6)
X = RNG.normal(size=(50, 6))
Y = (X[:, :3] + 0.5 * RNG.normal(size=(50, 3)) > 0.3).astype(float)
NEW = RNG.normal(size=(12, 6))


def training(labels, rows=None, **given):
    return TrainingRows(
        codes=given.pop("codes", X),
        labels=Labels(csr(labels), given.pop("weights", None)),
        targets=given.pop("targets", None),
        X=X,
        smoother=given.pop("smoother", None),
        rows=np.arange(len(labels)) if rows is None else rows,
    )


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_leaves_are_those_of_scikit_learn(container):
    forest = ExtraTreesRegressor(7, bootstrap=True, random_state=0).fit(X, Y)
    trees = Trees.of(forest)
    found = trees.leaves(container(NEW)) - trees.roots
    np.testing.assert_array_equal(found, forest.apply(NEW))
    assert trees.leaves(container(NEW[:0])).shape == (0, 7)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("vote", [ExtraTreesVote, RandomForestVote])
def test_leaf_votes_equal_loops_over_trees_that_left_a_row_out(vote, weighted, unknown):
    labels = np.where(np.random.default_rng(1).random(Y.shape) < unknown, NAN, Y)
    labels[np.isnan(labels).all(axis=1), 0] = 0.0
    counts = np.random.default_rng(2).integers(1, 4, size=50).astype(float)
    weights = Weights(counts, np.ones(3)) if weighted else None
    counts = counts if weighted else np.ones(50)
    evidence = vote(n_trees=9, random_state=0)
    rows = np.array([0, 3, 8, 21, 49])
    given = training(labels, rows, weights=weights)
    found = evidence.fit(given)
    forest = evidence._forest(None).fit(
        X, _label_axes(given, np.arange(50)), sample_weight=counts if weighted else None
    )
    samples = [np.bincount(chosen, minlength=50) for chosen in forest.estimators_samples_]
    n_voting = np.mean([[count[row] == 0 for count in samples] for row in range(50)]) * 9

    def vote_on(row, trees):
        """Average over trees of the share of each label in the row's leaf, where it is known."""
        total, known = np.zeros(3), np.zeros(3)
        for tree in trees:
            same = forest.estimators_[tree].apply(X) == forest.estimators_[tree].apply(row[None])
            weight = samples[tree] * counts * same
            total += np.nansum(weight[:, None] * labels, axis=0) / weight.sum()
            known += (weight[:, None] * ~np.isnan(labels)).sum(axis=0) / weight.sum()
        prior = given.labels.prior
        share = np.where(known > 0, total / np.where(known > 0, known, 1), prior)
        return clipped_logit((n_voting * share + prior) / (n_voting + 1))

    for place, row in enumerate(rows):
        left_out = [tree for tree in range(9) if samples[tree][row] == 0]
        np.testing.assert_allclose(found[place], vote_on(X[row], left_out), atol=1e-9)
    for row, values in zip(NEW, evidence.values(X, NEW), strict=True):
        np.testing.assert_allclose(values, vote_on(row, range(9)), atol=1e-9)


def test_sparse_rows_with_long_indices_are_taken():
    sparse = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    # Indices of many entries are long, and rows taken from them keep that.
    sparse.indices, sparse.indptr = (
        part.astype(np.int64) for part in (sparse.indices, sparse.indptr)
    )
    vote = ExtraTreesVote(5, random_state=0)
    found = vote.fit(replace(training(Y), X=sparse))
    assert found.shape == Y.shape
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(vote.values(X, sparse), vote.values(X, sparse.toarray()))


def test_counts_among_given_codes_are_ml_knn():
    found = CountPosterior(5).fit(training(Y))
    expected = MLkNNDecoder(5).fit(X, Y)
    np.testing.assert_allclose(found, clipped_logit(expected.out_of_sample().probabilities))
    evidence = CountPosterior(5)
    evidence.fit(training(Y))
    np.testing.assert_allclose(
        evidence.values(NEW, None), clipped_logit(expected.predict_proba(NEW))
    )
    assert evidence.neighbours(NEW, None).indices.shape == (12, 5)


def test_counts_leave_two_rows_out_and_the_rows_own_count():
    features, labels, Z, smoother, codes = planted(n=40, K=3, unknown=0.1)
    rows = np.arange(0, 40, 3)
    given = TrainingRows(codes, Labels(csr(labels)), Z, features, smoother, rows)
    found = CountPosterior(4).fit(given)
    near = leave_two_out_neighbours(smoother, Z, rows, np.arange(40), 4, (0.0,))[0].indices
    counts = np.nansum(labels[near], axis=1).astype(int)
    for place in range(len(rows)):
        for label in range(3):
            others = [i for i in range(len(rows)) if i != place]
            own = labels[rows[others], label]
            prior = (1 + (own == 1).sum()) / (2 + (~np.isnan(own)).sum())
            odds = []
            for value in (1, 0):
                same = [i for i, entry in zip(others, own, strict=True) if entry == value]
                hits = sum(counts[i, label] == counts[place, label] for i in same)
                odds.append((1 + hits) / (5 + len(same)))
            posterior = prior * odds[0] / (prior * odds[0] + (1 - prior) * odds[1])
            assert found[place, label] == pytest.approx(clipped_logit(posterior), abs=1e-9)


def test_counts_have_no_place_for_weights():
    with pytest.raises(DataError, match="CountPosterior must be fitted without sample_weight"):
        CountPosterior().fit(training(Y, weights=Weights(np.full(50, 2.0), np.ones(3))))


def test_slopes_by_frequency_are_between_those_of_rare_and_of_frequent_labels():
    features, labels, Z, smoother, codes = planted(n=90, K=6)
    labels[:, 0] *= np.arange(90) < 12
    decoder = EvidenceDecoder(
        extra=[ExtraTreesVote(20)], slopes="by frequency", random_state=0
    ).fit(codes, labels, targets=Z, X=features, smoother=smoother)
    assert decoder.slopes_.shape == (4, 6)
    positives = labels.sum(axis=0)
    frequent = positives / (positives + 10)
    # Two numbers for each evidence say all slopes.
    basis = np.column_stack([frequent, 1 - frequent])
    fitted = basis @ np.linalg.lstsq(basis, decoder.slopes_.T, rcond=None)[0]
    np.testing.assert_allclose(fitted, decoder.slopes_.T, atol=1e-9)
    assert (decoder.slopes_ >= 0).all()
    why = decoder.explain(codes[:5], X=features[:5])
    logits = decoder.decision_function(codes[:5], X=features[:5])
    np.testing.assert_allclose(why.intercept + why.contributions.sum(axis=2), logits)


@pytest.mark.parametrize("evidences", [("extra trees", "neighbour counts"), ("random forest",)])
def test_dlst_takes_more_evidences_and_says_what_they_added(evidences, tmp_path):
    features, labels, *_ = planted(n=90, K=4)
    model = DLST(evidences=evidences, random_state=0).fit(features, labels)
    names = [part.name for part in model.decoder_.evidences_]
    assert names == ["direct", "code vote", "feature vote", *evidences]
    P = model.predict_proba(features[:7])
    again = DLST(evidences=evidences, random_state=0).fit(features, labels)
    np.testing.assert_array_equal(P, again.predict_proba(features[:7]))
    save_model(model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "m.skops").predict_proba(features[:7]), P)
    assert np.abs(P - DLST(random_state=0).fit(features, labels).predict_proba(features[:7])).max()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"evidences": ["trees"]}, "names among extra trees, random forest, neighbour counts"),
        ({"evidences": "extra trees"}, "names among extra trees"),
        ({"evidences": ["extra trees"], "regression": "linear"}, "own kernel composition"),
        ({"evidences": ["extra trees"], "decoder": MLkNNDecoder()}, "own kernel composition"),
    ],
)
def test_evidences_that_cannot_be_had_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        DLST(**parameters).fit(X, Y)
