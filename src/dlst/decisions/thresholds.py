"""Rules that compare probabilities with thresholds: for Hamming loss, and one F1 at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._parameters import parameter, with_parameters
from dlst.decisions._entries import LEAST, Entries, best_fraction
from dlst.decisions.base import CARDINALITY, DecisionRule, Examples


@with_parameters
class _Thresholds(DecisionRule):
    """A threshold for all labels, or one for each; :class:`InstanceRule` has one for each row."""

    cardinality: float | None = parameter(default=None, must_be=CARDINALITY)

    def _decide(self, entries: Entries, scores: Any, votes: Any) -> sp.csr_array:
        limits = np.broadcast_to(self.threshold_, (self.n_labels_,))
        return entries.decided(entries.values >= entries.of_labels(limits))


@with_parameters
class HammingRule(_Thresholds):
    """Decide for what is likelier than not: the fewest wrong entries.

    Objective: the expected share of wrong entries, Σ_ij [d_ij (1 − p_ij) + (1 − d_ij) p_ij].
    It is a sum over entries. Entry (i, j) costs 1 − p if decided for and p if not.
    So d = 1 when p > ½, whatever the other entries are: exact.
    Cost: O(n K), nothing is learnt.

    Parameters
    ----------
    cardinality : float, optional
        True mean number of labels of an instance, where positives are missing in training.

    Attributes
    ----------
    threshold_ : float

    References
    ----------
    Dembczyński, Waegeman, Cheng, Hüllermeier (2012). On label dependence and loss minimization in
    multi-label classification.

    Examples
    --------
    >>> rule = HammingRule().fit([[0.9, 0.2], [0.4, 0.6]], [[1, 0], [0, 1]])
    >>> rule.apply([[0.51, 0.5]]).toarray()
    array([[1., 0.]])
    """

    learns = False

    def _learn(self, examples: Examples) -> None:
        # The least number above 1/2: equal is not likelier, but reaching a threshold is enough.
        self.threshold_: Any = float(np.nextafter(0.5, 1.0))


@with_parameters
class MicroRule(_Thresholds):
    """One threshold for the best F1 over all entries.

    Objective: expected TP over expected size, F = 2 Σ d p / (Σ d + S), S = Σ p.
    F ≥ f if and only if Σ d (2 p − f) ≥ f S; the left side is greatest with d = [p > f/2].
    So the best D is {p > F*/2}, with F* the fixed point of f ↦ F({p > f/2}): exact.
    Cost: O(n K) for each of a few passes; new rows O(n K).

    Parameters
    ----------
    cardinality : float, optional
        True mean number of labels of an instance, where positives are missing in training.

    Attributes
    ----------
    threshold_ : float
        F*/2.

    References
    ----------
    Pillai, Fumera, Roli (2013). Threshold optimisation for multi-label classifiers.

    Examples
    --------
    >>> rule = MicroRule().fit([[0.9, 0.2], [0.4, 0.1]], [[1, 0], [1, 0]])
    >>> round(rule.threshold_, 3)
    0.361
    """

    def _learn(self, examples: Examples) -> None:
        self.threshold_: Any = max(LEAST, float(best_fraction(examples.entries, "all").value[0]))


@with_parameters
class MacroRule(_Thresholds):
    """A threshold for each label: the best mean over labels of F1.

    Objective: Σ_j F_j / K, F_j = 2 Σ_i d p / (Σ_i d + s_j), s_j = Σ_i p the label's positives.
    The labels do not meet: each F_j is greatest by itself, as in :class:`MicroRule`.
    So d = [p > F_j*/2], F_j* = max_k 2 c_k / (k + s_j), c_k the k largest of column j: exact.
    Cost: O(n K) for each of a few passes; new rows O(n K).

    Positives are expected, not counted: probabilities say more about a rare label than its few
    positives do, so thresholds need no shrinkage.

    Parameters
    ----------
    cardinality : float, optional
        True mean number of labels of an instance, where positives are missing in training.

    Attributes
    ----------
    threshold_ : ndarray of shape (K,)
        F_j*/2.

    References
    ----------
    Pillai, Fumera, Roli (2013). Threshold optimisation for multi-label classifiers.

    Examples
    --------
    >>> rule = MacroRule().fit([[0.9, 0.2], [0.4, 0.1]], [[1, 0], [1, 0]])
    >>> rule.threshold_.round(3)
    array([0.394, 0.154])
    """

    def _learn(self, examples: Examples) -> None:
        self.threshold_: Any = np.maximum(LEAST, best_fraction(examples.entries, "labels").value)


@with_parameters
class InstanceRule(_Thresholds):
    """A threshold for each row: the best mean over rows of F1; no row stays empty.

    Objective: Σ_i F_i / n, F_i = 2 Σ_j d p / (Σ_j d + c), c = Σ_j p the row's expected count.
    The rows do not meet: each F_i is greatest by itself, as in :class:`MicroRule`.
    So d = [p > F_i*/2]; F_i*/2 is below the row's largest p, which is always decided for: exact.
    Cost: O(n K) for each of a few passes over the new rows; nothing is learnt.

    A row without any label counts 0 whatever is decided, so a single label (K = 1) is always
    decided for: take another rule there.

    Parameters
    ----------
    cardinality : float, optional
        True mean number of labels of an instance, where positives are missing in training.

    References
    ----------
    Waegeman, Dembczyński, Jachnik, Cheng, Hüllermeier (2014). On the Bayes-optimality of F-measure
    maximizers.

    Examples
    --------
    >>> rule = InstanceRule().fit([[0.9, 0.2], [0.4, 0.1]], [[1, 0], [1, 0]])
    >>> rule.apply([[0.1, 0.02], [0.5, 0.4]]).toarray()
    array([[1., 0.],
           [1., 1.]])
    """

    learns = False

    def _learn(self, examples: Examples) -> None:
        """Learn nothing: each row is decided by itself."""

    def _decide(self, entries: Entries, scores: Any, votes: Any) -> sp.csr_array:
        limits = np.maximum(LEAST, best_fraction(entries, "rows").value)
        return entries.decided(entries.values >= entries.of_rows(limits))
