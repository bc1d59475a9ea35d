"""The choice of μ, judged on training rows whose labels are hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from dlst._matrices import FloatArray
from dlst.methods.mc.fold_in import folded_in
from dlst.methods.mc.objective import Completion
from dlst.methods.mc.solvers import Completed
from dlst.metrics import instance_average_precision

SHARES = tuple(0.5**power for power in range(1, 11))
"""The μ that are tried, as shares of the least that would shrink features to nothing."""

USUAL_SHARE = 0.125
"""What is taken when too few rows are labelled for a search."""

FEWEST_ROWS = 10
MOST_ROWS = 1000
_PATIENCE = 2
_TOLERANCE = 3e-4
_MAX_ITER = 100


class HiddenRows(NamedTuple):
    """Rows whose labels are hidden, and rows whose labels are shown."""

    hidden: NDArray[np.intp]
    shown: NDArray[np.intp]


class Found(NamedTuple):
    """What a search saw.

    Attributes
    ----------
    mus, scores : list of float
    share : float
        The best μ as a share of the largest.
    predicted : ndarray of shape (n_hidden, K)
        Label scores of the hidden rows at the best μ.
    """

    mus: list[float]
    scores: list[float]
    share: float
    predicted: FloatArray


def hidden_rows(
    labels: FloatArray, held_out: float, random: np.random.RandomState
) -> HiddenRows | None:
    """Draw labelled rows for a search and a share of them to hide; None if there are too few."""
    rows = np.flatnonzero((labels != 0).any(axis=1))
    if len(rows) < FEWEST_ROWS:
        return None
    rows = random.permutation(rows)[:MOST_ROWS]
    hidden, shown = np.split(rows, [max(1, int(held_out * len(rows)))])
    return HiddenRows(hidden, shown)


def search(
    problem: Completion,
    truth: FloatArray,
    features: FloatArray | None,
    shares: Sequence[float],
    follow: Callable[..., Iterator[Completed]],
    tol: float,
) -> Found | None:
    """Follow μ down until hidden labels are ranked worse and worse.

    Scores are instance-wise average precision or, for a single label, minus the logistic loss.

    Parameters
    ----------
    problem : Completion
        Of the rows that take part.
    truth : ndarray of shape (n_hidden, K)
        Hidden labels.
    features : ndarray of shape (n_hidden, d), optional
        Of the hidden rows, to be folded in; None when they are the first rows of the problem.
    shares : sequence of float
        Falling.
    follow : callable
        A solver.
    tol : float
        Its tolerance, raised to what a search needs.

    Returns
    -------
    Found or None
        None when the published scheme shrinks everything to 0 for every μ.
    """
    largest = problem.largest_mu()
    mus: list[float] = []
    scores: list[float] = []
    best = np.zeros_like(truth)
    path = follow(
        problem,
        [share * largest for share in shares],
        tol=max(tol, _TOLERANCE),
        max_iter=_MAX_ITER,
    )
    for found in path:
        if features is None:
            predicted = found.matrix[: len(truth), problem.label_columns]
        else:
            predicted = folded_in(problem, found.matrix, found.mu, features)
        mus.append(found.mu)
        scores.append(_score(truth, predicted, problem.slope))
        behind = len(scores) - 1 - int(np.argmax(scores))
        best = predicted if behind == 0 else best
        if behind >= _PATIENCE:
            break
    if not mus:
        return None
    return Found(mus, scores, mus[int(np.argmax(scores))] / largest, best)


def probability_slope(truth: FloatArray, scores: FloatArray, slope: float) -> float:
    """Return the a of the most likely σ(a z): completed labels shrink, the more the larger μ.

    One number, above 0, changes neither the order of scores nor which are above 0. A typical score
    is added once right and once wrong, so that no sample makes a infinite.
    """
    margins = (truth * scores)[truth != 0]
    typical = float(np.abs(margins).mean())
    if typical == 0.0:
        return slope
    margins = np.append(margins, [typical, -typical])

    def loss(log_slope: float) -> float:
        return float(np.logaddexp(0.0, -np.exp(log_slope) * margins).sum())

    centre = -np.log(typical)
    found = minimize_scalar(loss, bounds=(centre - 7.0, centre + 7.0), method="bounded")
    return float(np.exp(found.x))


def _score(truth: FloatArray, scores: FloatArray, slope: float) -> float:
    if truth.shape[1] > 1:
        known = np.where(truth == 0, np.nan, truth > 0)
        return float(instance_average_precision(known, scores))
    return -float(np.logaddexp(0.0, -slope * truth * scores)[truth != 0].mean())
