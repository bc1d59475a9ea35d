"""The size of rounding errors, below which a solver makes no progress."""

from __future__ import annotations

import numpy as np


def rounding_share(*sizes: int) -> float:
    """Return the relative rounding error of sums over this many terms.

    Rounding errors add up like a random walk, so that they grow with the root of the largest
    number of terms. A smaller relative change is no progress: the solver has converged, whatever
    its tolerance, and more iterations would change nothing.

    Examples
    --------
    >>> rounding_share(100) < 2e-14
    True
    """
    return float(8.0 * np.finfo(np.float64).eps * np.sqrt(max(sizes, default=1)))
