"""MRV: latent labels of low rank, and a smooth vector-valued function that predicts them."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._parameters import integer, number, one_of, parameter, with_parameters
from dlst._unknown import known_or_mean
from dlst.methods.base import OutOfSampleLater
from dlst.methods.mrv.latent_labels import LatentLabelProblem, LatentLabels
from dlst.methods.shared.graph_regression import (
    HeldOut,
    ManifoldClassifier,
    held_out_folds,
)
from dlst.methods.targets import labelled_rows
from dlst.regressors import KernelBasis, KernelRidge
from dlst.regressors.kernels import Kernel


@with_parameters
class MRV(ManifoldClassifier):
    """Recover labels of low rank from incomplete ones, together with a function predicting them.

        min_M,f  ½‖M − f(X_l)‖² + ½γ_A‖f‖² + ½γ_I tr(f(X)ᵀL f(X)) + ½‖M − Y‖²_Ω + μ‖M‖_*

    M are the latent labels of the n_l labelled rows X_l, f a function of the kernel's space for
    each label, L the Laplacian of the graph of nearest neighbours among all rows X, and
    ‖M − Y‖²_Ω = ρ Σ (m_ij − 1)² over known ones + ρ₀ Σ m_ij² over known zeros.

    Parameters
    ----------
    nuclear_penalty : float
        μ, as a share of the least one that gives M = 0, the spectral norm of the weighted labels.
    alpha : float or "auto"
        γ_A, as a multiple of n_l. ``"auto"`` is what exact leave-one-out of kernel ridge regression
        says: see Notes.
    manifold_penalty : float
        γ_I, as a multiple of tr(F_lᵀF_l)/tr(FᵀLF) for the kernel's features F; 0 leaves the graph
        out.
    positive_weight, negative_weight : float
        ρ and ρ₀: trust in known ones and in known zeros. Where zeros may be unmarked
        positives, ρ₀ is to be well below ρ; with 0 only the ones are known.
    penalty_scale : {"relative", "absolute"}
        Whether numbers for the three penalties are such shares, or μ, γ_A and γ_I themselves.
    kernel, n_basis, basis
        As in :class:`~dlst.regressors.KernelRidge`. With ``n_basis`` of at least n the kernel is
        exact.
    gamma : float or {"auto", "median", "scale"}
        Width of the kernel; ``"auto"`` by leave-one-out as well.
    n_neighbors, graph_weights, n_jobs
        As in :class:`SLRM`.
    fit_intercept : bool
        Whether labels and features are centred; if not, the nuclear norm takes from the labels'
        means.
    tol, max_iter
        Of the proximal gradient method, for each penalty of the continuation.
    decision, cardinality, tau, scaling, random_state
        As in :class:`LabelSpaceClassifier`; the seed is for the kernel's basis.

    Attributes
    ----------
    latent_labels_ : ndarray of shape (n_l, K)
        M, with the labels' means.
    labelled_rows_ : ndarray of shape (n_l,)
        Their rows in the training data.
    basis_ : KernelBasis
        Sampled rows of the kernel.
    coef_ : ndarray of shape (s, K)
        B: weights of the basis rows' kernels.
    intercept_ : ndarray of shape (K,)
    nuclear_penalty_, alpha_, manifold_penalty_ : float
        μ, γ_A and γ_I themselves.
    n_iter_ : int
        Iterations in all.

    Notes
    -----
    For given M the best f is linear in M, f(X_l) = S M, so that ½ tr(Mᵀ(I − S)M) takes the place of
    the first three terms and the problem is one in M with a gradient of Lipschitz constant 1 + ρ.
    With s basis rows, set-up costs O(n s² + s³), an iteration O(n_l min(n_l, s) K + n_l K²).
    Predictions come from the f of the final M, not from M.

    A row of NaN is an unlabelled instance: it enters through the graph and the basis. A NaN among
    known labels lies outside Ω.

    Without μ and γ_I, and with ρ₀ = ρ, f is kernel ridge regression with the penalty
    γ_A (1 + ρ)/ρ: this is how ``alpha="auto"`` follows from leave-one-out.

    Latent labels of low rank within manifold-regularised vector-valued regression, the joint convex
    problem and proximal gradient with continuation are the original's. The exact terms, the two
    weights, M on labelled rows only, centring and shares are a reading.

    References
    ----------
    Zhao, Guo (2015). Semi-supervised multi-label learning with incomplete labels. IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0], [12.0]])
    >>> Y = np.array([[1, 0], [1, 0], [1, np.nan], [0, 1], [0, 1], [0, 1], [np.nan] * 2])
    >>> model = MRV(n_neighbors=2).fit(X, Y)
    >>> model.predict([[1.5], [11.5]])
    array([[1., 0.],
           [0., 1.]])
    """

    nuclear_penalty: float = parameter(default=0.03, must_be=number(at_least=0))
    alpha: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    _: KW_ONLY
    manifold_penalty: float = parameter(default=0.01, must_be=number(at_least=0))
    positive_weight: float = parameter(default=1.0, must_be=number(above=0))
    negative_weight: float = parameter(default=1.0, must_be=number(at_least=0))
    kernel: Kernel = "rbf"
    gamma: float | str = "auto"
    max_iter: int = parameter(default=1000, must_be=integer(at_least=1))

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater:
        self._check_common_parameters()
        rows = self.labelled_rows_ = labelled_rows(Y)
        Y = Y[rows]
        X = self._fit_scaler(X)
        self.basis_, self.alpha_ = self._kernel_and_ridge(X, rows, Y)
        F = self.basis_.features(X)
        scatter = self._graph_scatter(F, X)
        F = F[rows]
        self._learn_function(F, Y, scatter)
        return lambda: self._held_out(F, Y, scatter).judged(rows)

    def _kernel_and_ridge(
        self, X: FeatureMatrix, rows: NDArray[np.intp], Y: sp.csr_array
    ) -> tuple[KernelBasis, float]:
        """Choose width and γ_A where they are not given, and draw the basis from all rows."""
        # What γ_A amounts to in a kernel ridge regression of the labels, see Notes.
        factor = (1.0 + self.positive_weight) / self.positive_weight
        given = None if isinstance(self.alpha, str) else float(self.alpha)
        if given is not None and self.penalty_scale == "relative":
            given *= len(rows)
        gamma = self.gamma
        if given is None or gamma == "auto":
            chosen = KernelRidge(
                self.kernel,
                gamma=self.gamma,
                alpha="auto" if given is None else given * factor,
                n_basis=self.n_basis,
                basis=self.basis,
                random_state=self.random_state,
            ).fit(X[rows], known_or_mean(Y))
            given = chosen.alpha_ / factor
            if len(rows) == X.shape[0]:
                return chosen.basis_, given
            gamma = self.gamma if chosen.gamma_ is None else chosen.gamma_
        return self._fitted_basis(X, gamma), given

    def _learn_function(self, F: FloatArray, Y: sp.csr_array, scatter: FloatArray | None) -> None:
        fitted = self._solved(F, Y, scatter)
        latent = fitted.latent
        if not latent.converged:
            self._warn_not_converged()
        self.latent_labels_ = latent.labels + fitted.label_means
        self.coef_ = self.basis_.whitening_ @ latent.coef
        self.intercept_, self.n_iter_ = fitted.offset, latent.n_iter
        self.nuclear_penalty_, self.manifold_penalty_ = fitted.nuclear, fitted.manifold

    def _solved(self, F: FloatArray, Y: sp.csr_array, scatter: FloatArray | None) -> _Fitted:
        """Solve the problem of labelled rows with features F."""
        labels = as_dense(Y)
        known = ~np.isnan(labels)
        means, centre = np.zeros(labels.shape[1]), np.zeros(F.shape[1])
        if self.fit_intercept:
            means = np.nansum(labels, axis=0) / np.maximum(known.sum(axis=0), 1)
            centre = F.mean(axis=0)
        F = F - centre
        weights = known * np.where(labels == 1, self.positive_weight, self.negative_weight)
        penalty = self.alpha_ * np.eye(F.shape[1])
        manifold = self._manifold_weight(scatter, float(np.sum(F**2)))
        if scatter is not None:
            penalty += manifold * scatter
        problem = LatentLabelProblem.of(F, np.nan_to_num(labels) - means, weights, penalty)
        relative = self.penalty_scale == "relative"
        nuclear = float(self.nuclear_penalty * (problem.largest_penalty if relative else 1.0))
        latent = problem.solve(nuclear, tol=self.tol, max_iter=self.max_iter)
        return _Fitted(latent, means, means - centre @ latent.coef, nuclear, manifold)

    def _held_out(self, F: FloatArray, Y: sp.csr_array, scatter: FloatArray | None) -> HeldOut:
        """Score labelled rows by fits to the others, with the same kernel and γ_A."""
        folds = held_out_folds(len(F))
        scores = []
        for kept, test in folds:
            fitted = self._solved(F[kept], Y[kept], scatter)
            scores.append(F[test] @ fitted.latent.coef + fitted.offset)
        return HeldOut(np.concatenate([test for _, test in folds]), np.vstack(scores))

    def _predicted_labels(self, X: FeatureMatrix) -> FloatArray:
        return self.basis_.combine(self.scaler_.transform(X), self.coef_) + self.intercept_


class _Fitted(NamedTuple):
    """A solution, the labels' means, the offset of its scores, and its μ and γ_I."""

    latent: LatentLabels
    label_means: FloatArray
    offset: FloatArray
    nuclear: float
    manifold: float
