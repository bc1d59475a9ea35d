"""LEML: empirical risk minimisation with a linear map of low rank."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import SHARE, integer, number, one_of, parameter, with_parameters
from dlst._seeds import draw_seed
from dlst.decoders.regressed_labels import regressed_probabilities
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.methods.leml.fitting import FOLDS, Intercept, LowRankMap, Settings, Solver
from dlst.methods.leml.half_problems import Inner
from dlst.methods.leml.losses import Loss
from dlst.methods.shared.convergence import warn_not_converged
from dlst.parts import OutOfSample, Scores

FRACTIONS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""Penalties that are tried, as shares of the least one that leaves nothing."""

FALLBACK = 0.1
"""The share where no rows can be held out."""

MOST_COMPONENTS = 100
FEW_ROWS = 2000
INNER_TOL = 0.1
SEARCH_TOL, SEARCH_ITER = 1e-2, 20


@with_parameters
class LEML(MultiLabelClassifier):
    """Labels as a linear function of the features through few dimensions, W Hᵀ.

        min_{W,H,b} Σ_{(i,j)∈Ω} ω_ij ℓ(y_ij, x_iᵀW h_j + b_j) + λ/2 (‖W‖² + ‖H‖²)

    with W (d, k), H (K, k) and Ω the known entries. For k ≥ min(d, K) this is the convex problem
    Σ ω ℓ + λ ‖W Hᵀ‖_*.

    Parameters
    ----------
    n_components : int, float or {"auto", "half"}
        k of the paper: a number, a share of the labels, half of them, or at most 100 (``"auto"``).
        Never more than min(d, K).
    loss : {"squared", "logistic", "squared_hinge"}
        ℓ: ½(y − s)², log(1 + e^{−ts}) or ½ max(0, 1 − ts)² with t = 2y − 1.
    nuclear_penalty : float or "auto"
        λ, also that of the nuclear norm; ``"auto"`` tries seven values on held-out training rows.
    penalty_scale : {"relative", "absolute"}
        Whether ``nuclear_penalty`` is a share of the least λ for which W Hᵀ = 0, or λ itself.
    negative_weight : float
        ω of a known 0, that of a 1 being 1; below 1 where positives may be missing.
    intercept : {"free", "append", "none"}
        b_j not penalised; a feature that is always 1, as in the authors' experiments; or b = 0.
    solver : {"auto", "exact", "cg"}
        W-step by conjugate gradients (the paper's), or in closed form by two eigenproblems, for
        squared loss without unknown labels; ``"auto"`` takes that where min(n, d) ≤ 3000.
    max_newton_iter, max_cg_iter : int
        Limits of one half-step by conjugate gradients; the authors' program has 5 and 20.
    n_init : int
        Random starts; the one with the lowest objective is kept.
    warm_start : bool
        Start from the factors of the last fit where shapes agree.
    tol : float
        Stop when the gradient is at most this share of that of the penalty.
    max_iter : int
        Most rounds; the authors' program does 10, converged or not.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; thresholds are learnt on held-out training rows.
    scaling : str
        See :class:`FeatureScaler`.
    random_state : None, int or RandomState
        Seed of the starts and of the held-out rows.

    Attributes
    ----------
    feature_factors_ : ndarray of shape (d, rank)
        W, for scaled features.
    label_factors_ : ndarray of shape (K, rank)
        H of the labels that vary, balanced with W: WᵀW = HᵀH.
    intercept_ : ndarray of shape (K,)
        b of the labels that vary.
    n_components_, rank_ : int
        k as asked for, and what the penalty has left of it.
    nuclear_penalty_, penalty_fraction_ : float
        λ, and λ as a share of the least one for which W Hᵀ = 0.
    held_out_losses_ : dict of float to float
        Share of what was tried, and its total loss on held-out rows; empty for a given λ.
    objective_, objectives_ : float and list of float
        At the end, and before each round.
    n_iter_ : int
        Rounds.

    Notes
    -----
    The objective, the alternation and conjugate gradients on Hessian products are the paper's.
    Balancing the factors after each round (it lowers the objective and keeps W Hᵀ), dropping
    vanished columns, the free intercept, ``negative_weight`` and the search for λ are ours.

    An unknown label (NaN) lies outside Ω. Unlabelled rows are not used. A round costs
    O((d + K) k² + d K k) by the exact solver after one eigenproblem of size min(n, d). By conjugate
    gradients a product costs O((nnz(X) + nnz(Y)) k) with squared loss, nnz(Y) counting ones and
    unknown entries, and O((nnz(X) + n K) k) with the other losses, which take rows in blocks. No
    n × K array is formed in training.

    References
    ----------
    Yu, Jain, Kar, Dhillon (2014). Large-scale multi-label learning with missing labels.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = LEML(random_state=0).fit(data.train.X, data.train.Y)
    >>> model.feature_factors_.shape
    (192, 10)
    """

    n_components: int | float | str = parameter(
        default="auto", must_be=one_of("auto", "half") | integer(at_least=1) | SHARE
    )
    _: KW_ONLY
    loss: Loss = parameter(default="squared", must_be=one_of(*get_args(Loss)))
    nuclear_penalty: float | str = parameter(
        default="auto", must_be=number(above=0) | one_of("auto")
    )
    penalty_scale: Literal["relative", "absolute"] = parameter(
        default="relative", must_be=one_of("relative", "absolute")
    )
    negative_weight: float = parameter(default=1.0, must_be=number(above=0))
    intercept: Intercept = parameter(default="free", must_be=one_of(*get_args(Intercept)))
    solver: Solver = parameter(default="auto", must_be=one_of(*get_args(Solver)))
    max_newton_iter: int = parameter(default=5, must_be=integer(at_least=1))
    max_cg_iter: int = parameter(default=20, must_be=integer(at_least=1))
    n_init: int = parameter(default=1, must_be=integer(at_least=1))
    warm_start: bool = False
    tol: float = parameter(default=1e-3, must_be=number(above=0))
    max_iter: int = parameter(default=200, must_be=integer(at_least=1))
    random_state: Any = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater:
        settings = self._settings()
        self.n_components_ = self._rank(X.shape[1], Y.shape[1])
        random = check_random_state(self.random_state)
        seed = draw_seed(random)
        X = self._fit_scaler(X)
        self._solve(settings, X, Y, seed, random)
        return lambda: self._held_out(settings, X, Y, seed)

    def _settings(self) -> Settings:
        inner = Inner(self.max_newton_iter, self.max_cg_iter, INNER_TOL)
        return Settings(
            self.loss,
            self.negative_weight,
            self.intercept,
            self.solver,
            inner,
            self.tol,
            self.max_iter,
        )

    def _rank(self, d: int, K: int) -> int:
        asked = self.n_components
        if isinstance(asked, str):
            k = MOST_COMPONENTS if asked == "auto" else -(-K // 2)
        else:
            k = int(np.ceil(asked * K)) if isinstance(asked, float) else int(asked)
        return min(k, d + (self.intercept == "append"), K)

    def _solve(
        self, settings: Settings, X: FeatureMatrix, Y: sp.csr_array, seed: int, random: Any
    ) -> None:
        searched = self.nuclear_penalty == "auto"
        self.held_out_losses_: dict[float, float] = {}
        if searched:
            self.penalty_fraction_ = self._searched_fraction(settings, X, Y, seed)
        problem = settings.problem(X, Y)
        if not searched:
            unit = problem.largest_penalty if self.penalty_scale == "absolute" else 1.0
            self.penalty_fraction_ = float(self.nuclear_penalty) / (unit or 1.0)
        starts = (
            self._warmed(problem.random_start(self.n_components_, random), Y.shape[1])
            for _ in range(self.n_init)
        )
        found = (next(problem.path(start, [self.penalty_fraction_])) for start in starts)
        self._keep(min(found, key=lambda fit: fit.objectives[-1]))

    def _searched_fraction(
        self, settings: Settings, X: FeatureMatrix, Y: sp.csr_array, seed: int
    ) -> float:
        """Choose λ by the loss on held-out rows."""
        losses = dict.fromkeys(FRACTIONS, 0.0)
        quick = replace(settings, tol=SEARCH_TOL, max_iter=SEARCH_ITER)
        # Every row is held out in turn where rounds are cheap, a fifth of the rows elsewhere.
        n_folds = FOLDS if settings.is_complete(Y) and X.shape[0] <= FEW_ROWS else 1
        tried = quick.held_out(X, Y, FRACTIONS, self.n_components_, n_folds=n_folds, seed=seed)
        for fit in tried:
            losses[fit.fraction] += fit.loss
        self.held_out_losses_ = losses
        return min(losses, key=losses.__getitem__) if any(losses.values()) else FALLBACK

    def _warmed(self, W: FloatArray, n_labels: int) -> FloatArray:
        """Put the last fit's factors in the place of random ones."""
        last = getattr(self, "feature_factors_", None) if self.warm_start else None
        if last is not None and len(self.label_factors_) == n_labels:
            rows, columns = min(len(last), len(W)), min(last.shape[1], W.shape[1])
            W[:rows, :columns] = last[:rows, :columns]
        return W

    def _keep(self, found: LowRankMap) -> None:
        self.feature_factors_, self.label_factors_ = found.W, found.H
        self.intercept_ = found.intercept
        self.rank_ = int(found.W.shape[1])
        self.nuclear_penalty_ = found.penalty
        self.objective_, self.objectives_ = found.objectives[-1], list(found.objectives)
        self.n_iter_ = len(found.objectives) - 1
        if not found.converged:
            warn_not_converged(
                f"LEML did not converge in max_iter={self.max_iter} rounds; raise max_iter, tol "
                "or nuclear_penalty.",
                stacklevel=4,
            )

    def _held_out(
        self, settings: Settings, X: FeatureMatrix, Y: sp.csr_array, seed: int
    ) -> OutOfSample:
        """Return probabilities of training rows from folds that leave them out."""
        held_out = settings.held_out(
            X, Y, [self.penalty_fraction_], self.n_components_, n_folds=FOLDS, seed=seed
        )
        P = np.tile(self.prevalence_[self._varying], (X.shape[0], 1))
        for fit in held_out:
            P[np.ix_(fit.rows, fit.labels)] = self._as_probabilities(fit.found.scores(X[fit.rows]))
        return OutOfSample(np.arange(len(P)), P)

    def _scores(self, X: FeatureMatrix) -> Scores:
        A = np.asarray(self.scaler_.transform(X) @ self.feature_factors_)
        S = A @ self.label_factors_.T + self.intercept_
        # A score above 0 is a yes, as scikit-learn asks; squared loss aims at 0 and 1.
        return Scores(self._as_probabilities(S), S - 0.5 if self.loss == "squared" else S)

    def _as_probabilities(self, S: FloatArray) -> FloatArray:
        """Return what a score says about the share of ones, by the loss that it minimises."""
        if self.loss == "logistic":
            return np.asarray(expit(S))
        return regressed_probabilities(S if self.loss == "squared" else 0.5 * (1.0 + S))
