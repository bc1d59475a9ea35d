"""Ridge regression of any targets on one set of rows, with exact leave-one-out predictions.

All leave-one-out of ridge regressions is here: that of kernel ridge, of linear ridge and of the
ridge from codes to labels.

A row of weight w counts as w equal rows, which are left out together. Rows and targets multiplied
by the roots of the weights are those of an unweighted regression, so that all formulas apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from dlst._memory import block_rows

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MOST_LEVERAGE = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Singular value decomposition of features, F − 1 meanᵀ = U diag(eigenvalues)^(1/2) Vᵀ.

    With weights w of the rows it is that of diag(w)^(1/2) (F − 1 meanᵀ), and the mean is weighted.

    Attributes
    ----------
    U : ndarray of shape (n, q)
        Orthonormal columns; orthogonal to the constant vector when the features were centred.
    eigenvalues : ndarray of shape (q,)
        Squared singular values, descending, without those that are zero to rounding.
    V : ndarray of shape (p, q)
        Orthonormal columns.
    mean : ndarray of shape (p,)
        Subtracted from the rows.
    root : ndarray of shape (n,) or None
        w^(1/2); None where all rows count once.
    """

    U: FloatArray
    eigenvalues: FloatArray
    V: FloatArray
    mean: FloatArray
    root: FloatArray | None = None

    @classmethod
    def of(
        cls, F: FloatArray, *, centred: bool = True, weights: FloatArray | None = None
    ) -> Spectrum:
        """Decompose features (n, p), in O((n + p) p²).

        Examples
        --------
        >>> import numpy as np
        >>> F = np.random.default_rng(0).normal(size=(8, 3))
        >>> found = Spectrum.of(F)
        >>> np.allclose((found.U * np.sqrt(found.eigenvalues)) @ found.V.T, F - F.mean(axis=0))
        True
        """
        root = None if weights is None else np.sqrt(weights)
        mean = weighted_mean(F, root) if centred else np.zeros(F.shape[1])
        F = scaled(F - mean, root)
        eigenvalues, V = np.linalg.eigh(F.T @ F)
        kept = np.flatnonzero(eigenvalues > 1e-13 * eigenvalues.max(initial=0.0))[::-1]
        eigenvalues, V = eigenvalues[kept], V[:, kept]
        return cls(F @ V / np.sqrt(eigenvalues), eigenvalues, V, mean, root)

    def orthonormalised(self) -> Spectrum:
        """Return the same with columns of U that are orthonormal to rounding.

        Computed from a Gram matrix, columns of small eigenvalues lose digits. Those of large ones
        come first, so that Gram-Schmidt (a Cholesky factor) only corrects the others.
        """
        if not self.U.size:
            return self
        factor = np.linalg.cholesky(self.U.T @ self.U)
        U = scipy.linalg.solve_triangular(factor, self.U.T, lower=True).T
        return replace(self, U=np.ascontiguousarray(U))


class RidgeSmoother:
    """The linear map from targets to their ridge predictions on the training rows.

    The hat matrix is H = U diag(shrinkage) Uᵀ + 11ᵀ/n: the intercept is not penalised. It is never
    formed whole; a block of its rows is ``(U[rows] * shrinkage) @ U.T + 1 / n``. With weights w it
    is that of rows and targets times w^(1/2), and 1 / n is the product of these roots over Σ w.

    Parameters
    ----------
    spectrum : Spectrum
        Of the training rows' centred features.
    alpha : float
        Penalty λ of the squared norm, added to the sum of squared errors.

    Attributes
    ----------
    U : ndarray of shape (n, q)
        Orthonormal columns.
    shrinkage : ndarray of shape (q,)
        e/(e + λ) for the eigenvalues e.
    leverage : ndarray of shape (n,)
        Diagonal of H.
    root : ndarray of shape (n,) or None
        w^(1/2).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> F, T = rng.normal(size=(30, 2)), rng.normal(size=(30, 4))
    >>> smoother = RidgeSmoother(Spectrum.of(F), alpha=0.1)
    >>> weights, offset = smoother.coefficients(T)
    >>> gaps = (T - F @ weights - offset) / (1 - smoother.leverage[:, None])
    >>> np.allclose(T - smoother.leave_one_out(T), gaps)
    True
    """

    def __init__(self, spectrum: Spectrum, alpha: float):
        self.spectrum = spectrum.orthonormalised()
        self.alpha = alpha
        self.shrinkage = spectrum.eigenvalues / (spectrum.eigenvalues + alpha)
        self.leverage = _leverage(self.spectrum, self.shrinkage)

    @property
    def U(self) -> FloatArray:  # noqa: N802
        """Orthonormal columns (n, q)."""
        return self.spectrum.U

    @property
    def root(self) -> FloatArray | None:
        """Roots of the rows' weights."""
        return self.spectrum.root

    def leave_one_out(self, T: Any) -> FloatArray:
        """Predict each row's targets from all other rows, exactly, for the given features.

        Parameters
        ----------
        T : array-like or sparse of shape (n, t)
            Targets.

        Returns
        -------
        ndarray of shape (n, t)
        """
        T = _dense(T)
        return without_own_target(self.smooth(T), T, self.leverage)

    def smooth(self, T: FloatArray) -> FloatArray:
        """Predict the rows' targets (n, t) with the rows themselves, without forming H."""
        mean = weighted_mean(T, self.root)
        fitted = self.U @ (self.shrinkage[:, None] * (self.U.T @ scaled(T - mean, self.root)))
        return np.asarray(unscaled(fitted, self.root) + mean)

    def hat(self, rows: IntArray) -> Callable[[IntArray], FloatArray]:
        """Return a function from columns to the rows of H there, (len(rows), len(columns))."""
        shrunk, root = self.U[rows] * self.shrinkage, self.root
        if root is None:
            return lambda columns: shrunk @ self.U[columns].T + 1 / len(self.U)
        total = root @ root
        return lambda columns: (
            shrunk @ self.U[columns].T + np.outer(root[rows], root[columns] / total)
        )

    def coefficients(self, T: Any) -> tuple[FloatArray, FloatArray]:
        """Return weights (p, t) of the features and offsets (t,) of the regression of targets."""
        T = _dense(T)
        mean, spectrum = weighted_mean(T, self.root), self.spectrum
        scale = np.sqrt(spectrum.eigenvalues) / (spectrum.eigenvalues + self.alpha)
        weights = spectrum.V @ (scale[:, None] * (spectrum.U.T @ scaled(T - mean, self.root)))
        return weights, mean - spectrum.mean @ weights


