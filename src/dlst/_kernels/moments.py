"""Ridge regression of many rows from sums over blocks of them: no array has n rows and p columns.

The caller computes the features, p numbers for each row of a block. Sums of two sets of rows add up
to those of their union, so that the rows may be on several machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_NEGLIGIBLE = 1e-11
"""Eigenvalues below this share of the largest are rounding errors of the sums."""

_MOST_LEVERAGE = 1 - 1e-12


class Moments:
    """Sums of products of features (p) and targets (t) over rows, by weight.

    Parameters
    ----------
    shift : ndarray of shape (p,)
        Subtracted from features before they are squared; near their mean, so that few digits are
        lost when the mean is subtracted. Sums with the same shift can be added.
    n_targets : int
    """

    def __init__(self, shift: FloatArray, n_targets: int):
        p = len(shift)
        self.shift = shift
        self.total = 0.0
        self.features = np.zeros(p)
        self.targets = np.zeros(n_targets)
        self.gram = np.zeros((p, p))
        self.cross = np.zeros((p, n_targets))

    def add(self, F: FloatArray, T: Any, weights: FloatArray | None = None) -> None:
        """Add rows: features (m, p), targets (m, t) dense or sparse, and their weights."""
        F = F - self.shift
        self.total += float(len(F) if weights is None else weights.sum())
        weighted = F if weights is None else F * weights[:, None]
        self.features += weighted.sum(axis=0)
        self.targets += _column_sums(T, weights)
        if weights is None:
            self.gram += F.T @ F
        else:
            rooted = F * np.sqrt(weights)[:, None]
            self.gram += rooted.T @ rooted
        self.cross += (T.T @ weighted).T if sp.issparse(T) else weighted.T @ T

    def __iadd__(self, other: Moments) -> Moments:
        self.total += other.total
        self.features += other.features
        self.targets += other.targets
        self.gram += other.gram
        self.cross += other.cross
        return self

    @property
    def mean(self) -> FloatArray:
        """Mean of the features."""
        return self.shift + self.features / self.total

    @property
    def target_mean(self) -> FloatArray:
        """Mean of the targets."""
        return self.targets / self.total

    def centred(self) -> tuple[FloatArray, FloatArray]:
        """Return the products of features, (p, p), and with targets, (p, t), less their means."""
        gram = self.gram - np.outer(self.features, self.features / self.total)
        return gram, self.cross - np.outer(self.features, self.target_mean)


@dataclass(frozen=True, eq=False)
class Span:
    """The span of the features of all rows: (F − 1 meanᵀ) projection has orthonormal columns.

    Attributes
    ----------
    mean : ndarray of shape (p,)
    projection : ndarray of shape (p, q)
    eigenvalues : ndarray of shape (q,)
        Squared singular values of the centred features, descending.
    total : float
        Rows, by weight.
    """

    mean: FloatArray
    projection: FloatArray
    eigenvalues: FloatArray
    total: float

    @classmethod
    def of(cls, moments: Moments, whitening: FloatArray) -> tuple[Span, FloatArray]:
        """Decompose (F − 1 meanᵀ) whitening; return also the projected targets Uᵀ T, (q, t).

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> F, T = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
        >>> moments = Moments(np.zeros(3), 2)
        >>> for start in (0, 20, 40):
        ...     moments.add(F[start : start + 20], T[start : start + 20])
        >>> span, projected = Span.of(moments, np.eye(3))
        >>> U = span.columns(F)
        >>> np.allclose(U.T @ U, np.eye(3)), np.allclose(U.T @ T, projected)
        (True, True)
        """
        gram, cross = moments.centred()
        eigenvalues, V = np.linalg.eigh(whitening.T @ gram @ whitening)
        kept = np.flatnonzero(eigenvalues > _NEGLIGIBLE * eigenvalues.max(initial=0.0))[::-1]
        eigenvalues = eigenvalues[kept]
        projection = whitening @ (V[:, kept] / np.sqrt(eigenvalues))
        span = cls(moments.mean, projection, eigenvalues, moments.total)
        return span, projection.T @ cross

    def columns(self, F: FloatArray, root: FloatArray | None = None) -> FloatArray:
        """Return the rows of U, (m, q), for features (m, p); times the roots of weights."""
        U = (F - self.mean) @ self.projection
        return U if root is None else U * root[:, None]

    def leverage(
        self, U: FloatArray, alphas: FloatArray, root: FloatArray | None = None
    ) -> FloatArray:
        """Return the leverage of rows of U for each penalty, shape (a, m)."""
        shrinkages = self.eigenvalues / (self.eigenvalues + alphas[:, None])
        of_mean = 1 / self.total if root is None else root**2 / self.total
        return np.minimum(shrinkages @ (U**2).T + of_mean, _MOST_LEVERAGE)

    def left_out_errors(
        self,
        U: FloatArray,
        T: FloatArray,
        projected: FloatArray,
        alphas: FloatArray,
        leverage: FloatArray,
    ) -> FloatArray:
        """Return the squared error of centred targets (m, t), each row left out, by penalty (a,).

        The regression is that of all rows; these may be some of them.
        """
        remains = alphas[:, None] / (self.eigenvalues + alphas[:, None])
        outside = T - U @ projected
        weights = (1 - leverage) ** -2
        q, t = projected.shape
        if t <= q:
            residuals = (outside + U @ (remain[:, None] * projected) for remain in remains)
            return np.array(
                [w @ np.einsum("ij,ij->i", r, r) for w, r in zip(weights, residuals, strict=True)]
            )
        # ‖p_i + Aᵀ D u_i‖² = ‖p_i‖² + 2 (A p_i)ᵀ D u_i + u_iᵀ D (A Aᵀ) D u_i
        square = np.einsum("ij,ij->i", outside, outside)
        cross, gram = outside @ projected.T, projected @ projected.T
        errors = np.empty(len(alphas))
        for k, (w, remain) in enumerate(zip(weights, remains, strict=True)):
            UD = U * remain
            errors[k] = w @ (square + np.einsum("ij,ij->i", UD, 2 * cross + UD @ gram))
        return errors


def _column_sums(T: Any, weights: FloatArray | None) -> FloatArray:
    sums = T.sum(axis=0) if weights is None else weights @ T
    return np.asarray(sums, dtype=np.float64).ravel()
