"""Small problems, and slow obvious twins of what the rules optimise."""

from __future__ import annotations

import itertools

import numpy as np

NAN = float("nan")


def probabilities(n, K, seed=0, rare=1.0):
    """Return probabilities and labels drawn from them."""
    rng = np.random.default_rng(seed)
    P = rng.beta(0.5, rare, size=(n, K))
    return P, (rng.random((n, K)) < P).astype(float)


def ratio(hits, size, positives):
    return 0.0 if size + positives == 0 else 2 * hits / (size + positives)


def micro(P, D):
    return ratio((P * D).sum(), D.sum(), P.sum())


def macro(P, D):
    return np.mean([ratio((p * d).sum(), d.sum(), p.sum()) for p, d in zip(P.T, D.T, strict=True)])


def instance(P, D):
    return np.mean([ratio((p * d).sum(), d.sum(), p.sum()) for p, d in zip(P, D, strict=True)])


def hamming(P, D):
    return np.mean(np.where(D == 1, 1 - P, P))


def all_decisions(n, K):
    """Give all 2^(n K) decisions, shape (2^(n K), n, K)."""
    numbers = np.arange(2 ** (n * K))[:, None]
    return ((numbers >> np.arange(n * K)) & 1).astype(float).reshape(-1, n, K)


def all_budgets(n, K, r):
    """Give all decisions with r labels in each row."""
    rows = [np.isin(np.arange(K), chosen) for chosen in itertools.combinations(range(K), r)]
    return np.array(list(itertools.product(rows, repeat=n)), dtype=float)


def best_of(measure, P, decisions):
    return max(measure(P, D) for D in decisions)
