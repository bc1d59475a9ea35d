"""Lists of labels against all scores and all votes, row by row."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels.shortlists import shortlists


def problem(n=7, d=12, K=200, n_voters=15, density=0.1, seed=0):
    """Rows, weights of few values (so that scores are often equal), offsets, voters."""
    rng = np.random.default_rng(seed)
    X = sp.csr_array((rng.random((n, d)) < 0.3).astype(np.float32))
    W = sp.csr_array(rng.integers(-1, 3, (d, K)) * (rng.random((d, K)) < density))
    offset = rng.integers(0, 2, K).astype(np.float32)
    Y = sp.csr_array((rng.random((n_voters, K)) < 0.03).astype(np.float64))
    voters = tuple(rng.integers(0, n_voters, (n, k)) for k in (3, 5))
    votes = tuple(rng.random(each.shape) for each in voters)
    return X, W.astype(np.float32), offset, Y, voters, votes


def listed(X, W, offset, Y, voters, votes, n_best):
    order = np.argsort(-offset, kind="stable")
    parts = [(part.indptr, part.indices, part.data) for part in (X, W)]
    return shortlists(votes, voters, Y.indptr, Y.indices, *parts, offset, order, n_best)


@pytest.mark.parametrize("n_best", [0, 1, 9, 200])
@pytest.mark.parametrize("density", [0.0, 0.002, 0.1])
def test_lists_are_those_of_all_scores_and_all_votes(n_best, density):
    X, W, offset, Y, voters, votes = problem(density=density)
    starts, labels, given, scores = listed(X, W, offset, Y, voters, votes, n_best)
    every = offset + (X @ W).toarray()
    for i in range(X.shape[0]):
        here = slice(starts[i], starts[i + 1])
        best = np.lexsort((np.arange(len(offset)), -every[i]))[:n_best]
        have = Y.toarray()[np.concatenate([kind[i] for kind in voters])].any(axis=0)
        assert len(set(labels[here].tolist())) == len(labels[here])
        assert set(labels[here].tolist()) == {*best.tolist(), *np.flatnonzero(have).tolist()}
        np.testing.assert_allclose(scores[here], every[i, labels[here]])
        for kind in range(2):
            sums = votes[kind][i] @ Y.toarray()[voters[kind][i]]
            np.testing.assert_allclose(given[kind, here], sums[labels[here]])


def test_a_row_leaves_nothing_behind_for_the_next():
    X, W, offset, Y, voters, votes = problem()
    together = listed(X, W, offset, Y, voters, votes, 4)
    for i in range(X.shape[0]):
        one = [tuple(part[[i]] for part in both) for both in (voters, votes)]
        alone = listed(sp.csr_array(X[[i]]), W, offset, Y, *one, 4)
        here = slice(*together[0][i : i + 2])
        for part, whole in zip(alone[1:], together[1:], strict=True):
            np.testing.assert_array_equal(part, whole[..., here])
