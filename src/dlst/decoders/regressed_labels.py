"""Labels predicted by least squares, as probabilities and as ranking scores."""

from __future__ import annotations

import numpy as np

from dlst._matrices import FloatArray
from dlst.parts import Scores

_MARGIN = 1e-3


def regressed_probabilities(values: FloatArray) -> FloatArray:
    """Turn predicted 0/1 labels into probabilities strictly between 0 and 1.

    They are unchanged in [0.001, 0.999]. Outside, where clipping would create ties, they approach
    0 and 1: with m = 0.001, p = m²/(2m − v) for v < m, and likewise above.

    Examples
    --------
    >>> regressed_probabilities(np.array([-0.998, 0.0, 0.25, 1.0]))
    array([1.000e-06, 5.000e-04, 2.500e-01, 9.995e-01])
    """
    P = np.array(values, dtype=np.float64)
    below, above = P < _MARGIN, P > 1.0 - _MARGIN
    P[below] = _MARGIN**2 / (2.0 * _MARGIN - P[below])
    P[above] = 1.0 - _MARGIN**2 / (2.0 * _MARGIN - (1.0 - P[above]))
    return P


def regressed_scores(values: FloatArray) -> Scores:
    """Return probabilities, and ranking scores v − 1/2, positive for labels decided for."""
    return Scores(regressed_probabilities(values), values - 0.5)
