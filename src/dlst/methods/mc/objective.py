"""Labels, features and a column of ones as one matrix with holes: losses, constraints, steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from dlst._kernels.logistic_step import logistic_step
from dlst._kernels.simplex import project_onto_simplex
from dlst._kernels.singular_values import nuclear_norm, spectral_norm
from dlst._matrices import BoolArray, FloatArray

VARIANTS = ("mc1", "pos", "simplex")
FEATURE_LOSSES = ("squared", "chi2")
LABEL_LOSSES = ("logistic", "squared")

_NEWTON_STEPS = 100
_PRECISION = 1e-14


@dataclass(frozen=True)
class Completion:
    """Complete Z = [Y | X | 1], rows are instances, at the least cost.

        f(Z) = λ/|Ω_Y| Σ_Ω c_y(z_ij, y_ij) + 1/|Ω_X| Σ c_x(z_ij, x_ij)

    Attributes
    ----------
    labels : ndarray of shape (n, K)
        -1 and +1; 0 where unknown, which is what is outside Ω_Y.
    features : ndarray of shape (n, d)
    label_weight : float
        λ.
    slope : float
        γ of c_y = log(1 + exp(-γ y z))/γ, for the logistic loss.
    variant : {"mc1", "pos", "simplex"}
        Features free, of at least 0, or each row of them in the simplex.
    feature_loss : {"squared", "chi2"}
        c_x = (z - x)²/2, or (z - x)²/(z + x).
    label_loss : {"logistic", "squared"}
        c_y; squared is (z - y)²/2.
    n_feature_entries : int, optional
        |Ω_X|, when the features stand for more entries than they have.
    intercept : bool
        Whether the column of ones, which must stay ones, is there.
    """

    labels: FloatArray
    features: FloatArray
    label_weight: float = 1.0
    slope: float = 1.0
    variant: str = "mc1"
    feature_loss: str = "squared"
    label_loss: str = "logistic"
    n_feature_entries: int | None = None
    intercept: bool = True

    @cached_property
    def known(self) -> BoolArray:
        """Ω_Y."""
        known: BoolArray = self.labels != 0
        return known

    @cached_property
    def per_label(self) -> float:
        """Weight of one known label, λ/|Ω_Y|."""
        return self.label_weight / max(int(self.known.sum()), 1)

    @cached_property
    def per_feature(self) -> float:
        """Weight of one feature, 1/|Ω_X|."""
        return 1.0 / max(self.n_feature_entries or self.features.size, 1)

    @cached_property
    def target(self) -> FloatArray:
        """What is given, with 0 for what is not, of shape (n, K + d + 1)."""
        ones = np.ones((len(self.features), int(self.intercept)))
        return np.hstack([self.labels, self.features, ones])

    @property
    def label_columns(self) -> slice:
        """Where Z holds labels."""
        return slice(0, self.labels.shape[1])

    @property
    def feature_columns(self) -> slice:
        """Where Z holds features."""
        return slice(self.labels.shape[1], self.labels.shape[1] + self.features.shape[1])

    def value(self, Z: FloatArray) -> float:
        """Return f(Z)."""
        return self.label_value(Z) + self.feature_value(Z)

    def label_value(self, Z: FloatArray) -> float:
        """Return the labels' part of f."""
        z, y = Z[:, self.label_columns][self.known], self.labels[self.known]
        if self.label_loss == "squared":
            return float(self.per_label * 0.5 * ((z - y) ** 2).sum())
        return float(self.per_label * np.logaddexp(0.0, -self.slope * y * z).sum() / self.slope)

    def feature_value(self, Z: FloatArray) -> float:
        """Return the features' part of f."""
        z, x = Z[:, self.feature_columns], self.features
        if self.feature_loss == "squared":
            return float(self.per_feature * 0.5 * ((z - x) ** 2).sum())
        total = z + x
        return float(self.per_feature * ((z - x) ** 2 / np.where(total > 0, total, 1.0)).sum())

    def gradient(self, Z: FloatArray) -> FloatArray:
        """Return ∇f(Z): 0 for unknown labels and for the ones."""
        slopes = np.zeros_like(Z)
        slopes[:, self.label_columns] = self.per_label * self._label_slopes(
            Z[:, self.label_columns]
        )
        slopes[:, self.feature_columns] = self.per_feature * self._feature_slopes(
            Z[:, self.feature_columns]
        )
        return slopes

    def project(self, Z: FloatArray) -> FloatArray:
        """Return the nearest matrix with features as the variant wants them, and with ones."""
        projected = Z.copy()
        if self.variant == "pos":
            projected[:, self.feature_columns] = np.maximum(Z[:, self.feature_columns], 0.0)
        elif self.variant == "simplex":
            projected[:, self.feature_columns] = project_onto_simplex(Z[:, self.feature_columns])
        if self.intercept:
            projected[:, -1] = 1.0
        return projected

    def nearest(self, V: FloatArray, rho: float) -> FloatArray:
        """Return the minimiser of f(W) + ρ/2 ‖W - V‖² under the constraints."""
        W = V.copy()
        columns = self.label_columns
        W[:, columns] = self._nearest_labels(V[:, columns], self.per_label / rho)
        columns = self.feature_columns
        W[:, columns] = self._nearest_features(V[:, columns], self.per_feature / rho)
        if self.intercept:
            W[:, -1] = 1.0
        return W

    def objective(self, Z: FloatArray, mu: float) -> float:
        """Return μ ‖Z‖_* + f(Z)."""
        return mu * nuclear_norm(Z) + self.value(Z)

    def largest_mu(self) -> float:
        """Return the least μ that would shrink features alone to 0; if they are 0, the labels."""
        found = self.per_feature * spectral_norm(self.features)
        return found or self.per_label * spectral_norm(self.labels)

    def _label_slopes(self, z: FloatArray) -> FloatArray:
        if self.label_loss == "squared":
            return np.where(self.known, z - self.labels, 0.0)
        slopes: FloatArray = -self.labels * expit(-self.slope * self.labels * z)
        return slopes

    def _feature_slopes(self, z: FloatArray) -> FloatArray:
        x = self.features
        if self.feature_loss == "squared":
            return z - x
        total = z + x
        # (z - x)²/(z + x) = z + x - 4x + 4x²/(z + x).
        return 1.0 - 4.0 * (x / np.where(total > 0, total, np.inf)) ** 2

    def _nearest_labels(self, v: FloatArray, weight: float) -> FloatArray:
        if self.label_loss == "squared":
            return np.where(self.known, (v + weight * self.labels) / (1.0 + weight), v)
        found: FloatArray = logistic_step(v, self.labels, weight, self.slope)
        return found

    def _nearest_features(self, v: FloatArray, weight: float) -> FloatArray:
        if self.feature_loss == "chi2":
            return self._nearest_histograms(v, weight)
        nearest = (v + weight * self.features) / (1.0 + weight)
        if self.variant == "pos":
            return np.maximum(nearest, 0.0)
        return project_onto_simplex(nearest) if self.variant == "simplex" else nearest

    def _nearest_histograms(self, v: FloatArray, weight: float) -> FloatArray:
        if self.variant != "simplex":
            return chi2_step(v, self.features, weight)[0]
        # The multiplier of "sums to 1" is a shift of the row. The sum is a convex increasing
        # function of it and, shifted this far, at least 1: Newton's steps never overshoot.
        shift = 1.0 + weight - v.max(axis=1, keepdims=True)
        for _ in range(_NEWTON_STEPS):
            z, slopes = chi2_step(v + shift, self.features, weight)
            step = (z.sum(axis=1, keepdims=True) - 1.0) / slopes.sum(axis=1, keepdims=True)
            shift = shift - step
            if np.abs(step).max() <= _PRECISION:
                break
        return chi2_step(v + shift, self.features, weight)[0]


