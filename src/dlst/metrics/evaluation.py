"""Many metrics at once, over all labels and for each of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from dlst._nearest import did_you_mean
from dlst.metrics._inputs import Pattern, Scores, Truth, as_decisions, as_scores, as_truth
from dlst.metrics._ranks import Convention
from dlst.metrics.decisions import labels_per_row, threshold_decisions, top_r_decisions
from dlst.metrics.registry import METRICS, Metric, known_elsewhere_as, metric_info, split_name

Group = Literal["paper", "ranking", "bipartition", "top", "probability", "all"]

METRIC_GROUPS: dict[str, tuple[str, ...]] = {
    "paper": ("instance_average_precision", "micro_f1", "macro_f1"),
    "ranking": tuple(
        name for name, row in METRICS.items() if row.needs == "scores" and not row.takes("k")
    ),
    "bipartition": tuple(name for name, row in METRICS.items() if row.needs == "decisions"),
    "top": tuple(name for name, row in METRICS.items() if row.takes("k")),
    "probability": tuple(name for name, row in METRICS.items() if row.needs == "probabilities"),
    "all": tuple(METRICS),
}
"""Metrics that belong together."""


def evaluate(
    Y: Any,
    scores: Any = None,
    metrics: Group | str | Sequence[str] = "paper",
    *,
    Y_pred: Any = None,
    threshold: Any = None,
    r: int | None = None,
    cardinality: float | None = None,
    k: Sequence[int] = (1, 3, 5),
    propensities: Any = None,
    convention: Convention = "sklearn",
    sample_weight: Any = None,
    label_weight: Any = None,
) -> dict[str, float]:
    """Compute several metrics.

    Decisions, where a metric needs them, are ``Y_pred`` if given; else the top r labels if
    ``metrics`` is "paper" or if ``r`` or ``cardinality`` is given; else scores that reach
    ``threshold``.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K)
        Truth: 0, 1, and NaN for "not judged".
    scores : array-like, sparse or frame of shape (n, K), or TopLabels
        Not needed for metrics of decisions if ``Y_pred`` is given.
    metrics : {"paper", "ranking", "bipartition", "top", "probability", "all"}, name or list of them
        "paper" is instance AP, micro-F1 and macro-F1 with the top-r rule. "top" has the
        propensity-scored metrics if propensities are given, and "all" has those of probabilities
        if all scores lie in [0, 1]. A list names metrics (``precision_at_k`` for each of ``k``,
        or ``precision_at_3``).
    Y_pred : array-like, sparse or frame of shape (n, K), optional
        Decisions.
    threshold : float or array-like of shape (K,), optional
        For decisions from scores; default: 0.5, with a warning if scores are not probabilities.
    r : int, optional
        Labels of each row; default: ``cardinality`` rounded up, else that of ``Y``.
    cardinality : float, optional
        Mean number of labels of a training row.
    k : sequence of int
        For the metrics at k.
    propensities : array-like of shape (K,), optional
        See :func:`dlst.metrics.propensities`.
    convention : {"sklearn", "mulan"}
        For the metrics that know both.
    sample_weight, label_weight : array-like of shape (n,), of shape (K,), optional
        How often each instance and each label counts: 2 is the same as writing it twice. Rankings
        of a row's labels take no weights of labels, and refuse them.

    Returns
    -------
    dict of str to float
        In the order of :func:`dlst.metrics.available`; :func:`dlst.metrics.metric_info` explains
        each name.

    Examples
    --------
    >>> Y, scores = [[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.6], [0.8, 0.7, 0.1]]
    >>> evaluate(Y, scores)
    {'instance_average_precision': 0.75, 'micro_f1': 0.857..., 'macro_f1': 0.888...}
    >>> evaluate(Y, scores, ["ndcg_at_1", "one_error"])
    {'one_error': 0.5, 'ndcg_at_1': 0.5}
    """
    inputs = _Inputs.check(Y, scores, Y_pred)
    names = _names(metrics, inputs, propensities)
    by_rank = metrics == "paper" or r is not None or cardinality is not None
    if any(metric_info(name).needs == "decisions" for name in names):
        inputs = inputs.decided(by_rank, threshold, r, cardinality)
    given = {"sample_weight": sample_weight, "label_weight": label_weight}
    weights = {name: weight for name, weight in given.items() if weight is not None}
    found: dict[str, float] = {}
    for name in names:
        metric = metric_info(name)
        options: dict[str, Any] = {"convention": convention} if metric.takes("convention") else {}
        options |= _taken(metric, weights)
        if not metric.takes("k"):
            found[name] = float(inputs.call(metric, **options))
            continue
        if metric.takes("propensities"):
            options["propensities"] = propensities
        family, stated_k = split_name(name)
        for places in k if stated_k is None else (stated_k,):
            found[f"{family[:-1]}{places}"] = float(inputs.call(metric, k=places, **options))
    return found


def evaluate_per_class(
    Y: Any,
    scores: Any = None,
    metrics: Sequence[str] | None = None,
    *,
    label_names: Sequence[str] | None = None,
    Y_pred: Any = None,
    threshold: Any = None,
    r: int | None = None,
    cardinality: float | None = None,
    convention: Convention = "sklearn",
) -> pd.DataFrame:
    """Compute the metrics of each label.

    Parameters
    ----------
    Y, scores, Y_pred, threshold, r, cardinality, convention
        As in :func:`evaluate`; decisions come from ``Y_pred``, else from ``r`` or ``cardinality``
        if given, else from ``threshold``.
    metrics : list of str, optional
        Names of metrics that have a value per label; default: all that the input allows.
    label_names : sequence of str, optional
        Default: the columns of the frame ``Y``, else ``label0 …``.

    Returns
    -------
    DataFrame of K rows
        ``n_positive`` and ``n_judged``, then one column per metric, without "macro_". NaN where a
        metric is not defined for the label and left out of the mean.

    Examples
    --------
    >>> evaluate_per_class([[1, 0], [0, 1]], [[0.9, 0.8], [0.1, 0.2]], ["macro_auc"])
            n_positive  n_judged  auc
    label
    label0           1         2  1.0
    label1           1         2  0.0
    """
    inputs = _Inputs.check(Y, scores, Y_pred)
    if metrics is None:
        names = [name for name in _names("all", inputs, None) if metric_info(name).per_class]
    else:
        names = _in_order(metrics)
        pooled = [name for name in names if not metric_info(name).per_class]
        if pooled:
            raise ValueError(
                f"metrics must have a value per label; got {pooled[0]!r}, which has none. "
                f"Choose among {', '.join(n for n, row in METRICS.items() if row.per_class)}."
            )
    if any(metric_info(name).needs == "decisions" for name in names):
        by_rank = r is not None or cardinality is not None
        inputs = inputs.decided(by_rank, threshold, r, cardinality)
    labels = inputs.truth.transposed
    columns: dict[str, Any] = {"n_positive": labels.relevant.counts, "n_judged": labels.n_judged}
    for name in names:
        metric = metric_info(name)
        options: dict[str, Any] = {"convention": convention} if metric.takes("convention") else {}
        columns[name.removeprefix("macro_")] = inputs.call(metric, average=None, **options)
    index = pd.Index(_label_names(label_names, inputs.truth), name="label")
    return pd.DataFrame(columns, index=index)


@dataclass(frozen=True)
class _Inputs:
    truth: Truth
    scores: Scores | None
    decisions: Pattern | None

    @classmethod
    def check(cls, Y: Any, scores: Any, Y_pred: Any) -> _Inputs:
        truth = as_truth(Y)
        return cls(
            truth,
            None if scores is None else as_scores(scores, truth),
            None if Y_pred is None else as_decisions(Y_pred, truth),
        )

    def decided(
        self, by_rank: bool, threshold: Any, r: int | None, cardinality: float | None
    ) -> _Inputs:
        """Return the same with decisions, made from the scores unless given."""
        if self.decisions is not None:
            return self
        if self.scores is None:
            raise ValueError(
                "scores or Y_pred must be given for metrics of decisions; got neither."
            )
        if not by_rank:
            if threshold is None:
                self._warn_of_other_scores()
            chosen = threshold_decisions(self.scores, 0.5 if threshold is None else threshold)
        else:
            if r is None:
                Y = self.truth if cardinality is None else None
                r = min(labels_per_row(Y, cardinality=cardinality), self.truth.shape[1])
            chosen = top_r_decisions(self.scores, r)
        return _Inputs(self.truth, self.scores, as_decisions(chosen, self.truth))

    def call(self, metric: Metric, **options: Any) -> Any:
        given = self.decisions if metric.needs == "decisions" else self.scores
        if given is None:
            raise ValueError(f"{metric.name} needs scores; got scores=None.")
        return metric.function(self.truth, given, **options)

    def _warn_of_other_scores(self) -> None:
        if self.scores is None or self.scores.top_only or self.are_probabilities:
            return
        values = self.scores.values
        warnings.warn(
            f"scores from {values.min():.3g} to {values.max():.3g} are not probabilities, and "
            "labels are decided for from 0.5 on. Give Y_pred=model.predict(X), r=, or threshold= "
            "(0 for logits).",
            stacklevel=4,
        )

    @property
    def are_probabilities(self) -> bool:
        if self.scores is None or self.scores.top_only:
            return False
        values = self.scores.values
        return bool(values.min() >= 0 and values.max() <= 1)


def _taken(metric: Metric, weights: dict[str, Any]) -> dict[str, Any]:
    for name in weights:
        if not metric.takes(name):
            raise ValueError(
                f"{metric.name} does not take {name}. Leave the metric out, or repeat rows."
            )
    return weights


def _names(metrics: str | Sequence[str], inputs: _Inputs, propensities: Any) -> list[str]:
    if isinstance(metrics, str) and split_name(metrics)[0] in METRICS:
        metrics = [metrics]
    if not isinstance(metrics, str):
        names = _in_order(metrics)
        if propensities is None and any(metric_info(name).takes("propensities") for name in names):
            raise ValueError(
                "propensity-scored metrics need propensities; got None. "
                "Pass propensities=dlst.metrics.propensities(Y_train)."
            )
        return names
    if metrics not in METRIC_GROUPS:
        meant = known_elsewhere_as(metrics)
        raise ValueError(
            f"metrics must be one of {', '.join(METRIC_GROUPS)}, or names of metrics; "
            f"got {metrics!r}.{meant or did_you_mean(metrics, [*METRIC_GROUPS, *METRICS])}"
        )
    names = list(METRIC_GROUPS[metrics])
    if propensities is None:
        names = [name for name in names if not METRICS[name].takes("propensities")]
    if metrics == "all":
        if not inputs.are_probabilities:
            names = [name for name in names if METRICS[name].needs != "probabilities"]
        if inputs.scores is None:
            names = [name for name in names if METRICS[name].needs == "decisions"]
    return names


def _in_order(names: Sequence[str]) -> list[str]:
    order = list(METRICS)
    for name in names:
        metric_info(name)
    split = {name: split_name(name) for name in names}
    return sorted(split, key=lambda name: (order.index(split[name][0]), split[name][1] or 0))


def _label_names(label_names: Sequence[str] | None, truth: Truth) -> Sequence[str]:
    K = truth.shape[1]
    if label_names is None:
        return truth.names or [f"label{i}" for i in range(K)]
    if len(label_names) != K:
        raise ValueError(f"label_names must name each of the {K} labels; got {len(label_names)}.")
    return list(label_names)
