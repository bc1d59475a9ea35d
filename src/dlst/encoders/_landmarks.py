"""Landmarks: label sets that stand for all where comparing all pairs would take too long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlst._matrices import FloatArray
from dlst.encoders._descent import Descent

EXACT_SETS, LANDMARKS = 20_000, 2_000
"""Most distinct sets of which all pairs are compared by default, and how many landmarks else."""

COARSE_SETS = 8_000
"""With more sets, a descent over all pairs begins where one over landmarks ended."""

ROUNDS, ROUND_STEPS = 6, 20
"""How often landmarks are drawn again, and after how many iterations: codes that are fitted to one
draw for long grow good at its pairs and bad at others."""


def in_rounds(
    one_round: Callable[[FloatArray, int, bool], Descent], start: FloatArray, max_iter: int
) -> Descent:
    """Descend in rounds, each from where the last ended.

    Parameters
    ----------
    one_round : callable
        Draws landmarks and descends from given codes, for so many iterations; the last argument
        says whether the codes have settled near an optimum.
    start : ndarray of shape (m, r)
    max_iter : int
        Iterations in all.
    """
    so_far = one_round(start, min(ROUND_STEPS, max_iter), False)
    for _ in range(ROUNDS - 1):
        steps = min(ROUND_STEPS, max_iter - len(so_far.history) + 1)
        if steps <= 0:
            return so_far._replace(converged=False)
        end = one_round(so_far.codes, steps, True)
        so_far = end._replace(history=so_far.history + end.history[1:])
    return so_far._replace(converged=True)


def landmarks_wanted(n_landmarks: int | str | None, weights: FloatArray) -> int | None:
    """Turn the parameter into a number; None where all pairs are to be compared."""
    if n_landmarks == "auto":
        n_landmarks = LANDMARKS if len(weights) > EXACT_SETS else None
    if n_landmarks is None or int(n_landmarks) >= np.count_nonzero(weights):
        return None
    return int(n_landmarks)


def landmark_shares(weights: FloatArray, n_landmarks: int, random: Any) -> FloatArray:
    """Draw landmarks in proportion to their instances; zero for other sets.

    A sum over all pairs of instances is estimated without bias by pairs with a landmark at one end,
    each of them counted for the instances that the landmark stands for.

    Parameters
    ----------
    weights : ndarray of shape (m,)
        Instances with each set.
    n_landmarks : int
        How many to draw, fewer than there are sets with instances.
    random : RandomState

    Returns
    -------
    ndarray of shape (m,)
        Half the number of instances that each landmark stands for: a set with many instances is
        drawn for certain and stands for them alone, the others share what is left evenly.

    Examples
    --------
    >>> weights = np.array([9.0, 1.0, 1.0, 1.0, 1.0])
    >>> shares = landmark_shares(weights, 3, np.random.RandomState(0))
    >>> 2 * shares[0], np.sort(2 * shares[1:])
    (np.float64(9.0), array([0., 0., 2., 2.]))
    """
    order = np.argsort(-weights, kind="stable")
    falling = weights[order]
    rest = np.cumsum(falling[::-1])[::-1]
    places = n_landmarks - np.arange(len(weights))
    certain = int(np.argmax((places <= 0) | (falling * places < rest)))
    shares = np.zeros(len(weights))
    shares[order[:certain]] = 0.5 * falling[:certain]
    drawn = n_landmarks - certain
    if drawn > 0:
        # Steps longer than any weight that is left, so no set is met twice.
        step = rest[certain] / drawn
        marks = (random.uniform() + np.arange(drawn)) * step
        met = np.searchsorted(np.cumsum(falling[certain:]), marks, side="right")
        shares[order[certain + np.minimum(met, len(weights) - certain - 1)]] = 0.5 * step
    return shares
