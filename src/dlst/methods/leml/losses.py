"""The losses of LEML as functions of scores P Qᵀ, which are never held all at once.

Both terms answer the same questions about F(P Qᵀ) = Σ_ij D_ij ℓ(y_ij, (P Qᵀ)_ij), where P has a
row for each instance and Q one for each label. With R the derivative of F in the scores and C its
second derivative,

- ``slope_left(P, Q, V)``: F and R V; ``slope_right(P, Q, U)``: F and RᵀU;
- ``curvature_left(P, Q, V)``: T to (C ∘ T Vᵀ) V; ``curvature_right(P, Q)``: V to (C ∘ P Vᵀ)ᵀ P.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from dlst._kernels.sampled_products import sampled_products
from dlst._matrices import FloatArray

Product: TypeAlias = Callable[[FloatArray], FloatArray]
Loss: TypeAlias = Literal["squared", "logistic", "squared_hinge"]

ENTRIES_AT_ONCE = 2**20
"""Scores that the losses other than squared hold at a time."""


class SquaredTerm:
    """½ Σ D (y − s)², at the cost of the stored entries of Y.

    The weights are one number almost everywhere: D = w + C with sparse C. Then the products with
    D ∘ P Qᵀ are those with w P Qᵀ, which need only k × k matrices, and those with the few entries
    of C ∘ P Qᵀ. Where most entries are unknown w is 0 and C has the known ones.

    Parameters
    ----------
    Y : csr_array of shape (n, K)
        Ones and NaN stored.
    negative_weight : float
        Weight of the zeros.

    Attributes
    ----------
    positive : csr_array
        The ones.
    weight : float
        w.
    correction : csr_array or None
        C; None where all weights are equal.
    """

    def __init__(self, Y: sp.csr_array, negative_weight: float):
        self.positive, unknown = _ones_and_unknown(Y)
        n, K = Y.shape
        self.n_labels = int(K)
        self.weight, self.correction = negative_weight, None
        if 2 * unknown.nnz > n * K:
            known = negative_weight * _complement(unknown)
            self.weight, self.correction = 0.0, known + (1.0 - negative_weight) * self.positive
        elif unknown.nnz or negative_weight != 1:
            correction = (1.0 - negative_weight) * self.positive - negative_weight * unknown
            correction.eliminate_zeros()
            self.correction = correction

    @property
    def is_uniform(self) -> bool:
        """Whether every entry weighs 1."""
        return self.correction is None

    def slope_left(self, P: FloatArray, Q: FloatArray, V: FloatArray) -> tuple[float, FloatArray]:
        """Return F and R V."""
        value, corrected = self._value(P, Q)
        slope = self.weight * (P @ (Q.T @ V)) - self.positive @ V
        return value, slope if corrected is None else slope + corrected @ V

    def slope_right(self, P: FloatArray, Q: FloatArray, U: FloatArray) -> tuple[float, FloatArray]:
        """Return F and RᵀU."""
        value, corrected = self._value(P, Q)
        slope = self.weight * (Q @ (P.T @ U)) - self.positive.T @ U
        return value, slope if corrected is None else slope + corrected.T @ U

    def curvature_left(self, P: FloatArray, Q: FloatArray, V: FloatArray) -> Product:
        """Return the map of T to (C ∘ T Vᵀ) V."""
        gram = self.weight * (V.T @ V)

        def product(T: FloatArray) -> FloatArray:
            corrected = self._corrected(T, V)
            return np.asarray(T @ gram if corrected is None else T @ gram + corrected @ V)

        return product

    def curvature_right(self, P: FloatArray, Q: FloatArray) -> Product:
        """Return the map of V to (C ∘ P Vᵀ)ᵀ P."""
        gram = self.weight * (P.T @ P)

        def product(V: FloatArray) -> FloatArray:
            corrected = self._corrected(P, V)
            return np.asarray(V @ gram if corrected is None else V @ gram + corrected.T @ P)

        return product

    def _value(self, P: FloatArray, Q: FloatArray) -> tuple[float, Any]:
        """Return F and C ∘ P Qᵀ."""
        corrected = self._corrected(P, Q)
        squares = self.weight * float(np.vdot(P.T @ P, Q.T @ Q))
        if self.correction is not None:
            squares += float(np.sum(corrected.data**2 / self.correction.data))
        hits = float(np.vdot(self.positive @ Q, P))
        return 0.5 * squares - hits + 0.5 * self.positive.nnz, corrected

    def _corrected(self, P: FloatArray, Q: FloatArray) -> Any:
        """Return C ∘ P Qᵀ; None where there is no correction."""
        if self.correction is None:
            return None
        indptr, indices = self.correction.indptr, self.correction.indices
        scores = sampled_products(np.ascontiguousarray(P), np.ascontiguousarray(Q), indptr, indices)
        return sp.csr_array((self.correction.data * scores, indices, indptr), self.correction.shape)


class Pointwise(NamedTuple):
    """A loss of margins and its first two derivatives."""

    value: FloatArray
    slope: FloatArray
    curvature: FloatArray


def logistic(margins: FloatArray) -> Pointwise:
    """log(1 + exp(−m))."""
    likely = expit(-margins)
    return Pointwise(np.logaddexp(0.0, -margins), -likely, likely * (1.0 - likely))


def squared_hinge(margins: FloatArray) -> Pointwise:
    """½ max(0, 1 − m)², with one of its generalised second derivatives."""
    lack = np.maximum(0.0, 1.0 - margins)
    return Pointwise(0.5 * lack**2, -lack, (lack > 0).astype(np.float64))


class MarginTerm:
    """Σ D ℓ((2y − 1) s) for a loss of margins, over blocks of rows.

    Parameters
    ----------
    Y : csr_array of shape (n, K)
        Ones and NaN stored.
    negative_weight : float
        Weight of the zeros.
    loss : callable
        Margins to a :class:`Pointwise`.
    """

    is_uniform = False

    def __init__(
        self, Y: sp.csr_array, negative_weight: float, loss: Callable[[FloatArray], Pointwise]
    ):
        self.Y, self.negative_weight, self.loss = Y, negative_weight, loss
        n, K = Y.shape
        self.n_labels = int(K)
        self.rows_at_once = max(1, ENTRIES_AT_ONCE // K)
        self._whole = self._signs(slice(0, n)) if n <= self.rows_at_once else None

    def slope_left(self, P: FloatArray, Q: FloatArray, V: FloatArray) -> tuple[float, FloatArray]:
        """Return F and R V."""
        value, slope = 0.0, np.empty((len(P), V.shape[1]))
        for rows, found in self._blocks(P, Q):
            value += float(found.value.sum())
            slope[rows] = found.slope @ V
        return value, slope

    def slope_right(self, P: FloatArray, Q: FloatArray, U: FloatArray) -> tuple[float, FloatArray]:
        """Return F and RᵀU."""
        value, slope = 0.0, np.zeros((len(Q), U.shape[1]))
        for rows, found in self._blocks(P, Q):
            value += float(found.value.sum())
            slope += found.slope.T @ U[rows]
        return value, slope

    def curvature_left(self, P: FloatArray, Q: FloatArray, V: FloatArray) -> Product:
        """Return the map of T to (C ∘ T Vᵀ) V."""
        curved = self._curvatures(P, Q)

        def product(T: FloatArray) -> FloatArray:
            image = np.empty_like(T)
            for rows, C in curved():
                image[rows] = (C * (T[rows] @ V.T)) @ V
            return image

        return product

    def curvature_right(self, P: FloatArray, Q: FloatArray) -> Product:
        """Return the map of V to (C ∘ P Vᵀ)ᵀ P."""
        curved = self._curvatures(P, Q)

        def product(V: FloatArray) -> FloatArray:
            image = np.zeros_like(V)
            for rows, C in curved():
                image += (C * (P[rows] @ V.T)).T @ P[rows]
            return image

        return product

    def _curvatures(
        self, P: FloatArray, Q: FloatArray
    ) -> Callable[[], Iterator[tuple[slice, FloatArray]]]:
        """Return the second derivatives block by block; a single block is kept, more are not."""
        if self._whole is None:
            return lambda: ((rows, found.curvature) for rows, found in self._blocks(P, Q))
        kept = [(rows, found.curvature) for rows, found in self._blocks(P, Q)]
        return lambda: iter(kept)

    def _blocks(self, P: FloatArray, Q: FloatArray) -> Iterator[tuple[slice, Pointwise]]:
        for start in range(0, len(P), self.rows_at_once):
            rows = slice(start, min(start + self.rows_at_once, len(P)))
            signs, weights = self._signs(rows) if self._whole is None else self._whole
            found = self.loss(signs * (P[rows] @ Q.T))
            slope = weights * signs * found.slope
            yield rows, Pointwise(weights * found.value, slope, weights * found.curvature)

    def _signs(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Return 2y − 1 and the weights of a block of rows; an unknown entry weighs 0."""
        labels = self.Y[rows].toarray()
        signs = np.where(labels == 1, 1.0, -1.0)
        weights = np.where(labels == 0, self.negative_weight, 1.0)
        weights[np.isnan(labels)] = 0.0
        return signs, weights


def loss_term(Y: sp.csr_array, loss: Loss, negative_weight: float) -> SquaredTerm | MarginTerm:
    """Return the loss of labels Y as a function of scores."""
    if loss == "squared":
        return SquaredTerm(Y, negative_weight)
    return MarginTerm(Y, negative_weight, logistic if loss == "logistic" else squared_hinge)


def _ones_and_unknown(Y: sp.csr_array) -> tuple[sp.csr_array, sp.csr_array]:
    unknown = np.isnan(Y.data)
    parts = []
    for chosen in (~unknown, unknown):
        part = sp.csr_array((chosen.astype(np.float64), Y.indices, Y.indptr), shape=Y.shape)
        part = part.copy()
        part.eliminate_zeros()
        parts.append(part)
    return parts[0], parts[1]


def _complement(pattern: sp.csr_array) -> sp.csr_array:
    """Return ones where a matrix has no entry, some rows at a time."""
    n, K = pattern.shape
    rows = max(1, ENTRIES_AT_ONCE // K)
    blocks = [
        sp.csr_array(pattern[start : start + rows].toarray() == 0) for start in range(0, n, rows)
    ]
    return sp.csr_array(sp.vstack(blocks, format="csr")).astype(np.float64)
