"""Minimising a smooth function plus one with a cheap proximal step, on matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Solution(NamedTuple):
    """Where a solver stopped, after how many iterations, and whether it met its tolerance."""

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
        Where to start.
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
        Stop after so many steps, converged or not.

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
    for iteration in range(1, max_iter + 1):
        following = prox(ahead - step * slope, step)
        towards = following - ahead
        if np.linalg.norm(towards) <= small * step:
            return Solution(following, iteration, True)
        moved = following - point
        if np.vdot(towards, moved) < 0:
            momentum = 1.0
        grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = following + ((momentum - 1.0) / grown) * moved
        point, momentum = following, grown
        slope = gradient(ahead)
    return Solution(point, max_iter, False)


def admm(
    solve: Callable[[FloatArray], FloatArray],
    prox: Callable[[FloatArray, float], FloatArray],
    start: FloatArray,
    rho: float,
    *,
    tol: float,
    max_iter: int,
) -> Solution:
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
        Stop after so many rounds, converged or not.

    Returns
    -------
    Solution
        Its point is J, which has what the proximal step gives: exact low rank, exact zeros.
    """
    J = start
    dual = np.zeros_like(start)
    for iteration in range(1, max_iter + 1):
        W = solve(J - dual)
        last, J = J, prox(W + dual, 1.0 / rho)
        dual = dual + W - J
        small = tol * max(1.0, float(np.linalg.norm(J)))
        if np.linalg.norm(W - J) <= small and np.linalg.norm(J - last) <= small:
            return Solution(J, iteration, True)
    return Solution(J, max_iter, False)
