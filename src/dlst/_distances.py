"""Squared distances of all pairs of rows."""

from __future__ import annotations

import numpy as np
from sklearn.utils.extmath import row_norms

from dlst._matrices import FeatureMatrix, FloatArray, as_dense


def squared_distances(
    X: FeatureMatrix, B: FeatureMatrix, lengths: FloatArray | None = None
) -> FloatArray:
    """Return |x|² − 2 x·b + |b|² of all pairs of rows, (n, s), no less than 0.

    As scikit-learn's ``euclidean_distances``, whose module imports many others.

    Parameters
    ----------
    X, B : ndarray or csr_array of shape (n, d) and (s, d)
    lengths : ndarray of shape (s,), optional
        |b|², where they are known.
    """
    distances = as_dense(X @ B.T)
    distances *= -2.0
    distances += row_norms(X, squared=True)[:, None]
    distances += row_norms(B, squared=True) if lengths is None else lengths
    return np.asarray(np.maximum(distances, 0.0, out=distances))
