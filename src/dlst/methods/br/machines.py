"""Support vector machines for many labels on one design matrix, trained side by side."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.parallel import Parallel, delayed

from dlst._kernels.dual_machine import dual_machine
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, IntArray
from dlst.data import IterativeStratification

FOLDS = 5
_LINEAR_ITERATIONS = 1000
# LIBSVM's own limit: a tolerance below what rounding allows must not keep a fit for ever.
_KERNEL_STEPS = 10_000_000
# LinearSVC penalises the intercept; as the weight of a feature of this size it hardly notices.
_INTERCEPT_SIZE = 10.0


@dataclass(frozen=True)
class Trainer:
    """How the machine of one label is trained.

    Attributes
    ----------
    is_kernel : bool
        Whether the design matrix is the kernel between the rows (hinge loss), or their features
        (LIBLINEAR, squared hinge loss).
    C, tol, max_iter
        As in scikit-learn; ``max_iter=-1`` is no limit.
    positive_weight : float or "balanced"
        Weight of the losses of rows that carry the label; ``"balanced"``: so that both kinds of
        rows weigh the same.
    n_jobs : int, optional
        Threads; both solvers let go of the interpreter while they work.
    """

    is_kernel: bool
    C: float
    tol: float
    max_iter: int
    positive_weight: float | str
    n_jobs: int | None

    @property
    def limit(self) -> int:
        """Most steps of the solver, which has no endless run."""
        most = _KERNEL_STEPS if self.is_kernel else _LINEAR_ITERATIONS
        return most if self.max_iter == -1 else self.max_iter

    def on_features(
        self, design: FeatureMatrix, targets: BoolArray, rows: FloatArray | None = None
    ) -> _Machine:
        """Train on rows where the label is known, of both kinds, by the rows' weights."""
        weights = {False: 1.0, True: self._weight(targets, rows)}
        limit = self.limit
        linear_machine = LinearSVC(
            C=self.C,
            tol=self.tol,
            dual=False,
            max_iter=limit,
            class_weight=weights,
            intercept_scaling=_INTERCEPT_SIZE,
        ).fit(design, targets, sample_weight=rows)
        coef, steps = linear_machine.coef_[0], int(linear_machine.n_iter_)
        return _Machine(coef, float(linear_machine.intercept_[0]), steps, steps < limit)

    def on_kernel(
        self, kernel: NDArray[np.floating], column: FloatArray, rows: FloatArray | None = None
    ) -> _Machine:
        """Train on the rows whose label is known; others have no part in the same kernel."""
        known, targets = ~np.isnan(column), column == 1
        weight = self._weight(targets[known], None if rows is None else rows[known])
        most = self.C * np.where(targets, weight, 1.0) * (1.0 if rows is None else rows)
        signs = np.where(targets, 1.0, -1.0)
        coef, rest, intercept, steps, finished = dual_machine(
            kernel,
            signs,
            np.where(known & ~targets, -most, 0.0),
            np.where(known & targets, most, 0.0),
            self.tol,
            self.limit,
        )
        return _Machine(coef, intercept, steps, finished, signs - rest + intercept)

    def _weight(self, targets: BoolArray, rows: FloatArray | None) -> float:
        """Weight of the losses of rows with the label, beside 1 of all others."""
        if not isinstance(self.positive_weight, str):
            return self.positive_weight
        counts = np.ones(len(targets)) if rows is None else rows
        return float(counts[~targets].sum() / counts[targets].sum())


@dataclass(frozen=True)
class _Machine:
    coef: FloatArray
    intercept: float
    steps: int
    finished: bool
    margins: FloatArray | None = None


class Machines(NamedTuple):
    """Machines of all labels: the margins of rows are ``design @ coef + intercept``.

    ``coef`` has the shape (n, K) or (q, K); ``intercept`` and ``steps`` of the solver (K,);
    ``margins`` (n, K) of all rows of a kernel, those that were held out too, which the solver
    keeps up to date; None for features.
    """

    coef: FloatArray
    intercept: FloatArray
    steps: IntArray
    margins: FloatArray | None


