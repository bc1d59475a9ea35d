"""Weighted multidimensional scaling of two sets of points with given mutual distances.

Truths and candidates form a complete bipartite graph, and the weight of a pair is its truth's
alone. The Laplacian V of such weights has a closed-form inverse, so a step of SMACOF needs no
linear algebra beyond products: with R = δ/d, m candidates and n = Σ w,

    t_a ← 1/m Σ_b R_ab (t_a − c_b)
    c_b ← 1/n Σ_a w_a (R_ab (c_b − t_a) + t_a)

which is V⁺ B(Z) Z up to a shift that puts the mean candidate at the origin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from sklearn.metrics.pairwise import euclidean_distances

from dlst._matrices import FloatArray


class Mirrored(NamedTuple):
    """Truths (u, r) and candidates (m, r), their stress as a share of Σ w δ², and how it ended."""

    truths: FloatArray
    candidates: FloatArray
    stress: float
    n_iter: int
    converged: bool


def mirrored_mds(
    truths: FloatArray,
    candidates: FloatArray,
    dissimilarities: FloatArray,
    weights: FloatArray,
    *,
    tol: float,
    max_iter: int,
) -> Mirrored:
    """Minimise Σ_ab w_a (‖t_a − c_b‖ − δ_ab)² by SMACOF; the stress never rises.

    Parameters
    ----------
    truths, candidates : ndarray of shapes (u, r) and (m, r)
        Where to start.
    dissimilarities : ndarray of shape (u, m)
        δ.
    weights : ndarray of shape (u,)
        w, above 0.
    tol : float
        Stop when a step lowers the stress by at most this share of Σ w δ².
    max_iter : int
        Stop after so many steps, converged or not.
    """
    total = float(weights @ (dissimilarities**2).sum(axis=1)) or 1.0
    distances = euclidean_distances(truths, candidates)
    stress = _stress(distances, dissimilarities, weights) / total
    for iteration in range(1, max_iter + 1):
        truths, candidates = _guttman(truths, candidates, distances, dissimilarities, weights)
        distances = euclidean_distances(truths, candidates)
        last, stress = stress, _stress(distances, dissimilarities, weights) / total
        if last - stress <= tol:
            return Mirrored(truths, candidates, stress, iteration, True)
    return Mirrored(truths, candidates, stress, max_iter, False)


def classical_start(
    costs: FloatArray, candidate_costs: FloatArray, weights: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """Place candidates by classical scaling, truths where their costs then put them.

    Parameters
    ----------
    costs : ndarray of shape (u, m)
        Squared distances wanted between truths and candidates.
    candidate_costs : ndarray of shape (m, m)
        The same between candidates; made symmetric.
    weights : ndarray of shape (m,)
        Of the candidates, above 0.
    n_components : int
        Dimensions; fewer come back when fewer have a positive spread.

    Returns
    -------
    truths, candidates : ndarray of shapes (u, r) and (m, r)
        Exact when the costs are squared Euclidean distances in at most r dimensions.
    """
    share = weights / weights.sum()
    squared = 0.5 * (candidate_costs + candidate_costs.T)
    means = share @ squared
    scatter = -0.5 * (squared - means - means[:, None] + share @ means)
    root = np.sqrt(share)
    m = len(share)
    r = min(n_components, m)
    spread, axes = scipy.linalg.eigh(
        root[:, None] * scatter * root, subset_by_index=(m - r, m - 1), driver="evr"
    )
    kept = spread > 1e-10 * max(float(spread[-1]), 0.0)
    if not kept.any():
        return np.zeros((len(costs), 1)), np.zeros((m, 1))
    spread, axes = spread[kept][::-1], axes[:, kept][:, ::-1]
    candidates = axes * np.sqrt(spread) / root[:, None]
    truths = -0.5 * (costs - means) @ (root[:, None] * axes / np.sqrt(spread))
    return truths, candidates


def random_start(
    costs: FloatArray, n_components: int, random: np.random.RandomState
) -> tuple[FloatArray, FloatArray]:
    """Draw truths and candidates from a normal distribution of the costs' size."""
    u, m = costs.shape
    points = random.normal(size=(u + m, n_components)) * np.sqrt(costs.mean() / n_components / 2)
    return points[:u], points[u:]


def _guttman(
    truths: FloatArray,
    candidates: FloatArray,
    distances: FloatArray,
    dissimilarities: FloatArray,
    weights: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    n, m = weights.sum(), len(candidates)
    apart = distances > 0
    ratios = np.divide(dissimilarities, distances, out=np.zeros_like(distances), where=apart)
    moved = (ratios.sum(axis=1)[:, None] * truths - ratios @ candidates) / m
    ratios *= weights[:, None]
    pulled = ratios.sum(axis=0)[:, None] * candidates - ratios.T @ truths
    return moved, (pulled + weights @ moved) / n


def _stress(distances: FloatArray, dissimilarities: FloatArray, weights: FloatArray) -> float:
    return float(weights @ ((distances - dissimilarities) ** 2).sum(axis=1))
