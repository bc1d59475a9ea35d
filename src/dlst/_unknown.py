"""Unknown (NaN) entries of label matrices, and the column's mean in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def known_means(
    points: sp.csr_array, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Mean of each column over its known entries, weighted by rows; 0 where nothing is known.

    Examples
    --------
    >>> known_means(sp.csr_array([[1.0, 0.0], [np.nan, 1.0], [0.0, 1.0]])).round(2)
    array([0.5 , 0.67])
    """
    weights = np.ones(points.shape[0]) if weights is None else weights
    unknown = np.isnan(points.data)
    totals = weights @ _with_data(points, np.where(unknown, 0.0, points.data))
    known = weights.sum() - weights @ _with_data(points, unknown.astype(np.float64))
    return np.asarray(totals / np.where(known > 0, known, 1.0))


def impute(points: sp.csr_array, means: NDArray[np.float64]) -> sp.csr_array:
    """Replace NaN by the column's mean; without any the matrix itself comes back."""
    unknown = np.isnan(points.data)
    if not unknown.any():
        return points
    return _with_data(points, np.where(unknown, means[points.indices], points.data))


def known_or_mean(Y: sp.csr_array, weights: NDArray[np.float64] | None = None) -> sp.csr_array:
    """Return labels with unknown entries at the mean of their label's known ones, by weight."""
    return impute(Y, known_means(Y, weights))


def _with_data(points: sp.csr_array, data: Any) -> sp.csr_array:
    return sp.csr_array((data, points.indices, points.indptr), shape=points.shape)
