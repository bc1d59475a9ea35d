"""Every metric by name: what it means, which way is better, and what it needs."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

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
    """Give the names of all metrics, in the order in which tables show them.

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
        near = difflib.get_close_matches(str(name), METRICS, n=3) or list(METRICS)[:3]
        raise UnknownNameError(
            f"a metric must be one of dlst.metrics.available(); got {name!r}. "
            f"Did you mean {', '.join(near)}?"
        )
    metric = METRICS[family]
    if k is None:
        return metric
    return replace(metric, name=name, meaning=metric.meaning.replace("first k", f"first {k}"))


def split_name(name: str) -> tuple[str, int | None]:
    """Split ``precision_at_3`` into ``precision_at_k`` and 3; other names have no k."""
    match = re.fullmatch(r"(\w+_at_)([1-9]\d*)", str(name))
    return (f"{match[1]}k", int(match[2])) if match else (name, None)


_TABLE: tuple[Metric, ...] = (
    Metric(
        "instance_average_precision",
        average_precision.instance_average_precision,
        "higher",
        "scores",
        "precision at each relevant label, mean over instances (the paper's AP)",
    ),
    Metric(
        "macro_average_precision",
        average_precision.macro_average_precision,
        "higher",
        "scores",
        "average precision of each label's ranking of instances, mean over labels (mAP)",
        per_class=True,
    ),
    Metric(
        "micro_average_precision",
        average_precision.micro_average_precision,
        "higher",
        "scores",
        "average precision of all (instance, label) pairs in one ranking",
    ),
    Metric(
        "eleven_point_average_precision",
        average_precision.eleven_point_average_precision,
        "higher",
        "scores",
        "11-point interpolated average precision, mean over labels (VOC 2007)",
        per_class=True,
    ),
    Metric(
        "one_error",
        ranking.one_error,
        "lower",
        "scores",
        "share of instances whose best-ranked label is irrelevant",
    ),
    Metric(
        "coverage",
        ranking.coverage,
        "lower",
        "scores",
        "ranks to go down to meet all relevant labels, mean over instances",
    ),
    Metric(
        "ranking_loss",
        ranking.ranking_loss,
        "lower",
        "scores",
        "share of (relevant, irrelevant) pairs in the wrong order, mean over instances",
    ),
    Metric(
        "error_set_size",
        ranking.error_set_size,
        "lower",
        "scores",
        "number of (relevant, irrelevant) pairs in the wrong order, mean over instances",
    ),
    Metric(
        "instance_auc",
        ranking.instance_auc,
        "higher",
        "scores",
        "share of (relevant, irrelevant) pairs in the right order, mean over instances",
    ),
    Metric(
        "macro_auc",
        ranking.macro_auc,
        "higher",
        "scores",
        "area under the ROC curve, mean over labels",
        per_class=True,
    ),
    Metric(
        "micro_auc",
        ranking.micro_auc,
        "higher",
        "scores",
        "area under the ROC curve of all (instance, label) pairs",
    ),
    Metric(
        "micro_f1",
        pooled.micro_f1,
        "higher",
        "decisions",
        "harmonic mean of precision and recall, of all (instance, label) pairs",
    ),
    Metric(
        "micro_precision",
        pooled.micro_precision,
        "higher",
        "decisions",
        "share of predicted labels that are right, of all (instance, label) pairs",
    ),
    Metric(
        "micro_recall",
        pooled.micro_recall,
        "higher",
        "decisions",
        "share of true labels that are predicted, of all (instance, label) pairs",
    ),
    Metric(
        "macro_f1",
        bipartition.macro_f1,
        "higher",
        "decisions",
        "harmonic mean of precision and recall, mean over labels",
        per_class=True,
    ),
    Metric(
        "macro_precision",
        bipartition.macro_precision,
        "higher",
        "decisions",
        "share of predicted labels that are right, mean over labels",
        per_class=True,
    ),
    Metric(
        "macro_recall",
        bipartition.macro_recall,
        "higher",
        "decisions",
        "share of true labels that are predicted, mean over labels",
        per_class=True,
    ),
    Metric(
        "instance_f1",
        bipartition.instance_f1,
        "higher",
        "decisions",
        "harmonic mean of precision and recall, mean over instances",
    ),
    Metric(
        "instance_precision",
        bipartition.instance_precision,
        "higher",
        "decisions",
        "share of predicted labels that are right, mean over instances",
    ),
    Metric(
        "instance_recall",
        bipartition.instance_recall,
        "higher",
        "decisions",
        "share of true labels that are predicted, mean over instances",
    ),
    Metric(
        "hamming_loss",
        pooled.hamming_loss,
        "lower",
        "decisions",
        "share of wrong entries",
        per_class=True,
    ),
    Metric(
        "subset_accuracy",
        pooled.subset_accuracy,
        "higher",
        "decisions",
        "share of instances with every label right",
    ),
    Metric(
        "jaccard",
        bipartition.jaccard,
        "higher",
        "decisions",
        "intersection over union of predicted and true labels, mean over instances",
    ),
    Metric(
        "macro_jaccard",
        bipartition.macro_jaccard,
        "higher",
        "decisions",
        "intersection over union of predicted and true instances, mean over labels",
        per_class=True,
    ),
    Metric(
        "precision_at_k",
        top.precision_at_k,
        "higher",
        "scores",
        "share of relevant labels among the first k",
    ),
    Metric(
        "ndcg_at_k",
        top.ndcg_at_k,
        "higher",
        "scores",
        "discounted gain of the first k labels, over the best possible",
    ),
    Metric(
        "propensity_scored_precision_at_k",
        top.propensity_scored_precision_at_k,
        "higher",
        "scores",
        "precision among the first k, rare labels weighing more, over the best possible",
    ),
    Metric(
        "propensity_scored_ndcg_at_k",
        top.propensity_scored_ndcg_at_k,
        "higher",
        "scores",
        "discounted gain of the first k, rare labels weighing more, over the best possible",
    ),
    Metric(
        "log_loss",
        probability.log_loss,
        "lower",
        "probabilities",
        "mean negative log-likelihood of an entry",
        per_class=True,
    ),
    Metric(
        "expected_calibration_error",
        probability.expected_calibration_error,
        "lower",
        "probabilities",
        "mean distance between stated probability and observed frequency",
        per_class=True,
    ),
)

METRICS = {metric.name: metric for metric in _TABLE}
