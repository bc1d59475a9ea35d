"""The probability simplex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def project_onto_simplex(V: FloatArray) -> FloatArray:
    """Return for each row of V (n, m) the nearest point with entries of at least 0 and sum 1.

    Examples
    --------
    >>> project_onto_simplex(np.array([[0.2, 0.3], [3.0, 1.0]]))
    array([[0.45, 0.55],
           [1.  , 0.  ]])
    """
    m = V.shape[1]
    descending = -np.sort(-V, axis=1)
    excess = np.cumsum(descending, axis=1) - 1.0
    # With the j largest entries kept, each is lowered by excess/j; the last j for which the
    # smallest of them stays positive is the right one.
    support = (descending - excess / np.arange(1, m + 1) > 0).sum(axis=1)
    lowered = excess[np.arange(len(V)), support - 1] / support
    projected: FloatArray = np.maximum(V - lowered[:, None], 0.0)
    return projected
