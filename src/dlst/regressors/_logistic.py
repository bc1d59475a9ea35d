"""Losses and the solver of a penalised logistic regression of many real-valued targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from threadpoolctl import threadpool_limits

from dlst._progress import progress_bar
from dlst.regressors.smoother import Spectrum

THREADS_PAY_FROM = 5e8
"""Multiplications in one product from which BLAS may use all its threads."""

Array: TypeAlias = NDArray[np.float64]
Loss: TypeAlias = Callable[[Array, Array], tuple[float, Array]]


def soft_loss(f: Array, t: Array) -> tuple[float, Array]:
    """Return Σ −t log σ(f) − (1 − t) log(1 − σ(f)) for t in [0, 1], and its gradient in f.

    Examples
    --------
    >>> import numpy as np
    >>> value, gradient = soft_loss(np.array([[0.0]]), np.array([[0.25]]))
    >>> round(value, 4), gradient.tolist()
    (0.6931, [[0.25]])
    """
    return float(np.logaddexp(0, f).sum() - np.vdot(t, f)), expit(f) - t


def printed_loss(f: Array, z: Array) -> tuple[float, Array]:
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
    loss : callable
        ``(f, targets) -> (value, gradient)``.
    curvature : ndarray of shape (r,)
        Typical second derivative of the loss in f.
    alpha : float
        Penalty.
    intercept : bool
        Whether there is one; it is not penalised.
    """

    spectrum: Spectrum
    targets: Array
    loss: Loss
    curvature: Array
    alpha: float
    intercept: bool

    def __call__(self, unknowns: Array) -> tuple[float, Array]:
        """Return the objective and its gradient in the scaled unknowns, (q [+ 1]) · r of them."""
        scales = self._scales()
        B, offset = self._parts(unknowns.reshape(scales.shape) / scales)
        roots = np.sqrt(self.spectrum.eigenvalues)[:, None]
        value, slopes = self.loss(self.spectrum.U @ (roots * B) + offset, self.targets)
        gradient = roots * (self.spectrum.U.T @ slopes) + 2 * self.alpha * B
        if self.intercept:
            gradient = np.vstack([gradient, slopes.sum(axis=0)])
        return value + self.alpha * float(np.vdot(B, B)), (gradient / scales).ravel()

    def solve(self, tol: float, max_iter: int) -> LogisticSolution:
        """Minimise until no slope exceeds ``tol`` times the steepest one at zero.

        Steps that rounding keeps from lowering the objective further end it as well.
        """
        scales = self._scales()
        start = np.zeros(scales.size)
        steepest = float(np.abs(self(start)[1]).max(initial=0.0))
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
        coefficients, offset = self._parts(found.x.reshape(scales.shape) / scales)
        slope = float(np.abs(found.jac).max(initial=0.0)) / steepest if steepest else 0.0
        return LogisticSolution(
            coefficients, offset, float(found.fun), slope, int(found.nit), bool(found.success)
        )

    def _parts(self, rows: Array) -> tuple[Array, Array]:
        if self.intercept:
            return rows[:-1], rows[-1]
        return rows, np.zeros(self.targets.shape[1])

    def _scales(self) -> Array:
        curved = self.curvature * self.spectrum.eigenvalues[:, None] + 2 * self.alpha
        if self.intercept:
            curved = np.vstack([curved, self.curvature * len(self.targets)])
        return np.asarray(np.sqrt(curved))


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

    coefficients: Array
    offset: Array
    objective: float
    slope: float
    n_iter: int
    converged: bool
