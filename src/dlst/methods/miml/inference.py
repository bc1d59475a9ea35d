"""The label posterior of the sparse Bayesian model, for many rows at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dlst._kernels.rounding import rounding_share
from dlst._matrices import FloatArray

# The original keeps E[a] within these bounds.
LEAST_PRECISION, LARGEST_PRECISION = 1e-10, 1e10
# Numbers in the largest temporary array: 64 MiB.
_BLOCK = 2**23


class Posterior(NamedTuple):
    """What is believed of the labels of some rows: both arrays have shape (n, K)."""

    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True, eq=False)
class SparseLabels:
    """Labels y with z = Φy + noise and the sparse prior y_j ~ N(0, 1/a_j), a_j ~ Gamma(a₀, b₀).

    Attributes
    ----------
    phi : ndarray of shape (r, K), optional
        Φ; None is the identity, whose labels are independent.
    sigma2, chi2 : float
        σ², variance of the codes about their regression, and χ², of the codes about Φy.
    a0, b0 : float
        Of the prior of the precisions.
    """

    phi: FloatArray | None
    sigma2: float
    chi2: float
    a0: float
    b0: float

    @classmethod
    def of(
        cls, phi: FloatArray | None, noise: float, chi_ratio: float, a0: float, b0: float
    ) -> SparseLabels:
        """Make it from v = σ² + χ² and χ/σ."""
        chi2 = noise / (1 + chi_ratio**-2)
        return cls(phi, chi2 / chi_ratio**2, chi2, a0, b0)

    @property
    def noise(self) -> float:
        """Variance v of t about Φy, the codes z between them integrated out."""
        return self.sigma2 + self.chi2

    def codes(self, labels: FloatArray) -> FloatArray:
        """Return Φy (n, r) of labels (n, K)."""
        return labels if self.phi is None else labels @ self.phi.T

    def first_spread(self, shape: tuple[int, ...]) -> FloatArray:
        """Return 1/E[a] before any label was inferred."""
        return self._bounded(np.full(shape, self.b0 / self.a0))

    def spread(self, found: Posterior) -> FloatArray:
        """Return 1/E[a] given what is believed of the labels."""
        return self._bounded((self.b0 + 0.5 * (found.variance + found.mean**2)) / (self.a0 + 0.5))

    def posterior(
        self, T: FloatArray, spread: FloatArray, within: FloatArray | None = None
    ) -> Posterior:
        """Return the labels given regressed codes T (n, r) and 1/E[a] (n, K), in closed form.

        The mean is that of the converged pair of updates of y and z, (A + ΦᵀΦ/v)⁻¹ Φᵀt/v with
        A = diag E[a]; the variance is the diagonal of (A + ΦᵀΦ/χ²)⁻¹, or with the variances
        ``within`` (n,) in place of χ². A spread of 0 fixes a label at 0.
        """
        within = np.full((len(T), 1), self.chi2) if within is None else within[:, None]
        if self.phi is None:
            weight = spread / (spread + self.noise)
            return Posterior(weight * T, spread * within / (spread + within))
        r, K = self.phi.shape
        solve = self._by_codes if r < K else self._by_labels
        mean, variance = np.empty_like(spread), np.empty_like(spread)
        rows_at_once = max(1, _BLOCK // (min(r, K) * K))
        for start in range(0, len(T), rows_at_once):
            rows = slice(start, start + rows_at_once)
            mean[rows], variance[rows] = solve(self.phi, T[rows], spread[rows], within[rows])
        return Posterior(mean, variance)

    def infer(self, T: FloatArray, *, tol: float, max_iter: int) -> tuple[Posterior, bool]:
        """Alternate labels and precisions until no mean of a row moves by ``tol``.

        Each row stops on its own, so its answer does not depend on the rows beside it.

        Returns
        -------
        Posterior, bool
            The bool tells whether all rows stopped before ``max_iter`` rounds.
        """
        n, K = len(T), T.shape[1] if self.phi is None else self.phi.shape[1]
        found = Posterior(np.zeros((n, K)), np.zeros((n, K)))
        moving, spread = np.arange(n), self.first_spread((n, K))
        for _ in range(max_iter):
            now = self.posterior(T[moving], spread)
            change = np.abs(now.mean - found.mean[moving]).max(axis=1)
            found.mean[moving], found.variance[moving] = now
            rounding = rounding_share(K) * np.abs(now.mean).max(axis=1)
            still = change > np.maximum(tol, rounding)
            moving, spread = moving[still], self.spread(Posterior(*(part[still] for part in now)))
            if not moving.size:
                return found, True
        return found, False

    def alternate(
        self, T: FloatArray, *, tol: float, max_iter: int
    ) -> tuple[Posterior, FloatArray, int]:
        """Run the original's program: single updates of z, y and a, all rows until the last.

        Returns
        -------
        Posterior, ndarray of shape (n, r), int
            Labels, codes, and the number of rounds.
        """
        phi = np.eye(T.shape[1]) if self.phi is None else self.phi
        given_codes = SparseLabels(phi, 0.0, self.chi2, self.a0, self.b0)
        weight = self.chi2 / self.noise
        found = Posterior(np.zeros((len(T), phi.shape[1])), np.zeros((len(T), phi.shape[1])))
        codes, spread, rounds, change = T, self.first_spread(found.mean.shape), 0, np.inf
        while change >= tol and rounds < max_iter:
            before = found.mean, codes
            codes = weight * T + (1 - weight) * found.mean @ phi.T
            found = given_codes.posterior(codes, spread)
            spread = self.spread(found)
            change = max(np.abs(found.mean - before[0]).max(), np.abs(codes - before[1]).max())
            rounds += 1
        return found, codes, rounds

    def _by_codes(
        self, phi: FloatArray, T: FloatArray, spread: FloatArray, within: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Invert r × r matrices: G − GΦᵀ(χ²I + ΦGΦᵀ)⁻¹ΦG, with G the diagonal spread."""
        inner = (phi * spread[:, None, :]) @ phi.T
        mean = spread * (_solved(inner, self.noise, T) @ phi)
        inverse = np.linalg.inv(inner + within[:, :, None] * np.eye(len(phi)))
        explained = np.einsum("rk,nrk->nk", phi, inverse @ phi)
        return mean, np.maximum(spread - spread**2 * explained, 0.0)

    def _by_labels(
        self, phi: FloatArray, T: FloatArray, spread: FloatArray, within: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Invert K × K matrices: S(I + SΦᵀΦS/χ²)⁻¹S, with S² the diagonal spread."""
        root = np.sqrt(spread)
        inner = root[:, :, None] * (phi.T @ phi) * root[:, None, :]
        mean = root * _solved(inner, self.noise, root * (T @ phi))
        inverse = np.linalg.inv(inner / within[:, :, None] + np.eye(phi.shape[1]))
        return mean, spread * np.einsum("nkk->nk", inverse)

    def _bounded(self, spread: FloatArray) -> FloatArray:
        return np.clip(spread, 1 / LARGEST_PRECISION, 1 / LEAST_PRECISION)


def sparse_means(T: FloatArray, sigma2: float, chi2: float) -> FloatArray:
    """Return where :meth:`SparseLabels.infer` ends for Φ = I and a₀ = b₀ → 0, in closed form.

    A label with 1/E[a] = g rests where (g + v)² = t²(g + χ²), at the larger root, or at g = 0 when
    that root is not positive: small t are cut to 0.
    """
    square, v = T**2, sigma2 + chi2
    inside = square - 4 * sigma2
    g = 0.5 * (square - 2 * v + np.abs(T) * np.sqrt(np.maximum(inside, 0.0)))
    g = np.where(inside >= 0, np.maximum(g, 0.0), 0.0)
    return np.asarray(T * g / (g + v))


def _solved(matrices: FloatArray, shift: float, targets: FloatArray) -> FloatArray:
    """Solve (M_i + shift I) x_i = t_i for each row i."""
    shifted = matrices + shift * np.eye(matrices.shape[1])
    return np.asarray(np.linalg.solve(shifted, targets[:, :, None])[:, :, 0])
