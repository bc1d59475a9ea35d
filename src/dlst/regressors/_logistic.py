"""Losses and the solver of a penalised logistic regression of many real-valued targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit
from threadpoolctl import threadpool_limits

from dlst._kernels.ridge import Spectrum
from dlst._matrices import FloatArray
from dlst._progress import progress_bar

THREADS_PAY_FROM = 5e8
"""Multiplications in one product from which BLAS may use all its threads."""

OUT_OF_STEPS = 1
"""The status of L-BFGS at its limit of steps."""

NEWTON_STEPS = 10
"""Most of them, after the last step that the objective could judge."""

PRODUCTS_PER_UNKNOWN = 20
"""Most products with the Hessian in a Newton step; tens in all do unless ``alpha`` is tiny."""

ROUNDING = 16 * np.finfo(np.float64).eps
"""Share of the objective below which a promised decrease is lost in its sums."""


class Loss(NamedTuple):
    """A loss of margins f beside their targets, both (n, r).

    Attributes
    ----------
    slope : callable
        ``(f, targets) -> (sum of losses, its gradient in f)``.
    bend : callable
        ``(f, targets) -> second derivative in f``.
    """

    slope: Callable[[FloatArray, FloatArray], tuple[float, FloatArray]]
    bend: Callable[[FloatArray, FloatArray], FloatArray]


def soft_loss(f: FloatArray, t: FloatArray) -> tuple[float, FloatArray]:
    """Return Σ −t log σ(f) − (1 − t) log(1 − σ(f)) for t in [0, 1], and its gradient in f.

    Examples
    --------
    >>> import numpy as np
    >>> value, gradient = soft_loss(np.array([[0.0]]), np.array([[0.25]]))
    >>> round(value, 4), gradient.tolist()
    (0.6931, [[0.25]])
    """
    return float(np.logaddexp(0, f).sum() - np.vdot(t, f)), expit(f) - t


def printed_loss(f: FloatArray, z: FloatArray) -> tuple[float, FloatArray]:
    """Return Σ log(1 + exp(−z f)) for real z, and its gradient in f.

    Examples
    --------
    >>> import numpy as np
    >>> value, gradient = printed_loss(np.array([[0.0]]), np.array([[-0.5]]))
    >>> round(value, 4), gradient.tolist()
    (0.6931, [[0.25]])
    """
    margins = z * f
    return float(np.logaddexp(0, -margins).sum()), -z * expit(-margins)


def _soft_bend(f: FloatArray, t: FloatArray) -> FloatArray:
    return np.asarray(expit(f) * expit(-f))


def _printed_bend(f: FloatArray, z: FloatArray) -> FloatArray:
    return np.asarray(z**2 * expit(z * f) * expit(-z * f))


SOFT = Loss(soft_loss, _soft_bend)
PRINTED = Loss(printed_loss, _printed_bend)


@dataclass(frozen=True, eq=False)
class LogisticProblem:
    """Σ loss(f, targets) + alpha ‖B‖² for f = U diag(e)^(1/2) B + intercept.

    The unknowns are scaled by the root of a bound on the curvature, which is diagonal in these
    coordinates; a quasi-Newton method then needs tens of steps whatever the kernel's spectrum.

    Parameters
    ----------
    spectrum : Spectrum
        Of the features; centred where there is an intercept.
    targets : ndarray of shape (n, r)
        Targets.
    loss : Loss
        SOFT or PRINTED.
    curvature : ndarray of shape (r,)
        Typical second derivative of the loss in f.
    alpha : float
        Penalty.
    intercept : bool
        Whether there is one; it is not penalised.
    """

    spectrum: Spectrum
    targets: FloatArray
    loss: Loss
    curvature: FloatArray
    alpha: float
    intercept: bool

    def __call__(self, unknowns: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective and its gradient in the scaled unknowns, (q [+ 1]) · r of them."""
        scales = self._scales()
        rows = unknowns.reshape(scales.shape) / scales
        B, _ = self._weights_and_offset(rows)
        value, slopes = self.loss.slope(self._margins(rows), self.targets)
        gradient = self._pulled_back(slopes, B) / scales
        return value + self.alpha * float(np.vdot(B, B)), gradient.ravel()

    def hessian(self, unknowns: FloatArray) -> LinearOperator:
        """Return the second derivative in the scaled unknowns as a product with vectors."""
        scales = self._scales()
        bend = self.loss.bend(self._margins(unknowns.reshape(scales.shape) / scales), self.targets)

        def product(direction: FloatArray) -> FloatArray:
            rows = direction.reshape(scales.shape) / scales
            bent = self._pulled_back(bend * self._margins(rows), self._weights_and_offset(rows)[0])
            return np.asarray(bent / scales).ravel()

        return LinearOperator((scales.size, scales.size), matvec=product, dtype=np.float64)

    def solve(self, tol: float, max_iter: int) -> LogisticSolution:
        """Minimise until no slope exceeds ``tol`` times the steepest one at zero.

        Where rounding keeps L-BFGS from lowering the objective further, Newton steps, which need
        its slopes alone, go on. It is an end as well where even they promise to lower the
        objective by no more than its own rounding.
        """
        scales = self._scales()
        start = np.zeros(scales.size)
        steepest = _largest(self(start)[1])
        # Products as small as these are done before a second thread has woken up.
        small = self.spectrum.U.size * self.targets.shape[1] < THREADS_PAY_FROM
        threads = threadpool_limits(1 if small else None, user_api="blas")
        with threads, progress_bar("logistic regression", None) as advance:
            found = minimize(
                self,
                start,
                jac=True,
                method="L-BFGS-B",
                callback=lambda _: advance(1),
                options={
                    "maxiter": max_iter,
                    "maxfun": 20 * max_iter,
                    "maxcor": 20,
                    "gtol": tol * steepest,
                    "ftol": 0.0,
                },
            )
            reached = _largest(found.jac) <= tol * steepest
            end = _End(found.x, float(found.fun), found.jac, int(found.nit), reached)
            if not reached and found.status != OUT_OF_STEPS:
                end = self._finish(end, tol * steepest)
        coefficients, offset = self._weights_and_offset(end.unknowns.reshape(scales.shape) / scales)
        slope = _largest(end.gradient) / steepest if steepest else 0.0
        return LogisticSolution(coefficients, offset, end.value, slope, end.n_iter, end.converged)

    def _finish(self, end: _End, gtol: float) -> _End:
        """Take whole Newton steps for as long as each halves the steepest slope."""
        enough = PRODUCTS_PER_UNKNOWN * len(self._scales())
        for _ in range(NEWTON_STEPS):
            step, _ = cg(self.hessian(end.unknowns), -end.gradient, rtol=1e-3, maxiter=enough)
            lost = bool(-0.5 * (end.gradient @ step) <= ROUNDING * abs(end.value))
            value, gradient = self(end.unknowns + step)
            if _largest(gradient) > 0.5 * _largest(end.gradient):
                return end._replace(converged=lost)
            reached = _largest(gradient) <= gtol
            end = _End(end.unknowns + step, value, gradient, end.n_iter + 1, reached)
            if reached:
                break
        return end

    def _margins(self, rows: FloatArray) -> FloatArray:
        B, offset = self._weights_and_offset(rows)
        roots = np.sqrt(self.spectrum.eigenvalues)[:, None]
        return np.asarray(self.spectrum.U @ (roots * B) + offset)

    def _pulled_back(self, slopes: FloatArray, B: FloatArray) -> FloatArray:
        """Turn slopes in f, and the penalty's at B, into those in the unscaled unknowns."""
        roots = np.sqrt(self.spectrum.eigenvalues)[:, None]
        gradient = roots * (self.spectrum.U.T @ slopes) + 2 * self.alpha * B
        return np.vstack([gradient, slopes.sum(axis=0)]) if self.intercept else gradient

    def _weights_and_offset(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.intercept:
            return rows[:-1], rows[-1]
        return rows, np.zeros(self.targets.shape[1])

    def _scales(self) -> FloatArray:
        curved = self.curvature * self.spectrum.eigenvalues[:, None] + 2 * self.alpha
        if self.intercept:
            curved = np.vstack([curved, self.curvature * len(self.targets)])
        return np.asarray(np.sqrt(curved))


class _End(NamedTuple):
    """Where the solver stands, in scaled unknowns."""

    unknowns: FloatArray
    value: float
    gradient: FloatArray
    n_iter: int
    converged: bool


def _largest(gradient: FloatArray) -> float:
    return float(np.abs(gradient).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class LogisticSolution:
    """What the solver found.

    Attributes
    ----------
    coefficients : ndarray of shape (q, r)
        B.
    offset : ndarray of shape (r,)
        Intercepts; zeros without.
    objective : float
        Value at the solution.
    slope : float
        Steepest slope, relative to that at zero.
    n_iter : int
        Steps taken.
    converged : bool
        Whether the last one was the end.
    """

    coefficients: FloatArray
    offset: FloatArray
    objective: float
    slope: float
    n_iter: int
    converged: bool
