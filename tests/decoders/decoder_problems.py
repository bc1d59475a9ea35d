"""A small ridge smoother, refits by hand, and problems for the tests of decoders."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

NAN = float("nan")


class RidgeSmoother:
    """Linear ridge with an unpenalised intercept, as the regressors offer it."""

    root = None

    def __init__(self, X, penalty=1.0):
        self.X, self.penalty, self.mean = X, penalty, X.mean(axis=0)
        self.U, scale, self.axes = np.linalg.svd(X - self.mean, full_matrices=False)
        self.scale = scale
        self.shrinkage = scale**2 / (scale**2 + penalty)
        self.leverage = (self.U**2) @ self.shrinkage + 1 / len(X)

    def hat_matrix(self):
        return (self.U * self.shrinkage) @ self.U.T + 1 / len(self.X)

    def hat(self, rows):
        return lambda columns: self.hat_matrix()[np.ix_(rows, columns)]

    def smooth(self, T):
        return self.hat_matrix() @ T

    def leave_one_out(self, T):
        residuals = T - self.smooth(T)
        return T - residuals / (1 - self.leverage)[:, None]

    def regress(self, T):
        weights = self.axes.T @ ((self.shrinkage / self.scale)[:, None] * (self.U.T @ T))
        return T.mean(axis=0), weights

    def predict(self, X, readout):
        return readout[0] + (np.asarray(X) - self.mean) @ readout[1]


def refit(X, T, kept, wanted, penalty=1.0):
    """Predict the wanted rows by ridge on the kept rows, in the centring of *all* rows.

    Leaving rows out of a fixed smoother means: same features, same penalty, fewer squared errors.
    """
    F = np.column_stack([np.ones(len(X)), X - X.mean(axis=0)])
    ridge = penalty * np.eye(F.shape[1])
    ridge[0, 0] = 0.0
    A = F[kept]
    return F[wanted] @ np.linalg.solve(A.T @ A + ridge, A.T @ T[kept])


def planted(n=80, K=5, d=4, seed=0, unknown=0.0):
    """Features, labels that depend on them, targets, smoother and left-out codes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, K)) + 0.7 * rng.normal(size=(n, K)) - 0.4
    Y = (scores > 0).astype(float)
    Z = Y - Y.mean(axis=0)
    smoother = RidgeSmoother(X)
    Y[rng.random(Y.shape) < unknown] = NAN
    return X, Y, Z, smoother, smoother.leave_one_out(Z)


def csr(Y):
    return sp.csr_array(np.asarray(Y, dtype=float))


def slow_vote(indices, squared, k, Y, prior):
    """The weighted vote, written out."""
    votes = np.empty((len(indices), Y.shape[1]))
    for i in range(len(indices)):
        width = squared[i, k] if k < squared.shape[1] else squared[i, k - 1]
        for j in range(Y.shape[1]):
            weights, yes = [], []
            for place in range(k):
                entry = Y[indices[i, place], j]
                if not np.isnan(entry):
                    weights.append(1 - squared[i, place] / width + 1e-6)
                    yes.append(entry)
            if not weights:
                votes[i, j] = prior[j]
                continue
            weights, yes = np.array(weights), np.array(yes)
            n_eff = weights.sum() ** 2 / (weights**2).sum()
            share = weights @ yes / weights.sum()
            votes[i, j] = (n_eff * share + prior[j]) / (n_eff + 1)
    return votes


def slow_search(database, queries, k, own=None):
    indices, distances = [], []
    for i, query in enumerate(queries):
        every = [
            (float(((query - row) ** 2).sum()), j)
            for j, row in enumerate(database)
            if own is None or own[i] != j
        ]
        nearest = sorted(every)[:k]
        indices.append([j for _, j in nearest])
        distances.append([distance for distance, _ in nearest])
    return np.array(indices), np.array(distances)
