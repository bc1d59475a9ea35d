"""Width and penalty of a kernel regression of many rows, chosen on some of them, checked on all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from dlst._kernels.moments import Span
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._memory import block_rows
from dlst._progress import progress_bar
from dlst._threads import in_threads
from dlst.regressors.basis import KernelBasis
from dlst.regressors.streamed import StreamedRows, StreamedSmoother

FEW_ROWS = 8192
"""Widths are first compared on so many rows, where there are four times as many."""

JUDGED_ROWS = 4096
"""Rows whose left-out errors choose among widths and penalties; the regression is of all rows."""

CANDIDATE_MARGIN = 1.005
"""A width stays a candidate while its error on few rows is below so many times the least."""


class Chosen(NamedTuple):
    """A smoother with the least left-out error, that error, and all (width, penalty, error)."""

    smoother: StreamedSmoother
    error: float
    tried: list[tuple[float, float, float]]


def search_streamed(
    bases: Sequence[KernelBasis],
    X: FeatureMatrix,
    T: Any,
    alphas: FloatArray,
    weights: FloatArray | None = None,
) -> Chosen:
    """Choose a basis (a width) and a penalty by the squared error of rows left out.

    Three rounds, each exact for the rows that it is about: widths are compared by regressions of
    few rows; those near the best are regressed on all rows and judged with every penalty by the
    left-out errors of some of them; the best penalty and its neighbours are judged by all.

    Parameters
    ----------
    bases : sequence of KernelBasis
        Fitted, of one set of rows.
    X : ndarray or csr_array of shape (n, d)
    T : ndarray or sparse of shape (n, t)
        Targets that errors are measured on.
    alphas : ndarray of shape (a,)
        Penalties.
    weights : ndarray of shape (n,), optional
        How often each row counts.
    """
    tried: list[tuple[float, float, float]] = []
    with progress_bar("kernel widths", None) as advance:
        candidates = _candidates(bases, X, T, alphas, weights, tried)
        advance(1)
        attempts = []

        def attempted(basis: KernelBasis) -> tuple[_Attempt, FloatArray]:
            attempt = _Attempt(StreamedRows(basis, X, weights), T)
            return attempt, attempt.errors(_evenly(X.shape[0], JUDGED_ROWS), alphas)[0]

        found = zip(candidates, in_threads(attempted, candidates), strict=True)
        for basis, (attempt, errors) in found:
            tried += [(_width(basis), *pair) for pair in zip(alphas, errors, strict=True)]
            attempts.append((float(errors.min()), int(np.argmin(errors)), attempt))
            advance(1)
        _, place, best = min(attempts, key=lambda found: found[0])
        alpha, error, leverage = _checked_on_all(best, np.sort(alphas), alphas[place])
        advance(1)
    smoother = StreamedSmoother(best.rows, best.span, alpha, leverage)
    smoother.remember(T, best.projected)
    return Chosen(smoother, error, tried)


class _Attempt:
    """The regression of targets on all rows with one basis, before a penalty."""

    def __init__(self, rows: StreamedRows, T: Any):
        moments = rows.moments(T)
        self.rows, self.T, self.target_mean = rows, T, moments.target_mean
        self.span, self.projected = Span.of(moments, rows.basis.whitening_)

    def errors(self, judged: IntArray, alphas: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the left-out error by penalty, as if of all rows, and leverages (a, judged)."""
        rows, span = self.rows, self.span
        leverages = np.empty((len(alphas), len(judged)))

        def errors_of(block: slice) -> FloatArray:
            chosen = judged[block]
            root = rows.root_of(chosen)
            U = span.columns(rows.basis.kernel_rows(rows.X[chosen]), root)
            leverages[:, block] = leverage = span.leverage(U, alphas, root)
            T = self.T[chosen]
            T = (T.toarray() if sp.issparse(T) else T) - self.target_mean
            T = T if root is None else T * root[:, None]
            return span.left_out_errors(U, T, self.projected, alphas, leverage)

        errors = np.zeros(len(alphas))
        blocks = gen_batches(len(judged), block_rows(2 * len(span.mean) + self.T.shape[1]))
        for of_block in in_threads(errors_of, blocks):
            errors += of_block
        return errors * (rows.X.shape[0] / len(judged)), leverages


def _candidates(
    bases: Sequence[KernelBasis],
    X: FeatureMatrix,
    T: Any,
    alphas: FloatArray,
    weights: FloatArray | None,
    tried: list[tuple[float, float, float]],
) -> Sequence[KernelBasis]:
    """Return the bases that may be the best of all rows, judging by few of them."""
    if len(bases) == 1 or X.shape[0] <= 4 * FEW_ROWS:
        return bases
    few = _evenly(X.shape[0], FEW_ROWS)
    some, targets = X[few], T[few]
    judged = _evenly(len(few), JUDGED_ROWS)

    def least_error(basis: KernelBasis) -> float:
        rows = StreamedRows(basis, some, None if weights is None else weights[few])
        return float(_Attempt(rows, targets).errors(judged, alphas)[0].min())

    least = list(in_threads(least_error, bases))
    return [
        b for b, error in zip(bases, least, strict=True) if error <= CANDIDATE_MARGIN * min(least)
    ]


def _checked_on_all(
    attempt: _Attempt, alphas: FloatArray, alpha: float
) -> tuple[float, float, FloatArray]:
    """Return the penalty with the least error of all rows, from a first guess upwards or down."""
    judged = np.arange(attempt.rows.X.shape[0])
    errors = np.full(len(alphas), np.inf)
    kept: tuple[int, FloatArray] = -1, np.empty(0)
    place = int(np.searchsorted(alphas, alpha))
    while True:
        near = np.arange(max(place - 1, 0), min(place + 2, len(alphas)))
        new = near[np.isinf(errors[near])]
        if new.size:
            errors[new], leverages = attempt.errors(judged, alphas[new])
        best = int(np.argmin(errors))
        if best in new:
            kept = best, leverages[list(new).index(best)].copy()
        if best == place:
            return float(alphas[best]), float(errors[best]), kept[1]
        place = best


def _evenly(n: int, wanted: int) -> IntArray:
    """Return so many rows of n, spread evenly."""
    return np.unique(np.linspace(0, n - 1, min(n, wanted)).astype(np.int64))


def _width(basis: KernelBasis) -> float:
    return np.nan if basis.gamma_ is None else float(basis.gamma_)
