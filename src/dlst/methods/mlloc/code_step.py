"""The C-step of ML-LOC: the codes of all rows at once, each on the simplex."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.proximal import accelerated_proximal_gradient
from dlst._kernels.simplex import project_onto_simplex
from dlst._kernels.singular_values import spectral_norm
from dlst._matrices import FloatArray
from dlst.methods.mlloc.scorer_step import Signs, slack

RESTART_AFTER = 50

# A step times the largest cost is at most the inverse of this, so that rounding does not show.
_LEAST_CURVATURE = 1e-6


class CodeProblem(NamedTuple):
    """cᵢ · costs_i + Σ_l loss(y_il (scores_il + cᵢ · weights_l)), each cᵢ on the simplex.

    Attributes
    ----------
    scores : ndarray of shape (n, K)
        What the features give.
    weights : ndarray of shape (m, K)
        Of the codes.
    T : ndarray of shape (n, K)
        Signs of the labels.
    costs : ndarray of shape (n, m)
        λ₂ times the squared distances of label vectors and prototypes.
    """

    scores: FloatArray
    weights: FloatArray
    T: Signs
    costs: FloatArray

    def values(self, C: FloatArray, power: int) -> FloatArray:
        """Return the value (n,) of each row's code, for the hinge (1) or its square (2)."""
        missing = slack(self.T, self.scores + C @ self.weights)
        values: FloatArray = (self.costs * C).sum(axis=1) + (missing**power).sum(axis=1)
        return values

    def squared_hinge_gradient(self, C: FloatArray) -> FloatArray:
        """Return the gradient (n, m) of the rows' values with the squared hinge."""
        slopes = -2.0 * self.T * slack(self.T, self.scores + C @ self.weights)
        gradient: FloatArray = slopes @ self.weights.T + self.costs
        return gradient

    def rows(self, chosen: NDArray[np.intp]) -> CodeProblem:
        """Return the problem of some rows."""
        return CodeProblem(self.scores[chosen], self.weights, self.T[chosen], self.costs[chosen])


def squared_hinge_codes(
    problem: CodeProblem, start: FloatArray, *, tol: float, max_iter: int
) -> FloatArray:
    """Minimise with the squared hinge by accelerated projected gradients."""
    return accelerated_proximal_gradient(
        start,
        problem.squared_hinge_gradient,
        lambda C, _: project_onto_simplex(C),
        max(2.0 * _influence(problem) ** 2, _least_curvature(problem)),
        tol=tol,
        max_iter=max_iter,
    ).point


def hinge_codes(
    problem: CodeProblem, start: FloatArray, *, tol: float, max_iter: int
) -> FloatArray:
    """Minimise with the hinge: a linear program for each row, all of them at once.

    Primal-dual steps (Chambolle and Pock, 2011), restarted every so often from the average of the
    last ones. A row is done when its duality gap, which bounds how far it is from its optimum, is
    at most ``tol`` of its value.
    """
    codes, best = start.copy(), problem.values(start, 1)
    floor = np.full(len(start), -np.inf)
    C, duals = start, np.zeros_like(problem.T)
    rows = np.arange(len(start))
    for _ in range(0, max_iter, RESTART_AFTER):
        part = problem.rows(rows)
        C, duals = _primal_dual_average(part, C, duals)
        values = part.values(C, 1)
        better = values < best[rows]
        codes[rows[better]], best[rows[better]] = C[better], values[better]
        floor[rows] = np.maximum(floor[rows], _dual_values(part, duals))
        unfinished = best[rows] - floor[rows] > tol * np.maximum(1.0, best[rows])
        rows, C, duals = rows[unfinished], C[unfinished], duals[unfinished]
        if not rows.size:
            break
    return codes


def _primal_dual_average(
    problem: CodeProblem, C: FloatArray, duals: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the means of codes and of the dual variables of the hinges over some steps."""
    known = np.abs(problem.T)
    # Steps whose product is at most 1/norm² converge.
    norm = max(_influence(problem), _least_curvature(problem))
    # The simplex is √2 wide, the box of the dual variables √K.
    ratio = np.sqrt(2.0 / problem.T.shape[1])
    total_codes, total_duals = np.zeros_like(C), np.zeros_like(duals)
    for _ in range(RESTART_AFTER):
        slopes = problem.costs - (duals * problem.T) @ problem.weights.T
        following = project_onto_simplex(C - ratio / norm * slopes)
        missing = known - problem.T * (problem.scores + (2.0 * following - C) @ problem.weights)
        duals = np.clip(duals + missing / (ratio * norm), 0.0, known)
        C = following
        total_codes += C
        total_duals += duals
    return total_codes / RESTART_AFTER, total_duals / RESTART_AFTER


def _dual_values(problem: CodeProblem, duals: FloatArray) -> FloatArray:
    """Return lower bounds (n,) of the optima; exact for optimal dual variables."""
    linear = (duals * (np.abs(problem.T) - problem.T * problem.scores)).sum(axis=1)
    least = (problem.costs - (duals * problem.T) @ problem.weights.T).min(axis=1)
    values: FloatArray = linear + least
    return values


def _influence(problem: CodeProblem) -> float:
    """Return the most that scores differ, over the distance of two codes.

    Two codes differ by a vector of sum 0, to which a shift of the weights makes no difference.
    """
    return spectral_norm(problem.weights - problem.weights.mean(axis=0))


def _least_curvature(problem: CodeProblem) -> float:
    return _LEAST_CURVATURE * max(1.0, float(problem.costs.max(initial=0.0)))
