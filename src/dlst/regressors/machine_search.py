"""Linear machines for one C after the other: in closed form where cheap, else by descent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix
from dlst.regressors.direct_solver import DirectSolver, is_direct
from dlst.regressors.dual_solver import DualSolver, Loss, Solution

FloatArray = NDArray[np.float64]

FIRST_C = 0.1
SEARCH_PROBES = 64
SEARCH_TOL = 1e-3
SEARCH_TARGETS = 128
"""C is one for all targets: where there are twice as many, so many of them choose it."""


class Attempt(NamedTuple):
    """The machines for one C, the diagonal of M where they have one, and the probes' duals."""

    C: float
    solution: Solution
    diagonal: Any
    probes: NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class MachineProblem:
    """Rows and their weights, to be solved for targets (n, t) and one C after the other."""

    X: FeatureMatrix
    weights: FloatArray
    loss: Loss
    max_iter: int
    n_jobs: int | None
    seed: int

    def solve(
        self, T: NDArray[Any], C: float, tol: float, n_probes: int, start: Attempt | None = None
    ) -> Attempt:
        """Solve for one C, from the duals of another where there are any."""
        known = np.isfinite(T)
        complete = bool(known.all())
        if self.loss == "squared":
            n_patterns = 1 if complete else len(np.unique(known, axis=1).T)
            if is_direct(self.X.shape, n_patterns):
                return Attempt(C, *self._direct.solve(T, C))
        solver = self.descent(self.X, self.weights, tol)
        begun = None if start is None else start.solution.duals
        solution = solver.solve(T, C, begun)
        if self.loss != "squared":
            return Attempt(C, solution, None)
        probes = None if start is None else start.probes
        masks = None if complete else known
        return Attempt(C, solution, *solver.probed_diagonal(masks, C, n_probes, probes))

    def search(
        self, T: NDArray[Any], Cs: Sequence[float], counts: FloatArray
    ) -> tuple[float, Attempt | None, dict[float, float]]:
        """Walk over the grid while the leave-one-out error falls.

        Parameters
        ----------
        T : ndarray of shape (n, t)
        Cs : sequence of float
        counts : ndarray of shape (t,)
            How much the errors of each target count.

        Returns
        -------
        C : float
            The best that was met.
        start : Attempt or None
            Its machines; None where they are of some targets only.
        errors : dict of float to float
            What was met.
        """
        t = T.shape[1]
        some = t > 2 * SEARCH_TARGETS
        if some:
            drawn = np.random.default_rng(self.seed).choice(t, SEARCH_TARGETS, replace=False)
            T, counts = T[:, np.sort(drawn)], counts[np.sort(drawn)]
        grid = sorted(float(C) for C in Cs)
        place = int(np.argmin(np.abs(np.log(np.array(grid) / FIRST_C))))
        errors: dict[float, float] = {}

        def tried(C: float, start: Attempt | None) -> Attempt:
            found = self.solve(T, C, SEARCH_TOL, SEARCH_PROBES, start)
            errors[C] = self._error(T, found, counts)
            return found

        best = first = tried(grid[place], None)
        for path in (grid[place + 1 :], grid[:place][::-1]):
            for C in path:
                found = tried(C, best)
                if errors[C] >= errors[best.C]:
                    break
                best = found
            if best is not first:
                break
        return best.C, None if some else best, errors

    def descent(self, X: FeatureMatrix, weights: FloatArray, tol: float) -> DualSolver:
        """Return the solver of some rows."""
        return DualSolver(
            X,
            weights,
            loss=self.loss,
            tol=tol,
            max_iter=self.max_iter,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )

    @cached_property
    def _direct(self) -> DirectSolver:
        return DirectSolver(self.X, self.weights)

    def _error(self, T: NDArray[Any], found: Attempt, counts: FloatArray) -> float:
        """Return the mean squared leave-one-out error of known targets."""
        squares = (found.solution.duals / found.diagonal) ** 2
        counted = np.where(np.isfinite(T), self.weights[:, None] * counts, 0.0)
        return float((squares * counted).sum() / counted.sum())
