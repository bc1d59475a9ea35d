"""The base of SLRM and MRV: a graph of all rows, and held-out labelled rows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY
from typing import Any, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from dlst._kernels.neighbour_graph import Weights, neighbour_laplacian
from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._parameters import BOOLEAN, integer, number, one_of, parameter, with_parameters
from dlst.decoders.regressed_labels import regressed_probabilities, regressed_scores
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.shared.convergence import warn_not_converged
from dlst.parts import OutOfSample, Scores
from dlst.regressors.basis import KernelBasis
from dlst.regressors.kernels import Kernel, check_kernel

FOLDS = 5
ENOUGH_ROWS = 200
"""Folds are held out until this many rows were; with more rows, one fold is enough."""


class HeldOut(NamedTuple):
    """Labelled rows (by number) and their scores (m, K) from a fit that has not seen them."""

    rows: NDArray[np.intp]
    scores: FloatArray

    def judged(self, labelled: NDArray[np.intp]) -> OutOfSample:
        """Return probabilities, with the rows' numbers among all that were given."""
        return OutOfSample(labelled[self.rows], regressed_probabilities(self.scores))


@with_parameters
class ManifoldClassifier(MultiLabelClassifier):
    """Base of methods that regress 0/1 labels with a penalty from a graph of all rows.

    A method implements ``_fit(X, Y)`` and ``_predicted_labels(X)``, and has the parameters below.
    """

    _takes_unlabelled = True

    nuclear_penalty: float | str = parameter(
        default="auto", must_be=number(at_least=0) | one_of("auto")
    )
    manifold_penalty: float = parameter(default=0.03, must_be=number(at_least=0))
    _: KW_ONLY
    penalty_scale: str = parameter(default="relative", must_be=one_of("relative", "absolute"))
    kernel: Kernel = "linear"
    gamma: float | str = "median"
    n_basis: int | str = "auto"
    basis: str = "random"
    n_neighbors: int = parameter(default=10, must_be=integer(at_least=1))
    graph_weights: Weights = parameter(default="heat", must_be=one_of(*get_args(Weights)))
    fit_intercept: bool = parameter(default=True, must_be=BOOLEAN)
    tol: float = parameter(default=1e-4, must_be=number(above=0))
    max_iter: int = parameter(default=5000, must_be=integer(at_least=1))
    random_state: Any = None
    n_jobs: int | None = None

    @abstractmethod
    def _predicted_labels(self, X: FeatureMatrix) -> FloatArray:
        """Return the labels of rows as the regression predicts them, about 0 to 1."""

    def _scores(self, X: FeatureMatrix) -> Scores:
        return regressed_scores(self._predicted_labels(X))

    def _check_common_parameters(self) -> None:
        check_kernel(self.kernel, self.gamma)
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                "kernel must be one between features, for the graph of rows; got 'precomputed'."
            )

    def _fitted_basis(self, X: FeatureMatrix, gamma: float | str) -> KernelBasis:
        """Return the basis of the kernel, drawn from all rows."""
        return KernelBasis(
            self.kernel,
            gamma=gamma,
            n_basis=self.n_basis,
            basis=self.basis,
            random_state=self.random_state,
        ).fit(X)

    def _graph_scatter(self, F: FeatureMatrix, X: FeatureMatrix) -> FloatArray | None:
        """Return FᵀLF for the Laplacian L of the graph between rows X; None without a penalty."""
        if self.manifold_penalty == 0:
            return None
        L = neighbour_laplacian(X, self.n_neighbors, weights=self.graph_weights, n_jobs=self.n_jobs)
        return as_dense(F.T @ (L @ F))

    def _manifold_weight(self, scatter: FloatArray | None, fitted: float) -> float:
        """Return the factor of ``scatter`` where the squared features of labelled rows add up."""
        if scatter is None:
            return 0.0
        if self.penalty_scale == "absolute":
            return float(self.manifold_penalty)
        total = float(np.trace(scatter))
        # Rows that all coincide with their neighbours have nothing to be smooth about.
        return float(self.manifold_penalty * fitted / total) if total > 0 else 0.0

    def _warn_not_converged(self) -> None:
        warn_not_converged(
            f"{type(self).__name__} did not converge in max_iter={self.max_iter} iterations; raise "
            "max_iter, or tol, or nuclear_penalty.",
            stacklevel=5,
        )


def held_out_folds(n: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return (kept, held out) numbers of n labelled rows, as many folds as judge well enough."""
    folds = list(KFold(min(FOLDS, n), shuffle=True, random_state=0).split(np.arange(n)))
    needed = -(-ENOUGH_ROWS * len(folds) // n)
    return folds[: min(len(folds), needed)]


def squared_error(scores: FloatArray, Y: sp.csr_array) -> float:
    """Return the mean squared error over known entries."""
    errors = (scores - as_dense(Y)) ** 2
    return float(np.nanmean(errors))
