"""Alternating minimisation over two factors, from one start or along a path of penalties."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import scipy.linalg

from dlst._matrices import FloatArray
from dlst.methods.leml.half_problems import Step

# A pair of columns whose product has less than this share of the first round's is gone: it would
# take many rounds more to become an exact 0.
_GONE = 1e-12


class Problem(Protocol):
    """What alternation asks of a problem."""

    def value(self, W: FloatArray, Q: FloatArray) -> float:
        """Return the loss."""

    def label_step(self, W: FloatArray, Q: FloatArray, penalty: float) -> Step:
        """Minimise over Q."""

    def feature_step(self, W: FloatArray, Q: FloatArray, penalty: float) -> Step:
        """Minimise over W."""


class Factors(NamedTuple):
    """W, and Q = H with the offsets that are unknowns, after alternation.

    ``objectives`` has the objective before each round and at the end.
    """

    W: FloatArray
    Q: FloatArray
    objectives: tuple[float, ...]
    converged: bool


def alternate(
    problem: Problem, W: FloatArray, Q: FloatArray, penalty: float, *, tol: float, max_iter: int
) -> Factors:
    """Minimise loss + λ/2 (‖W‖² + ‖H‖²) by turns; the objective never rises.

    After each round the factors are balanced, WᵀW = HᵀH, which leaves W Hᵀ alone and makes the
    penalty as small as it can be, the nuclear norm of W Hᵀ. Pairs of columns that have vanished
    are dropped.

    Parameters
    ----------
    problem : Problem
    W, Q : ndarray of shape (d, k) and (K, k) or (K, k + 1)
        The start.
    penalty : float
        λ.
    tol : float
        Stop when the gradient is at most this share of that of the penalty.
    max_iter : int
        Stop after so many rounds, converged or not.
    """
    objectives, first = [], 0.0
    converged = W.shape[1] == 0
    for _ in range(max_iter):
        if converged:
            break
        half = problem.label_step(W, Q, penalty)
        objectives.append(half.value + 0.5 * penalty * float(np.vdot(W, W)))
        last = tol * penalty * float(np.linalg.norm(Q[:, : W.shape[1]]))
        other = problem.feature_step(W, half.point, penalty)
        small = np.hypot(last, tol * penalty * float(np.linalg.norm(W)))
        W, Q, largest = balanced(other.point, half.point, first)
        first = first or largest
        converged = W.shape[1] == 0 or bool(np.hypot(half.slope, other.slope) <= small)
    penalised = float(np.vdot(W, W) + np.vdot(Q[:, : W.shape[1]], Q[:, : W.shape[1]]))
    objectives.append(problem.value(W, Q) + 0.5 * penalty * penalised)
    return Factors(W, Q, tuple(objectives), converged)


def balanced(W: FloatArray, Q: FloatArray, scale: float) -> tuple[FloatArray, FloatArray, float]:
    """Return factors with the same product and equal Gram matrices, and its largest singular value.

    Columns are in the order of the singular values of W Hᵀ; those that are gone, measured by the
    largest and by ``scale``, are left out.
    """
    k = W.shape[1]
    left, left_turn = scipy.linalg.qr(W, mode="economic", check_finite=False)
    right, right_turn = scipy.linalg.qr(Q[:, :k], mode="economic", check_finite=False)
    U, lengths, Vt = scipy.linalg.svd(left_turn @ right_turn.T, full_matrices=False)
    kept = lengths > _GONE * max(lengths[0], scale)
    roots = np.sqrt(lengths[kept])
    H = right @ (Vt[kept].T * roots)
    return left @ (U[:, kept] * roots), np.column_stack([H, Q[:, k:]]), float(lengths[0])
