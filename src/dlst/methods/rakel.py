"""RAKEL: random small label sets, each learnt as one multi-class problem."""

from __future__ import annotations

from dataclasses import KW_ONLY
from math import ceil, comb
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.parallel import delayed

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import NONE, Constraint, integer, one_of, parameter, with_parameters
from dlst.methods.answers import with_logits
from dlst.methods.shared.classifier_ensembles import ClassifierEnsemble, warn_of_unfinished
from dlst.parts import Scores

MOST_PARTITIONS = 10
FEWEST_PARTITIONS = 3
LEARNT_LABELS = 2000
"""Beyond so many learnt labels in all ``n_partitions="auto"`` takes fewer partitions."""


_GIVES_PROBABILITIES = Constraint(
    "a classifier with predict_proba (wrap it in sklearn.calibration.CalibratedClassifierCV)",
    lambda value: hasattr(value, "predict_proba"),
)


@with_parameters
class RAKEL(ClassifierEnsemble):
    """Mean over random label sets R of multi-class models of the labels' combinations within R.

        p_j(x) = mean_{R ∋ j} Σ_{c ⊆ R, j ∈ c} P_R(c | x)

    Parameters
    ----------
    estimator : classifier, optional
        Of many classes, with ``predict_proba``. Default: multinomial logistic regression.
    labelset_size : int
        k, the labels in a set; the last set of a partition has what is left.
    n_partitions : int or "auto"
        Random partitions of all labels into disjoint sets, over which is averaged (RAkEL_d).
        ``"auto"``: 10, or so many as make 2000 learnt labels in all, but at least 3.
    n_sets : int, optional
        Instead of partitions so many different sets that overlap (RAkEL_o; the authors take 2K).
        The first of them are a partition, so that no label is left out.
    C : float
        Weight of the losses of the default base, for rows with a mean squared length of 1.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``decision="own"`` is p ≥ ½.
    scaling : str
        See :class:`FeatureScaler`.
    n_jobs : int, optional
        Jobs over sets.
    random_state : None, int or RandomState
        For the sets and the base.

    Attributes
    ----------
    label_sets_ : list of ndarray
        The distinct sets R, among labels that vary.
    weights_ : ndarray
        How often each was drawn.
    combinations_ : list of ndarray of shape (c, |R|)
        The combinations of labels that occur in each, which are the base's classes.
    estimators_ : list of classifiers

    Notes
    -----
    Cost: ⌈K/k⌉ models of at most min(2ᵏ, n) classes for each partition; a set that is drawn twice
    is learnt once. k = 3 is the original's, and disjoint sets with a single partition; the mean
    over partitions makes scores finer. The original's base is a support vector machine; logistic
    regression has probabilities without an inner cross-validation, which a combination that
    occurs once would break.

    NaN has no meaning in a combination of labels and is refused. Rows without labels are not
    used.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2011). Random k-labelsets for multilabel classification.

    Examples
    --------
    >>> X, Y = [[0], [1], [2], [10], [11], [12]], [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]]
    >>> model = RAKEL(random_state=0).fit(X, Y)
    >>> model.predict([[0.5], [11.5]])
    array([[1, 0],
           [0, 1]])
    >>> model.combinations_[0]
    array([[0, 1],
           [1, 0],
           [1, 1]], dtype=int8)
    """

    estimator: Any = parameter(default=None, must_be=_GIVES_PROBABILITIES | NONE)
    labelset_size: int = parameter(default=3, must_be=integer(at_least=1))
    _: KW_ONLY
    n_partitions: int | str = parameter(
        default="auto", must_be=integer(at_least=1) | one_of("auto")
    )
    n_sets: int | None = parameter(default=None, must_be=integer(at_least=1) | NONE)

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        X = self._fit_lengths(X)
        random = check_random_state(self.random_state)
        self.label_sets_, self.weights_ = self._draw(Y.shape[1], random)
        labels = Y.astype(np.int8).tocsc()
        classes = [
            np.unique(labels[:, members].toarray(), axis=0, return_inverse=True)
            for members in self.label_sets_
        ]
        self.combinations_ = [combinations for combinations, _ in classes]
        fits = (delayed(self._unfitted(random).fit)(X, numbers.ravel()) for _, numbers in classes)
        self.estimators_ = self._run_all(fits)
        warn_of_unfinished(self.estimators_)

    def _draw(self, K: int, random: RandomState) -> tuple[list[NDArray[np.intp]], FloatArray]:
        """Return the distinct label sets and how often each was drawn."""
        size = min(self.labelset_size, K)
        if self.n_sets is not None:
            drawn = _overlapping_sets(K, size, self.n_sets, random)
        else:
            T = self.n_partitions
            if T == "auto":
                T = min(MOST_PARTITIONS, max(FEWEST_PARTITIONS, LEARNT_LABELS // K))
            drawn = [members for _ in range(int(T)) for members in _partition(K, size, random)]
        counts: dict[tuple[int, ...], int] = {}
        for members in drawn:
            counts[members] = counts.get(members, 0) + 1
        return [np.array(members) for members in counts], np.array(list(counts.values()), float)

    def _scores(self, X: FeatureMatrix) -> Scores:
        X = self._lengthened(X)
        K = max(int(members.max()) for members in self.label_sets_) + 1
        total, count = np.zeros((X.shape[0], K)), np.zeros(K)
        parts = zip(
            self.label_sets_, self.weights_, self.combinations_, self.estimators_, strict=True
        )
        for members, weight, combinations, estimator in parts:
            total[:, members] += weight * (estimator.predict_proba(X) @ combinations)
            count[members] += weight
        # Probabilities of combinations add up to 1 but for rounding.
        return with_logits(np.clip(total / count, 0.0, 1.0))


def _partition(K: int, size: int, random: RandomState) -> list[tuple[int, ...]]:
    order = random.permutation(K)
    return [tuple(sorted(order[start : start + size].tolist())) for start in range(0, K, size)]


def _overlapping_sets(K: int, size: int, n_sets: int, random: RandomState) -> list[tuple[int, ...]]:
    if n_sets < ceil(K / size):
        raise ValueError(
            f"n_sets must be at least {ceil(K / size)}, so that sets of {size} can hold all {K} "
            f"labels; got n_sets={n_sets}. Raise it or labelset_size."
        )
    # A last set that is smaller would be one more among the possible ones.
    order = random.permutation(K)
    starts = [min(start, K - size) for start in range(0, K, size)]
    found = {tuple(sorted(order[start : start + size].tolist())): None for start in starts}
    wanted = min(n_sets, comb(K, size))
    while len(found) < wanted:
        members = random.choice(K, size, replace=False)
        found[tuple(sorted(members.tolist()))] = None
    return list(found)
