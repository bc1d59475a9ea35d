"""Support vector machines for many labels on one design matrix, trained side by side."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.parallel import Parallel, delayed

from dlst._matrices import FeatureMatrix
from dlst.data import IterativeStratification

FloatArray = NDArray[np.float64]

FOLDS = 5
_CACHE_MEGABYTES = 256
_LINEAR_ITERATIONS = 1000
# LinearSVC penalises the intercept; as the weight of a feature of this size it hardly notices.
_INTERCEPT_SIZE = 10.0


@dataclass(frozen=True)
class Trainer:
    """How the machine of one label is trained.

    Attributes
    ----------
    is_kernel : bool
        Whether the design matrix is the kernel between the rows (LIBSVM, hinge loss), or their
        features (LIBLINEAR, squared hinge loss).
    C, tol, max_iter
        As in scikit-learn; ``max_iter=-1`` is no limit.
    positive_weight : float or "balanced"
        Weight of the losses of rows that carry the label; ``"balanced"``: so that both kinds of
        rows weigh the same.
    n_jobs : int, optional
        Threads; both libraries let go of the interpreter while they work.
    """

    is_kernel: bool
    C: float
    tol: float
    max_iter: int
    positive_weight: float | str
    n_jobs: int | None

    @property
    def limit(self) -> int:
        """Most steps of the solver; LIBLINEAR has no endless run."""
        return _LINEAR_ITERATIONS if self.max_iter == -1 and not self.is_kernel else self.max_iter

    def machine(
        self, design: FeatureMatrix, targets: NDArray[np.bool_], rows: FloatArray | None = None
    ) -> _Machine:
        """Train on rows where the label is known, of both kinds, by the rows' weights."""
        weight = self.positive_weight
        if isinstance(weight, str):
            counts = np.ones(len(targets)) if rows is None else rows
            weight = float(counts[~targets].sum() / counts[targets].sum())
        weights = {False: 1.0, True: weight}
        if self.is_kernel:
            kernel_machine = SVC(
                kernel="precomputed",
                C=self.C,
                tol=self.tol,
                max_iter=self.max_iter,
                class_weight=weights,
                cache_size=_CACHE_MEGABYTES,
            ).fit(design, targets, sample_weight=rows)
            coef = np.zeros(design.shape[0])
            coef[kernel_machine.support_] = kernel_machine.dual_coef_[0]
            steps, finished = int(kernel_machine.n_iter_[0]), kernel_machine.fit_status_ == 0
            return _Machine(coef, float(kernel_machine.intercept_[0]), steps, finished)
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


@dataclass(frozen=True)
class _Machine:
    coef: FloatArray
    intercept: float
    steps: int
    finished: bool


class Machines(NamedTuple):
    """Machines of all labels: the margins of rows are ``design @ coef + intercept``.

    ``coef`` has the shape (n, K) or (q, K); ``intercept`` and ``steps`` of the solver (K,).
    """

    coef: FloatArray
    intercept: FloatArray
    steps: NDArray[np.int64]


def train_machines(
    design: FeatureMatrix, Y: sp.csr_array, trainer: Trainer, weights: FloatArray | None = None
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
    """
    columns = sp.csc_array(Y)
    with config_context(assume_finite=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one for all labels is given below
        machines = Parallel(n_jobs=trainer.n_jobs, prefer="threads")(
            delayed(_train_label)(design, _column(columns, label), trainer, weights)
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
    # One place for the kernels of all folds: new memory costs more than what is written there.
    room = np.empty(n * n if trainer.is_kernel else 0)
    for rows, held_out in folds.split(np.zeros((n, 1)), np.where(known, Y.toarray(), 0.0)):
        labels = np.flatnonzero(_varies(Y[rows]))
        if labels.size:
            part = _between(design, rows, room) if trainer.is_kernel else design[rows]
            with warnings.catch_warnings():
                # Those of all rows have said so already.
                warnings.simplefilter("ignore", ConvergenceWarning)
                of_rows = None if weights is None else weights[rows]
                found = train_machines(part, Y[rows][:, labels], trainer, of_rows)
            coef = found.coef
            if trainer.is_kernel:
                coef = np.zeros((n, len(labels)))
                coef[rows] = found.coef
            margins[np.ix_(held_out, labels)] = (design @ coef)[held_out] + found.intercept
    margins[~known] = np.nan
    return margins


def _train_label(
    design: FeatureMatrix, column: FloatArray, trainer: Trainer, weights: FloatArray | None
) -> _Machine:
    known = np.flatnonzero(~np.isnan(column))
    if len(known) == len(column):
        return trainer.machine(design, column == 1, weights)
    weights = None if weights is None else weights[known]
    if not trainer.is_kernel:
        return trainer.machine(design[known], column[known] == 1, weights)
    part = _between(design, known, np.empty(len(known) ** 2))
    found = trainer.machine(part, column[known] == 1, weights)
    coef = np.zeros(len(column))
    coef[known] = found.coef
    return replace(found, coef=coef)


def _between(kernel: NDArray[np.float64], rows: NDArray[np.int64], room: FloatArray) -> FloatArray:
    """Put the kernel between some rows in a given place: row by row is quicker than at once."""
    part = room[: len(rows) ** 2].reshape(len(rows), len(rows))
    for place, row in enumerate(rows):
        # "clip": numpy would gather into a copy first to keep what is there if an index is wrong.
        np.take(kernel[row], rows, out=part[place], mode="clip")
    return part


def _column(columns: sp.csc_array, label: int) -> FloatArray:
    entries = slice(columns.indptr[label], columns.indptr[label + 1])
    column = np.zeros(columns.shape[0])
    column[columns.indices[entries]] = columns.data[entries]
    return column


def _known(Y: sp.csr_array) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(Y.toarray()))


def _varies(Y: sp.csr_array) -> NDArray[np.bool_]:
    values = Y.toarray()
    return np.asarray((values == 1).any(axis=0) & (values == 0).any(axis=0))
