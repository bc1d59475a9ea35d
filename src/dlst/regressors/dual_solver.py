"""All targets' linear machines by dual coordinate descent, and what leaves a row out of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import row_norms
from sklearn.utils.parallel import Parallel, delayed

from dlst._kernels.dual_descent import MOST_LANES, descend, objectives, primal_weights
from dlst._matrices import FeatureMatrix

FloatArray = NDArray[np.float64]
Loss: TypeAlias = Literal["squared", "squared_hinge"]

CHECK_EVERY = 2
"""Passes between two looks at the duality gap; a look costs about a pass.

A pass takes about a decimal off the gap: the first look comes where it may be small enough."""

DOUBLE_BELOW = 1e-6
"""Gaps below this are beyond single precision."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Machines of some targets.

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
    n_passes: NDArray[np.int64]


class DualSolver:
    """Solve min ½‖w_j‖² + C Σ_i s_i loss(w_j·x_i, t_ij) for all targets j of one set of rows.

    Targets are cut into blocks of 64 that are solved independently, so that threads change no
    byte of the result.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    weights : ndarray of shape (n,), optional
        s, all above 0.
    loss : {"squared", "squared_hinge"}
        (t − w·x)², or max(0, 1 − t w·x)² for targets −1 and 1.
    tol : float
        Relative duality gap that is small enough.
    max_iter : int
        Passes at most.
    seed : int
        Draws the order of the rows in each pass, the same for all targets, and the probes.
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
        """Find the machines of targets.

        Parameters
        ----------
        T : ndarray of shape (n, t)
            NaN: the row is left out of that target's problem.
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
    ) -> tuple[NDArray[Any], NDArray[Any], FloatArray, NDArray[np.int64]]:
        n, d = self.shape
        width = T.shape[1]
        targets = np.ascontiguousarray(T, self.dtype)
        duals, W = np.zeros((n, width), self.dtype), np.zeros((d + 1, width), self.dtype)
        ridge = self.ridge(C)
        u, curvature = ridge.astype(self.dtype), (self.lengths + ridge).astype(self.dtype)
        if start is not None:
            duals[:] = start
            W[:] = primal_weights(*self.rows, duals, d)
        order = np.random.default_rng(self.seed)
        passes, gaps = 0, np.full(width, np.inf)
        wanted = max(CHECK_EVERY, ceil(-log10(self.tol)) + (start is None))
        while passes < self.max_iter and gaps.max() > self.tol:
            idle = np.zeros(n, np.bool_)
            for _ in range(min(wanted, self.max_iter - passes)):
                visits = order.permutation(n).astype(np.int32)
                descend(*self.rows, targets, u, curvature, visits, self.hinge, duals, W, idle)
                passes += 1
            exact = primal_weights(*self.rows, duals, d)
            primal, dual = objectives(*self.rows, targets, u, self.hinge, duals, exact)
            gaps = (primal - dual) / np.maximum(primal, np.finfo(np.float64).tiny)
            # Single precision drifts a little in each pass; this is where it comes back.
            W[:] = exact
            wanted = CHECK_EVERY
        return duals, W, gaps, np.full(width, passes)

    def probed_diagonal(
        self, known: Any, C: float, n_probes: int, start: NDArray[Any] | None = None
    ) -> tuple[FloatArray, NDArray[Any]]:
        """Estimate the diagonal of M = (X Xᵀ + diag u)⁻¹ from random targets.

        The duals of targets z are M z, so that z_i (M z)_i has mean M_ii for random signs z. The
        error falls with the root of the number of probes.

        Parameters
        ----------
        known : ndarray of bool, shape (n, t), or None
            Entries of the targets that count. Probes are masked like the targets, one after the
            other; the diagonal is then the mean over their problems.
        C : float
        n_probes : int
        start : ndarray of shape (n, at most n_probes), optional
            Duals of the same probes at another C.

        Returns
        -------
        diagonal : ndarray of shape (n, 1)
        duals : ndarray of shape (n, n_probes)
        """
        n = self.shape[0]
        signs = np.random.default_rng(self.seed + 1)
        probes = np.empty((n, n_probes), np.float32)
        for column in range(n_probes):
            probes[:, column] = signs.integers(0, 2, size=n) * 2 - 1
            if known is not None:
                probes[~known[:, column % known.shape[1]], column] = np.nan
        if start is not None:
            start = np.pad(start, ((0, 0), (0, n_probes - start.shape[1])))
        duals = self.solve(probes, C, start).duals
        seen = np.isfinite(probes)
        total = np.einsum("ij,ij->i", np.where(seen, probes, 0), duals, dtype=np.float64)
        u = self.ridge(C)
        diagonal = total / np.maximum(seen.sum(axis=1), 1)
        return np.clip(diagonal, 1.0 / (self.lengths + u), 1.0 / u)[:, None], duals
