"""Linear systems with a matrix as unknown and an operator given by its products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.proximal import Solution

FloatArray = NDArray[np.float64]


def conjugate_gradients(
    product: Callable[[FloatArray], FloatArray],
    target: FloatArray,
    start: FloatArray,
    *,
    tol: float,
    max_iter: int,
) -> Solution:
    """Solve A(W) = B for a symmetric positive definite operator A on matrices.

    SciPy's solver takes vectors, so that each product would have to reshape twice.

    Parameters
    ----------
    product : callable
        W to A(W), of the shape of W.
    target : ndarray
        B.
    start : ndarray
        First W.
    tol : float
        Stop when the residual's norm is at most this share of the target's.
    max_iter : int
        Maximum number of products.
    """
    point = start.copy()
    residual = target - product(point)
    direction = residual.copy()
    square = float(np.vdot(residual, residual))
    small = (tol * float(np.linalg.norm(target))) ** 2
    for iteration in range(max_iter):
        if square <= small:
            return Solution(point, iteration, True)
        image = product(direction)
        curvature = float(np.vdot(direction, image))
        if curvature <= 0:
            # Rounding, or an operator that is not positive definite: no progress in this direction.
            return Solution(point, iteration, False)
        length = square / curvature
        point += length * direction
        residual -= length * image
        last, square = square, float(np.vdot(residual, residual))
        direction *= square / last
        direction += residual
    return Solution(point, max_iter, square <= small)
