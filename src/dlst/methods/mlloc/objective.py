"""The joint objective of ML-LOC and its three steps, none of which can raise it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from dlst._matrices import FloatArray
from dlst.methods.mlloc.code_step import CodeProblem, hinge_codes, squared_hinge_codes
from dlst.methods.mlloc.scorer_step import (
    Scorers,
    Signs,
    hinge_scorers,
    slack,
    squared_hinge_scorers,
)

LOSSES = ("squared_hinge", "hinge")

# Tighter than any change of the objective that ends the rounds.
_SCORER_TOLERANCE = 1e-4
_SCORER_ITERATIONS = 500
_CODE_TOLERANCE = 1e-6
_CODE_ITERATIONS = 200
_STARTS = 4


@dataclass(frozen=True, eq=False)
class State:
    """What the steps change.

    Attributes
    ----------
    scorers : Scorers
        W.
    codes : ndarray of shape (n, m)
        C; rows on the simplex.
    prototypes : ndarray of shape (m, K)
        P.
    """

    scorers: Scorers
    codes: FloatArray
    prototypes: FloatArray


@dataclass(frozen=True, eq=False)
class Alternation:
    """Σ_il loss(y_il f_l(x_i, c_i)) + alpha Σ_l ‖w_l‖² + beta Σ_ij c_ij ‖y_i − p_j‖².

    Sums go over known labels only.

    Parameters
    ----------
    F : ndarray of shape (n, q)
        Features of the kernel.
    T : ndarray of shape (n, K)
        Signs of the labels; 0 for unknown.
    alpha, beta : float
        λ₁ and λ₂.
    loss : {"squared_hinge", "hinge"}
        [1 − y f]₊² or [1 − y f]₊.
    """

    F: FloatArray
    T: Signs
    alpha: float
    beta: float
    loss: str

    def objective(self, state: State) -> float:
        """Return the value."""
        scores = state.scorers.scores(self.F, state.codes)
        values = self._label_values(state.scorers, scores)
        distances = prototype_distances(self.T, state.prototypes)
        return float(values.sum() + self.beta * np.vdot(state.codes, distances))

    def with_best_scorers(self, state: State) -> State:
        """W-step: large-margin scorers for the given codes; a label keeps its old if better."""
        if self.loss == "hinge":
            found = hinge_scorers(self.F, state.codes, self.T, self.alpha)
        else:
            found = squared_hinge_scorers(
                self.F,
                state.codes,
                self.T,
                self.alpha,
                state.scorers,
                tol=_SCORER_TOLERANCE,
                max_iter=_SCORER_ITERATIONS,
            )
        old, new = (
            self._label_values(scorers, scorers.scores(self.F, state.codes))
            for scorers in (state.scorers, found)
        )
        return replace(state, scorers=state.scorers.replaced_where(new < old, found))

    def with_best_codes(self, state: State) -> State:
        """C-step: a convex problem for each row; a row keeps its old code if that is better."""
        problem = CodeProblem(
            state.scorers.without_codes(self.F),
            state.scorers.code_weights,
            self.T,
            self.beta * prototype_distances(self.T, state.prototypes),
        )
        solve = hinge_codes if self.loss == "hinge" else squared_hinge_codes
        found = solve(problem, state.codes, tol=_CODE_TOLERANCE, max_iter=_CODE_ITERATIONS)
        power = self._power()
        better = problem.values(found, power) < problem.values(state.codes, power)
        return replace(state, codes=np.where(better[:, None], found, state.codes))

    def with_best_prototypes(self, state: State) -> State:
        """P-step: means of the label vectors, weighted by the codes."""
        return replace(state, prototypes=weighted_means(self.T, state.codes, state.prototypes))

    def start(self, n_prototypes: int, random_state: object) -> State:
        """Cluster the label vectors; a code names the cluster, scorers are zero."""
        filled = _known_or_mean(self.T)
        sets, members, counts = np.unique(filled, axis=0, return_inverse=True, return_counts=True)
        m = min(n_prototypes, len(sets))
        clusters = KMeans(m, n_init=_STARTS, random_state=check_random_state(random_state))
        # Threads add up in any order, and the last digit may decide between two clusters.
        with threadpool_limits(1, user_api="openmp"):
            clusters.fit(sets, sample_weight=counts)
        codes = np.eye(m)[clusters.labels_[members.ravel()]]
        prototypes = weighted_means(self.T, codes, clusters.cluster_centers_)
        return State(Scorers.zero(self.F.shape[1], m, self.T.shape[1]), codes, prototypes)

    def _label_values(self, scorers: Scorers, scores: FloatArray) -> FloatArray:
        losses = (slack(self.T, scores) ** self._power()).sum(axis=0)
        values: FloatArray = losses + self.alpha * scorers.norms()
        return values

    def _power(self) -> int:
        return 1 if self.loss == "hinge" else 2


def prototype_distances(T: Signs, prototypes: FloatArray) -> FloatArray:
    """Return the squared distances (n, m) of label vectors and prototypes over known labels."""
    known = np.abs(T)
    squares = known.sum(axis=1, keepdims=True) - 2.0 * T @ prototypes.T + known @ (prototypes**2).T
    distances: FloatArray = np.maximum(squares, 0.0)
    return distances


def weighted_means(T: Signs, codes: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Return for each prototype the mean of the known labels; what it was where none has weight."""
    weights = codes.T @ np.abs(T)
    means: FloatArray = np.where(
        weights > 0, (codes.T @ T) / np.where(weights > 0, weights, 1.0), otherwise
    )
    return means


def _known_or_mean(T: Signs) -> FloatArray:
    known = np.abs(T)
    filled: FloatArray = np.where(known > 0, T, T.sum(axis=0) / known.sum(axis=0))
    return filled
