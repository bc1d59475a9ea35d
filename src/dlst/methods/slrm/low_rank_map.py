"""A linear map with a nuclear norm: the convex problem behind SLRM, solved in its own axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dlst._kernels.proximal import Solution, accelerated_proximal_gradient, admm
from dlst._kernels.singular_values import shrink_singular_values, spectral_norm
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, as_dense

# Axes with a smaller share of the largest curvature hold nothing but rounding.
_NEGLIGIBLE = 1e-13


class LowRankMap(NamedTuple):
    """Scores F @ coef + intercept, and how the solver ended."""

    coef: FloatArray
    intercept: FloatArray
    n_iter: int
    converged: bool

    def scores(self, F: FeatureMatrix) -> FloatArray:
        """Return the scores of rows, (n, K)."""
        return np.asarray(F @ self.coef) + self.intercept


class IncompleteLabels(NamedTuple):
    """Features in the problem's axes (n, q), centred labels (n, K), and which are known."""

    features: FloatArray
    labels: FloatArray
    known: BoolArray
    free_offset: bool

    def filled(self, W: FloatArray) -> FloatArray:
        """Return labels less the best offset where known, else what W predicts."""
        predicted = self.features @ W
        return np.where(self.known, self.labels - self.offset(predicted), predicted)

    def offset(self, predicted: FloatArray) -> FloatArray:
        """Return the best offset for these predictions: the mean known residual of each label."""
        if not self.free_offset:
            return np.zeros(self.labels.shape[1])
        residuals = np.where(self.known, self.labels - predicted, 0.0)
        return np.asarray(residuals.sum(axis=0) / np.maximum(self.known.sum(axis=0), 1))


@dataclass(frozen=True, eq=False)
class LowRankProblem:
    """min ½‖P_Ω(F W + 1bᵀ − Y)‖² + ½ tr(WᵀRW) + γ‖W‖_* over W (d, K) and, if free, b (K,).

    Turning W from the left does not change its nuclear norm. In the eigenvectors of FᵀF + R the
    quadratic part is diagonal, so that a step costs O(d K) beside the shrinkage of singular values,
    whatever n is. With unknown labels the gradient is that of the complete problem with unknown
    entries filled by the current prediction, and a step costs O(n d K).

    Attributes
    ----------
    axes : ndarray of shape (d, q)
        Eigenvectors of FᵀF + R; F is centred where b is free.
    curvature : ndarray of shape (q,)
        Their eigenvalues.
    cross : ndarray of shape (q, K)
        axesᵀFᵀY, unknown entries 0: the negative gradient at W = 0.
    centre, label_means : ndarray of shape (d,), (K,)
        What was subtracted from features and labels; zeros where b is not free.
    incomplete : IncompleteLabels or None
        Where labels are unknown.
    """

    axes: FloatArray
    curvature: FloatArray
    cross: FloatArray
    centre: FloatArray
    label_means: FloatArray
    incomplete: IncompleteLabels | None = None

    @classmethod
    def of(
        cls, F: FeatureMatrix, Y: sp.csr_array, gram: FloatArray, *, free_offset: bool
    ) -> LowRankProblem:
        """Set the problem up for rows F, labels Y with NaN for unknown, and ``gram`` = FᵀF + R."""
        curvature, axes = scipy.linalg.eigh(gram, check_finite=False)
        kept = curvature > _NEGLIGIBLE * max(curvature[-1], np.finfo(np.float64).tiny)
        curvature, axes = curvature[kept], np.ascontiguousarray(axes[:, kept])
        unknown = np.isnan(Y.data)
        present = sp.csr_array((np.where(unknown, 0.0, Y.data), Y.indices, Y.indptr), shape=Y.shape)
        n_known = Y.shape[0] - np.bincount(Y.indices[unknown], minlength=Y.shape[1])
        centre, means = np.zeros(F.shape[1]), np.zeros(Y.shape[1])
        if free_offset:
            centre = row_mean(F)
            means = np.asarray(present.sum(axis=0)).ravel() / np.maximum(n_known, 1)
        if not unknown.any():
            cross = as_dense(F.T @ present) - F.shape[0] * np.outer(centre, means)
            return cls(axes, curvature, axes.T @ cross, centre, means)
        features = np.asarray(F @ axes) - centre @ axes
        known = ~np.isnan(as_dense(Y))
        labels = np.where(known, as_dense(present) - means, 0.0)
        incomplete = IncompleteLabels(features, labels, known, free_offset)
        return cls(axes, curvature, features.T @ labels, centre, means, incomplete)

    @cached_property
    def largest_penalty(self) -> float:
        """The least γ for which W = 0."""
        return spectral_norm(self.cross)

    def path(
        self, fractions: Sequence[float], *, solver: str, tol: float, max_iter: int
    ) -> Iterator[LowRankMap]:
        """Solve for γ = fraction · ``largest_penalty``, each from the solution before.

        Solved on the scale where the largest curvature and the largest penalty are 1, so that the
        tolerance means the same for all data.
        """
        steepest = float(self.curvature.max(initial=0.0))
        scale = self.largest_penalty / steepest if steepest > 0 else 0.0
        W = np.zeros_like(self.cross)
        for fraction in fractions:
            if scale == 0:
                solution = Solution(W, 0, True)
            elif fraction == 0 and self.incomplete is None:
                solution = Solution(self.cross / self.curvature[:, None] / scale, 0, True)
            else:
                solution = self._solve(W, fraction, solver, tol, max_iter)
            W = solution.point
            coef = self.axes @ (W * scale)
            intercept = self.label_means - self.centre @ coef
            if self.incomplete is not None:
                intercept += self.incomplete.offset(self.incomplete.features @ (W * scale))
            yield LowRankMap(coef, intercept, solution.n_iter, solution.converged)

    def _solve(
        self, start: FloatArray, fraction: float, solver: str, tol: float, max_iter: int
    ) -> Solution:
        steepest, largest = float(self.curvature.max()), self.largest_penalty
        curvature, cross = self.curvature[:, None] / steepest, self.cross / largest
        incomplete = self.incomplete

        def shrink(W: FloatArray, step: float) -> FloatArray:
            return shrink_singular_values(W, fraction * step).matrix if fraction > 0 else W

        if solver == "admm":
            rho = float(curvature.mean())

            def solve(V: FloatArray) -> FloatArray:
                return np.asarray((cross + rho * V) / (curvature + rho))

            met = admm(solve, shrink, start, rho, tol=tol, max_iter=max_iter)
            return Solution(met.point, met.n_iter, met.converged)

        def gradient(W: FloatArray) -> FloatArray:
            if incomplete is None:
                return np.asarray(curvature * W - cross)
            filled = incomplete.filled(W * (largest / steepest))
            return np.asarray(curvature * W - incomplete.features.T @ filled / largest)

        return accelerated_proximal_gradient(
            start, gradient, shrink, 1.0, tol=tol, max_iter=max_iter
        )


def centred_gram(F: FeatureMatrix, *, centred: bool) -> FloatArray:
    """Return FᵀF, of the rows less their mean if so wanted; sparse rows stay sparse."""
    if not centred:
        return as_dense(F.T @ F)
    mean = row_mean(F)
    if isinstance(F, np.ndarray):
        # Subtracted before, not after: a large mean would take the digits of the rest.
        F = F - mean
        return np.asarray(F.T @ F)
    return np.asarray(as_dense(F.T @ F) - F.shape[0] * np.outer(mean, mean))


def row_mean(F: FeatureMatrix) -> FloatArray:
    """Return the mean row, as a vector."""
    return np.asarray(F.mean(axis=0), dtype=np.float64).ravel()