def train_machines(
    design: FeatureMatrix,
    Y: sp.csr_array,
    trainer: Trainer,
    weights: FloatArray | None = None,
    held_out: IntArray | None = None,
) -> Machines:
    """Train one machine for each label, on the rows where it is known.

    Parameters
    ----------
    design : ndarray of shape (n, n), or ndarray or csr_array of shape (n, q)
        Kernel between the rows, or their features.
    Y : csr_array of shape (n, K)
        Labels; NaN is unknown. Every label has a known 0 and a known 1.
    trainer : Trainer
    weights : ndarray of shape (n,), optional
        How often each row counts.
    held_out : ndarray of int, optional
        Rows of a kernel that are not learnt from.
    """
    columns = sp.csc_array(Y)
    with config_context(assume_finite=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one for all labels is given below
        machines = Parallel(n_jobs=trainer.n_jobs, prefer="threads")(
            delayed(_train_label)(design, _column(columns, label, held_out), trainer, weights)
            for label in range(Y.shape[1])
        )
    unfinished = sum(not machine.finished for machine in machines)
    if unfinished:
        warnings.warn(
            f"the machines of {unfinished} of {len(machines)} labels did not converge in "
            f"max_iter={trainer.limit}; raise max_iter or tol, or lower C.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Machines(
        np.column_stack([machine.coef for machine in machines]),
        np.array([machine.intercept for machine in machines]),
        np.array([machine.steps for machine in machines]),
        np.column_stack([m.margins for m in machines]) if trainer.is_kernel else None,
    )


def out_of_fold_margins(
    design: FeatureMatrix, Y: sp.csr_array, trainer: Trainer, weights: FloatArray | None = None
) -> FloatArray:
    """Return the margin of each known entry by machines that have not seen its row.

    Shape (n, K); NaN where the label is unknown, or constant in the rows of the other folds.
    """
    n, K = Y.shape
    margins = np.full((n, K), np.nan)
    folds = IterativeStratification(n_splits=min(FOLDS, n), shuffle=True, random_state=0)
    known = _known(Y)
    for rows, held_out in folds.split(np.zeros((n, 1)), np.where(known, Y.toarray(), 0.0)):
        labels = np.flatnonzero(_varies(Y[rows]))
        if labels.size:
            with warnings.catch_warnings():
                # Those of all rows have said so already.
                warnings.simplefilter("ignore", ConvergenceWarning)
                if trainer.is_kernel:
                    found = train_machines(design, Y[:, labels], trainer, weights, held_out)
                else:
                    of_rows = None if weights is None else weights[rows]
                    found = train_machines(design[rows], Y[rows][:, labels], trainer, of_rows)
            margins[np.ix_(held_out, labels)] = (
                design[held_out] @ found.coef + found.intercept
                if found.margins is None
                else found.margins[held_out]
            )
    margins[~known] = np.nan
    return margins


def _train_label(
    design: FeatureMatrix, column: FloatArray, trainer: Trainer, weights: FloatArray | None
) -> _Machine:
    if trainer.is_kernel:
        return trainer.on_kernel(design, column, weights)
    known = ~np.isnan(column)
    if known.all():
        return trainer.on_features(design, column == 1, weights)
    weights = None if weights is None else weights[known]
    return trainer.on_features(design[np.flatnonzero(known)], column[known] == 1, weights)


def _column(columns: sp.csc_array, label: int, held_out: IntArray | None) -> FloatArray:
    """Return a label of all rows, NaN where it is unknown or held out."""
    entries = slice(columns.indptr[label], columns.indptr[label + 1])
    column = np.zeros(columns.shape[0])
    column[columns.indices[entries]] = columns.data[entries]
    if held_out is not None:
        column[held_out] = np.nan
    return column


def _known(Y: sp.csr_array) -> BoolArray:
    return np.asarray(~np.isnan(Y.toarray()))


def _varies(Y: sp.csr_array) -> BoolArray:
    values = Y.toarray()
    return np.asarray((values == 1).any(axis=0) & (values == 0).any(axis=0))
