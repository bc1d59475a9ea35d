"""Training of the sparse Bayesian model where there is no closed solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg

from dlst._kernels.rounding import rounding_share
from dlst._matrices import BoolArray, FloatArray
from dlst.methods.miml.inference import SparseLabels, sparse_means
from dlst.methods.miml.regression import Regression


class Completion(NamedTuple):
    """Labels (n, K) whose unknown entries are posterior means, and how they were found."""

    labels: FloatArray
    n_iter: int
    converged: bool


def choose_model(
    models: Sequence[SparseLabels],
    regression: Regression,
    start: FloatArray,
    known: BoolArray,
    *,
    tol: float,
    max_iter: int,
) -> tuple[SparseLabels, Completion]:
    """Take the model whose sparse means of left-out rows err least on known labels.

    Parameters
    ----------
    models : sequence of SparseLabels
        By growing noise: the more, the sparser the labels. The first that is worse than the one
        before ends the search.
    regression, start, known, tol, max_iter
        As in :func:`complete_labels`.

    Returns
    -------
    SparseLabels, Completion
    """
    chosen, found, least = models[0], Completion(start, 0, True), np.inf
    for model in models:
        tried = complete_labels(model, regression, found.labels, known, tol=tol, max_iter=max_iter)
        means = sparse_means(regression.left_out(tried.labels), model.sigma2, model.chi2)
        error = float(np.mean((means - start)[known] ** 2))
        if error >= least:
            break
        chosen, found, least = model, tried, error
    return chosen, found


def complete_labels(
    model: SparseLabels,
    regression: Regression,
    start: FloatArray,
    known: BoolArray,
    *,
    tol: float,
    max_iter: int,
) -> Completion:
    """Update weights, unknown labels and their precisions in turn; known labels are fixed.

    Parameters
    ----------
    model : SparseLabels
    regression : Regression
        Of codes on the features of the rows.
    start : ndarray of shape (n, K)
        Labels; unknown entries hold a first guess.
    known : ndarray of shape (n, K)
        Which entries are known.
    tol, max_iter
        Change of an unknown entry that ends it, and the most rounds.
    """
    rows = np.flatnonzero(~known.all(axis=1))
    if not rows.size:
        return Completion(start, 1, True)
    labels, seen = start.copy(), known[rows]
    fixed = np.where(seen, start[rows], 0.0)
    spread = np.where(seen, 0.0, model.first_spread(seen.shape))
    for n_iter in range(1, max_iter + 1):
        T = regression.fitted(model.codes(labels))[rows]
        found = model.posterior(T - model.codes(fixed), spread)
        spread = np.where(seen, 0.0, model.spread(found))
        now = fixed + found.mean
        change = np.abs(now - labels[rows]).max()
        labels[rows] = now
        if change <= max(tol, rounding_share(*labels.shape) * float(np.abs(now).max())):
            return Completion(labels, n_iter, True)
    return Completion(labels, max_iter, False)


def alternate_weights(
    model: SparseLabels, F: FloatArray, codes: FloatArray, *, tol: float, max_iter: int
) -> tuple[FloatArray, int]:
    """Run the original's program: single updates of W and Z in turn, from zero, τ = 1.

    Parameters
    ----------
    model : SparseLabels
    F : ndarray of shape (n, p)
        Features.
    codes : ndarray of shape (n, r)
        Φy of the rows.

    Returns
    -------
    ndarray of shape (p, r), int
        Mean of W, and the number of rounds.
    """
    factor = scipy.linalg.cho_factor(F.T @ F + model.sigma2 * np.eye(F.shape[1]))
    weight = model.chi2 / model.noise
    W, Z = np.zeros((F.shape[1], codes.shape[1])), np.zeros_like(codes)
    rounds, change = 0, np.inf
    while change >= tol and rounds < max_iter:
        before = W, Z
        W = scipy.linalg.cho_solve(factor, F.T @ Z)
        Z = weight * (F @ W) + (1 - weight) * codes
        change = max(np.abs(W - before[0]).max(), np.abs(Z - before[1]).max())
        rounds += 1
    return W, rounds
