"""From features and labels to a low-rank map, for given settings of LEML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.model_selection import KFold

from dlst._kernels.rounding import rounding_share
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray
from dlst.methods.leml.alternation import Factors, alternate
from dlst.methods.leml.design import Design
from dlst.methods.leml.half_problems import CompleteProblem, GeneralProblem, Inner
from dlst.methods.leml.losses import Loss, loss_term

Intercept: TypeAlias = Literal["free", "append", "none"]
Solver: TypeAlias = Literal["auto", "exact", "cg"]

EXACT_SIZE = 3000
"""The eigenproblem of XᵀX, or of XXᵀ, is solved up to this size."""

FIRST_SPREAD = 0.1
"""Standard deviation of the random first W."""

FOLDS = 5


class LowRankMap(NamedTuple):
    """Scores X W Hᵀ + intercept, and how alternation ended."""

    W: FloatArray
    H: FloatArray
    intercept: FloatArray
    penalty: float
    objectives: tuple[float, ...]
    converged: bool

    def scores(self, X: FeatureMatrix) -> FloatArray:
        """Return the scores of rows, (n, K)."""
        return np.asarray(X @ self.W) @ self.H.T + self.intercept


@dataclass(frozen=True)
class Settings:
    """What the problem is, and how it is solved; names as in :class:`LEML`."""

    loss: Loss
    negative_weight: float
    intercept: Intercept
    solver: Solver
    inner: Inner
    tol: float
    max_iter: int

    def problem(self, X: FeatureMatrix, Y: sp.csr_array) -> _Prepared:
        """Set the problem up for rows X (n, d) and labels Y (n, K)."""
        if self.intercept == "append":
            ones = np.ones((X.shape[0], 1))
            X = np.hstack([X, ones]) if isinstance(X, np.ndarray) else sp.hstack([X, ones], "csr")
        design = Design.of(X, centred=self.intercept == "free")
        term = loss_term(Y, self.loss, self.negative_weight)
        offset = self._first_offset(Y) if self.intercept == "free" else None
        complete = self.is_complete(Y)
        if self.solver == "exact" and not complete:
            raise ValueError(
                "solver='exact' needs the squared loss, known labels and negative_weight=1; got "
                f"loss={self.loss!r}, {int(np.isnan(Y.data).sum())} unknown labels and "
                f"negative_weight={self.negative_weight!r}. Use solver='auto'."
            )
        small = min(design.shape) <= EXACT_SIZE
        if complete and (self.solver == "exact" or (self.solver == "auto" and small)):
            return _Prepared(self, design, CompleteProblem(design, Y, offset))
        return _Prepared(self, design, GeneralProblem(design, term, offset, self.inner))

    def is_complete(self, Y: sp.csr_array) -> bool:
        """Whether both half-steps have a closed form: squared loss, all known, equal weights."""
        return self.loss == "squared" and self.negative_weight == 1 and not np.isnan(Y.data).any()

    def held_out(
        self,
        X: FeatureMatrix,
        Y: sp.csr_array,
        fractions: Sequence[float],
        k: int,
        *,
        n_folds: int,
        seed: int,
    ) -> Iterator[HeldOut]:
        """Fit on four fifths of the rows for each penalty, in rising order, and score the rest.

        Labels that do not vary in the four fifths take no part.
        """
        folds = KFold(min(FOLDS, X.shape[0]), shuffle=True, random_state=seed)
        for _, (fitted, rest) in zip(range(n_folds), folds.split(X), strict=False):
            labels = np.flatnonzero(_varies(Y[fitted]))
            if not labels.size:
                continue
            problem = self.problem(X[fitted], Y[fitted][:, labels])
            start = problem.random_start(k, np.random.default_rng(seed))
            X_rest, Y_rest = X[rest], Y[rest][:, labels]
            for fraction, found in zip(fractions, problem.path(start, fractions), strict=True):
                yield HeldOut(fraction, rest, labels, found, self.value(found, X_rest, Y_rest))

    def value(self, found: LowRankMap, X: FeatureMatrix, Y: sp.csr_array) -> float:
        """Return the loss of a map on rows."""
        P = np.column_stack([np.asarray(X @ found.W), np.ones(X.shape[0])])
        Q = np.column_stack([found.H, found.intercept])
        return loss_term(Y, self.loss, self.negative_weight).slope_left(P, Q, Q[:, :0])[0]

    def _first_offset(self, Y: sp.csr_array) -> FloatArray:
        """Return the best offsets for W Hᵀ = 0."""
        positive, negative = _counts(Y)
        weighted = self.negative_weight * negative
        share = positive / np.maximum(positive + weighted, np.finfo(float).tiny)
        if self.loss == "squared":
            return share
        return np.asarray(logit(share)) if self.loss == "logistic" else 2.0 * share - 1.0


class HeldOut(NamedTuple):
    """A map fitted to part of the rows and labels, and its loss on the other rows."""

    fraction: float
    rows: NDArray[np.intp]
    labels: NDArray[np.intp]
    found: LowRankMap
    loss: float


class _Prepared:
    """A problem with its scale: penalties are shares of the least that gives W Hᵀ = 0."""

    def __init__(
        self, settings: Settings, design: Design, problem: CompleteProblem | GeneralProblem
    ):
        self.settings, self.design, self.problem = settings, design, problem
        self.largest_penalty = problem.largest_penalty()
        self.rounding = rounding_share(*design.shape, problem.n_labels)

    def random_start(self, k: int, random: Any) -> FloatArray:
        """Draw a first W; none where the features say nothing."""
        d = self.design.shape[1]
        columns = k if self.largest_penalty > 0 else 0
        return np.asarray(random.normal(scale=FIRST_SPREAD, size=(d, columns)))

    def path(self, W: FloatArray, fractions: Sequence[float]) -> Iterator[LowRankMap]:
        """Solve for rising penalties, each from the solution before.

        Rising, because a pair of columns that has vanished does not come back.
        """
        W = self.problem.into(W)
        Q = self.problem.with_offset(np.zeros((self.problem.n_labels, W.shape[1])))
        for fraction in fractions:
            penalty = fraction * self.largest_penalty
            # The penalty's gradient cancels that of the loss, which has the largest one's rounding.
            tol = max(self.settings.tol, self.rounding / fraction)
            max_iter = self.settings.max_iter
            factors = alternate(self.problem, W, Q, penalty, tol=tol, max_iter=max_iter)
            W, Q = factors.W, factors.Q
            yield self._map(factors, penalty)

    def _map(self, factors: Factors, penalty: float) -> LowRankMap:
        W, k = self.problem.back(factors.W), factors.W.shape[1]
        H, offset = factors.Q[:, :k], factors.Q[:, k:]
        if self.settings.intercept == "append":
            W, intercept = W[:-1], H @ W[-1]
        elif self.settings.intercept == "free":
            base = offset[:, 0] if offset.size else self.problem.first_offset
            intercept = np.asarray(base) - H @ (self.design.mean @ W)
        else:
            intercept = np.zeros(len(H))
        W, H = np.ascontiguousarray(W), np.ascontiguousarray(H)
        return LowRankMap(W, H, intercept, penalty, factors.objectives, factors.converged)


def _counts(Y: sp.csr_array) -> tuple[FloatArray, FloatArray]:
    """Count the known ones and zeros of each label."""
    n, K = Y.shape
    stored = np.bincount(Y.indices, minlength=K).astype(np.float64)
    positive = np.bincount(Y.indices[Y.data == 1], minlength=K).astype(np.float64)
    return positive, n - stored


def _varies(Y: sp.csr_array) -> BoolArray:
    positive, negative = _counts(Y)
    return (positive > 0) & (negative > 0)
