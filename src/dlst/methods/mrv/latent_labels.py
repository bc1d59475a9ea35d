"""Latent labels of low rank that a smooth function of the features predicts: MRV's problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg

from dlst._kernels.proximal import accelerated_proximal_gradient
from dlst._kernels.singular_values import shrink_singular_values, spectral_norm
from dlst._matrices import FloatArray

CONTINUATION = 0.25
"""Each penalty of the continuation, as a share of the one before."""
LEAST_SHARE = 1e-4
"""Share of the largest penalty below which continuation makes no difference."""
ROUGH_TOL = 1e-2


class LatentLabels(NamedTuple):
    """Latent labels M (n, K), the function's coefficients (q, K), and how the solver ended."""

    labels: FloatArray
    coef: FloatArray
    n_iter: int
    converged: bool


@dataclass(frozen=True, eq=False)
class LatentLabelProblem:
    """min ½‖M − F V‖² + ½ tr(VᵀRV) + ½ Σ w_ij (M_ij − Y_ij)² + μ‖M‖_* over M (n, K) and V (q, K).

    The best V for given M is (FᵀF + R)⁻¹FᵀM, and leaves ½ tr(Mᵀ(I − S)M) with the smoother
    S = F(FᵀF + R)⁻¹Fᵀ, whose eigenvalues lie in [0, 1). That is a well-conditioned problem in M
    alone: its gradient has the Lipschitz constant 1 + max w.

    Attributes
    ----------
    factor : ndarray of shape (q, q)
        Lower Cholesky factor of FᵀF + R.
    root : ndarray of shape (q, n)
        factor⁻¹Fᵀ, so that S = rootᵀ root.
    smoother : ndarray of shape (n, n), or None
        S, where it is cheaper than its root.
    labels, weights : ndarray of shape (n, K)
        Y and w; w is 0 where Y is not known.
    """

    factor: FloatArray
    root: FloatArray
    smoother: FloatArray | None
    labels: FloatArray
    weights: FloatArray

    @classmethod
    def of(
        cls, F: FloatArray, labels: FloatArray, weights: FloatArray, R: FloatArray
    ) -> LatentLabelProblem:
        """Set the problem up for features F (n, q) and the penalty matrix R (q, q)."""
        factor = scipy.linalg.cholesky(F.T @ F + R, lower=True)
        root = scipy.linalg.solve_triangular(factor, F.T, lower=True)
        n, q = F.shape
        smoother = root.T @ root if n < 2 * q else None
        return cls(factor, root, smoother, labels, weights)

    @property
    def largest_penalty(self) -> float:
        """The least μ for which M = 0."""
        return spectral_norm(self.weights * self.labels)

    def solve(self, penalty: float, *, tol: float, max_iter: int) -> LatentLabels:
        """Solve for μ by continuation: larger penalties, solved roughly, give the start.

        ``max_iter`` bounds the iterations at each penalty.
        """
        M = np.zeros_like(self.labels)
        lipschitz = 1.0 + float(self.weights.max(initial=0.0))
        n_iter, converged = 0, True
        for step_penalty in _descending(self.largest_penalty, penalty):

            def shrink(A: FloatArray, step: float, penalty: float = step_penalty) -> FloatArray:
                return shrink_singular_values(A, penalty * step).matrix if penalty > 0 else A

            last = step_penalty == penalty
            found = accelerated_proximal_gradient(
                M,
                self.gradient,
                shrink,
                lipschitz,
                tol=tol if last else max(tol, ROUGH_TOL),
                max_iter=max_iter,
            )
            M, n_iter, converged = found.point, n_iter + found.n_iter, found.converged
        return LatentLabels(M, self.coefficients(M), n_iter, converged)

    def gradient(self, M: FloatArray) -> FloatArray:
        """Return (I − S)M + w ∘ (M − Y)."""
        return np.asarray(M - self.smoothed(M) + self.weights * (M - self.labels))

    def smoothed(self, M: FloatArray) -> FloatArray:
        """Return S M, the fitted values of the best function for M."""
        if self.smoother is not None:
            return self.smoother @ M
        return np.asarray(self.root.T @ (self.root @ M))

    def coefficients(self, M: FloatArray) -> FloatArray:
        """Return the best V for M."""
        return np.asarray(
            scipy.linalg.solve_triangular(self.factor, self.root @ M, lower=True, trans="T")
        )


def _descending(largest: float, wanted: float) -> Iterator[float]:
    """Yield penalties from a quarter of the largest down to the one that is wanted."""
    penalty, least = CONTINUATION * largest, LEAST_SHARE * largest
    while penalty > max(wanted, least):
        yield penalty
        penalty *= CONTINUATION
    yield wanted
