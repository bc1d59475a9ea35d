"""Ridge regressions of very many sparse targets, without an array of rows by targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from dlst._kernels.dual_descent import MOST_LANES
from dlst._kernels.sparse_scores import row_scores
from dlst._matrices import BoolArray, FeatureMatrix, IntArray
from dlst._parameters import (
    check_parameters,
    integer,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst._seeds import draw_seed
from dlst.regressors.dual_solver import DualSolver
from dlst.regressors.linear_machines import C_GRID, LinearMachines

Singles = NDArray[np.float32]

SEARCH_TARGETS = 128
SEARCH_PROBES = 64
"""Targets that choose C, and random ones by which rows are left out of theirs."""

TARGETS_AT_ONCE = 4 * MOST_LANES
MOST_WEIGHTS = 2**25
"""Weights that are held, of all targets together: 256 MiB."""


@with_parameters
class SparseMachines(BaseEstimator):  # type: ignore[misc]
    """A ridge regression for each of very many sparse targets, the small weights left out.

        W = (XᵀX + I / 2C)⁻¹ Xᵀ Y

    As :class:`LinearMachines` with the squared loss, a block of targets at a time: of each target
    only the largest weights are kept. The solution is linear in the targets, so that where there
    are more targets than rows, rows are solved instead: the weights of a target are the sum of
    those of its rows. In the same way a left-out score is a weighted sum of the other rows'
    targets, and the weights of that sum are the same for all targets.

    Parameters
    ----------
    C : float or "auto"
        Weight of the losses; ``"auto"`` is what leaves the least squared leave-one-out error in
        some of the targets, drawn by their frequency.
    Cs : sequence of float
        What ``"auto"`` chooses from, ascending.
    n_weights : int
        Weights of a target at most; fewer, where all together would exceed 2²⁵.
    negligible : float
        Share of a target's squared weights that its smallest may have together: these are left out.
        Predictions take the less time and memory the more it is.
    tol : float
        Relative duality gap at which a target is done.
    max_iter : int
        Passes over the rows at most.
    n_jobs : int, optional
        Threads over blocks of targets; the result is the same for any number.
    random_state : int, RandomState or None
        Draws the targets that choose C, the order of the rows, and the probes.

    Attributes
    ----------
    coef_ : csr_array of shape (d, t)
    intercept_ : ndarray of shape (t,)
    by_intercept_ : ndarray of shape (t,)
        Targets, largest intercept first.
    C_ : float

    Notes
    -----
    O(nnz(X) min(n, t)) a pass.

    Examples
    --------
    >>> X = sp.csr_array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> Y = sp.csr_array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> machines = SparseMachines(C=10.0, random_state=0).fit(X, Y)
    >>> machines.scores(X[[0, 2]]).argmax(axis=1)
    array([0, 1])
    """

    C: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    _: KW_ONLY
    Cs: Sequence[float] = C_GRID
    n_weights: int = parameter(default=1000, must_be=integer(at_least=1))
    negligible: float = parameter(default=0.01, must_be=number(at_least=0, at_most=1))
    tol: float = parameter(default=1e-2, must_be=number(above=0))
    max_iter: int = parameter(default=20, must_be=integer(at_least=1))
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: FeatureMatrix, Y: sp.csr_array) -> SparseMachines:
        """Choose C where none is given, and solve.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n, d)
        Y : csr_array of shape (n, t)
        """
        check_parameters(self)
        self._seed = draw_seed(self.random_state)
        self.C_ = self._chosen(X, Y) if self.C == "auto" else float(self.C)
        (n, d), t = X.shape, Y.shape[1]
        most = max(1, min(self.n_weights, MOST_WEIGHTS // t, d))
        solved = Y if t <= n else sp.eye_array(n, format="csr")
        share = self.negligible if t <= n else 0.0
        parts = [largest_of(W, most, share) for _, W in self._solved(X, _dense_blocks(solved))]
        weights = sp.csr_array(sp.vstack(parts, format="csr"))
        if t > n:
            weights = _summed(sp.csr_array(Y.T), weights, most, self.negligible)
        by_feature = _with_short_indices(sp.csr_array(weights.T))
        self.coef_ = by_feature[:-1]
        self.intercept_: Singles = by_feature[[-1]].toarray().ravel()
        self.by_intercept_ = np.argsort(-self.intercept_, kind="stable").astype(np.int32)
        return self

    def scores(self, X: FeatureMatrix) -> Singles:
        """Return the scores of all targets of rows, (n, t); few rows at a time, as t is large."""
        rows, W = sp.csr_array(X, dtype=np.float32), self.coef_
        found: Singles = row_scores(
            rows.indptr, rows.indices, rows.data, W.indptr, W.indices, W.data, self.intercept_
        )
        return found

    def left_out_weights(self, X: FeatureMatrix, rows: IntArray) -> Singles:
        """Return the weights (q, n) by which targets of other rows add up to left-out scores.

        With M = (X Xᵀ + 11ᵀ + I/2C)⁻¹ the error of the row i, left out, is (M y)_i / M_ii, so that
        its score is −Σ_j M_ij y_j / M_ii over all rows j but itself.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n, d)
            The rows that were fitted.
        rows : ndarray of shape (q,)
        """
        n = X.shape[0]
        units = sp.eye_array(n, format="csr")[:, rows]
        found = np.vstack([duals.T for duals, _ in self._solved(X, _dense_blocks(units))])
        places = np.arange(len(rows))
        found /= -found[places, rows, None]
        found[places, rows] = 0.0
        return np.ascontiguousarray(found)

    def _solved(self, X: FeatureMatrix, blocks: Iterator[Singles]) -> Iterator[tuple[Any, Any]]:
        """Yield the duals (n, b) and weights (d + 1, b) of dense blocks of targets."""
        solver = DualSolver(
            X, tol=self.tol, max_iter=self.max_iter, seed=self._seed, n_jobs=self.n_jobs
        )
        for block in blocks:
            solution = solver.solve(block, self.C_)
            yield solution.duals, solution.W

    def _chosen(self, X: FeatureMatrix, Y: sp.csr_array) -> float:
        random = np.random.default_rng(self._seed)
        drawn = np.unique(random.choice(Y.indices, min(SEARCH_TARGETS, Y.nnz), replace=False))
        search = LinearMachines(
            Cs=self.Cs,
            n_probes=SEARCH_PROBES,
            tol=self.tol,
            n_jobs=self.n_jobs,
            random_state=self._seed,
        )
        return float(search.fit(X, Y[:, drawn].toarray()).C_)


def largest_of(W: Singles, most: int, negligible: float = 0.0) -> sp.csr_array:
    """Return the largest weights of each column of (d + 1, b), and the last; shape (b, d + 1).

    Parameters
    ----------
    W : ndarray of shape (d + 1, b)
    most : int
        So many of each.
    negligible : float
        Share of their squares that the smallest of these, which are left out, may have together.

    Examples
    --------
    >>> largest_of(np.array([[1, 5], [-3, 2], [0.5, 0.5]], np.float32), 1).toarray()
    array([[ 0. , -3. ,  0.5],
           [ 5. ,  0. ,  0.5]], dtype=float32)
    """
    d, width = len(W) - 1, W.shape[1]
    kept = np.tile(np.arange(d), (width, 1))
    if most < d:
        sizes = -np.abs(W[:-1].T)
        kept = np.sort(np.argpartition(sizes, most - 1, axis=1)[:, :most], axis=1)
    values = np.take_along_axis(W[:-1].T, kept, axis=1)
    if negligible > 0.0:
        values[_smallest(values, negligible)] = 0.0
    kept = np.hstack([kept, np.full((width, 1), d)])
    data = np.hstack([values, W[-1:].T])
    starts = np.arange(width + 1) * kept.shape[1]
    found = sp.csr_array((data.ravel(), kept.ravel(), starts), shape=(width, d + 1))
    found.eliminate_zeros()
    return found


def _smallest(values: Singles, share: float) -> BoolArray:
    """Mark in each row the smallest values that have no more than a share of its squares."""
    squares = values.astype(np.float64) ** 2
    order = np.argsort(squares, axis=1)
    sums = np.cumsum(np.take_along_axis(squares, order, axis=1), axis=1)
    found = np.empty(values.shape, dtype=bool)
    np.put_along_axis(found, order, sums <= share * sums[:, -1:], axis=1)
    return found


def _summed(
    rows_of: sp.csr_array, weights: sp.csr_array, most: int, negligible: float
) -> sp.csr_array:
    """Add up the weights (n, d + 1) of the rows of each target (t, n), and keep the largest."""
    parts = []
    for first in range(0, rows_of.shape[0], TARGETS_AT_ONCE):
        sums = rows_of[first : first + TARGETS_AT_ONCE] @ weights
        parts.append(largest_of(sums.toarray().astype(np.float32).T, most, negligible))
    return sp.csr_array(sp.vstack(parts, format="csr"))


def _with_short_indices(W: sp.csr_array) -> sp.csr_array:
    """Return indices of 32 bits: they are half of what a prediction reads."""
    return sp.csr_array((W.data, W.indices.astype(np.int32), W.indptr), shape=W.shape)


def _dense_blocks(T: sp.csr_array) -> Iterator[Singles]:
    by_target = sp.csc_array(T)
    for first in range(0, T.shape[1], TARGETS_AT_ONCE):
        yield by_target[:, first : first + TARGETS_AT_ONCE].toarray().astype(np.float32)
