"""The search for C of linear machines: in closed form where that is cheap, else by descent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix, FloatArray
from dlst.regressors.direct_solver import DirectSolver, is_direct
from dlst.regressors.dual_solver import Diagonal, DualSolver, Loss, Solution

FIRST_C = 0.1
SEARCH_TOL = 1e-3
FIRST_PROBES = 32
DEARER_GAIN = 0.005
"""Share of the error that a larger C must save: squares like it sooner than log-losses do, of which
left-out rows of two thirds of GoEmotions have 2 % more where C saves 0.3 % of the squares."""

DIAGONAL_ERROR = 0.01
"""Relative error of a probed diagonal that is small enough: leave-one-out errors are off by it.

Short texts reach it with the first probes, and C is sought with these alone."""

SEARCH_TARGETS = 128
"""C is one for all targets: where there are twice as many, so many of them choose it."""


class Attempt(NamedTuple):
    """The machines for one C, the diagonal of M where they have one, and the probes' duals."""

    C: float
    solution: Solution
    diagonal: Diagonal | None
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
        if self.loss != "squared":
            begun = None if start is None else start.solution.duals
            return Attempt(C, self.descent(self.X, self.weights, tol).solve(T, C, begun), None)
        n_patterns = 1 if complete else len(np.unique(known, axis=1).T)
        if is_direct(self.X.shape, n_patterns):
            solution, diagonal = self._direct.solve(T, C)
            return Attempt(C, solution, Diagonal(diagonal))
        return self._descended(T, None if complete else known, C, tol, n_probes, start)

    def _descended(
        self, T: NDArray[Any], known: Any, C: float, tol: float, most: int, start: Attempt | None
    ) -> Attempt:
        """Solve for targets and first probes side by side, then for more probes where needed."""
        solver = self.descent(self.X, self.weights, tol)
        t, first = T.shape[1], min(FIRST_PROBES, most)
        probes = solver.probes(known, first)
        begun = None
        if start is not None and start.probes is not None:
            begun = np.hstack([start.solution.duals, start.probes[:, :first]])
        both = solver.solve(np.hstack([T, probes], dtype=solver.dtype), C, begun)
        duals = both.duals[:, t:]
        diagonal = solver.probed_diagonal(probes, duals, C)
        wanted = min(most, ceil(first * diagonal.variance / DIAGONAL_ERROR**2))
        if wanted > first:
            probes = solver.probes(known, wanted)
            more = solver.solve(probes[:, first:], C).duals
            diagonal = solver.probed_diagonal(probes, np.hstack([duals, more]), C)
        return Attempt(C, both.of(slice(t)), diagonal, duals)

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
            found = self.solve(T, C, SEARCH_TOL, FIRST_PROBES, start)
            errors[C] = self._error(T, found, counts)
            return found

        best = first = tried(grid[place], None)
        for path in (grid[place + 1 :], grid[:place][::-1]):
            for C in path:
                found = tried(C, best)
                if errors[C] >= errors[best.C] * (1.0 - DEARER_GAIN * (C > best.C)):
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
        diagonal, variance = found.diagonal or Diagonal(np.ones((1, 1)))
        squares = (found.solution.duals / diagonal) ** 2
        counted = np.where(np.isfinite(T), self.weights[:, None] * counts, 0.0)
        # Noise in a divisor makes squares larger, by three times its relative variance.
        return float((squares * counted).sum() / counted.sum() / (1.0 + 3.0 * variance))
