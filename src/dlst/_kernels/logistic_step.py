"""The proximal step of the logistic loss, entry by entry."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled

FloatArray = NDArray[np.float64]

_MAX_STEPS = 100
# Newton's error after a step is at most slope/2 times the square of the step.
_PRECISION = 1e-8


@compiled()
def logistic_step(V: FloatArray, Y: FloatArray, weight: float, slope: float) -> FloatArray:
    """Return for each entry the z of least weight·log(1 + exp(-slope·y·z))/slope + (z - v)²/2.

    Y holds -1, +1, and 0 where there is no loss and z = v. Newton's method on the margin w = y·z,
    whose equation w - y·v = weight·σ(-slope·w) has its inflection at w = 0: started there, or
    at the end of the bounds that is nearest, its steps never overshoot.
    """
    Z = np.empty_like(V)
    for i in range(V.shape[0]):
        for j in range(V.shape[1]):
            y = Y[i, j]
            if y == 0.0:
                Z[i, j] = V[i, j]
                continue
            given = y * V[i, j]
            margin = min(max(0.0, given), given + weight)
            for _ in range(_MAX_STEPS):
                wrong = 1.0 / (1.0 + math.exp(min(slope * margin, 700.0)))
                surplus = margin - given - weight * wrong
                step = surplus / (1.0 + weight * slope * wrong * (1.0 - wrong))
                margin -= step
                if abs(step) <= _PRECISION:
                    break
            Z[i, j] = y * margin
    return Z
