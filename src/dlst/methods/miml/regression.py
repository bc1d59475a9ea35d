"""The Gaussian regression inside the sparse Bayesian model: features, penalty, leave-one-out."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from dlst._kernels.ridge import Spectrum, without_own_target
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, as_dense
from dlst.regressors import KernelBasis
from dlst.regressors.basis import LARGEST_AUTOMATIC_BASIS
from dlst.regressors.kernels import has_width

PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""What is tried, as multiples of the mean squared length of a row's features."""
WIDTHS = (0.25, 0.5, 1.0, 2.0)
"""Multiples of the median rule's gamma that are tried."""

# A constant of ten times a row's length is hardly penalised, as an intercept should be.
_CONSTANT = 10.0


class RowFeatures:
    """What the regression is linear in: a row's own features or its kernel's, and a constant.

    Attributes
    ----------
    basis : KernelBasis, optional
        Of the kernel; None takes the rows as they are.
    size : float
        Mean squared length of a training row, without the constant.
    constant : float
        Last feature of every row; 0 where there is none.
    """

    def __init__(self, basis: KernelBasis | None, X: FeatureMatrix, with_constant: bool):
        self.basis = basis
        F = self._without_constant(X)
        size = float((F**2).sum() / len(F))
        self.size = size if size > 0 else 1.0
        self.constant = _CONSTANT * float(np.sqrt(self.size)) if with_constant else 0.0

    def of(self, X: FeatureMatrix) -> FloatArray:
        """Return the features (n, p) of rows."""
        F = self._without_constant(X)
        return np.column_stack([F, np.full(len(F), self.constant)]) if self.constant else F

    def spanning(self, X: FeatureMatrix) -> RowFeatures:
        """Return the same kernel and constant on a basis of other rows.

        On a basis of few rows, rows unlike all of these have no features to speak of.
        """
        other = copy(self)
        if self.basis is not None:
            gamma = "median" if self.basis.gamma_ is None else self.basis.gamma_
            other.basis = clone(self.basis).set_params(gamma=gamma).fit(X)
        return other

    def _without_constant(self, X: FeatureMatrix) -> FloatArray:
        return as_dense(X) if self.basis is None else self.basis.features(X)


@dataclass(frozen=True, eq=False)
class Regression:
    """Ridge regression of any targets on the training rows, all features penalised alike.

    Attributes
    ----------
    features : RowFeatures
    spectrum : Spectrum
        Of the training rows' features F, not centred.
    penalty : float
        λ of ‖T − FW‖² + λ‖W‖².
    """

    features: RowFeatures
    spectrum: Spectrum
    penalty: float

    def weights(self, targets: FloatArray) -> FloatArray:
        """Return W (p, t) for targets (n, t): (FᵀF + λI)⁻¹ Fᵀ targets."""
        scale = np.sqrt(self.spectrum.eigenvalues) / (self.spectrum.eigenvalues + self.penalty)
        return np.asarray(self.spectrum.V @ (scale[:, None] * (self.spectrum.U.T @ targets)))

    def fitted(self, targets: FloatArray, *, projected: FloatArray | None = None) -> FloatArray:
        """Return the training rows' own predictions (n, t); ``projected`` is Uᵀ targets."""
        U = self.spectrum.U
        projected = U.T @ targets if projected is None else projected
        return np.asarray(U @ (self._shrinkage[:, None] * projected))

    def left_out(self, targets: FloatArray, *, projected: FloatArray | None = None) -> FloatArray:
        """Return each training row's prediction from the others, exactly."""
        fitted = self.fitted(targets, projected=projected)
        return without_own_target(fitted, targets, self.leverage)

    def error(
        self,
        targets: FloatArray,
        judged: BoolArray | None = None,
        *,
        projected: FloatArray | None = None,
    ) -> float:
        """Return the mean squared leave-one-out error, over the judged entries."""
        squares = (self.left_out(targets, projected=projected) - targets) ** 2
        return float(np.mean(squares if judged is None else squares[judged]))

    @property
    def leverage(self) -> FloatArray:
        """Weight of each row's target in its own prediction."""
        # Rounding must not make 1 − h zero.
        return np.minimum(self.spectrum.U**2 @ self._shrinkage, 1 - 1e-12)

    @property
    def gram(self) -> FloatArray:
        """Gram matrix FᵀF (p, p) of the training rows."""
        V = self.spectrum.V
        return np.asarray((V * self.spectrum.eigenvalues) @ V.T)

    @property
    def _shrinkage(self) -> FloatArray:
        eigenvalues = self.spectrum.eigenvalues
        return np.asarray(eigenvalues / (eigenvalues + self.penalty))


def chosen_regression(
    X: FeatureMatrix,
    targets: FloatArray,
    judged: BoolArray | None = None,
    *,
    kernel: str,
    gamma: float | str,
    n_basis: int | str,
    with_constant: bool,
    penalty: float | None,
    random_state: Any,
) -> Regression:
    """Return the regression with the least leave-one-out error over kernel widths and penalties.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Scaled training rows.
    targets : ndarray of shape (n, K)
        Labels.
    judged : ndarray of shape (n, K), optional
        Entries whose error counts; all by default.
    kernel, gamma, n_basis, random_state
        Of the :class:`KernelBasis`; ``gamma="auto"`` tries multiples of the median rule.
    with_constant : bool
        Whether rows get a constant feature.
    penalty : float, optional
        λ; by default the best of :data:`PENALTIES`.
    """
    # A generator: the decompositions are large and only the best one is kept.
    attempts = _attempts(
        _bases(X, kernel, gamma, n_basis, random_state), X, targets, judged, with_constant, penalty
    )
    return min(attempts, key=lambda attempt: attempt[0])[1]


def _attempts(
    bases: Iterator[KernelBasis | None],
    X: FeatureMatrix,
    targets: FloatArray,
    judged: BoolArray | None,
    with_constant: bool,
    penalty: float | None,
) -> Iterator[tuple[float, Regression]]:
    """Yield each regression after its error."""
    for basis in bases:
        features = RowFeatures(basis, X, with_constant)
        spectrum = Spectrum.of(features.of(X), centred=False)
        projected = spectrum.U.T @ targets
        penalties = [share * features.size for share in PENALTIES] if penalty is None else [penalty]
        for tried in penalties:
            regression = Regression(features, spectrum, tried)
            yield regression.error(targets, judged, projected=projected), regression


def _bases(
    X: FeatureMatrix, kernel: str, gamma: float | str, n_basis: int | str, random_state: Any
) -> Iterator[KernelBasis | None]:
    most = LARGEST_AUTOMATIC_BASIS if n_basis == "auto" else int(n_basis)
    if kernel == "linear" and X.shape[1] <= min(X.shape[0], most):
        yield None
        return
    searched = gamma == "auto" and has_width(kernel)
    first = KernelBasis(
        kernel,
        gamma="median" if gamma == "auto" else gamma,
        n_basis=n_basis,
        random_state=random_state,
    ).fit(X)
    for multiple in WIDTHS if searched else (1.0,):
        yield first if multiple == 1 else first.widened(multiple, X)
