"""The matrix Φ between labels and codes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._matrices import FloatArray
from dlst._parameters import number, one_of


def compression_matrix(
    given: Any, n_labels: int, varying: NDArray[np.intp], seed: int
) -> FloatArray | None:
    """Return Φ for the labels that vary; None is the identity.

    Parameters
    ----------
    given : "identity", int, float or array-like of shape (r, n_labels)
        The number r of codes, their share of the labels, or the matrix.
    n_labels : int
        Number of all labels.
    varying : ndarray of shape (K,)
        Those that vary.
    seed : int
        For the draw: uniform in [−1, 1], columns of length 1.

    Examples
    --------
    >>> compression_matrix(0.5, 6, np.arange(6), seed=0).shape
    (3, 6)
    """
    if isinstance(given, str):
        one_of("identity").check("compression", given)
        return None
    if np.ndim(given) == 0:
        number(above=0).check("compression", given)
        r = int(given) if isinstance(given, Integral) else int(np.ceil(given * varying.size))
        phi = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(r, varying.size))
        return np.asarray(phi / np.linalg.norm(phi, axis=0))
    phi = np.asarray(given, dtype=np.float64)
    if phi.ndim != 2 or phi.shape[1] != n_labels or not np.isfinite(phi).all():
        raise ValueError(
            "compression must be 'identity', a number, or a finite array with a column for each of "
            f"the {n_labels} labels; got shape {phi.shape}."
        )
    return phi[:, varying]
