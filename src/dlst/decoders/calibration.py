"""Logistic combination of evidences: slopes shared by all labels, an intercept for each."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from dlst.decoders._inputs import BoolArray, FloatArray


def fit_logistic(
    evidence: FloatArray,
    present: FloatArray,
    known: BoolArray | None = None,
    *,
    max_iterations: int = 200,
) -> tuple[FloatArray, FloatArray]:
    """Fit logit p_ij = a_j + Σ_m b_m e_mij with b >= 0 by penalised maximum likelihood.

    Parameters
    ----------
    evidence : ndarray of shape (m, n, K)
    present : ndarray of shape (n, K)
        Labels, 0 or 1.
    known : ndarray of bool, shape (n, K), optional
        Entries that count; all by default.

    Returns
    -------
    intercepts : ndarray of shape (K,)
    slopes : ndarray of shape (m,)

    Notes
    -----
    The penalty is Σ a_j²/2 + Σ (b_m - 1/m)²/2 beside the *sum* of the log-losses: it decides where
    there are few rows and vanishes where there are many.

    Examples
    --------
    >>> evidence = np.array([[[-2.0], [-1.0], [1.0], [2.0]]])
    >>> intercepts, slopes = fit_logistic(evidence, np.array([[0.0], [1.0], [0.0], [1.0]]))
    >>> bool(abs(intercepts[0]) < 1e-6), bool(0 < slopes[0] < 1)
    (True, True)
    """
    m, _, K = evidence.shape
    start = np.concatenate([np.zeros(K), np.full(m, 1.0 / m)])
    found = minimize(
        penalised_loss,
        start,
        args=(evidence, present, known),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * K + [(0.0, None)] * m,
        options={"maxiter": max_iterations, "ftol": 1e-12, "gtol": 1e-6},
    )
    return found.x[:K], found.x[K:]


def penalised_loss(
    parameters: FloatArray, evidence: FloatArray, present: FloatArray, known: BoolArray | None
) -> tuple[float, FloatArray]:
    """Return the penalised log-loss and its gradient at (a_1 … a_K, b_1 … b_m)."""
    m, _, K = evidence.shape
    intercepts, slopes = parameters[:K], parameters[K:]
    logits = intercepts + np.tensordot(slopes, evidence, axes=1)
    losses = np.logaddexp(0.0, logits) - present * logits
    errors = expit(logits) - present
    if known is not None:
        losses = np.where(known, losses, 0.0)
        errors = np.where(known, errors, 0.0)
    pull = slopes - 1.0 / m
    value = losses.sum() + 0.5 * (intercepts @ intercepts) + 0.5 * (pull @ pull)
    gradient = np.concatenate(
        [errors.sum(axis=0) + intercepts, np.tensordot(evidence, errors, axes=2) + pull]
    )
    return float(value), gradient
