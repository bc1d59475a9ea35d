"""The weighted vote against loops."""

from __future__ import annotations

import numpy as np
import pytest
from decoder_problems import NAN, csr, slow_vote

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
