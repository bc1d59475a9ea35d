"""Probabilities to label sets: a rule for each measure, open to every method.

Each rule is an estimator with ``fit(P, Y)`` on out-of-sample probabilities and ``apply(p)`` on new
ones, from any model.
"""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.decisions.base import DecisionRule
    from dlst.decisions.budget import BudgetRule, TopRule
    from dlst.decisions.f1 import F1Rule
    from dlst.decisions.guarantees import ConformalLabels, ConformalRule
    from dlst.decisions.label_sets import TopSets
    from dlst.decisions.layer import DECISIONS, DecisionLayer, OwnOrRule
    from dlst.decisions.prior_correction import PriorCorrection, Tau
    from dlst.decisions.registry import RULES, Decision, make_rule
    from dlst.decisions.subset import SubsetRule
    from dlst.decisions.thresholds import HammingRule, InstanceRule, MacroRule, MicroRule
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "DECISIONS",
    "RULES",
    "BudgetRule",
    "ConformalLabels",
    "ConformalRule",
    "Decision",
    "DecisionLayer",
    "DecisionRule",
    "F1Rule",
    "HammingRule",
    "InstanceRule",
    "MacroRule",
    "MicroRule",
    "OwnOrRule",
    "PriorCorrection",
    "SubsetRule",
    "Tau",
    "TopRule",
    "TopSets",
    "make_rule",
]
