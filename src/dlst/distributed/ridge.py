"""Kernel ridge of rows on a cluster: sums over blocks, eigenproblems on one node.

For each width a block returns KᵀK and KᵀY, 8s² + 8sK bytes for any number of rows; left-out
predictions and leverages are computed where the rows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import reduce
from typing import Any, NamedTuple

import dask
import numpy as np
import scipy.sparse as sp
from dask import delayed
from sklearn.utils import check_random_state

from dlst._kernels.moments import Moments, Span
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._unknown import impute
from dlst.distributed.blocks import Block, tree_sum
from dlst.errors import DataError
from dlst.regressors import KernelBasis, KernelRidge, Readout
from dlst.regressors.streamed import StreamedRows, StreamedSmoother


class Regressed(NamedTuple):
    """The regression of some targets on all rows with one basis, before a penalty."""

    basis: KernelBasis
    span: Span
    projected: FloatArray
    target_mean: FloatArray


class Ridge(NamedTuple):
    """A width and a penalty, and the regression of the labels; its parts may be on a cluster."""

    labels: Any
    alpha: float
    gamma: float | None
    error: float
    tried: dict[str, FloatArray]


class RowsSmoother(StreamedSmoother):
    """The smoother of all rows of a cluster, evaluated at some of them.

    Parameters
    ----------
    regressed : Regressed
        Regression of the targets to be smoothed.
    alpha : float
    X : ndarray or csr_array of shape (m, d)
        The rows to evaluate it at.
    """

    def __init__(self, regressed: Regressed, alpha: float, X: FeatureMatrix):
        rows = StreamedRows(regressed.basis, X)
        leverage = np.empty(X.shape[0])
        for block, F in rows.blocks():
            U = regressed.span.columns(F)
            leverage[block] = regressed.span.leverage(U, np.array([alpha]))[0]
        super().__init__(rows, regressed.span, alpha, leverage)
        self._readout = readout_of(regressed, alpha)

    def regress(self, T: Any) -> Readout:
        """Return the known regression of these targets of all rows."""
        return self._readout


def readout_of(regressed: Regressed, alpha: float) -> Readout:
    """Return weights of the basis rows' kernels, and offsets."""
    span = regressed.span
    shrinkage = span.eigenvalues / (span.eigenvalues + alpha)
    weights = span.projection @ (shrinkage[:, None] * regressed.projected)
    return Readout(weights, regressed.target_mean - span.mean @ weights)


def search(ridge: KernelRidge, blocks: Sequence[Any], n: int, means: FloatArray) -> Ridge:
    """Choose width and penalty by the left-out error of the labels of all rows.

    Parameters
    ----------
    ridge : KernelRidge
        Unfitted.
    blocks : sequence of lazy Block
        With scaled features.
    n : int
        Number of all rows.
    means : ndarray of shape (K,)
        Values of unknown labels.
    """
    bases, alphas = _bases(ridge, blocks, n), ridge.penalties()
    attempts = [regress(basis, blocks, delayed(means, traverse=False)) for basis in bases]
    errors = [
        tree_sum(sum_of, [delayed(_errors)(attempt, block, means, alphas) for block in blocks])
        for attempt in attempts
    ]
    found, widths = dask.compute(errors, [basis.gamma_ for basis in bases])
    table = np.array(found)
    width, place = divmod(int(np.argmin(table)), len(alphas))
    tried = {
        "gamma": np.repeat([np.nan if each is None else each for each in widths], len(alphas)),
        "alpha": np.tile(alphas, len(bases)),
        "loo_error": table.ravel(),
    }
    return Ridge(attempts[width], float(alphas[place]), widths[width], table.min(), tried)


def regress(basis: Any, blocks: Sequence[Any], means: Any, encoder: Any = None) -> Any:
    """Regress labels, or their codes, on a lazy basis; lazily."""
    shift = delayed(_shift)(basis, blocks[0])
    parts = [delayed(_moments)(basis, shift, block, means, encoder) for block in blocks]
    return delayed(_regressed)(basis, tree_sum(_joined, parts))


def targets_of(block: Block, means: FloatArray, encoder: Any = None) -> Any:
    """Return the labels of a block with unknown ones at their mean, or their codes."""
    return impute(block.Y, means) if encoder is None else encoder.transform(block.Y)


