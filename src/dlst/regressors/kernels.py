"""Kernels between rows, by name or as a function, and the heuristics for their width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from dlst._distances import squared_distances
from dlst._matrices import FeatureMatrix, FloatArray
from dlst.errors import DataError

Kernel: TypeAlias = str | Callable[[Any, Any], Any]
"""The name of a kernel, or a function ``(X, B) -> (n, s)`` array."""

KERNELS = ("rbf", "linear", "polynomial", "cosine", "chi2", "precomputed")
"""The kernels that are known by name."""

GAMMA_RULES = ("auto", "median", "scale")


def kernel_matrix(
    X: FeatureMatrix,
    B: FeatureMatrix,
    kernel: Kernel = "rbf",
    *,
    gamma: float | None = None,
    degree: float = 3,
    coef0: float = 1,
) -> FloatArray:
    """Evaluate a kernel between the rows of two matrices.

    Parameters
    ----------
    X : ndarray or sparse of shape (n, d)
        Rows.
    B : ndarray or sparse of shape (s, d)
        Other rows.
    kernel : str or callable
        ``"rbf"`` is exp(−γ‖x − b‖²), ``"chi2"`` exp(−γ Σ (x − b)²/(x + b)) for dense,
        non-negative rows, ``"polynomial"`` (γ x·b + c)^degree, ``"linear"`` x·b, ``"cosine"``
        x·b/‖x‖‖b‖. A callable gets (X, B).
    gamma : float, optional
        γ; needed by the kernels that :func:`has_width` names.
    degree, coef0 : float
        Of the polynomial kernel.

    Returns
    -------
    ndarray of shape (n, s)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> kernel_matrix(X, X, "rbf", gamma=np.log(2.0)).round(3)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if callable(kernel):
        return _checked(kernel(X, B), (X.shape[0], B.shape[0]))
    if kernel == "rbf":
        values = squared_distances(X, B)
        values *= -_required(gamma, kernel)
        return np.asarray(np.exp(values, out=values))
    from sklearn.metrics import pairwise  # slow to import

    if kernel == "chi2":
        values = np.exp(-_required(gamma, kernel) * chi2_distances(X, B))
    elif kernel == "polynomial":
        values = pairwise.polynomial_kernel(X, B, degree=degree, gamma=gamma, coef0=coef0)
    elif kernel == "linear":
        values = pairwise.linear_kernel(X, B, dense_output=True)
    elif kernel == "cosine":
        values = pairwise.cosine_similarity(X, B, dense_output=True)
    else:
        raise ValueError(
            f"kernel must be a callable or one of {', '.join(KERNELS[:-1])} here; got {kernel!r}."
        )
    return np.asarray(values, dtype=np.float64)


def few_rbf_rows(X: FloatArray, B: FloatArray, gamma: float) -> FloatArray:
    """Return the "rbf" kernel of rows that were checked before, (n, s), without further checks."""
    exponents = (2.0 * gamma) * (X @ B.T)
    exponents -= gamma * np.einsum("ij,ij->i", X, X)[:, None]
    exponents -= gamma * np.einsum("ij,ij->i", B, B)
    np.minimum(exponents, 0.0, out=exponents)
    return np.asarray(np.exp(exponents, out=exponents))


def has_width(kernel: Kernel) -> bool:
    """Return whether a kernel has the parameter gamma."""
    return isinstance(kernel, str) and kernel in ("rbf", "chi2", "polynomial")


def check_kernel(kernel: Kernel, gamma: float | str) -> None:
    """Refuse names of kernels and values of gamma that do not exist."""
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(
            f"kernel must be a callable or one of {', '.join(KERNELS)}; got {kernel!r}."
        )
    named = isinstance(gamma, str) and gamma in GAMMA_RULES
    number = isinstance(gamma, (int, float, np.number)) and 0 < gamma < np.inf
    if not (named or number):
        raise ValueError(
            f"gamma must be a positive number or one of {', '.join(GAMMA_RULES)}; got {gamma!r}."
        )


def kernel_width(
    gamma: float | str, kernel: Kernel, X: FeatureMatrix, B: FeatureMatrix
) -> float | None:
    """Turn ``gamma`` into a number.

    Parameters
    ----------
    gamma : float or {"auto", "median", "scale"}
        ``"median"`` (and ``"auto"``) is 1 over the median squared distance between two rows of the
        basis (chi-squared distance for ``"chi2"``), their mean where more than half of the rows
        coincide; ``"scale"`` is 1/(d · variance of all entries of X), as in scikit-learn. Both are
        1 when all rows are equal.
    kernel : str or callable
        The kernel.
    X : ndarray or sparse of shape (n, d)
        All training rows.
    B : ndarray or sparse of shape (s, d)
        Rows of the basis.

    Returns
    -------
    float or None
        None for a kernel without gamma.
    """
    if not has_width(kernel):
        return None
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "scale":
        spread = X.shape[1] * _variance(X)
    else:
        D = chi2_distances(B, B) if kernel == "chi2" else squared_distances(B, B)
        between = D[np.triu_indices_from(D, k=1)]
        spread = float(np.median(between)) if between.size else 0.0
        if spread == 0 and between.size:
            spread = float(between.mean())
    return 1.0 / spread if spread > 0 else 1.0


def chi2_distances(X: FeatureMatrix, B: FeatureMatrix) -> FloatArray:
    """Return Σ (x − b)²/(x + b) for each pair of rows, terms with x = b = 0 left out."""
    for rows in (X, B):
        if sp.issparse(rows):
            raise DataError(
                "kernel='chi2' must have dense rows; got a sparse matrix. "
                "Use X.toarray(), or kernel='cosine'."
            )
        if rows.size and rows.min() < 0:
            raise DataError(
                f"kernel='chi2' must have non-negative features (histograms); got {rows.min():g}. "
                "Do not standardise X, or use kernel='rbf'."
            )
    from sklearn.metrics.pairwise import additive_chi2_kernel

    return np.asarray(-additive_chi2_kernel(X, B), dtype=np.float64)


def _variance(X: FeatureMatrix) -> float:
    if isinstance(X, np.ndarray):
        return float(X.var())
    return float(X.multiply(X).mean() - X.mean() ** 2)


def _required(gamma: float | None, kernel: str) -> float:
    if gamma is None:
        raise ValueError(f"kernel={kernel!r} must have a gamma; got None. Give a number.")
    return gamma


def _checked(returned: Any, shape: tuple[int, int]) -> FloatArray:
    values: FloatArray = np.asarray(returned, dtype=np.float64)
    if values.shape != shape or not np.isfinite(values).all():
        raise DataError(
            f"a kernel function must return a finite array of shape {shape} for rows X and B; got "
            f"shape {values.shape}{'' if values.shape != shape else ' with values that are not'}."
        )
    return values
