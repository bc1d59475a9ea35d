"""SLRM: a low-rank map from features to labels, smooth over rows with and without labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import one_of, parameter, with_parameters
from dlst.errors import DataError
from dlst.methods.base import OutOfSampleLater
from dlst.methods.shared.graph_regression import (
    HeldOut,
    ManifoldClassifier,
    held_out_folds,
    squared_error,
)
from dlst.methods.slrm.low_rank_map import LowRankMap, LowRankProblem, centred_gram
from dlst.methods.targets import labelled_rows

FRACTIONS = (0.3, 0.17, 0.1, 0.056, 0.03, 0.017, 0.01, 0.0056, 0.003)
"""Shares of the largest nuclear penalty, descending: the path, and what "auto" tries."""

# The error on held-out rows has one valley along the path; so many values past its bottom are seen.
PATIENCE = 2
SEARCH_TOL = 1e-3


@with_parameters
class SLRM(ManifoldClassifier):
    """Regress labels on features by one map of low rank that varies little between neighbours.

        min_W,b  ½‖X_l W + 1bᵀ − Y_l‖² + γ‖W‖_* + ½β tr(WᵀXᵀLXW)

    over the n_l labelled rows X_l of all rows X, with the Laplacian L of the graph of nearest
    neighbours among all rows. Labels share the few directions of W; rows without labels enter
    through L.

    Parameters
    ----------
    nuclear_penalty : float or "auto"
        γ, as a share of the least one that gives W = 0, the spectral norm of X_lᵀY_l (centred).
        ``"auto"`` takes the one with the least squared error on held-out labelled rows.
    manifold_penalty : float
        β, as a multiple of tr(X_lᵀX_l)/tr(XᵀLX); 0 is a supervised method.
    penalty_scale : {"relative", "absolute"}
        Whether numbers for the two penalties are such shares, or γ and β themselves.
    kernel : str or callable
        ``"linear"`` maps features (the original). Any other kernel of
        :class:`~dlst.regressors.KernelBasis` puts its features in the place of X.
    gamma, n_basis, basis
        Of that kernel.
    n_neighbors : int
        Neighbours of a row in the graph.
    graph_weights : {"heat", "binary"}
        Weights of its edges: exp(−distance²/mean distance²), or 1.
    fit_intercept : bool
        Whether b is free; if not, it is 0 and the nuclear norm takes from the labels' means.
    solver : {"fista", "admm"}
        Accelerated proximal gradient, or the original's alternating direction method of
        multipliers. Both reach the one optimum; only the first takes unknown entries.
    tol : float
        Tolerance of the solver, relative to the problem's own scale.
    max_iter : int
        Most iterations for one penalty.
    decision, cardinality, tau, scaling, random_state
        As in :class:`LabelSpaceClassifier`; the seed is for the kernel's basis.
    n_jobs : int, optional
        Threads of the neighbour search.

    Attributes
    ----------
    coef_ : ndarray of shape (d, K) or (s, K)
        W for the scaled features, or weights of the basis rows' kernels.
    intercept_ : ndarray of shape (K,)
    rank_ : int
        Rank of W.
    nuclear_penalty_, manifold_penalty_ : float
        γ and β themselves.
    selection_ : dict of ndarray
        What was tried on held-out rows: ``nuclear_penalty`` (shares) and squared ``error``.
    n_iter_ : int
        Iterations at the last penalty.

    Notes
    -----
    Set-up costs O(n_l d² + nnz(L) d + d³); an iteration O(d K min(d, K)), whatever n is, as the
    problem is solved in the eigenvectors of X_lᵀX_l + βXᵀLX. The path runs from large γ to
    small, each solution the start of the next.

    A row of NaN is an unlabelled instance: it enters through the graph. A NaN among known labels is
    left out of the fit (an iteration then costs O(n_l d K)).

    The nuclear norm on the map, the manifold term and ADMM are the original's. The constants ½, the
    graph, the free b, the shares and the choice of γ are a reading; so are kernel features and the
    mask for unknown entries.

    References
    ----------
    Jing, Yang, Yu, Ng (2015). Semi-supervised low-rank mapping learning for multi-label
    classification. CVPR.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0], [12.0]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [np.nan] * 2, [np.nan] * 2])
    >>> model = SLRM(nuclear_penalty=0.01, n_neighbors=2).fit(X, Y)
    >>> model.predict([[1.5], [11.5]])
    array([[1., 0.],
           [0., 1.]])
    """

    _: KW_ONLY
    solver: str = parameter(default="fista", must_be=one_of("fista", "admm"))

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater:
        rows = labelled_rows(Y)
        self._check_parameters(Y[rows])
        X = self._fit_scaler(X)
        F = self._features(X)
        scatter = self._graph_scatter(F, X)
        F, Y = F[rows], Y[rows]
        problem, self.manifold_penalty_ = self._problem(F, Y, scatter)
        tried = self._shares_to_try(problem)
        held_out: HeldOut | None = None
        self.selection_: dict[str, FloatArray] = {}
        if len(tried) > 1:
            tried, held_out = self._best_share(F, Y, scatter, tried)
        self._learn_map(problem, tried[0])
        return lambda: (held_out or self._best_share(F, Y, scatter, tried)[1]).judged(rows)

    def _check_parameters(self, Y: sp.csr_array) -> None:
        self._check_common_parameters()
        unknown = int(np.isnan(Y.data).sum())
        if self.solver == "admm" and unknown:
            raise DataError(
                f"solver='admm' must know every label of a labelled row; got {unknown} unknown "
                "entries (NaN). Use solver='fista'."
            )

    def _features(self, X: FeatureMatrix) -> FeatureMatrix:
        self.basis_ = None
        if isinstance(self.kernel, str) and self.kernel == "linear":
            return X
        self.basis_ = self._fitted_basis(X, self.gamma)
        return self.basis_.features(X)

    def _problem(
        self, F: FeatureMatrix, Y: sp.csr_array, scatter: FloatArray | None
    ) -> tuple[LowRankProblem, float]:
        """Return the problem of labelled rows, and its β."""
        gram = centred_gram(F, centred=self.fit_intercept)
        weight = self._manifold_weight(scatter, float(np.trace(gram)))
        if scatter is not None:
            gram += weight * scatter
        return LowRankProblem.of(F, Y, gram, free_offset=self.fit_intercept), weight

    def _shares_to_try(self, problem: LowRankProblem) -> Sequence[float]:
        if isinstance(self.nuclear_penalty, str):
            return FRACTIONS
        if self.penalty_scale == "relative":
            return (self.nuclear_penalty,)
        return (self.nuclear_penalty / max(problem.largest_penalty, np.finfo(np.float64).tiny),)

    def _best_share(
        self, F: FeatureMatrix, Y: sp.csr_array, scatter: FloatArray | None, tried: Sequence[float]
    ) -> tuple[Sequence[float], HeldOut]:
        """Walk the paths of all folds together until the error on held-out rows has risen."""
        folds = held_out_folds(F.shape[0])
        rows = np.concatenate([test for _, test in folds])
        paths = [
            self._problem(F[kept], Y[kept], scatter)[0].path(
                tried, solver=self.solver, tol=max(self.tol, SEARCH_TOL), max_iter=self.max_iter
            )
            for kept, _ in folds
        ]
        errors: list[float] = []
        best = np.zeros((len(rows), Y.shape[1]))
        for maps in zip(*paths, strict=True):
            scores = np.vstack(
                [found.scores(F[test]) for found, (_, test) in zip(maps, folds, strict=True)]
            )
            errors.append(squared_error(scores, Y[rows]))
            chosen = int(np.argmin(errors))
            if chosen == len(errors) - 1:
                best = scores
            elif len(errors) - 1 - chosen == PATIENCE:
                break
        self.selection_ = {
            "nuclear_penalty": np.array(tried[: len(errors)]),
            "error": np.array(errors),
        }
        return (tried[chosen],), HeldOut(rows, best)

    def _learn_map(self, problem: LowRankProblem, share: float) -> None:
        path = [larger for larger in FRACTIONS[::2] if larger > share] + [share]
        found: LowRankMap
        *_, found = problem.path(path, solver=self.solver, tol=self.tol, max_iter=self.max_iter)
        if not found.converged:
            self._warn_not_converged()
        self.nuclear_penalty_ = share * problem.largest_penalty
        self.coef_ = found.coef if self.basis_ is None else self.basis_.whitening_ @ found.coef
        self.intercept_, self.n_iter_ = found.intercept, found.n_iter
        self.rank_ = int(np.linalg.matrix_rank(found.coef)) if found.coef.any() else 0

    def _predicted_labels(self, X: FeatureMatrix) -> FloatArray:
        X = self.scaler_.transform(X)
        if self.basis_ is not None:
            return self.basis_.combine(X, self.coef_) + self.intercept_
        return np.asarray(X @ self.coef_) + self.intercept_
