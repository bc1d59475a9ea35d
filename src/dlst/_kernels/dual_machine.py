"""A support vector machine by its dual, two coefficients at a time, on a given kernel matrix.

    min_β ½ βᵀKβ − tᵀβ   with Σ β_i = 0, lower_i ≤ β_i ≤ upper_i

β are the weights of the kernels in the margin: 0 to C for rows with the label (t = 1), −C to 0 for
others (t = −1). A row with both bounds 0 is left out, so that one matrix serves all labels and
folds. The pair with the largest second-order gain is changed, as in LIBSVM.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

Floats = NDArray[np.float64]
Kernel = NDArray[np.floating]
Flags = NDArray[np.bool_]

VECTORISED = {"fastmath": {"reassoc", "contract", "nnan", "nsz"}, "error_model": "numpy"}
BLOCK = 128
"""Rows that are searched for the best together."""

LEAST_CURVATURE = 1e-12
"""Lower bound of curvature, for equal rows and kernels that are not positive semidefinite."""


@compiled()
def dual_machine(
    kernel: Kernel, targets: Floats, lower: Floats, upper: Floats, tol: float, max_iter: int
) -> tuple[Floats, Floats, float, int, bool]:
    """Return β, t − Kβ, the intercept, the number of steps, and whether it converged to ``tol``.

    Parameters
    ----------
    kernel : ndarray of shape (n, n)
    targets, lower, upper : ndarray of shape (n,)
        t and the bounds of β.
    tol : float
    max_iter : int
        Maximum number of steps; unlimited if negative.
    """
    beta, rest = np.zeros(len(targets)), targets.copy()
    rises, falls = upper > 0.0, lower < 0.0
    diagonal = np.diag(kernel).astype(np.float64)
    first, last = _moved(rest, kernel[0], kernel[0], 0.0, rises, falls)
    steps = 0
    while True:
        if first < 0 or last < 0:
            return beta, rest, 0.0, steps, True
        high, low = rest[first], rest[last]
        finished = high - low < tol
        if finished or steps == max_iter:
            return beta, rest, _intercept(rest, rises, falls, high, low), steps, finished
        second = _partner(rest, falls, kernel[first], diagonal, first)
        curvature = diagonal[first] + diagonal[second] - 2.0 * kernel[first, second]
        step = (high - rest[second]) / max(curvature, LEAST_CURVATURE)
        before, room = beta[first], min(upper[first] - beta[first], beta[second] - lower[second])
        if step < room:
            beta[first] += step
            beta[second] -= step
        else:
            # Exactly to the bound, without rounding error.
            step = room
            at_upper = upper[first] - before <= room
            at_lower = beta[second] - lower[second] <= room
            beta[first] = upper[first] if at_upper else before + step
            beta[second] = lower[second] if at_lower else beta[second] - step
        if beta[first] == before:  # no progress but rounding
            return beta, rest, _intercept(rest, rises, falls, high, low), steps, True
        for q in (first, second):
            rises[q], falls[q] = beta[q] != upper[q], beta[q] != lower[q]
        first, last = _moved(rest, kernel[first], kernel[second], step, rises, falls)
        steps += 1


@compiled(**VECTORISED)
def _moved(
    rest: Floats, first: Kernel, second: Kernel, step: float, rises: Flags, falls: Flags
) -> tuple[int, int]:
    """Update ``rest`` for a step; return its largest where β may rise, smallest where β may fall.

    One pass over the rows, which dominates the cost of a step; -1 if there is no such row.
    """
    high, low, best, worst = -np.inf, np.inf, -1, -1
    for start in range(0, len(rest), BLOCK):
        part = rest[start : start + BLOCK]
        a, b = first[start : start + BLOCK], second[start : start + BLOCK]
        up, down = rises[start : start + BLOCK], falls[start : start + BLOCK]
        largest, smallest = -np.inf, np.inf
        for q in range(len(part)):
            part[q] -= step * (a[q] - b[q])
            largest = max(largest, part[q] if up[q] else -np.inf)
            smallest = min(smallest, part[q] if down[q] else np.inf)
        if largest > high:
            high, best = largest, start
        if smallest < low:
            low, worst = smallest, start
    return _place(rest, rises, high, best), _place(rest, falls, low, worst)


@compiled()
def _place(rest: Floats, free: Flags, value: float, start: int) -> int:
    for q in range(max(start, 0), len(rest) if start >= 0 else 0):
        if rest[q] == value and free[q]:
            return q
    return -1


@compiled(**VECTORISED)
def _partner(rest: Floats, falls: Flags, row: Kernel, diagonal: Floats, first: int) -> int:
    """Return the row with the largest second-order gain when paired with the first."""
    high, own = rest[first], diagonal[first]
    best, block = -1.0, 0
    for start in range(0, len(rest), BLOCK):
        part, down = rest[start : start + BLOCK], falls[start : start + BLOCK]
        with_first, diag = row[start : start + BLOCK], diagonal[start : start + BLOCK]
        largest = -1.0
        for q in range(len(part)):
            gap = high - part[q]
            curvature = max(own + diag[q] - 2.0 * with_first[q], LEAST_CURVATURE)
            gain = gap * gap / curvature
            largest = max(largest, gain if down[q] and gap > 0.0 else -1.0)
        if largest > best:
            best, block = largest, start
    place, found = block, -1.0
    for q in range(block, min(block + BLOCK, len(rest))):
        gap = high - rest[q]
        if falls[q] and gap > 0.0:
            gain = gap * gap / max(own + diagonal[q] - 2.0 * row[q], LEAST_CURVATURE)
            if gain > found:
                place, found = q, gain
    return place


@compiled()
def _intercept(rest: Floats, rises: Flags, falls: Flags, high: float, low: float) -> float:
    """Mean of ``rest`` over rows between their bounds; without any, of its bounds."""
    total, number = 0.0, 0
    for q in range(len(rest)):
        if rises[q] and falls[q]:
            total += rest[q]
            number += 1
    return total / number if number else 0.5 * (high + low)
