"""Two ways along a path of falling μ: the constrained optimum, and the published scheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg

from dlst._kernels.proximal import Agreement, admm
from dlst._kernels.singular_values import nuclear_norm, shrink_singular_values, spectral_norm
from dlst._matrices import FloatArray
from dlst.methods.mc.objective import Completion

# The multiplier method is fastest when a step shrinks by about this share of the largest singular
# value: measured on six sets, for λ and μ over two decades. It has no unit.
_SHRINKAGE = 0.1
_RELAXATION = 1.6

# The published step, which for slopes above 1.9 is longer than descent allows.
_PUBLISHED_STEP = 3.8

# The published stop: how many iterations in all look back by one, and by how many later ones do.
_EARLY = 20
_REMEMBERED = 10


class Completed(NamedTuple):
    """The matrix at one μ.

    Attributes
    ----------
    mu : float
    matrix : ndarray of shape (n, K + d + 1)
        Of low rank (``exact``), or as the constraints want it (``fpc``).
    feasible : ndarray of shape (n, K + d + 1)
        As the constraints want it; equal to ``matrix`` up to the tolerance.
    n_iter : int
        Iterations at this μ.
    converged : bool
    """

    mu: float
    matrix: FloatArray
    feasible: FloatArray
    n_iter: int
    converged: bool


def exact_path(
    problem: Completion, mus: Sequence[float], *, tol: float, max_iter: int
) -> Iterator[Completed]:
    """Solve min μ ‖J‖_* + f(W), J = W, for one μ after another, each from the last one's answer.

    The alternating direction method of multipliers, over-relaxed: f with its constraints has a
    closed form entry by entry, the nuclear norm by shrinkage. Multipliers are kept in units of
    ρ ∝ μ, in which they are right for the next μ too.
    """
    J = problem.target
    dual = np.zeros_like(J)
    longest = max(spectral_norm(J), np.finfo(np.float64).tiny)
    for mu in mus:
        rho = mu / (_SHRINKAGE * longest)
        found = _agreement(problem, mu, rho, J, dual, tol, max_iter)
        J, dual = found.point, found.dual
        yield Completed(mu, J, found.smooth_point, found.n_iter, found.converged)


def fixed_point_path(
    problem: Completion,
    mus: Sequence[float],
    *,
    tol: float,
    max_iter: int,
    step: float | None = None,
) -> Iterator[Completed]:
    """Follow the published fixed-point continuation: gradient step, shrinkage, projection.

    A replica of the program, its two slips included. At the first μ that keeps anything it does
    one iteration, for the change from an infinite objective is no number. And a projection after
    the shrinkage is not the proximal step of the constrained problem, so that its fixed points lie
    a little above the optimum. A μ that shrinks everything to 0 is passed over.

    Parameters
    ----------
    step : float, optional
        τ; by default the published one divided by the slope of the label loss, without which it is
        longer than descent allows.
    """
    tau = published_step(problem) / problem.slope if step is None else step
    Z = _rank_one(problem.target)
    objectives: list[float] = []
    for mu in mus:
        n_iter = 0
        converged = False
        while not converged and n_iter < max_iter:
            shrunk = shrink_singular_values(Z - tau * problem.gradient(Z), tau * mu)
            if shrunk.rank == 0:
                break
            n_iter += 1
            Z = problem.project(shrunk.matrix)
            objectives.append(published_objective(problem, Z, mu))
            converged = _settled(objectives, tol)
        if n_iter:
            yield Completed(mu, Z, Z, n_iter, converged)


def _agreement(
    problem: Completion,
    mu: float,
    rho: float,
    start: FloatArray,
    dual: FloatArray,
    tol: float,
    max_iter: int,
) -> Agreement:
    def nearest(V: FloatArray) -> FloatArray:
        return problem.nearest(V, rho)

    rank: int | None = None

    def shrink(V: FloatArray, step: float) -> FloatArray:
        nonlocal rank
        shrunk, _, rank = shrink_singular_values(V, mu * step, expected_rank=rank)
        return shrunk

    return admm(
        nearest,
        shrink,
        start,
        rho,
        tol=tol,
        max_iter=max_iter,
        dual=dual,
        relaxation=_RELAXATION,
    )


def published_step(problem: Completion) -> float:
    """Return the program's τ, right for a slope of 1."""
    for_features = 1.0 / problem.per_feature
    if not problem.known.any():
        return for_features
    return min(_PUBLISHED_STEP / problem.per_label, for_features)


def published_objective(problem: Completion, Z: FloatArray, mu: float) -> float:
    """Return what the program watches: with constraints it forgets the ½ of the squared loss."""
    forgotten = problem.variant != "mc1" and problem.feature_loss == "squared"
    extra = problem.feature_value(Z) if forgotten else 0.0
    return mu * nuclear_norm(Z) + problem.value(Z) + extra


def _settled(objectives: list[float], tol: float) -> bool:
    """Compare the last objective with the one before; later with ten, which ends swings too."""
    *earlier, objective = objectives
    nearest = earlier[-1:] if len(objectives) <= _EARLY else earlier[-_REMEMBERED:]
    return not nearest or any(abs(value - objective) <= tol * value for value in nearest)


def _rank_one(A: FloatArray) -> FloatArray:
    U, lengths, Vt = scipy.linalg.svd(A, full_matrices=False)
    nearest: FloatArray = lengths[0] * np.outer(U[:, 0], Vt[0])
    return nearest
