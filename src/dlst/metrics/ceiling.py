"""The best F1 that any ranking can reach when exactly r labels of each row are predicted."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FloatArray
from dlst.metrics._inputs import Truth, as_truth
from dlst.metrics.bipartition import instance_f1, macro_f1
from dlst.metrics.decisions import check_r, top_r_decisions
from dlst.metrics.pooled import micro_f1


def top_r_ceiling(Y: Any, r: int) -> dict[str, float]:
    """Return the ceiling of F1 under the top-r rule on these labels.

    In the best ranking a row's relevant labels come first, then the unjudged ones (they cost
    nothing), then irrelevant ones: exchanging a relevant label for another never raises any F1.
    This fixes the right and wrong decisions of each row, hence micro and instance F1, exactly.

    Macro-F1 also depends on *which* irrelevant labels fill up short rows and which relevant ones
    long rows drop. The best choice is a combinatorial problem (the loss of a label is concave in
    its wrong decisions, so it is best to concentrate them on few labels); two values enclose it.
    With P positives, FP wrong and FN missed decisions, and FP at most ``cap``, a label loses

        1 - F1 = (FP + FN) / (2P + FP - FN)  >=  FP / (2P + cap) + FN (2P + 2 cap) / (2P + cap)²,

    the chord in FP and the tangent in FN. The right side adds up over single decisions, so each
    row minimises it by itself: that is the upper bound, and the F1 of those very decisions is a
    value that a ranking does reach.

    Ties: the ranking is free, so there are none.
    Empty rows: an instance without relevant label cannot be right and counts 0, as does a label
    without positives; rows and labels with nothing judged are left out.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    r : int
        Labels predicted for each row, 1 to K.

    Returns
    -------
    dict of str to float
        ``micro_f1`` and ``instance_f1``: exact. ``macro_f1_upper_bound``: no ranking exceeds it.
        ``macro_f1_reached``: some ranking has it. The exact macro ceiling lies between.

    Examples
    --------
    >>> ceiling = top_r_ceiling([[1, 0, 0], [0, 1, 0], [0, 1, 1]], r=2)
    >>> {name: round(value, 3) for name, value in ceiling.items()}
    {'micro_f1': 0.8, 'instance_f1': 0.778,
     'macro_f1_upper_bound': 0.85, 'macro_f1_reached': 0.822}
    """
    truth = as_truth(Y)
    check_r(r, truth.shape[1])
    wrong_cost, miss_cost = _costs(truth, r)
    best = top_r_decisions(_best_ranking(truth, r, wrong_cost, miss_cost), r)
    return {
        "micro_f1": micro_f1(truth, best),
        "instance_f1": float(instance_f1(truth, best)),
        "macro_f1_upper_bound": _upper_bound(truth, best, wrong_cost, miss_cost),
        "macro_f1_reached": float(macro_f1(truth, best)),
    }


def _costs(truth: Truth, r: int) -> tuple[FloatArray, FloatArray]:
    """Least loss of a label for one wrong and for one missed decision, as in the docstring."""
    positives = truth.transposed.relevant.counts
    known = _relevant(truth) + _unjudged(truth)
    short = np.flatnonzero(truth.relevant.counts + truth.unjudged.counts < r)
    cap = len(short) - np.bincount(known[short].indices, minlength=truth.shape[1])
    most = np.maximum(2 * positives + cap, 1)
    # A label without positives has F1 = 0 whatever is decided, so it may fill rows at no cost.
    wrong_cost = np.where(positives > 0, 1.0 / most, 0.0)
    return wrong_cost, (2 * positives + 2 * cap) / most**2


def _best_ranking(
    truth: Truth, r: int, wrong_cost: FloatArray, miss_cost: FloatArray
) -> sp.csr_array:
    """Score relevant labels by the cost to miss them, then unjudged ones, then cheap errors."""
    n, K = truth.shape
    relevant, unjudged = _relevant(truth), _unjudged(truth)
    # A row with c relevant or unjudged labels needs r - c more: the r cheapest hold at least these.
    cheapest = np.argsort(wrong_cost, kind="stable")[:r]
    fill = sp.csr_array(
        (np.ones(n * len(cheapest)), np.tile(cheapest, n), np.arange(n + 1) * len(cheapest)),
        shape=(n, K),
    )
    fill = sp.csr_array(fill - fill.multiply(relevant + unjudged))
    fill.eliminate_zeros()
    place = np.empty(K)
    place[np.argsort(wrong_cost, kind="stable")] = np.arange(K)
    fill.data = -1.0 - place[fill.indices]
    relevant.data = 1.0 + miss_cost[relevant.indices]
    unjudged.data[:] = 0.5
    return fill + relevant + unjudged


def _upper_bound(
    truth: Truth, best: sp.csr_array, wrong_cost: FloatArray, miss_cost: FloatArray
) -> float:
    positives = truth.transposed.relevant.counts
    hits = _relevant(truth).multiply(best).sum(axis=0)
    wrong = best.sum(axis=0) - hits - _unjudged(truth).multiply(best).sum(axis=0)
    bounds = np.where(positives > 0, 1.0 - wrong * wrong_cost - (positives - hits) * miss_cost, 0.0)
    judged = truth.transposed.n_judged > 0
    return float(bounds[judged].mean()) if judged.any() else float("nan")


def _relevant(truth: Truth) -> sp.csr_array:
    return truth.relevant.matrix(truth.shape)


def _unjudged(truth: Truth) -> sp.csr_array:
    return truth.unjudged.matrix(truth.shape)
