"""The two half-problems of LEML: labels' factors for given features' factors, and the reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from dlst._kernels.conjugate_gradients import conjugate_gradients
from dlst._kernels.singular_values import spectral_norm
from dlst._matrices import FloatArray
from dlst.methods.leml.design import Design
from dlst.methods.leml.losses import MarginTerm, Product, SquaredTerm

# A step may raise the value by rounding, which is all that is left near the optimum.
_ROUNDING = 1e-14
_SUFFICIENT = 1e-4
_HALVINGS = 30
# The whole d × K gradient is formed where one of its sides is as short as this.
_SHORT = 64


class Step(NamedTuple):
    """The minimiser of a half-problem; value and length of the gradient where the step began."""

    point: FloatArray
    value: float
    slope: float


class Inner(NamedTuple):
    """Limits of one half-step: Newton iterations, products in each, relative residual of those."""

    newton_iter: int
    cg_iter: int
    cg_tol: float


class GeneralProblem:
    """Any loss and any weights: both half-steps by Newton's method with conjugate gradients.

    Parameters
    ----------
    design : Design
    term : SquaredTerm or MarginTerm
    offset : ndarray of shape (K,) or None
        First offset of each label; None for no offset.
    inner : Inner

    Notes
    -----
    Q is the (K, k) matrix H of the labels, followed by the column of offsets where there is one.
    """

    def __init__(
        self,
        design: Design,
        term: SquaredTerm | MarginTerm,
        offset: FloatArray | None,
        inner: Inner,
    ):
        self.design, self.term, self.inner = design, term, inner
        self.first_offset = offset
        self.n_labels = term.n_labels

    def into(self, W: FloatArray) -> FloatArray:
        """Bring features' factors into the problem's coordinates."""
        return W

    def back(self, W: FloatArray) -> FloatArray:
        """Bring them back."""
        return W

    def largest_penalty(self) -> float:
        """Return the least λ for which W Hᵀ = 0: the spectral norm of the gradient there."""
        d = self.design.shape[1]
        P, Q = self._rows(np.zeros((d, 0))), self.with_offset(np.zeros((self.n_labels, 0)))

        def times(V: FloatArray) -> FloatArray:
            return self.design.transposed_times(
                self.term.slope_left(P, Q, V.reshape(len(Q), -1))[1]
            )

        def transposed_times(U: FloatArray) -> FloatArray:
            return self.term.slope_right(P, Q, self.design.times(U.reshape(d, -1)))[1]

        if len(Q) <= _SHORT:
            return spectral_norm(times(np.eye(len(Q))))
        if d <= _SHORT:
            return spectral_norm(transposed_times(np.eye(d)))
        return spectral_norm(
            LinearOperator(
                (d, len(Q)), matvec=times, rmatvec=transposed_times, matmat=times, dtype=np.float64
            )
        )

    def with_offset(self, H: FloatArray) -> FloatArray:
        """Return Q for factors H (K, k)."""
        return H if self.first_offset is None else np.column_stack([H, self.first_offset])

    def value(self, W: FloatArray, Q: FloatArray) -> float:
        """Return the loss."""
        return self.term.slope_left(self._rows(W), Q, Q[:, :0])[0]

    def label_step(self, W: FloatArray, Q: FloatArray, penalty: float) -> Step:
        """Minimise over Q; offsets are not penalised."""
        P = self._rows(W)
        ridge = np.full(Q.shape[1], penalty)
        ridge[W.shape[1] :] = 0.0

        def slope(Q: FloatArray) -> tuple[float, FloatArray]:
            value, found = self.term.slope_right(P, Q, P)
            return value + 0.5 * float(np.sum(ridge * Q**2)), found + ridge * Q

        def curvature(Q: FloatArray) -> Product:
            product = self.term.curvature_right(P, Q)
            return lambda V: product(V) + ridge * V

        if isinstance(self.term, SquaredTerm) and self.term.is_uniform:
            value, found = slope(Q)
            solved = scipy.linalg.solve(
                P.T @ P + np.diag(ridge), (self.term.positive.T @ P).T, assume_a="pos"
            )
            return Step(solved.T, value, float(np.linalg.norm(found)))
        return newton(slope, curvature, Q, self.inner)

    def feature_step(self, W: FloatArray, Q: FloatArray, penalty: float) -> Step:
        """Minimise over W."""
        H = Q[:, : W.shape[1]]

        def slope(W: FloatArray) -> tuple[float, FloatArray]:
            value, found = self.term.slope_left(self._rows(W), Q, H)
            value += 0.5 * penalty * float(np.vdot(W, W))
            return value, self.design.transposed_times(found) + penalty * W

        def curvature(W: FloatArray) -> Product:
            product = self.term.curvature_left(self._rows(W), Q, H)
            times, transposed_times = self.design.times, self.design.transposed_times
            return lambda S: transposed_times(product(times(S))) + penalty * S

        return newton(slope, curvature, W, self.inner)

    def _rows(self, W: FloatArray) -> FloatArray:
        """Return P: X W, with a column of ones where there are offsets."""
        A = self.design.times(W)
        return A if self.first_offset is None else np.column_stack([A, np.ones(len(A))])


class CompleteProblem:
    """Squared loss, all labels known: both half-steps in closed form in the axes of XᵀX.

    W is kept as U_xᵀ W, of which the part outside the axes is 0 at the optimum. Rows are needed
    only to set the problem up.

    Parameters
    ----------
    design : Design
        Centred where there are offsets; the best offsets are then the labels' means, always.
    Y : csr_array of shape (n, K)
        Ones.
    offset : ndarray of shape (K,) or None
    """

    def __init__(self, design: Design, Y: sp.csr_array, offset: FloatArray | None):
        self.eigenvalues, self.vectors = design.axes()
        self.cross = self.vectors.T @ design.transposed_times(Y)
        self.first_offset, self.n_labels = offset, int(Y.shape[1])
        means = np.zeros(Y.shape[1]) if offset is None else offset
        self.constant = 0.5 * float(Y.nnz - design.shape[0] * (means @ means))

    def into(self, W: FloatArray) -> FloatArray:
        """Bring features' factors into the axes."""
        return np.asarray(self.vectors.T @ W)

    def back(self, W: FloatArray) -> FloatArray:
        """Bring them back."""
        return np.asarray(self.vectors @ W)

    def largest_penalty(self) -> float:
        """Return the least λ for which W Hᵀ = 0."""
        return spectral_norm(self.cross)

    def with_offset(self, H: FloatArray) -> FloatArray:
        """Return H: the offsets are no unknowns."""
        return H

    def value(self, W: FloatArray, Q: FloatArray) -> float:
        """Return the loss."""
        return self._value(Q, *self._moments(W))

    def label_step(self, W: FloatArray, Q: FloatArray, penalty: float) -> Step:
        """Minimise over H: one k × k system for all labels."""
        gram, cross = self._moments(W)
        gradient = Q @ gram - cross + penalty * Q
        value = self._value(Q, gram, cross) + 0.5 * penalty * float(np.vdot(Q, Q))
        ridge = gram + penalty * np.eye(len(gram))
        solved = scipy.linalg.solve(ridge, cross.T, assume_a="pos", check_finite=False)
        return Step(solved.T, value, float(np.linalg.norm(gradient)))

    def feature_step(self, W: FloatArray, Q: FloatArray, penalty: float) -> Step:
        """Minimise over W: in the axes of XᵀX and of HᵀH the system is diagonal."""
        gram, cross = Q.T @ Q, self.cross @ Q
        gradient = self.eigenvalues[:, None] * (W @ gram) - cross + penalty * W
        lengths, turn = scipy.linalg.eigh(gram, check_finite=False)
        solved = (cross @ turn) / (np.outer(self.eigenvalues, lengths) + penalty)
        return Step(solved @ turn.T, np.nan, float(np.linalg.norm(gradient)))

    def _moments(self, W: FloatArray) -> tuple[FloatArray, FloatArray]:
        return W.T @ (self.eigenvalues[:, None] * W), self.cross.T @ W

    def _value(self, H: FloatArray, gram: FloatArray, cross: FloatArray) -> float:
        fitted = 0.5 * float(np.vdot(H @ gram, H)) - float(np.vdot(H, cross))
        return self.constant + fitted


