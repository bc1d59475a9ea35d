"""The weighted vote against loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from decoder_problems import NAN, csr, slow_vote

from dlst._weights import Weights
from dlst.decoders._inputs import Labels
from dlst.decoders.evidences.ballot import (
    Ballot,
    usable_neighbourhoods,
    vote_log_loss,
    vote_weights,
    weighted_vote,
)
from dlst.decoders.neighbours import Neighbours


@pytest.mark.parametrize("unknown", [0.0, 0.5])
@pytest.mark.parametrize("k", [1, 3, 6])
def test_votes_equal_the_formula_in_loops(unknown, k):
    rng = np.random.default_rng(k)
    Y = (rng.random((20, 4)) < 0.4).astype(float)
    Y[rng.random(Y.shape) < unknown] = NAN
    Y[:, 3] = NAN if unknown else 0
    indices = np.array([rng.permutation(20)[:6] for _ in range(7)])
    squared = np.sort(rng.random((7, 6)), axis=1)
    labels = Labels(csr(Y))
    prior = (np.nansum(Y, axis=0) + 0.5) / ((~np.isnan(Y)).sum(axis=0) + 1)
    np.testing.assert_allclose(labels.prior, prior)
    expected = slow_vote(indices, squared, k, Y, prior)
    for values in (labels.ones, labels.ones.toarray()):
        found = weighted_vote(
            Neighbours(indices, squared), k, Ballot(values, labels.unknown, prior)
        )
        # With k = 6 the farthest weighs 1e-6; alone, it is what subtraction leaves of the rest.
        np.testing.assert_allclose(found, expected, atol=5e-5 if unknown and k == 6 else 1e-12)


def test_weights_fall_to_zero_at_the_next_neighbour():
    np.testing.assert_allclose(
        vote_weights(np.array([[0.0, 1, 2, 4]]), 3), [[1, 0.75, 0.5]], atol=2e-6
    )


def test_duplicates_alone_weigh_the_same():
    np.testing.assert_allclose(vote_weights(np.zeros((1, 4)), 3), 1 + 1e-6)


def test_a_sharper_vote_is_a_power_of_nearness_and_worth_fewer_observations():
    squared = np.array([[0.0, 1, 2, 4]])
    np.testing.assert_allclose(vote_weights(squared, 3, 3), [[1, 0.75**3, 0.5**3]], atol=2e-6)
    found = Neighbours(np.array([[0, 1, 2, 3]]), squared)
    for weights in (None, np.ones(4)):
        plain = Ballot(csr(np.eye(4)[:, :3]), None, np.full(3, 0.5), weights)
        sharp = replace(plain, sharpness=3)
        votes = [weighted_vote(found, 3, ballot)[0] for ballot in (plain, sharp)]
        shares = np.array([1, 0.75**3, 0.5**3])
        n_eff = shares.sum() ** 2 / (shares**2).sum()
        expected = (n_eff * shares / shares.sum() + 0.5) / (n_eff + 1)
        np.testing.assert_allclose(votes[1], expected, atol=1e-5)
        assert votes[1][0] > votes[0][0]


def test_log_loss_counts_known_entries_only():
    votes, present = np.array([[0.5, 0.0], [1.0, 0.9]]), np.array([[1.0, 0], [0, 1]])
    known = np.array([[True, True], [False, True]])
    expected = -(np.log(0.5) + np.log(0.999) + np.log(0.9)) / 3
    assert vote_log_loss(votes, present, known) == pytest.approx(expected)
    expected = -(np.log(0.5) + np.log(0.999) + np.log(0.001) + np.log(0.9)) / 4
    assert vote_log_loss(votes, present, None) == pytest.approx(expected)


def test_grids_keep_what_the_rows_allow():
    assert usable_neighbourhoods((20, 10, 40), 21) == [10, 20]
    assert usable_neighbourhoods((20,), 5) == [4]
    for wrong in ((), (0,), (1.5,)):
        with pytest.raises(ValueError, match="k_grid must hold"):
            usable_neighbourhoods(wrong, 9)
    with pytest.raises(ValueError, match="at least 2 labelled rows; got 1"):
        usable_neighbourhoods((5,), 1)


@pytest.mark.parametrize("unknown", [0.0, 0.4])
@pytest.mark.parametrize("k", [1, 4, 7, 12])
def test_a_row_of_weight_w_votes_as_w_equal_rows(unknown, k):
    rng = np.random.default_rng(k)
    Y = (rng.random((15, 3)) < 0.4).astype(float)
    Y[rng.random(Y.shape) < unknown] = NAN
    weights = rng.integers(1, 4, size=15)
    copies = np.repeat(np.arange(15), weights)
    order = np.array([rng.permutation(15) for _ in range(5)])
    squared = np.sort(rng.random((5, 15)), axis=1)
    ballot = Ballot(
        *(lambda labels: (labels.ones, labels.unknown))(Labels(csr(Y))),
        np.array([0.3, 0.2, 0.5]),
        weights.astype(float),
    )
    repeated = Labels(csr(Y[copies]))
    first = np.concatenate([[0], np.cumsum(weights)[:-1]])
    indices = np.array([[first[i] + c for i in row for c in range(weights[i])] for row in order])
    distances = np.array(
        [np.repeat(row, weights[given]) for row, given in zip(squared, order, strict=True)]
    )
    needed = ballot.rows_needed(k)
    found = weighted_vote(Neighbours(order[:, :needed], squared[:, :needed]), k, ballot)
    expected = weighted_vote(
        Neighbours(indices, distances), k, Ballot(repeated.ones, repeated.unknown, ballot.prior)
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)
    cast = ballot.cast(Neighbours(order, squared), k)
    assert cast.weights.shape == cast.indices.shape == cast.nearness.shape
    assert ballot.n_voters() == weights.sum() - weights.max() + 1


def test_small_weights_have_few_votes_and_all_that_there_are():
    weights = np.array([0.25, 0.5, 0.25])
    ballot = Ballot(csr(np.eye(3)), None, np.full(3, 0.5), weights)
    assert ballot.rows_needed(5) == 3
    assert ballot.n_voters() == 2
    found = ballot.cast(Neighbours(np.array([[2, 0, 1]]), np.array([[0.0, 1.0, 4.0]])), 5)
    np.testing.assert_allclose(found.weights, [[0.25, 0.25 * 0.75, 0.0]], atol=2e-6)


def test_the_log_loss_counts_by_weight():
    rng = np.random.default_rng(0)
    votes, present = rng.random((4, 2)), (rng.random((4, 2)) < 0.5).astype(float)
    known = np.array([[True, True], [False, True], [True, True], [True, False]])
    weights = Weights(np.array([1.0, 2.0, 3.0, 1.0]), np.array([2.0, 1.0]))
    rows, columns = (np.repeat(np.arange(len(each)), each.astype(int)) for each in weights)
    for mask in (None, known):
        repeated = None if mask is None else mask[rows][:, columns]
        expected = vote_log_loss(votes[rows][:, columns], present[rows][:, columns], repeated)
        assert vote_log_loss(votes, present, mask, weights) == pytest.approx(expected)
