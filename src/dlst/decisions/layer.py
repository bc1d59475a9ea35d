"""From a method's probabilities to its answers: calibration, rules, ranking."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator

from dlst._matrices import FloatArray
from dlst._parameters import check_parameters, one_of, parameter, with_parameters
from dlst._weights import Weights
from dlst.decisions.base import CARDINALITY, DecisionRule
from dlst.decisions.budget import TopRule
from dlst.decisions.lazy_rules import LazyRules
from dlst.decisions.prior_correction import TAU, PriorCorrection, Tau
from dlst.decisions.registry import RULES, Decision
from dlst.decoders import clipped_logit
from dlst.decoders.calibration import fit_logistic
from dlst.errors import DataError
from dlst.parts import OutOfSample

OwnOrRule: TypeAlias = Decision | Literal["own"]
"""Values of ``decision``."""

DECISIONS = ("own", *get_args(Decision))
"""All of them: the method's own decisions, then the rules."""

_MARGIN = 1e-9
"""Calibration clips probabilities to this distance from 0 and 1; rankings do not."""

_RANKED_MARGIN = 1e-15


LEARNT_ENTRIES = 4_000_000
"""Maximum number of rows times labels that decisions are learnt on; more change little."""


@with_parameters
class DecisionLayer(BaseEstimator):  # type: ignore[misc]
    """The decisions and ranking of a method, learnt on out-of-sample probabilities.

    Rules need calibrated probabilities, so these are calibrated first: logit p ← a_j + b logit p
    by maximum likelihood on the out-of-sample rows, b ≥ 0 shared by all labels. That keeps
    the ranking of rows within a label, and changes little if a method is calibrated already.

    With out-of-sample probabilities all rules are available: the one that decides is learnt at
    once, any other when it is first used, or when the model is saved. Without, there is "top",
    which only uses the ranking.

    Parameters
    ----------
    decision : str
        What ``predict`` decides by: "own" (what the method's authors do), or a rule.
    cardinality : float, optional
        True mean number of labels of an instance, where positives are missing in training.
    tau : float or "auto"
        Prior correction of the ranking; see :class:`PriorCorrection`.

    Attributes
    ----------
    rules_ : mapping of str to DecisionRule
        The available rules.
    intercept_, slope_ : ndarray of shape (K,), float
        a and b of the calibration.
    prior_correction_ : PriorCorrection

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> from dlst.methods import PLST
    >>> layer = PLST(decision="micro").fit(data.train.X, data.train.Y).decisions_
    >>> layer.decision, "macro" in layer.rules_
    ('micro', True)
    """

    decision: OwnOrRule = parameter(default="own", must_be=one_of(*DECISIONS))
    cardinality: float | None = parameter(default=None, must_be=CARDINALITY)
    tau: Tau = parameter(default=0.0, must_be=TAU)

    def check(self) -> DecisionLayer:
        """Check the parameters before any work is done."""
        check_parameters(self)
        return self

    @property
    def learns(self) -> bool:
        """Whether out-of-sample probabilities are needed, for a rule or to calibrate for it."""
        return self.decision not in ("own", "top") or self.tau == "auto"

    def fit(
        self, found: OutOfSample | None, Y: sp.csr_array, weights: Weights | None = None
    ) -> DecisionLayer:
        """Learn the rules.

        Parameters
        ----------
        found : OutOfSample or None
            Rows, their probabilities, and the votes on them.
        Y : csr_array of shape (n, K)
            Labels of all training rows.
        weights : Weights, optional
            How often rows and labels count.
        """
        K = Y.shape[1]
        of_rows, of_labels = (None, None) if weights is None else weights
        self.intercept_, self.slope_ = np.zeros(K), 1.0
        self.prior_correction_ = PriorCorrection(self.tau)
        if found is None:
            self.prior_correction_.fit(None, Y, of_rows)
            self.rules_: Mapping[str, DecisionRule] = {
                "top": TopRule(cardinality=self.cardinality).fit(None, Y, of_rows)
            }
            return self
        rows, P, votes = _some_rows(found)
        logits = clipped_logit(P, _MARGIN)
        self.prior_correction_.fit(logits, Y, of_rows, rows=rows)
        self._calibrate(logits, Y[rows], None if weights is None else weights.of_rows(rows))
        P = self.calibrated(P)
        # Rules may be learnt after the caller has changed labels or weights in place.
        labels, of_rows, of_labels = deepcopy((Y, of_rows, of_labels))
        cardinality = self.cardinality

        def learn(name: str) -> DecisionRule:
            rule: DecisionRule = RULES[name](cardinality=cardinality).fit(
                P, labels, of_rows, label_weight=of_labels, rows=rows, votes=votes
            )
            return rule

        rules = LazyRules(RULES, learn)
        if self.decision in RULES:
            # A rule that cannot be learnt from these labels raises an error only when it is used.
            rules.learn(self.decision)
        self.rules_ = rules
        return self

    def rule(self, name: str) -> Any:
        """Return a rule by name."""
        one_of(*RULES).check("decision", name)
        if name not in self.rules_:
            raise DataError(
                f"the rule {name!r} was not learnt when the model was fitted with "
                f"decision={self.decision!r}. Fit it with decision={name!r}."
            )
        return self.rules_[name]

    def decide(self, rule: DecisionRule, P: FloatArray, S: FloatArray, votes: Any) -> sp.csr_array:
        """Decide by a rule on a method's probabilities and ranking scores."""
        return rule.apply(self.calibrated(P), S, votes=votes)

    def rank(self, P: FloatArray, S: FloatArray, labels: Any = slice(None)) -> FloatArray:
        """Return the scores that labels are ranked by: the method's own, or corrected logits.

        For rows by labels, or for single entries of the labels in ``labels``.
        """
        if self.prior_correction_.tau_ == 0.0:
            return S
        return self.prior_correction_.apply(clipped_logit(P, _RANKED_MARGIN), labels)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with all rules learnt, without the data that they are learnt from."""
        state: dict[str, Any] = super().__getstate__()
        return {**state, "rules_": dict(self.rules_)} if "rules_" in state else state

    def _calibrate(self, logits: FloatArray, Y: sp.csr_array, weights: Weights | None) -> None:
        labels = Y.toarray()
        known = ~np.isnan(labels)
        present = np.where(known, labels, 0.0)
        self.intercept_, slopes = fit_logistic(
            logits[None], present, None if known.all() else known, weights
        )
        self.slope_ = float(slopes[0])

    def calibrated(self, P: FloatArray) -> FloatArray:
        """Return the probabilities that the rules use."""
        if self.slope_ == 1.0 and not self.intercept_.any():
            return P
        calibrated: FloatArray = expit(self.intercept_ + self.slope_ * clipped_logit(P, _MARGIN))
        return calibrated


def _some_rows(found: OutOfSample) -> OutOfSample:
    """Take evenly spaced rows if there are more than enough."""
    n, K = found.probabilities.shape
    chosen = slice(None, None, -(-n * K // LEARNT_ENTRIES))
    votes = None if found.votes is None else found.votes[chosen]
    return OutOfSample(found.rows[chosen], found.probabilities[chosen], votes)