def newton(
    slope: Callable[[FloatArray], tuple[float, FloatArray]],
    curvature: Callable[[FloatArray], Product],
    start: FloatArray,
    inner: Inner,
) -> Step:
    """Take damped Newton steps on a convex function of a matrix; the value never rises.

    Parameters
    ----------
    slope : callable
        A point to the value and the gradient.
    curvature : callable
        A point to its Hessian's product.
    start : ndarray
    inner : Inner
        The gradient is to fall to the share ``cg_tol`` of what it is at the start.
    """
    point, (value, gradient) = start, slope(start)
    first, first_length = value, float(np.linalg.norm(gradient))
    for _ in range(inner.newton_iter):
        if np.linalg.norm(gradient) <= inner.cg_tol * first_length:
            break
        system = conjugate_gradients(
            curvature(point),
            -gradient,
            np.zeros_like(point),
            tol=inner.cg_tol,
            max_iter=inner.cg_iter,
        )
        towards, fall = system.point, float(np.vdot(gradient, system.point))
        length = 1.0
        for _ in range(_HALVINGS):
            ahead = point + length * towards
            reached, steepness = slope(ahead)
            if reached <= value + _SUFFICIENT * length * fall + _ROUNDING * abs(value):
                break
            length *= 0.5
        else:
            break
        point, value, gradient = ahead, reached, steepness
    return Step(point, first, first_length)
