"""Linear machines of all targets by dual coordinate descent, with leave-one-out diagonals."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import row_norms
from sklearn.utils.parallel import Parallel, delayed

from dlst._kernels.dual_descent import MOST_LANES, descend, objectives, primal_weights
from dlst._matrices import FeatureMatrix, FloatArray, IntArray

Loss: TypeAlias = Literal["squared", "squared_hinge"]

DRIFTING_PASSES = 8
"""Passes after which weights are recomputed, as rounding errors of the steps add up."""

DOUBLE_BELOW = 1e-6
"""Smaller gaps need double precision."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The machines of some targets.

    Attributes
    ----------
    duals : ndarray of shape (n, t)
    W : ndarray of shape (d + 1, t)
        Weights, those of the constant feature last.
    gaps : ndarray of shape (t,)
        Duality gap over the primal objective.
    n_passes : ndarray of shape (t,)
        Passes over the rows; 1 for a closed form.
    """

    duals: NDArray[Any]
    W: NDArray[Any]
    gaps: FloatArray
    n_passes: IntArray

    def of(self, targets: slice) -> Solution:
        """Return the machines of some of the targets."""
        return Solution(
            self.duals[:, targets], self.W[:, targets], self.gaps[targets], self.n_passes[targets]
        )


class DualSolver:
    """Solve min ½‖w_j‖² + C Σ_i s_i loss(w_j·x_i, t_ij) for all targets j of one set of rows.

    A pass over the rows reduces the duality gap about tenfold. Computing the gap costs half a pass,
    so that it is only done when the gap may be small enough.

    Blocks of 64 targets are solved independently, so that the result does not depend on the number
    of threads.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    weights : ndarray of shape (n,), optional
        s, all above 0.
    loss : {"squared", "squared_hinge"}
        (t − w·x)², or max(0, 1 − t w·x)² for targets −1 and 1.
    tol : float
        Relative duality gap at which to stop.
    max_iter : int
        Maximum number of passes.
    seed : int
        Seed of the order of rows in each pass, the same for all targets, and of the probes.
    n_jobs : int, optional
        Threads over blocks.
    """

    def __init__(
        self,
        X: FeatureMatrix,
        weights: FloatArray | None = None,
        *,
        loss: Loss = "squared",
        tol: float = 1e-3,
        max_iter: int = 100,
        seed: int = 0,
        n_jobs: int | None = None,
    ):
        self.dtype = np.float32 if tol >= DOUBLE_BELOW else np.float64
        rows = sp.csr_array(X)
        self.shape = (int(rows.shape[0]), int(rows.shape[1]))
        self.rows = (
            rows.indptr.astype(np.int32, copy=False),
            rows.indices.astype(np.int32, copy=False),
            rows.data.astype(self.dtype, copy=False),
        )
        self.lengths: FloatArray = row_norms(rows, squared=True) + 1.0
        self.weights = np.ones(self.shape[0]) if weights is None else weights
        self.hinge = loss == "squared_hinge"
        self.tol, self.max_iter, self.seed, self.n_jobs = tol, max_iter, seed, n_jobs

    def ridge(self, C: float) -> FloatArray:
        """Return u_i = 1 / (2 C s_i), what the loss adds to the diagonal of X Xᵀ."""
        return np.asarray(1.0 / (2.0 * C * self.weights))

    def solve(self, T: Any, C: float, start: NDArray[Any] | None = None) -> Solution:
        """Solve for the machines of targets.

        Parameters
        ----------
        T : ndarray of shape (n, t)
            A row is left out of the problems of targets where it is NaN.
        C : float
        start : ndarray of shape (n, t), optional
            Duals to start from, such as those of another C.
        """
        blocks = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._solve_block)(
                T[:, first : first + MOST_LANES],
                C,
                None if start is None else start[:, first : first + MOST_LANES],
            )
            for first in range(0, T.shape[1], MOST_LANES)
        )
        n, d = self.shape
        if not blocks:
            empty = np.empty((n, 0), self.dtype), np.empty((d + 1, 0), self.dtype)
            return Solution(*empty, np.empty(0), np.empty(0, np.int64))
        joined = (np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True))
        return Solution(*joined)

    def _solve_block(
        self, T: NDArray[Any], C: float, start: NDArray[Any] | None
    ) -> tuple[NDArray[Any], NDArray[Any], FloatArray, IntArray]:
        n, d = self.shape
        width = T.shape[1]
        targets = np.ascontiguousarray(T, self.dtype)
        duals, W = np.zeros((n, width), self.dtype), np.zeros((d + 1, width), self.dtype)
        ridge = self.ridge(C)
        u, curvature = ridge.astype(self.dtype), (self.lengths + ridge).astype(self.dtype)
        if start is not None:
            duals[:] = start
            W[:] = primal_weights(*self.rows, duals, d)
            lengths = _best_lengths(targets, u, duals, W)
            duals *= lengths
            W *= lengths
        order = np.random.default_rng(self.seed)
        passes, renewed, wanted = 0, 0, 1 if start is not None else ceil(-log10(self.tol)) + 1
        while True:
            idle = np.zeros(n, np.bool_)
            for _ in range(min(wanted, self.max_iter - passes)):
                visits = order.permutation(n).astype(np.int32)
                descend(*self.rows, targets, u, curvature, visits, self.hinge, duals, W, idle)
                passes += 1
            primal, dual = objectives(*self.rows, targets, u, self.hinge, duals, W)
            gaps = (primal - dual) / np.maximum(primal, np.finfo(np.float64).tiny)
            if passes >= self.max_iter or gaps.max() <= self.tol:
                return duals, W, gaps, np.full(width, passes)
            if passes - renewed >= DRIFTING_PASSES:
                W[:], renewed = primal_weights(*self.rows, duals, d), passes
            wanted = ceil(log10(gaps.max() / self.tol))

    def probes(self, known: Any, n_probes: int) -> NDArray[Any]:
        """Draw random signs, (n, n_probes), masked by the targets in turn.

        Parameters
        ----------
        known : ndarray of bool, shape (n, t), or None
            Entries of the targets that count; all by default.
        n_probes : int
            With more of them, the first ones are the same.
        """
        signs = np.random.default_rng(self.seed + 1)
        probes = np.empty((self.shape[0], n_probes), self.dtype)
        for column in range(n_probes):
            probes[:, column] = signs.integers(0, 2, size=len(probes)) * 2 - 1
            if known is not None:
                probes[~known[:, column % known.shape[1]], column] = np.nan
        return probes

    def probed_diagonal(self, probes: NDArray[Any], duals: NDArray[Any], C: float) -> Diagonal:
        """Estimate the diagonal of M = (X Xᵀ + diag u)⁻¹ from random targets and their duals.

        The duals of targets z are M z, so that z_i (M z)_i has mean M_ii for random signs z. The
        error of the mean falls with the root of the number of probes. As most of M_ii follows from
        the row's features, the means are shrunk towards a regression on these, by the share of
        their residual variance that is noise. With masked probes, M_ii is the mean over their
        problems.
        """
        u = self.ridge(C)
        seen = np.isfinite(probes)
        products = np.where(seen, probes * duals, 0) * u[:, None]
        count = np.maximum(seen.sum(axis=1), 1)
        found = products.sum(axis=1) / count
        squares = np.einsum("ij,ij->i", products, products) / count
        noise = float(np.mean((squares - found**2) / np.maximum(count - 1, 1)))
        predictors = self._predictors(u)
        expected = predictors @ np.linalg.lstsq(predictors, found, rcond=None)[0]
        excess = max(float(np.mean((found - expected) ** 2)) - noise, 0.0)
        kept = excess / (excess + noise) if excess > 0 else 0.0
        share = np.clip(expected + kept * (found - expected), u / (self.lengths + u), 1.0)
        return Diagonal((share / u)[:, None], kept * noise / float(np.mean(share**2)))

    def _predictors(self, u: FloatArray) -> FloatArray:
        """Return predictors of u_i M_ii: 1, a row's length, and how common its features are.

        For orthogonal features, u_i M_ii would be one less the last.
        """
        indptr, indices, data = self.rows
        row_of = np.repeat(np.arange(self.shape[0]), np.diff(indptr))
        squares = data.astype(np.float64) ** 2 / u[row_of]
        sums = np.bincount(indices, squares, minlength=self.shape[1])
        common = np.bincount(row_of, squares / (1.0 + sums[indices]), minlength=self.shape[0])
        constant = 1.0 / u / (1.0 + np.sum(1.0 / u))
        return np.column_stack([np.ones_like(u), self.lengths / u, common + constant])


def _best_lengths(
    targets: NDArray[Any], u: NDArray[Any], duals: NDArray[Any], W: NDArray[Any]
) -> NDArray[Any]:
    """Return the factors (t,) of another problem's duals that maximise the dual objective."""
    linear = np.einsum("ij,ij->j", duals, np.nan_to_num(targets), dtype=np.float64)
    square = np.einsum("ij,ij->j", W, W, dtype=np.float64)
    square += np.einsum("i,ij,ij->j", u, duals, duals, dtype=np.float64)
    lengths: NDArray[Any] = np.divide(linear, square, out=np.ones_like(linear), where=square > 0)
    return lengths.astype(W.dtype)


class Diagonal(NamedTuple):
    """Values of the diagonal of M, (n, 1) or (n, t), and their relative variance."""

    values: FloatArray
    variance: float = 0.0
