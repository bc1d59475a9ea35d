"""New rows: placed in the row space of a completed matrix by their features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from dlst._matrices import FloatArray
from dlst.methods.mc.objective import Completion

# Below this share of the largest, a singular value found through the Gram matrix is rounding.
_SMALLEST_SHARE = 1e-6
_CHI2_ROUNDS = 20
_ROWS_AT_ONCE = 256


class Factors(NamedTuple):
    """The factor A = V Σ^½ of Z = U Σ Vᵀ, by what its rows stand for.

    Attributes
    ----------
    labels : ndarray of shape (K, r)
    features : ndarray of shape (d, r)
    ones : ndarray of shape (r,)
    """

    labels: FloatArray
    features: FloatArray
    ones: FloatArray


class LinearRule(NamedTuple):
    """Label scores x @ coef + intercept."""

    coef: FloatArray
    intercept: FloatArray


def factors(problem: Completion, Z: FloatArray) -> Factors:
    """Split a completed matrix into the factor that its columns share."""
    squares, axes = scipy.linalg.eigh(Z.T @ Z)
    lengths = np.sqrt(np.maximum(squares, 0.0))
    kept = lengths > _SMALLEST_SHARE * lengths[-1]
    A = np.ascontiguousarray(axes[:, kept] * np.sqrt(lengths[kept]))
    return Factors(A[problem.label_columns], A[problem.feature_columns], A[-1])


def folded_in(problem: Completion, Z: FloatArray, mu: float, X: FloatArray) -> FloatArray:
    """Return the label scores of rows that are not in the completed matrix."""
    shared = factors(problem, Z)
    if problem.feature_loss == "chi2":
        return chi2_scores(X, shared, problem.per_feature, mu)
    rule = linear_rule(shared, problem.per_feature, mu)
    return X @ rule.coef + rule.intercept


def linear_rule(shared: Factors, weight: float, mu: float) -> LinearRule:
    """Return the scores of a new row under the squared feature loss.

    Since ‖Z‖_* is the least (‖A‖² + ‖B‖²)/2 over Z = B Aᵀ, a new row with A fixed is the b of least

        weight/2 ‖x - A_x b‖² + μ/2 ‖b‖²   with   a₁ᵀb = 1,

    a ridge problem under one equation, so A_y b is affine in x.
    """
    A_y, A_x, a_1 = shared
    inner = weight * (A_x.T @ A_x) + mu * np.eye(len(a_1))
    pulled = scipy.linalg.solve(inner, np.column_stack([weight * A_x.T, a_1]), assume_a="pos")
    from_features, from_ones = pulled[:, :-1], pulled[:, -1] / (a_1 @ pulled[:, -1])
    placed = from_features - np.outer(from_ones, a_1 @ from_features)
    # In one order of memory, so that a model read from a file rounds alike.
    return LinearRule(np.ascontiguousarray((A_y @ placed).T), A_y @ from_ones)


def chi2_scores(X: FloatArray, shared: Factors, weight: float, mu: float) -> FloatArray:
    """Return the scores of new rows under the χ² loss, by reweighted squares.

    A round takes (z - x)²/(z + x) for a squared loss of the same slope at the last z.
    """
    blocks = [
        _chi2_block(X[start : start + _ROWS_AT_ONCE], shared, weight, mu)
        for start in range(0, len(X), _ROWS_AT_ONCE)
    ]
    return np.vstack(blocks)


def _chi2_block(X: FloatArray, shared: Factors, weight: float, mu: float) -> FloatArray:
    A_y, A_x, a_1 = shared
    Z = X
    for _ in range(_CHI2_ROUNDS):
        total = np.maximum(Z + X, np.finfo(np.float64).eps)
        curvature = weight * (Z + 3.0 * X) / total**2
        inner = np.einsum("ij,jk,jl->ikl", curvature, A_x, A_x, optimize=True)
        inner += mu * np.eye(len(a_1))
        sides = np.stack([(curvature * X) @ A_x, np.broadcast_to(a_1, (len(X), len(a_1)))], axis=2)
        solved = np.linalg.solve(inner, sides)
        reached = solved.transpose(0, 2, 1) @ a_1
        B = solved[:, :, 0] + solved[:, :, 1] * ((1.0 - reached[:, :1]) / reached[:, 1:])
        Z = np.maximum(B @ A_x.T, 0.0)
    scores: FloatArray = B @ A_y.T
    return scores