def chi2_step(v: FloatArray, x: FloatArray, weight: float) -> tuple[FloatArray, FloatArray]:
    """Return the z ≥ 0 of least weight·(z - x)²/(z + x) + (z - v)²/2, and its slope in v.

    In s = z + x the equation weight·(1 - 4x²/s²) + s - x - v = 0 is concave and increasing, so
    that Newton's steps from below never overshoot. A root below x means z = 0.

    Examples
    --------
    >>> chi2_step(np.array([[0.3, 1.0, -2.0]]), np.array([[0.3, 0.0, 0.1]]), 0.2)[0]
    array([[0.3, 0.8, 0. ]])
    """
    low = np.maximum(x, np.maximum(x + v - weight, np.minimum(2.0 * x, x + v)))
    # Tiny, not 0: an empty bin kept empty divides by nothing.
    s = np.maximum(low, np.finfo(np.float64).tiny)
    for _ in range(_NEWTON_STEPS):
        share = x / s
        slope = 1.0 + 8.0 * weight * share**2 / s
        step = np.maximum(-(weight * (1.0 - 4.0 * share**2) + s - x - v) / slope, 0.0)
        s = s + step
        if step.max(initial=0.0) <= _PRECISION:
            break
    z = s - x
    kept = z > _PRECISION
    return np.where(kept, z, 0.0), np.where(kept, 1.0 / slope, 0.0)
