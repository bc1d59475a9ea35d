"""Codes whose pairs are distributed as the pairs of label sets are: the paper's encoder."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from dlst._matrices import FloatArray
from dlst._parameters import (
    NONE,
    Constraint,
    check_parameters,
    integer,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst._progress import progress_bar
from dlst._threads import allowed_threads, one_blas_thread
from dlst._unknown import impute, known_means
from dlst.encoders import _landmarks
from dlst.encoders._base import CodeEncoder
from dlst.encoders._checks import (
    COMPONENTS,
    components_wanted,
    counted_label_sets,
    new_labels,
)
from dlst.encoders._descent import (
    Descent,
    MomentumSchedule,
    descend_lbfgs,
    descend_momentum,
    random_start,
    reporter,
)
from dlst.encoders._distances import DISTANCES, LabelDistances
from dlst.encoders._objective import PairAlignment
from dlst.encoders._placement import Placement
from dlst.encoders._principal import PrincipalAxes, label_points, pose, principal_axes
from dlst.encoders.labelsets import distinct_label_sets, nothing_known

SOLVERS = ("lbfgs", "momentum")
_SHARE = number(at_least=0, below=1)
_TWO_SHARES = Constraint(
    "two numbers in [0, 1)",
    lambda value: (
        isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_SHARE.allows, value))
    ),
)


@with_parameters
class DistributionEncoder(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    CodeEncoder,
):
    """Encode label sets by aligning the distribution of code pairs with that of label pairs.

    The codes Z minimise KL(Q || U), where Q and U spread one unit of mass over the ordered pairs of
    different instances in proportion to 1 / (1 + d), d being the distance of their label sets or of
    their codes. Instances with equal labels share a code, so the work is done on the m distinct
    label sets, with their counts as weights: O(m² r) time for an evaluation, in blocks, without
    ever storing m² numbers. Above 2,000 sets squared distances are compared in single precision,
    by as many threads as the BLAS library may use, which change no digit. Above 20,000 sets only
    pairs with a *landmark* at one end are compared, 2,000 sets drawn in proportion to their
    instances, others after every twenty of 120 iterations: O(m r) time. ``n_landmarks_`` tells.

    The start is the principal codes (labels centred and rotated), above 8,000 sets brought near the
    optimum by landmarks. When ``n_components`` reaches the
    rank of the centred labels they are the exact optimum, KL = 0, and nothing is iterated.

    Parameters
    ----------
    n_components : int, float, "half" or None
        Length r of a code. None: the rank of the centred labels, which loses nothing. "half":
        ⌈K/2⌉, at most 100. A float in (0, 1]: that share of K, rounded up. Never more than the
        rank, never less than 1.
    distance : {"sqeuclidean", "hamming", "euclidean", "normalized", "cosine"}
        How d is read. Squared Euclidean distance, for binary labels the same as the Hamming
        distance (number of labels that differ); the Euclidean distance, of labels and codes; the
        Hamming distance divided by K; or one minus the cosine, where the empty set, which has no
        direction, is 1/2 from every other. The codes' own distance is the squared Euclidean one
        except for "euclidean".
    solver : {"lbfgs", "momentum"}
        L-BFGS, or the paper's gradient descent with momentum, its gradient, sign, start and
        stopping rule put right.
    n_restarts : int
        Further starts: in turn N(0, 1), N(0, 1e-4), and principal codes plus N(0, 0.3²). The best
        end is kept.
    n_landmarks : int, None or "auto"
        Compare only pairs with so many landmarks at one end; None compares all pairs. "auto": None
        up to 20,000 distinct label sets, 2,000 above. More landmarks come nearer to all pairs and
        cost in proportion.
    max_iter : int
        Iterations from each start; 0 gives the principal codes as they are.
    tol : float
        A start ends when ten iterations lower the KL divergence by less than this share of it, or
        of 1e-4 nats, below which codes hardly move any more. 1e-7 gives its digits, for several
        times the iterations.
    learning_rate : float or "auto"
        For "momentum": step length for the gradient of one instance. "auto" is a quarter over the
        largest share of Q that one instance has, which grows with n.
    momentum : tuple of two floats
        For "momentum": before and after the switch.
    momentum_switch : int
        For "momentum": iteration of the switch.
    callback : callable, optional
        Called as ``callback(iteration, kl_divergence)`` after every iteration, counted over all
        starts.
    random_state : int, RandomState or None
        For the restarts and the landmarks.

    Attributes
    ----------
    codes_ : ndarray of shape (m, r)
        Codes of the distinct label sets. Their gauge is fixed: weighted mean zero, principal axes,
        widest first, and on each axis the set farthest out is positive.
    label_sets_ : LabelSets
        The distinct label sets, their counts, and the set of each training row.
    n_components_ : int
        Length of a code.
    n_landmarks_ : int or None
        Landmarks; None if all pairs were compared.
    kl_divergence_ : float
        KL(Q || U) in nats; with landmarks, estimated from others than those of the descent.
    history_ : ndarray of shape (n_iter_ + 1,)
        The KL divergence from the start to the end, for the start that won.
    n_iter_ : int
        Iterations of that start; 0 in closed form.
    converged_ : bool
        Whether it ended by ``tol``, or in closed form.
    rank_ : int
        Rank of the centred labels.
    components_ : ndarray of shape (K, r)
        Principal axes of the label sets.
    mean_ : ndarray of shape (K,)
        Mean of the label sets; like ``components_`` in the scale of ``distance``.
    n_features_in_, feature_names_in_
        Number of labels, and their names when ``Y`` is a frame.

    Notes
    -----
    Unknown (NaN) entries: two sets are compared over the labels known in both, and a count is
    scaled by K over their number; sets without such a label are at the mean distance of the others.
    An instance without any known label takes no part, and its code is the mean, 0. With unknown
    entries there is no closed form.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> Y = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
    >>> encoder = DistributionEncoder().fit(Y)
    >>> encoder.n_components_, round(encoder.kl_divergence_, 12)
    (3, 0.0)
    >>> Z = encoder.transform(Y)
    >>> round(float(((Z[1] - Z[2]) ** 2).sum()), 12)
    1.0
    >>> DistributionEncoder(n_components=2).fit_transform(Y).shape
    (4, 2)
    """

    n_components: int | float | str | None = parameter(default=None, must_be=COMPONENTS)
    _: KW_ONLY
    distance: str = parameter(default="sqeuclidean", must_be=one_of(*DISTANCES))
    solver: str = parameter(default="lbfgs", must_be=one_of(*SOLVERS))
    n_restarts: int = parameter(default=0, must_be=integer(at_least=0))
    n_landmarks: int | str | None = parameter(
        default="auto", must_be=NONE | one_of("auto") | integer(at_least=1)
    )
    max_iter: int = parameter(default=1000, must_be=integer(at_least=0))
    tol: float = parameter(default=1e-3, must_be=number(at_least=0))
    learning_rate: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    momentum: tuple[float, float] = parameter(default=(0.5, 0.8), must_be=_TWO_SHARES)
    momentum_switch: int = parameter(default=250, must_be=integer(at_least=0))
    callback: Callable[[int, float], Any] | None = None
    random_state: Any = None

    def fit(self, Y: Any, X: Any = None, sample_weight: Any = None) -> DistributionEncoder:
        """Find the codes of the label sets.

        Parameters
        ----------
        Y : array-like, sparse or frame of shape (n, K)
            Zeros, ones and NaN (unknown).
        X : ignored
            Other encoders look at the features; this one does not.
        sample_weight : array-like of shape (n,), optional
            How often each row counts.
        """
        check_parameters(self)
        validate_data(self, Y, skip_check_array=True)
        self.label_sets_ = counted_label_sets(Y, sample_weight)
        n_threads = allowed_threads()
        with one_blas_thread():
            self._fit_codes(n_threads)
        if self.max_iter and not self.converged_:
            warnings.warn(
                f"the codes have not converged after max_iter={self.max_iter} iterations at "
                f"tol={self.tol:g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def fit_transform(self, Y: Any, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Find the codes and return those of the rows, shape (n, r)."""
        codes = self.fit(Y, X, sample_weight).codes_
        return np.asarray(codes[self.label_sets_.inverse])

    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of label sets, seen in training or not.

        A set seen in training has its code. For a new one, the same objective is minimised over
        the code of one added instance, the training codes being fixed (a local optimum, the best of
        three starts); in closed form this is the projection on the principal axes, with unknown
        entries at the label's mean.

        Parameters
        ----------
        Y : array-like, sparse or frame of shape (n, K)

        Returns
        -------
        ndarray of shape (n, r)
        """
        labels = new_labels(self, Y)
        if self._closed_form:
            with one_blas_thread():
                return self._project(labels)
        found = self.label_sets_.find(labels)
        codes = self.codes_[found]
        rows = np.flatnonzero(found < 0)
        if rows.size:
            new = distinct_label_sets(labels[rows])
            with one_blas_thread():
                codes[rows] = self._place(new.sets)[new.inverse]
        return np.asarray(codes)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _fit_codes(self, n_threads: int) -> None:
        sets = self.label_sets_.sets
        weights = self._labelled_counts()
        points = label_points(sets, self.distance)
        principal = principal_axes(impute(points, known_means(points, weights)), weights)
        self.rank_ = principal.rank
        length = components_wanted(self.n_components, sets.shape[1])
        self.n_components_ = max(1, self.rank_ if length is None else min(length, self.rank_))
        self.mean_ = principal.mean
        self.components_ = principal.first(self.n_components_)
        complete = not np.isnan(sets.data).any()
        self._closed_form = self.rank_ == 0 or (complete and self.n_components_ == self.rank_)
        wanted = _landmarks.landmarks_wanted(self.n_landmarks, weights)
        self.n_landmarks_ = None if self._closed_form else wanted
        if self._closed_form:
            self._accept(Descent(self._project(sets), 0.0, [0.0], converged=True))
        else:
            self._align(weights, principal, n_threads)

    def _labelled_counts(self) -> FloatArray:
        """Instances with each set, none for a set of which nothing is known."""
        return np.where(nothing_known(self.label_sets_.sets), 0.0, self.label_sets_.counts)

    def _project(self, sets: sp.csr_array) -> FloatArray:
        points = impute(label_points(sets, self.distance), self.mean_)
        return np.asarray(points @ self.components_ - self.mean_ @ self.components_)

    def _align(self, weights: FloatArray, principal: PrincipalAxes, n_threads: int) -> None:
        """Descend from every start and keep the best end."""
        random = check_random_state(self.random_state)
        objective = self._objective(weights, self.n_landmarks_, n_threads, random)
        principal_codes = self._project(self.label_sets_.sets)
        coarse = self.n_landmarks_ is None and len(weights) > _landmarks.COARSE_SETS
        draws = np.random.RandomState(0) if coarse else random
        with progress_bar("aligning codes", self.max_iter * (1 + self.n_restarts)) as advance:
            report = reporter(advance, self.callback)

            def one_round(start: FloatArray, steps: int, settled: bool) -> Descent:
                number = self.n_landmarks_ or _landmarks.LANDMARKS
                few = self._objective(weights, number, n_threads, draws)
                return self._descend(few, start, report, steps, settled)

            def descend(start: FloatArray) -> Descent:
                if self.n_landmarks_ is not None:
                    return _landmarks.in_rounds(one_round, start, self.max_iter)
                if coarse:
                    start = _landmarks.in_rounds(one_round, start, self.max_iter).codes
                return self._descend(objective, start, report, self.max_iter, coarse)

            best = descend(principal_codes)
            for number in range(self.n_restarts):
                end = descend(random_start(number, principal_codes, random))
                best = end if end.value < best.value else best
        codes = pose(best.codes, weights)
        codes[nothing_known(self.label_sets_.sets)] = 0.0
        self._accept(best._replace(codes=codes))
        if self.n_landmarks_ is not None:
            self.kl_divergence_, _ = objective.value_and_gradient(codes)
        self._label_mass = objective.label_mass
        self._code_mass = objective.code_mass(codes)
        self._stranger = objective.distances.stranger
        points = impute(label_points(self.label_sets_.sets, self.distance), self.mean_)
        self._linear_guess = principal.regression(points.T @ (weights[:, None] * codes))

    def _objective(
        self, weights: FloatArray, n_landmarks: int | None, n_threads: int, random: Any
    ) -> PairAlignment:
        shares = None
        if n_landmarks is not None:
            shares = _landmarks.landmark_shares(weights, n_landmarks, random)
        return PairAlignment(
            self.label_sets_.sets, weights, self.distance, shares=shares, n_threads=n_threads
        )

    def _descend(
        self,
        objective: PairAlignment,
        start: FloatArray,
        report: Callable[[float], None],
        max_iter: int,
        settled: bool,
    ) -> Descent:
        evaluate, weights = objective.value_and_gradient, objective.weights
        if max_iter == 0:
            value = evaluate(start)[0]
            return Descent(start, value, [value], converged=False)
        limits: dict[str, Any] = {"max_iter": max_iter, "tol": self.tol, "report": report}
        if self.solver == "lbfgs":
            return descend_lbfgs(evaluate, start, weights, settled=settled, **limits)
        automatic = 0.25 / objective.heaviest
        rate = automatic if self.learning_rate == "auto" else float(self.learning_rate)
        schedule = MomentumSchedule(rate, *self.momentum, self.momentum_switch)
        return descend_momentum(evaluate, start, weights, schedule=schedule, **limits)

    def _accept(self, end: Descent) -> None:
        self.codes_, self.kl_divergence_, self.converged_ = end.codes, end.value, end.converged
        self.history_ = np.array(end.history)
        self.n_iter_ = len(end.history) - 1

    def _place(self, sets: sp.csr_array) -> FloatArray:
        weights = self._labelled_counts()
        placement = Placement(
            self.codes_,
            weights,
            LabelDistances(self.label_sets_.sets, self.distance, self._stranger),
            self._label_mass,
            self._code_mass,
        )
        points = impute(label_points(sets, self.distance), self.mean_)
        guess = np.asarray(points @ self._linear_guess - self.mean_ @ self._linear_guess)
        codes = placement.place(sets, guess)
        codes[nothing_known(sets)] = 0.0
        return codes
