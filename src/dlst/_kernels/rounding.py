"""How much of a number is rounding: where a solver cannot come nearer to an optimum."""

from __future__ import annotations

import numpy as np


def rounding_share(*sizes: int) -> float:
    """Return the share of a number that sums over so many terms leave undecided.

    Rounding errors add up like a random walk, so they grow with the root of the largest size. What
    a step changes by less than this share of its size is no progress: a solver that got there has
    converged, whatever tolerance it was asked for, and more iterations would change nothing.

    Examples
    --------
    >>> rounding_share(100) < 2e-14
    True
    """
    return float(8.0 * np.finfo(np.float64).eps * np.sqrt(max(sizes, default=1)))
