"""Minimising a smooth function plus one with a cheap proximal step, on matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.rounding import rounding_share

FloatArray = NDArray[np.float64]


class Solution(NamedTuple):
    """The result of a solver, its number of iterations, and whether it met its tolerance.

    The tolerance also counts as met if only rounding error is left, which no iteration can reduce.
    """

    point: FloatArray
    n_iter: int
    converged: bool


def accelerated_proximal_gradient(
    start: FloatArray,
    gradient: Callable[[FloatArray], FloatArray],
    prox: Callable[[FloatArray, float], FloatArray],
    lipschitz: float,
    *,
    tol: float,
    max_iter: int,
) -> Solution:
    """Minimise f + g by FISTA whose momentum restarts when it points uphill.

    Parameters
    ----------
    start : ndarray
        Starting point.
    gradient : callable
        The gradient of f.
    prox : callable
        ``prox(V, step)`` is the minimiser of g(W) + ‖W − V‖²/(2 step).
    lipschitz : float
        A Lipschitz constant of the gradient; the step is its inverse.
    tol : float
        Stop when the proximal gradient, L ‖W − prox(W − ∇f(W)/L)‖, is at most this share of
        max(1, ‖∇f(start)‖).
    max_iter : int
        Maximum number of steps.

    Notes
    -----
    Restarts by the gradient scheme of O'Donoghue and Candès (2015), which needs no values of the
    function and gives linear convergence near a strongly convex optimum.
    """
    step = 1.0 / lipschitz if lipschitz > 0 else 1.0
    point = ahead = start
    momentum = 1.0
    slope = gradient(start)
    small = tol * max(1.0, float(np.linalg.norm(slope)))
    rounding = rounding_share(*start.shape)
    for iteration in range(1, max_iter + 1):
        following = prox(ahead - step * slope, step)
        towards = following - ahead
        least = max(small * step, rounding * float(np.linalg.norm(following)))
        if np.linalg.norm(towards) <= least:
            return Solution(following, iteration, True)
        moved = following - point
        if np.vdot(towards, moved) < 0:
            momentum = 1.0
        grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = following + ((momentum - 1.0) / grown) * moved
        point, momentum = following, grown
        slope = gradient(ahead)
    return Solution(point, max_iter, False)


class Agreement(NamedTuple):
    """The result of the alternating direction method.

    ``point`` is the copy after the proximal step (exact low rank, exact zeros), ``smooth_point``
    the other copy, ``dual`` the scaled multiplier, from which a similar problem may start.
    """

    point: FloatArray
    smooth_point: FloatArray
    dual: FloatArray
    n_iter: int
    converged: bool


def admm(
    solve: Callable[[FloatArray], FloatArray],
    prox: Callable[[FloatArray, float], FloatArray],
    start: FloatArray,
    rho: float,
    *,
    tol: float,
    max_iter: int,
    dual: FloatArray | None = None,
    relaxation: float = 1.0,
) -> Agreement:
    """Minimise f(W) + g(J) with W = J by the alternating direction method of multipliers.

    Parameters
    ----------
    solve : callable
        ``solve(V)`` is the minimiser of f(W) + ρ/2 ‖W − V‖².
    prox : callable
        ``prox(V, 1/ρ)`` is the minimiser of g(J) + ρ/2 ‖J − V‖².
    start : ndarray
        First J.
    rho : float
        Weight ρ of the constraint; any positive number converges.
    tol : float
        Stop when W − J and the change of J are both at most this share of max(1, ‖J‖).
    max_iter : int
        Maximum number of rounds.
    dual : ndarray, optional
        First scaled multiplier; default 0.
    relaxation : float
        Between 1 and 2; above 1 (1.5 to 1.8) often takes fewer rounds.
    """
    J = W = start
    rounding = rounding_share(*start.shape)
    dual = np.zeros_like(start) if dual is None else dual
    for iteration in range(1, max_iter + 1):
        W = solve(J - dual)
        ahead = relaxation * W + (1.0 - relaxation) * J + dual
        last, J = J, prox(ahead, 1.0 / rho)
        dual = ahead - J
        size = float(np.linalg.norm(J))
        small = max(tol * max(1.0, size), rounding * max(size, float(np.linalg.norm(dual))))
        if np.linalg.norm(W - J) <= small and np.linalg.norm(J - last) <= small:
            return Agreement(J, W, dual, iteration, True)
    return Agreement(J, W, dual, max_iter, False)
