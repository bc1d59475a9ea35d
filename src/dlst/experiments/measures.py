"""Measures of predictions: rankings, probabilities, decisions by each rule, and top r."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dlst.data import Dataset
from dlst.metrics import evaluate, instance_average_precision, labels_per_row, top_r_ceiling
from dlst.metrics.top import propensities_of

RANKING = ("instance_average_precision", "one_error", "ranking_loss", "coverage")
BY_LABEL = ("macro_average_precision", "micro_average_precision", "macro_auc")
PROBABILITY = ("log_loss", "expected_calibration_error")
DECISIONS = ("micro_f1", "macro_f1", "instance_f1", "hamming_loss", "subset_accuracy", "jaccard")
TOP_R = ("micro_f1", "macro_f1")
TOP = ("precision_at_k", "ndcg_at_k", "propensity_scored_precision_at_k")
LABELS_WITH_TOP = 20
"""From so many labels on the first few of a ranking are measured by themselves."""

FEWEST_WITH_PROPENSITIES = 3

SUITED = {
    "micro_f1": "micro",
    "macro_f1": "macro",
    "instance_f1": "instance",
    "hamming_loss": "hamming",
    "subset_accuracy": "subset",
}
"""The rule that aims at each measure of decisions."""

KEPT_OF_RULES = {"budget": TOP_R, **{rule: (name,) for name, rule in SUITED.items()}}
"""What a record keeps of the decisions by each rule; samples of rows need no more."""

LABELLED_AP = "instance_average_precision_labelled"
"""Instance AP over rows that have a label; scikit-learn counts the others as 1."""


@dataclass(frozen=True)
class Measures:
    """Metrics by what they judge.

    ``scores`` are of rankings and probabilities, ``decisions`` of the model's own, ``top_r`` of its
    r best labels, ``rules`` of decisions by each rule that it has learnt and by its authors'
    ("own"); ``labelled_ap`` is the instance AP over the rows that have a label.
    """

    scores: dict[str, float]
    decisions: dict[str, float]
    top_r: dict[str, float]
    labelled_ap: float
    r: int
    rules: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def flat(self) -> dict[str, float]:
        """All of them by a name of their own, as records have them."""
        return {
            **self.scores,
            LABELLED_AP: self.labelled_ap,
            **self.decisions,
            **{f"{name}_top_r": value for name, value in self.top_r.items()},
            **{f"{name}_budget": self.rules.get("budget", self.top_r)[name] for name in TOP_R},
            **{
                f"{name}_suited": self.rules[rule][name]
                for name, rule in SUITED.items()
                if rule in self.rules
            },
            "r": self.r,
        }


def measure(
    Y: Any,
    decided: Any,
    P: Any,
    S: Any,
    r: int,
    by_rule: Mapping[str, Any] | None = None,
    of_rules: Mapping[str, Sequence[str]] | None = None,
) -> Measures:
    """Measure predictions against the truth Y.

    Decisions, probabilities P and ranking scores S are as ``predict_all`` gives them: rankings
    within a row are those of the scores, within a label those of the probabilities. ``by_rule`` has
    decisions by other rules, and ``of_rules`` what is measured of each, by default all.
    """
    return Measures(
        scores={**evaluate(Y, S, RANKING), **evaluate(Y, P, (*BY_LABEL, *PROBABILITY))},
        decisions=evaluate(Y, None, DECISIONS, Y_pred=decided),
        top_r=evaluate(Y, S, TOP_R, r=r),
        labelled_ap=float(instance_average_precision(Y, S, empty="skip")),
        r=r,
        rules={
            rule: evaluate(Y, None, (of_rules or {}).get(rule, DECISIONS), Y_pred=given)
            for rule, given in (by_rule or {}).items()
        },
    )


def measure_top(Y: Any, S: Any, prevalence: Any, n_train: int) -> dict[str, float]:
    """Measure the first 1, 3 and 5 of many labels; of few labels nothing.

    Rare labels weigh more by the propensities of the training rows, of which ``prevalence`` says
    how many have each label.
    """
    if S.shape[1] < LABELS_WITH_TOP:
        return {}
    if n_train < FEWEST_WITH_PROPENSITIES:
        return evaluate(Y, S, TOP[:2])
    found = propensities_of(np.asarray(prevalence) * n_train, n_train)
    return evaluate(Y, S, TOP, propensities=found)


def measure_model(model: Any, data: Dataset) -> dict[str, Any]:
    """Measure a fitted method on data: metrics by group, and the ceiling of the top-r rule.

    r is the cardinality of the training labels, rounded up.
    """
    r = min(labels_per_row(cardinality=float(model.prevalence_.sum())), data.n_labels)
    decided, P, S = model.predict_all(data.X)
    # A fit on a cluster does not number its rows.
    n_train = len(getattr(model, "training_rows_", ()))
    found = measure(data.Y, decided, P, S, r, model.predict_by_rules(data.X))
    decision, tau = model.decided_by()
    return {
        "decision": decision,
        "tau": tau,
        "scores": found.scores,
        "top": measure_top(data.Y, S, model.prevalence_, n_train),
        "decisions": found.decisions,
        "rules": found.rules,
        "top_r": {"r": r, **found.top_r},
        "top_r_ceiling": top_r_ceiling(data.Y, r),
    }
