"""How sure MIML is, and which rows it would have labelled next."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from miml_problems import PHIS, labelled_rows, phi_of

from dlst.errors import DataError
from dlst.methods.miml import MIML
from dlst.methods.miml.query import greedy_information, signal_strengths


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def problem(rng):
    return labelled_rows(rng)


@pytest.mark.parametrize("compression", ["identity", 3, 8])
def test_deviations_are_those_of_the_posterior(compression, problem):
    X, Y, X_new, _ = problem
    model = MIML(compression, noise=0.1, random_state=0).fit(X, Y)
    F = model._features(X_new[:4])
    found = model._infer(F @ model.weights_)
    Phi = np.eye(5) if model.phi_ is None else model.phi_
    np.testing.assert_array_equal(model.predict_std(X_new[:4]), np.sqrt(found.variance))
    Cov_W = 0.1 * np.linalg.inv(model.gram_ + model.penalty_ * np.eye(len(model.gram_)))
    spread = model.model_.spread(found)
    for row, deviation in enumerate(model.predict_std(X_new[:4], integrated=True)):
        variance = 0.1 + F[row] @ Cov_W @ F[row]
        Sigma = np.linalg.inv(np.diag(1 / spread[row]) + Phi.T @ Phi / variance)
        np.testing.assert_allclose(deviation, np.sqrt(np.diag(Sigma)), rtol=1e-6)


def brute_force(labelled, pool, phi, precisions, noise, n):
    """Greedy mutual information with the covariance of all labels of all rows."""
    F, K = np.vstack([labelled, pool]), len(precisions)
    N = len(F)
    C = F @ F.T + noise * np.eye(N)
    covariance = np.linalg.inv(
        np.kron(np.eye(N), np.diag(precisions)) + np.kron(np.linalg.inv(C), phi.T @ phi)
    )

    def entropy(x, given):
        i = x * K + np.arange(K)
        j = (np.array(given, dtype=int)[:, None] * K + np.arange(K)).ravel()
        S = covariance[np.ix_(i, i)] - covariance[np.ix_(i, j)] @ np.linalg.solve(
            covariance[np.ix_(j, j)], covariance[np.ix_(j, i)]
        )
        return 0.5 * np.linalg.slogdet(S)[1]

    A, rest = list(range(len(labelled))), list(range(len(labelled), N))
    chosen, gains = [], []
    for _ in range(n):
        gain = {x: entropy(x, A) - entropy(x, [r for r in rest if r != x]) for x in rest}
        best = max(gain, key=gain.get)
        chosen.append(best - len(labelled))
        gains.append(gain[best])
        A.append(best)
        rest.remove(best)
    return chosen, gains


@pytest.mark.parametrize("kind", PHIS)
def test_queries_equal_brute_force_over_all_labels_of_all_rows(kind, rng):
    phi = phi_of(kind, rng)
    labelled, pool, precisions = rng.normal(size=(4, 3)), rng.normal(size=(9, 3)), rng.random(5) + 1
    indices, gains = greedy_information(
        pool, labelled.T @ labelled, signal_strengths(phi, 1 / precisions), 0.3, 8
    )
    Phi = np.eye(5) if phi is None else phi
    chosen, expected = brute_force(labelled, pool, Phi, precisions, 0.3, 8)
    assert indices.tolist() == chosen
    np.testing.assert_allclose(gains, expected, atol=1e-12)


def test_gains_of_a_greedy_choice_never_rise(problem, rng):
    X, Y, *_ = problem
    model = MIML(random_state=0).fit(X[:20], Y[:20])
    indices, gains = model.query(X[20:], 40, return_gains=True)
    assert len(set(indices.tolist())) == 40
    assert (np.diff(gains) <= 1e-9).all()
    np.testing.assert_array_equal(model.query(X[20:], 5), indices[:5])
    np.testing.assert_array_equal(model.query(sp.csr_array(X[20:]), 5), indices[:5])


def test_many_labels_are_grouped_with_nearly_the_same_gains(rng):
    pool, signals = rng.normal(size=(30, 4)), rng.uniform(0.01, 0.3, size=40)
    _, gains = greedy_information(pool, np.eye(4), signals, 0.1, 6)
    each = [greedy_information(pool, np.eye(4), np.array([s]), 0.1, 1)[1][0] for s in signals]
    assert gains[0] == pytest.approx(sum(each), rel=0.02)


@pytest.mark.filterwarnings("ignore:.*only one value:UserWarning")
def test_queried_rows_teach_more_than_random_ones():
    won = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        # Each of twelve clusters has labels of its own: a good choice misses none.
        centres, cluster = 3 * rng.normal(size=(12, 8)), rng.integers(12, size=400)
        X = centres[cluster] + 0.3 * rng.normal(size=(400, 8))
        Y = (rng.random((12, 6)) < 0.4).astype(float)[cluster]
        first, pool = np.arange(12), np.arange(12, 400)
        model = MIML(noise=0.01, weight_scale=0.1, gamma=0.05, scaling="none", random_state=0)
        queried = pool[model.fit(X[first], Y[first]).query(X[pool], 15)]
        errors = []
        for added in (rng.choice(pool, size=15, replace=False), queried):
            rows = np.append(first, added)
            errors.append(np.mean((model.fit(X[rows], Y[rows]).predict_proba(X) - Y) ** 2))
        assert len(np.unique(cluster[np.append(first, queried)])) == 12
        won.append(errors[0] - errors[1])
    assert np.mean(won) > 0.01


def test_a_query_sees_rows_unlike_all_training_rows():
    X = np.array([[0.0], [0.2], [0.4], [0.6]])
    model = MIML(gamma=1.0, noise=0.1, weight_scale=1.0, scaling="none")
    model.fit(X, np.array([[0.0], [1.0], [0.0], [1.0]]))
    pool = np.array([[0.1], [0.5], [50.0], [50.2], [50.4]])
    assert model.query(pool, 1)[0] >= 2


@pytest.mark.filterwarnings("ignore:.*only one value:UserWarning")
def test_wrong_queries_are_clear_errors(problem):
    X, Y, *_ = problem
    model = MIML(random_state=0).fit(X, Y)
    with pytest.raises(
        ValueError, match="n must be at most the number of rows in the pool; got n=9"
    ):
        model.query(X[:8], 9)
    with pytest.raises(ValueError, match="n must be an integer of at least 1; got 0"):
        model.query(X, 0)
    with pytest.raises(DataError, match="query needs a label that varies"):
        MIML().fit(X, np.zeros_like(Y)).query(X, 1)
