"""Probabilities against truth: log loss and calibration.

Every function honours NaN in the truth as "not judged": the entry is left out, and so is a label
with nothing judged. Probabilities may be sparse; entries not stored are 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dlst._matrices import FloatArray, IntArray
from dlst._parameters import integer
from dlst.errors import DataError
from dlst.metrics._confusion import Fraction, Weighing, ratio
from dlst.metrics._inputs import Pattern, Scores, Truth, align
from dlst.metrics._ranks import Average, summarise


def log_loss(
    Y: Any,
    probabilities: Any,
    *,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean negative log-likelihood of the judged entries; ``average=None``: of each label.

    Probabilities are clipped to [eps, 1 - eps], eps = 2.2e-16, as in scikit-learn.

    Ties: they play no part.
    Empty rows: a row or label without positives is judged like any other.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    probabilities : array-like, sparse or frame of shape (n, K)
        In [0, 1].
    average : {"mean", None}
        None gives the value of each label, shape (K,), NaN where nothing is judged.
    sample_weight, label_weight : array-like of shape (n,), of shape (K,), optional
        How often each instance and each label counts.

    Returns
    -------
    float, or ndarray of shape (K,)

    Examples
    --------
    >>> log_loss([[1, 0]], [[0.5, 0.5]])
    0.693...
    """
    truth, checked = align(Y, probabilities)
    rows, labels = Weighing.check(truth, sample_weight, label_weight)
    eps = np.finfo(np.float64).eps
    total = np.zeros(truth.shape[1])
    for first, block in _probability_blocks(checked):
        right = 1.0 - block
        at = _inside(truth.relevant, first, len(block))
        right[at] = block[at]
        losses = -np.log(np.clip(right, eps, 1.0 - eps, out=right))
        losses[_inside(truth.unjudged, first, len(block))] = 0.0
        total += rows[first : first + len(block)] @ losses
    judged = _judged(truth, rows)
    if average is None:
        return _per_label(total, judged)
    return float(labels @ total / (labels @ judged)) if labels @ judged else float("nan")


def expected_calibration_error(
    Y: Any,
    probabilities: Any,
    *,
    n_bins: int = 15,
    average: Average = "mean",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> float | FloatArray:
    """Mean distance between stated probability and observed frequency, over equal-width bins.

    All judged entries are pooled; ``average=None``: the entries of each label by themselves.
    The bins are [0, 1/n_bins), …, [1 - 1/n_bins, 1].

    Ties: equal probabilities fall into the same bin.
    Empty rows: a row or label without positives is judged like any other.

    Parameters
    ----------
    Y, probabilities, average, sample_weight, label_weight
        As in :func:`log_loss`.
    n_bins : int
        Number of bins.

    Returns
    -------
    float, or ndarray of shape (K,)

    References
    ----------
    Naeini, Cooper, Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian
    binning.

    Examples
    --------
    >>> expected_calibration_error([[1, 0], [1, 0]], [[0.75, 0.25], [0.75, 0.25]])
    0.25
    """
    integer(at_least=1).check("n_bins", n_bins)
    truth, checked = align(Y, probabilities)
    rows, labels = Weighing.check(truth, sample_weight, label_weight)
    K = truth.shape[1]
    gaps = np.zeros(K * n_bins)
    offset = np.arange(K) * n_bins
    for first, block in _probability_blocks(checked):
        bins = np.minimum((block * n_bins).astype(np.intp), n_bins - 1) + offset
        # Mean probability less frequency of a bin; its size cancels against the weight of the bin.
        excess = block.copy()
        excess[_inside(truth.relevant, first, len(block))] -= 1.0
        excess[_inside(truth.unjudged, first, len(block))] = 0.0
        excess *= rows[first : first + len(block), None]
        gaps += np.bincount(bins.ravel(), weights=excess.ravel(), minlength=K * n_bins)
    gap = gaps.reshape(K, n_bins)
    judged = _judged(truth, rows)
    if average is None:
        return _per_label(np.abs(gap).sum(axis=1), judged)
    total = np.abs(labels @ gap).sum()
    return float(total / (labels @ judged)) if labels @ judged else float("nan")


def _probability_blocks(scores: Scores) -> Iterator[tuple[int, FloatArray]]:
    for first, block in scores.blocks():
        low, high = block.min(), block.max()
        if low < 0 or high > 1:
            raise DataError(
                f"probabilities must lie in [0, 1]; got {low:g} to {high:g}. "
                "Use predict_proba, or a metric for unbounded scores."
            )
        yield first, block


def _inside(pattern: Pattern, first: int, n_rows: int) -> tuple[IntArray, IntArray]:
    """Return (row in the block, column) of the pattern's entries in these rows."""
    ptr = pattern.ptr[first : first + n_rows + 1]
    rows = np.repeat(np.arange(n_rows), np.diff(ptr))
    return rows, pattern.columns[ptr[0] : ptr[-1]]


def _judged(truth: Truth, rows: FloatArray) -> FloatArray:
    """Count the judged entries of each label, rows by weight."""
    unjudged = np.bincount(truth.unjudged.columns, rows[truth.unjudged.rows], truth.shape[1])
    judged = rows.sum() - unjudged
    return np.where(judged > 1e-9 * rows.sum(), judged, 0.0)


def _per_label(total: FloatArray, judged: FloatArray) -> float | FloatArray:
    return summarise(ratio(Fraction(total, judged)), judged == 0, judged > 0, "skip", None)