def sum_of(parts: Sequence[Any]) -> Any:
    """Add arrays."""
    return reduce(np.add, parts)


def chosen_rows(blocks: Sequence[Any], rows: IntArray) -> Any:
    """Return one lazy block of some rows, by their ascending indices."""
    return delayed(stacked)([delayed(_picked)(block, rows) for block in blocks])


def _picked(block: Block, rows: IntArray) -> Block:
    inside = rows[(rows >= block.start) & (rows < block.start + block.X.shape[0])] - block.start
    return Block(block.start, block.X[inside], block.Y[inside])


def stacked(parts: Sequence[Block]) -> Block:
    """Concatenate blocks into one, whose rows are numbered from 0."""
    features = [part.X for part in parts]
    sparse = any(sp.issparse(X) for X in features)
    X = sp.csr_array(sp.vstack(features, format="csr")) if sparse else np.vstack(features)
    Y = sp.csr_array(sp.vstack([part.Y for part in parts], format="csr"))
    return Block(0, X, Y)


def _bases(ridge: KernelRidge, blocks: Sequence[Any], n: int) -> list[Any]:
    """Draw the basis rows that a ridge in memory would draw, and span a basis for each width."""
    if ridge.basis != "random" or ridge.kernel == "precomputed" or ridge.gamma == "scale":
        raise DataError(
            "on a cluster a kernel ridge must have basis='random', a kernel of features, and a "
            f"gamma other than 'scale'; got basis={ridge.basis!r}, kernel={ridge.kernel!r}, "
            f"gamma={ridge.gamma!r}."
        )
    multiples, size = ridge.width_multiples(), ridge.n_basis_of(n)
    random = check_random_state(ridge.random_state)
    rows = np.arange(n) if size == n else np.sort(random.choice(n, size, replace=False))
    sample, first = chosen_rows(blocks, rows), delayed(ridge.first_basis(), traverse=False)
    spanned = delayed(_spanned)(first, sample, rows, n)
    return [delayed(_widened)(spanned, multiple, n) for multiple in multiples]


def _spanned(basis: KernelBasis, sample: Block, rows: IntArray, n: int) -> KernelBasis:
    return copy(basis).fit_sample(sample.X, rows, n)


def _widened(basis: KernelBasis, multiple: float, n: int) -> KernelBasis:
    if multiple == 1 or basis.gamma_ is None:
        return basis
    wider = copy(basis).set_params(gamma=basis.gamma_ * multiple)
    found: KernelBasis = wider.fit_sample(basis.rows_, basis.indices_, n)
    return found


def _shift(basis: KernelBasis, block: Block) -> FloatArray:
    few = block.X[:64]
    return np.asarray(basis.kernel_rows(few).mean(axis=0))


def _moments(
    basis: KernelBasis, shift: FloatArray, block: Block, means: FloatArray, encoder: Any
) -> Moments:
    T = targets_of(block, means, encoder)
    found = Moments(shift, T.shape[1])
    for rows, F in StreamedRows(basis, block.X).blocks(T.shape[1]):
        found.add(F, T[rows])
    return found


def _joined(parts: Sequence[Moments]) -> Moments:
    total = Moments(parts[0].shift, parts[0].cross.shape[1])
    for part in parts:
        total += part
    return total


def _regressed(basis: KernelBasis, moments: Moments) -> Regressed:
    span, projected = Span.of(moments, basis.whitening_)
    return Regressed(basis, span, projected, moments.target_mean)


def _errors(
    regressed: Regressed, block: Block, means: FloatArray, alphas: FloatArray
) -> FloatArray:
    """Return the squared left-out errors of a block's labels for each penalty."""
    span, T = regressed.span, targets_of(block, means)
    errors = np.zeros(len(alphas))
    for rows, F in StreamedRows(regressed.basis, block.X).blocks(T.shape[1]):
        U = span.columns(F)
        centred = T[rows].toarray() - regressed.target_mean
        leverage = span.leverage(U, alphas)
        errors += span.left_out_errors(U, centred, regressed.projected, alphas, leverage)
    return errors
