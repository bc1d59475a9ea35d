"""The W-step of ML-LOC: a large-margin scorer of each label on features and codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from sklearn.svm import SVC

from dlst._kernels.proximal import Solution, accelerated_proximal_gradient
from dlst._kernels.ridge import Spectrum
from dlst._matrices import BoolArray, FloatArray

Signs: TypeAlias = FloatArray
"""Labels (n, K): 1 present, -1 absent, 0 unknown."""

SVM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Scorers:
    """f(x, c) = φ(x) weights + c code_weights + intercept, a column for each label.

    Attributes
    ----------
    weights : ndarray of shape (q, K)
    code_weights : ndarray of shape (m, K)
    intercept : ndarray of shape (K,)
    """

    weights: FloatArray
    code_weights: FloatArray
    intercept: FloatArray

    @classmethod
    def zero(cls, q: int, m: int, K: int) -> Scorers:
        """Return the scorers whose score is 0 everywhere."""
        return cls(np.zeros((q, K)), np.zeros((m, K)), np.zeros(K))

    def without_codes(self, F: FloatArray) -> FloatArray:
        """Return the part of the scores that the features (n, q) give."""
        return F @ self.weights + self.intercept

    def scores(self, F: FloatArray, C: FloatArray) -> FloatArray:
        """Return the scores (n, K) of features and codes."""
        return self.without_codes(F) + C @ self.code_weights

    def norms(self) -> FloatArray:
        """Return the squared norm of each label's weights."""
        squares: FloatArray = (self.weights**2).sum(axis=0) + (self.code_weights**2).sum(axis=0)
        return squares

    def replaced_where(self, better: BoolArray, other: Scorers) -> Scorers:
        """Return these scorers with those of other in the columns where it is better."""
        return Scorers(
            np.where(better, other.weights, self.weights),
            np.where(better, other.code_weights, self.code_weights),
            np.where(better, other.intercept, self.intercept),
        )


def slack(T: Signs, scores: FloatArray) -> FloatArray:
    """Return [1 − y f]₊, which is 0 for an unknown label.

    Examples
    --------
    >>> slack(np.array([[1.0, -1.0, 0.0]]), np.array([[0.25, 0.25, 0.25]]))
    array([[0.75, 1.25, 0.  ]])
    """
    missing: FloatArray = np.maximum(np.abs(T) - T * scores, 0.0)
    return missing


@dataclass(frozen=True, eq=False)
class SquaredHingeProblem:
    """Σ [1 − y f]₊² + alpha ‖w‖² for f = Φ w + b, all labels at once.

    The unknowns are those of the features' singular vectors, scaled by the root of a bound on the
    curvature, which is diagonal there: the gradient then has the Lipschitz constant 1, whatever
    the kernel's spectrum.

    Parameters
    ----------
    spectrum : Spectrum
        Of the centred features.
    T : ndarray of shape (n, K)
        Signs of the labels.
    alpha : float
        Penalty.
    """

    spectrum: Spectrum
    T: Signs
    alpha: float

    def solve(self, start: FloatArray, tol: float, max_iter: int) -> Solution:
        """Minimise from a start until the gradient is ``tol`` times as long as at zero."""
        steepest, at_start = (
            float(np.linalg.norm(self.gradient(unknowns)))
            for unknowns in (np.zeros_like(start), start)
        )
        return accelerated_proximal_gradient(
            start,
            self.gradient,
            lambda unknowns, _: unknowns,
            1.0,
            tol=tol * steepest / max(1.0, at_start),
            max_iter=max_iter,
        )

    def gradient(self, unknowns: FloatArray) -> FloatArray:
        """Return the gradient in the scaled unknowns."""
        return self.value_and_gradient(unknowns)[1]

    def value_and_gradient(self, unknowns: FloatArray) -> tuple[float, FloatArray]:
        """Return both at the scaled unknowns (q + 1, K); the last row is the intercepts'."""
        scales = self._scales()
        rows = unknowns / scales
        B, U = rows[:-1], self.spectrum.U
        roots = np.sqrt(self.spectrum.eigenvalues)[:, None]
        missing = slack(self.T, U @ (roots * B) + rows[-1])
        slopes = -2.0 * self.T * missing
        inner = roots * (U.T @ slopes) + 2.0 * self.alpha * B
        value = float(np.vdot(missing, missing)) + self.alpha * float(np.vdot(B, B))
        return value, np.vstack([inner, slopes.sum(axis=0)]) / scales

    def scaled(self, W: FloatArray, b: FloatArray) -> FloatArray:
        """Turn weights (p, K) of the features and intercepts into unknowns."""
        rows = np.vstack([self.spectrum.V.T @ W, b + self.spectrum.mean @ W])
        unknowns: FloatArray = rows * self._scales()
        return unknowns

    def unscaled(self, unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn unknowns into weights and intercepts."""
        rows = unknowns / self._scales()
        W = self.spectrum.V @ rows[:-1]
        return W, rows[-1] - self.spectrum.mean @ W

    def _scales(self) -> FloatArray:
        curved = np.append(self.spectrum.eigenvalues + self.alpha, len(self.T))
        scales: FloatArray = np.sqrt(2.0 * curved)[:, None]
        return scales


def squared_hinge_scorers(
    F: FloatArray,
    C: FloatArray,
    T: Signs,
    alpha: float,
    start: Scorers,
    *,
    tol: float,
    max_iter: int,
) -> Scorers:
    """Minimise Σ [1 − y f]₊² + alpha ‖w‖² from a start, in O(n q K) for each iteration."""
    problem = SquaredHingeProblem(Spectrum.of(np.hstack([F, C])), T, alpha)
    first = problem.scaled(np.vstack([start.weights, start.code_weights]), start.intercept)
    W, b = problem.unscaled(problem.solve(first, tol, max_iter).point)
    q = F.shape[1]
    return Scorers(W[:q], W[q:], b)


def hinge_scorers(F: FloatArray, C: FloatArray, T: Signs, alpha: float) -> Scorers:
    """Minimise Σ [1 − y f]₊ + alpha ‖w‖²: a support vector machine for each label.

    The machines share the kernel F Fᵀ + C Cᵀ, n × n, and have the cost 1/(2 alpha).
    """
    features = np.hstack([F, C])
    kernel = features @ features.T
    W, b = np.zeros((features.shape[1], T.shape[1])), np.zeros(T.shape[1])
    machine = SVC(C=0.5 / alpha, kernel="precomputed", tol=SVM_TOLERANCE)
    for label, signs in enumerate(T.T):
        known = np.flatnonzero(signs)
        between = kernel if known.size == len(T) else kernel[np.ix_(known, known)]
        machine.fit(between, signs[known])
        W[:, label] = machine.dual_coef_[0] @ features[known[machine.support_]]
        b[label] = machine.intercept_[0]
    q = F.shape[1]
    return Scorers(W[:q], W[q:], b)
