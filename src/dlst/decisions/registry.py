"""The rules by name."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from dlst._parameters import one_of
from dlst.decisions.base import DecisionRule
from dlst.decisions.budget import BudgetRule, TopRule
from dlst.decisions.f1 import F1Rule
from dlst.decisions.subset import SubsetRule
from dlst.decisions.thresholds import HammingRule, InstanceRule, MacroRule, MicroRule

Decision: TypeAlias = Literal[
    "f1", "micro", "macro", "instance", "hamming", "subset", "top", "budget"
]
"""The name of a rule."""

RULES: dict[str, type[DecisionRule]] = {
    "f1": F1Rule,
    "micro": MicroRule,
    "macro": MacroRule,
    "instance": InstanceRule,
    "hamming": HammingRule,
    "subset": SubsetRule,
    "top": TopRule,
    "budget": BudgetRule,
}
"""Rule of each name."""


def make_rule(name: Decision, **params: Any) -> DecisionRule:
    """Make a rule, unfitted.

    Parameters
    ----------
    name : str
        One of :data:`RULES`.
    **params
        Parameters of the rule.

    Returns
    -------
    DecisionRule

    Examples
    --------
    >>> make_rule("budget", r=3)
    BudgetRule(r=3)
    """
    one_of(*get_args(Decision)).check("decision", name)
    return RULES[name](**params)
