"""The smoother of a kernel regression of many rows: kernels are computed again, a block at a time.

What it holds has the size of the basis, but for the training rows themselves and a leverage for
each. A pass over the rows costs their kernels with the basis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from dlst._kernels.moments import Moments, Span
from dlst._kernels.ridge import differ_by_constants, without_own_target
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._memory import block_rows
from dlst._threads import in_threads
from dlst.errors import DataError
from dlst.regressors.basis import KernelBasis
from dlst.regressors.smoother import LastResult, Readout

ROWS_FOR_SHIFT = 64
"""Whose mean is near that of all rows; see :class:`~dlst._kernels.moments.Moments`."""


class StreamedRows:
    """Training rows as blocks of their kernels with a basis.

    Parameters
    ----------
    basis : KernelBasis
        Fitted.
    X : ndarray or csr_array of shape (n, d)
        Checked.
    weights : ndarray of shape (n,), optional
        How often each row counts.
    """

    def __init__(self, basis: KernelBasis, X: FeatureMatrix, weights: FloatArray | None = None):
        self.basis, self.X, self.weights = basis, X, weights
        self.root = None if weights is None else np.sqrt(weights)

    def blocks(self, width: int = 0) -> Iterator[tuple[slice, FloatArray]]:
        """Yield blocks of rows with their kernels (m, s); ``width`` more columns go with them."""
        for block in self._cuts(width):
            yield block, self.basis.kernel_rows(self.X[block])

    def _cuts(self, width: int) -> Iterator[slice]:
        rows = block_rows(len(self.basis.indices_) + width)
        yield from gen_batches(self.X.shape[0], rows)

    def moments(self, T: Any) -> Moments:
        """Return the sums of kernels and targets (n, t) over all rows."""
        few = self.X[np.linspace(0, self.X.shape[0] - 1, ROWS_FOR_SHIFT).astype(np.int64)]
        shift = self.basis.kernel_rows(few).mean(axis=0)

        def of_block(block: slice) -> Moments:
            part = Moments(shift, T.shape[1])
            F = self.basis.kernel_rows(self.X[block])
            part.add(F, T[block], None if self.weights is None else self.weights[block])
            return part

        found = Moments(shift, T.shape[1])
        for part in in_threads(of_block, self._cuts(T.shape[1])):
            found += part
        return found

    def root_of(self, rows: slice | IntArray) -> FloatArray | None:
        """Return the roots of the weights of some rows."""
        return None if self.root is None else self.root[rows]


class StreamedSmoother:
    """A ridge smoother that never holds its features of all rows.

    The hat matrix is H = U diag(shrinkage) Uᵀ + 11ᵀ/n, as in
    :class:`~dlst.regressors.smoother.Smoother`; U is computed where it is needed.

    Parameters
    ----------
    rows : StreamedRows
        The training rows on a basis.
    span : Span
        What their kernels span.
    alpha : float
        Penalty λ of the squared norm, beside the sum of squared errors.
    leverage : ndarray of shape (n,)
        Diagonal of H.

    Notes
    -----
    A model file has no training rows, so that a smoother that was read from one predicts and
    leaves nothing out.

    Examples
    --------
    >>> all(hasattr(StreamedSmoother, name) for name in ("leave_one_out", "smooth", "predict"))
    True
    """

    def __init__(self, rows: StreamedRows, span: Span, alpha: float, leverage: FloatArray):
        self.basis, self.rows = rows.basis, rows
        self.span, self.alpha, self.leverage = span, alpha, leverage
        self._remembered: tuple[Any, FloatArray] | None = None
        self._last = LastResult()

    @property
    def shrinkage(self) -> FloatArray:
        """What ridge leaves of each direction, (q,)."""
        return self.span.eigenvalues / (self.span.eigenvalues + self.alpha)

    @property
    def root(self) -> FloatArray | None:
        """Roots of the rows' weights; None where all rows count once."""
        return self._training.root

    def remember(self, T: Any, projected: FloatArray) -> None:
        """Keep the projected targets Uᵀ T of some targets, which cost a pass over the rows."""
        self._remembered = T, projected

    def leave_one_out(self, T: Any) -> FloatArray:
        """Predict each row's targets (n, t) from all other rows, exactly, for the given basis."""
        T = _dense(T)
        known = self._last.of(T)
        if known is not None:
            return known
        return self._last.keep(T, without_own_target(self._fitted(T), T, self.leverage))

    def smooth(self, T: FloatArray) -> FloatArray:
        """Predict the rows' targets (n, t) with the rows themselves."""
        left_out = self._last.of(T)
        if left_out is None:
            return self._fitted(T)
        # Backwards from what is known: a pass over the rows costs more.
        return left_out + self.leverage[:, None] * (T - left_out)

    def _fitted(self, T: FloatArray) -> FloatArray:
        return self.predict(self._training.X, self.regress(T))

    def regress(self, T: Any) -> Readout:
        """Fit the ridge regression of targets (n, t), for :meth:`predict`."""
        projected, mean = self._projected(T)
        weights = self.span.projection @ (self.shrinkage[:, None] * projected)
        return Readout(weights, mean - self.span.mean @ weights)

    def predict(self, X: FeatureMatrix, readout: Readout) -> FloatArray:
        """Predict the targets of new rows (n', d), as an array (n', t)."""
        return self.basis.combine(X, readout.weights) + readout.offset

    def hat(self, rows: IntArray) -> Callable[[IntArray], FloatArray]:
        """Return what gives the rows of H for any columns, (len(rows), len(columns))."""
        training, span = self._training, self.span
        root = training.root_of(rows)
        U = span.columns(self.basis.kernel_rows(training.X[rows]), root)
        weights = span.projection @ (self.shrinkage * U).T
        offset = span.mean @ weights

        def block(columns: IntArray) -> FloatArray:
            H = (self.basis.kernel_rows(training.X[columns]) @ weights - offset).T
            other = training.root_of(columns)
            if root is None or other is None:
                return H + 1 / span.total
            return H * other + np.outer(root, other) / span.total

        return block

    def _projected(self, T: Any) -> tuple[FloatArray, FloatArray]:
        """Return Uᵀ T and the mean of targets."""
        mean = _mean(T, self._training.weights)
        if self._remembered is not None:
            known, projected = self._remembered
            if differ_by_constants(T, known):
                return projected, mean
        cross = np.zeros((len(self.span.mean), T.shape[1]))
        for block, F in self._training.blocks(T.shape[1]):
            weights = self._training.weights
            F = F - self.span.mean
            weighted = F if weights is None else F * weights[block, None]
            cross += (T[block].T @ weighted).T
        return self.span.projection.T @ cross, mean

    @property
    def _training(self) -> StreamedRows:
        if self.rows is None:
            raise DataError(
                "a smoother must have its training rows to leave them out; got one from a model "
                "file, which has none. Fit again."
            )
        return self.rows

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None, "_remembered": None}


def _mean(T: Any, weights: FloatArray | None) -> FloatArray:
    total = T.mean(axis=0) if weights is None else weights @ T / weights.sum()
    return np.asarray(total, dtype=np.float64).ravel()


def _dense(T: Any) -> FloatArray:
    return np.asarray(T.toarray() if sp.issparse(T) else T, dtype=np.float64)
