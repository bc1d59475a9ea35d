"""Descend from a start to the nearest optimum: L-BFGS, or gradient steps with momentum."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from dlst._matrices import FloatArray

Objective = Callable[[FloatArray], tuple[float, FloatArray]]

WINDOW = 10
"""Iterations over which progress is judged: single L-BFGS steps may be short by accident."""

FLOOR = 1e-4
"""A divergence below this, in nats, is judged as if it were this: codes hardly move any more."""

PLAIN_STEPS, TRIAL_STEPS = 5, 25
"""Iterations in unscaled codes at first, and after how many the two ways are compared."""


class Descent(NamedTuple):
    """Where a descent ended."""

    codes: FloatArray
    value: float
    history: list[float]
    converged: bool


class MomentumSchedule(NamedTuple):
    """Step length, and the momentum before and after the switch."""

    learning_rate: float
    initial: float
    final: float
    switch: int


class Progress:
    """Value after each iteration, and whether it still falls.

    Parameters
    ----------
    start : float
        The value at the start.
    tol : float
        Stop when ten iterations lower the value by less than this share of it, or of ``FLOOR``.
    report : callable
        Called with each new value.
    """

    def __init__(self, start: float, tol: float, report: Callable[[float], None]):
        self.history = [start]
        self.tol = tol
        self.report = report

    def add(self, value: float) -> bool:
        """Record a value; return whether the descent has converged."""
        self.history.append(value)
        self.report(value)
        if len(self.history) <= WINDOW:
            return False
        return self.history[-1 - WINDOW] - value <= self.tol * max(abs(value), FLOOR)


def reporter(
    advance: Callable[[int], Any], callback: Callable[[int, float], Any] | None
) -> Callable[[float], None]:
    """Return what tells a progress bar and a callback of every iteration, counted from one."""
    numbers = count(1)

    def report(value: float) -> None:
        number = next(numbers)
        advance(1)
        if callback is not None:
            callback(number, value)

    return report


def descend_lbfgs(
    objective: Objective,
    start: FloatArray,
    weights: FloatArray,
    *,
    max_iter: int,
    tol: float,
    report: Callable[[float], None],
    settled: bool = False,
) -> Descent:
    """Minimise by L-BFGS, in codes scaled by the roots of their weights.

    The scale takes a half to a sixth of the iterations, but the first steps decide into which
    optimum a descent falls, and scaled ones do not always choose the better: on Yeast with r = 3
    they end 2.4 % above, with r = 7 they end 1.9 % below. So both kinds of first steps are tried,
    and after some iterations the lower descent goes on. A start that has ``settled`` near an
    optimum needs no such trial.
    """
    scale = np.sqrt(np.where(weights > 0, weights, 1.0))[:, None]
    at_start = Descent(start, value := objective(start)[0], [value], converged=False)

    def onward(so_far: Descent, scale: FloatArray, steps: int, rival: float = np.inf) -> Descent:
        return _lbfgs(objective, so_far, scale, min(steps, max_iter), tol, report, rival)

    if settled or np.ptp(scale) == 0.0:
        return onward(at_start, scale, max_iter)
    plain = onward(at_start, np.ones_like(scale), PLAIN_STEPS)
    plain = onward(plain, scale, TRIAL_STEPS)
    scaled = onward(at_start, scale, max_iter, plain.value)
    return scaled if scaled.value <= plain.value else onward(plain, scale, max_iter)


def _lbfgs(
    objective: Objective,
    so_far: Descent,
    scale: FloatArray,
    max_iter: int,
    tol: float,
    report: Callable[[float], None],
    rival: float,
) -> Descent:
    """Go on in the codes times ``scale``, up to so many iterations in all.

    Where a rival is lower after the trial's iterations, the rest is spared.
    """
    start, taken = so_far.codes, len(so_far.history) - 1
    if so_far.converged or taken >= max_iter:
        return so_far
    progress = Progress(so_far.value, tol, report)
    unit = abs(so_far.value) or 1.0
    back = 1.0 / scale
    steepness = back / unit

    def scaled(x: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(x.reshape(start.shape) * back)
        return value / unit, (gradient * steepness).ravel()

    # scipy tells the two kinds of callback apart by this parameter's name.
    def after_step(intermediate_result: Any) -> None:
        value = float(intermediate_result.fun) * unit
        ended = progress.add(value)
        if ended or (len(progress.history) == TRIAL_STEPS + 1 and value > rival):
            raise StopIteration

    result = scipy.optimize.minimize(
        scaled,
        (start * scale).ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={
            "maxiter": max_iter - taken,
            "maxfun": 20 * max_iter,
            "maxcor": 10,
            "ftol": 0.0,
            "gtol": 0.0,
        },
    )
    # Status 1 is the limit of iterations. A line search without progress is as good as it gets: an
    # end by rounding, or in a kink, which distances that are roots have where codes meet.
    return Descent(
        codes=result.x.reshape(start.shape) * back,
        value=float(result.fun) * unit,
        history=so_far.history + progress.history[1:],
        converged=result.status != 1,
    )


def descend_momentum(
    objective: Objective,
    start: FloatArray,
    weights: FloatArray,
    *,
    max_iter: int,
    tol: float,
    report: Callable[[float], None],
    schedule: MomentumSchedule,
) -> Descent:
    """Minimise by the paper's scheme with its signs put right.

    Z(t+1) = Z(t) - rate G(t) + momentum (Z(t) - Z(t-1)), where G is the gradient of one instance.
    A step that would raise the value is not taken: the momentum is dropped and the rate halved.
    """
    share = np.maximum(weights, 1.0)[:, None]
    rate = schedule.learning_rate
    codes, velocity = start, np.zeros_like(start)
    value, gradient = objective(codes)
    progress = Progress(value, tol, report)
    converged = False
    for _ in range(max_iter):
        taken = len(progress.history) - 1
        momentum = schedule.initial if taken < schedule.switch else schedule.final
        step = momentum * velocity - rate * gradient / share
        new_value, new_gradient = objective(codes + step)
        if new_value > value:
            velocity = np.zeros_like(start)
            rate /= 2.0
            continue
        codes, velocity = codes + step, step
        value, gradient = new_value, new_gradient
        converged = progress.add(value)
        if converged:
            break
    return Descent(codes, value, progress.history, converged)


def random_start(number: int, principal_codes: FloatArray, random: Any) -> FloatArray:
    """Draw another start: in turn wide, narrow, and near the principal codes."""
    noise = random.standard_normal(principal_codes.shape)
    return np.asarray((noise, 0.01 * noise, principal_codes + 0.3 * noise)[number % 3])