def without_own_target(fitted: FloatArray, T: FloatArray, leverage: FloatArray) -> FloatArray:
    """Return exact leave-one-out predictions from fitted values (n, t).

    In a fitted value of ridge regression the row's own target has the weight h, its leverage;
    without the row the prediction is (fitted − h t) / (1 − h).
    """
    # With a vanishing penalty h tends to 1; rounding must not make 1 − h zero.
    h = np.minimum(leverage, _MOST_LEVERAGE)[:, None]
    return np.asarray((fitted - h * T) / (1 - h))


def differ_by_constants(T: Any, other: Any) -> bool:
    """Tell whether targets differ by a constant in each column, which a ridge preserves."""
    if T is other:
        return True
    if T.shape != other.shape:
        return False
    for block in gen_batches(T.shape[0], block_rows(T.shape[1])):
        difference = _dense(T[block]) - _dense(other[block])
        if block.start == 0:
            first = difference[0]
        # Centring rounds: equal up to some units in the last place of 1.
        if not (np.abs(difference - first) <= 1e-12).all():
            return False
    return True


def leave_one_out_errors(spectrum: Spectrum, T: Any, alphas: FloatArray) -> FloatArray:
    """Return the total squared leave-one-out error of targets for each penalty, rows by weight.

    Targets are made dense one block of columns at a time, so that thousands of sparse labels need
    no more memory than the features; each penalty costs O(n q min(q, t)).

    Parameters
    ----------
    spectrum : Spectrum
        Decomposition of centred features.
    T : ndarray or sparse of shape (n, t)
        Targets.
    alphas : ndarray of shape (a,)
        Penalties λ.

    Returns
    -------
    ndarray of shape (a,)
    """
    U, q, t = spectrum.U, spectrum.U.shape[1], T.shape[1]
    losses = spectrum.eigenvalues + alphas[:, None]
    shrinkages = spectrum.eigenvalues / losses
    weights = (1 - _leverage(spectrum, shrinkages)) ** -2
    # 1 − shrinkage, computed without cancellation.
    remains = alphas[:, None] / losses
    if t <= q:
        A, outside = _split(spectrum, T)
        residuals = (outside + U @ (remain[:, None] * A) for remain in remains)
        return np.array([w @ (r**2).sum(axis=1) for w, r in zip(weights, residuals, strict=True)])
    # ‖p_i + Aᵀ D u_i‖² = ‖p_i‖² + 2 (A p_i)ᵀ D u_i + u_iᵀ D (A Aᵀ) D u_i
    square, cross, gram = np.zeros(len(U)), np.zeros_like(U), np.zeros((q, q))
    columns = sp.csc_array(T) if sp.issparse(T) else T
    width = max(q, 100)
    for start in range(0, t, width):
        A, outside = _split(spectrum, columns[:, start : start + width])
        square += (outside**2).sum(axis=1)
        cross += outside @ A.T
        gram += A @ A.T
    errors = np.empty(len(alphas))
    for k, (w, remain) in enumerate(zip(weights, remains, strict=True)):
        UD = U * remain
        errors[k] = w @ (square + (UD * (2 * cross + UD @ gram)).sum(axis=1))
    return errors


def weighted_mean(values: FloatArray, root: FloatArray | None) -> FloatArray:
    """Return the mean of rows by weight, shape (t,)."""
    return np.asarray(values.mean(axis=0) if root is None else root**2 @ values / (root @ root))


def scaled(values: FloatArray, root: FloatArray | None) -> FloatArray:
    """Multiply rows by the roots of their weights."""
    return values if root is None else values * root[:, None]


def unscaled(values: FloatArray, root: FloatArray | None) -> FloatArray:
    """Divide rows by the roots of their weights."""
    return values if root is None else values / root[:, None]


def _split(spectrum: Spectrum, T: Any) -> tuple[FloatArray, FloatArray]:
    """Return Uᵀ T and the part of the centred targets outside the span of U."""
    T = _dense(T)
    T = scaled(T - weighted_mean(T, spectrum.root), spectrum.root)
    A = spectrum.U.T @ T
    return A, T - spectrum.U @ A


def _leverage(spectrum: Spectrum, shrinkage: FloatArray) -> FloatArray:
    """Return the leverage of each row for one shrinkage, or a row of them for each of several."""
    U, root = spectrum.U, spectrum.root
    of_mean = 1 / len(U) if root is None else root**2 / (root @ root)
    return np.minimum(shrinkage @ (U**2).T + of_mean, _MOST_LEVERAGE)


def _dense(T: Any) -> FloatArray:
    return np.asarray(T.toarray() if sp.issparse(T) else T, dtype=np.float64)
