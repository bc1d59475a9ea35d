"""Every metric by name: what it means, which way is better, and what it needs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from dlst._nearest import nearest_or_all
from dlst.errors import UnknownNameError
from dlst.metrics import average_precision, bipartition, pooled, probability, ranking, top

Needs = Literal["scores", "decisions", "probabilities"]


@dataclass(frozen=True)
class Metric:
    """One row of the registry.

    Attributes
    ----------
    name : str
        Name of the function; that of a metric at k ends in ``_at_k``.
    function : callable
        Called with truth and scores, decisions or probabilities.
    direction : {"higher", "lower"}
        Which values are better.
    needs : {"scores", "decisions", "probabilities"}
        What its second argument is.
    meaning : str
        One line.
    per_class : bool
        Whether ``average=None`` gives one value per label.

    Examples
    --------
    >>> metric_info("hamming_loss").direction
    'lower'
    """

    name: str
    function: Callable[..., Any]
    direction: Literal["higher", "lower"]
    needs: Needs
    meaning: str
    per_class: bool = False

    def takes(self, parameter: str) -> bool:
        """Tell whether the function has this parameter."""
        return parameter in inspect.signature(self.function).parameters


def available() -> tuple[str, ...]:
    """Return the names of all metrics, in the order in which tables show them.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> available()[:2]
    ('instance_average_precision', 'macro_average_precision')
    """
    return tuple(METRICS)


def metric_info(name: str) -> Metric:
    """Look a metric up by name; ``precision_at_3`` finds ``precision_at_k``.

    Parameters
    ----------
    name : str
        One of :func:`available`.

    Returns
    -------
    Metric

    Examples
    --------
    >>> metric_info("hamming_loss").direction
    'lower'
    >>> metric_info("ndcg_at_3").meaning
    'discounted gain of the first 3 labels, over the best possible'
    """
    family, k = split_name(name)
    if family not in METRICS:
        raise UnknownNameError(
            "a metric must be one of dlst.metrics.available(); got "
            f"{name!r}.{known_elsewhere_as(name) or nearest_or_all(name, METRICS)}"
        )
    metric = METRICS[family]
    if k is None:
        return metric
    return replace(metric, name=name, meaning=metric.meaning.replace("first k", f"first {k}"))


_ELSEWHERE = {
    "p": "precision",
    "precision": "precision",
    "ndcg": "ndcg",
    "psp": "propensity_scored_precision",
    "psndcg": "propensity_scored_ndcg",
    "lrap": "instance_average_precision",
    "map": "macro_average_precision",
    "exact_match": "subset_accuracy",
}
"""What papers and other libraries call our metrics."""


def known_elsewhere_as(name: object) -> str:
    """Return a hint at the metric that others call so, after a blank; else nothing.

    Examples
    --------
    >>> known_elsewhere_as("P@3"), known_elsewhere_as("LRAP"), known_elsewhere_as("F1")
    (' Did you mean precision_at_3?', ' Did you mean instance_average_precision?', '')
    """
    other, _, k = str(name).lower().partition("@")
    ours = _ELSEWHERE.get(other, "") + (f"_at_{k}" if k else "")
    return f" Did you mean {ours}?" if split_name(ours)[0] in METRICS else ""


def split_name(name: str) -> tuple[str, int | None]:
    """Split ``precision_at_3`` into ``precision_at_k`` and 3; other names have no k."""
    match = re.fullmatch(r"(\w+_at_)([1-9]\d*)", str(name))
    return (f"{match[1]}k", int(match[2])) if match else (name, None)


def _row(
    needs: Needs,
    function: Callable[..., Any],
    meaning: str,
    *,
    lower: bool = False,
    per_class: bool = False,
) -> Metric:
    direction: Literal["higher", "lower"] = "lower" if lower else "higher"
    return Metric(function.__name__, function, direction, needs, meaning, per_class)


_of_scores, _of_decisions = partial(_row, "scores"), partial(_row, "decisions")
_of_probabilities = partial(_row, "probabilities")

_TABLE: tuple[Metric, ...] = (
    _of_scores(
        average_precision.instance_average_precision,
        "precision at each relevant label, mean over instances (the paper's AP)",
    ),
    _of_scores(
        average_precision.macro_average_precision,
        "average precision of each label's ranking of instances, mean over labels (mAP)",
        per_class=True,
    ),
    _of_scores(
        average_precision.micro_average_precision,
        "average precision of all (instance, label) pairs in one ranking",
    ),
    _of_scores(
        average_precision.eleven_point_average_precision,
        "11-point interpolated average precision, mean over labels (VOC 2007)",
        per_class=True,
    ),
    _of_scores(
        ranking.one_error, "share of instances whose best-ranked label is irrelevant", lower=True
    ),
    _of_scores(
        ranking.coverage,
        "ranks to go down to meet all relevant labels, mean over instances",
        lower=True,
    ),
    _of_scores(
        ranking.ranking_loss,
        "share of (relevant, irrelevant) pairs in the wrong order, mean over instances",
        lower=True,
    ),
    _of_scores(
        ranking.error_set_size,
        "number of (relevant, irrelevant) pairs in the wrong order, mean over instances",
        lower=True,
    ),
    _of_scores(
        ranking.instance_auc,
        "share of (relevant, irrelevant) pairs in the right order, mean over instances",
    ),
    _of_scores(ranking.macro_auc, "area under the ROC curve, mean over labels", per_class=True),
    _of_scores(ranking.micro_auc, "area under the ROC curve of all (instance, label) pairs"),
    _of_decisions(
        pooled.micro_f1, "harmonic mean of precision and recall, of all (instance, label) pairs"
    ),
    _of_decisions(
        pooled.micro_precision,
        "share of predicted labels that are right, of all (instance, label) pairs",
    ),
    _of_decisions(
        pooled.micro_recall,
        "share of true labels that are predicted, of all (instance, label) pairs",
    ),
    _of_decisions(
        bipartition.macro_f1,
        "harmonic mean of precision and recall, mean over labels",
        per_class=True,
    ),
    _of_decisions(
        bipartition.macro_precision,
        "share of predicted labels that are right, mean over labels",
        per_class=True,
    ),
    _of_decisions(
        bipartition.macro_recall,
        "share of true labels that are predicted, mean over labels",
        per_class=True,
    ),
    _of_decisions(
        bipartition.instance_f1, "harmonic mean of precision and recall, mean over instances"
    ),
    _of_decisions(
        bipartition.instance_precision,
        "share of predicted labels that are right, mean over instances",
    ),
    _of_decisions(
        bipartition.instance_recall, "share of true labels that are predicted, mean over instances"
    ),
    _of_decisions(pooled.hamming_loss, "share of wrong entries", lower=True, per_class=True),
    _of_decisions(pooled.subset_accuracy, "share of instances with every label right"),
    _of_decisions(
        bipartition.jaccard,
        "intersection over union of predicted and true labels, mean over instances",
    ),
    _of_decisions(
        bipartition.macro_jaccard,
        "intersection over union of predicted and true instances, mean over labels",
        per_class=True,
    ),
    _of_scores(top.precision_at_k, "share of relevant labels among the first k"),
    _of_scores(top.ndcg_at_k, "discounted gain of the first k labels, over the best possible"),
    _of_scores(
        top.propensity_scored_precision_at_k,
        "precision among the first k, rare labels weighing more, over the best possible",
    ),
    _of_scores(
        top.propensity_scored_ndcg_at_k,
        "discounted gain of the first k, rare labels weighing more, over the best possible",
    ),
    _of_probabilities(
        probability.log_loss, "mean negative log-likelihood of an entry", lower=True, per_class=True
    ),
    _of_probabilities(
        probability.expected_calibration_error,
        "mean distance between stated probability and observed frequency",
        lower=True,
        per_class=True,
    ),
)

METRICS = {metric.name: metric for metric in _TABLE}
