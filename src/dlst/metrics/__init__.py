"""Truth and scores to numbers; NaN in the truth means "not judged" everywhere."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.metrics._inputs import TopLabels
    from dlst.metrics.average_precision import (
        eleven_point_average_precision,
        instance_average_precision,
        macro_average_precision,
        micro_average_precision,
    )
    from dlst.metrics.bipartition import (
        instance_f1,
        instance_precision,
        instance_recall,
        jaccard,
        macro_f1,
        macro_jaccard,
        macro_precision,
        macro_recall,
    )
    from dlst.metrics.ceiling import top_r_ceiling
    from dlst.metrics.decisions import labels_per_row, threshold_decisions, top_r_decisions
    from dlst.metrics.evaluation import METRIC_GROUPS, evaluate, evaluate_per_class
    from dlst.metrics.pooled import (
        hamming_loss,
        micro_f1,
        micro_precision,
        micro_recall,
        subset_accuracy,
    )
    from dlst.metrics.probability import expected_calibration_error, log_loss
    from dlst.metrics.ranking import (
        coverage,
        error_set_size,
        instance_auc,
        macro_auc,
        micro_auc,
        one_error,
        ranking_loss,
    )
    from dlst.metrics.registry import Metric, available, metric_info
    from dlst.metrics.top import (
        ndcg_at_k,
        precision_at_k,
        propensities,
        propensity_scored_ndcg_at_k,
        propensity_scored_precision_at_k,
    )
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "METRIC_GROUPS",
    "Metric",
    "TopLabels",
    "available",
    "coverage",
    "eleven_point_average_precision",
    "error_set_size",
    "evaluate",
    "evaluate_per_class",
    "expected_calibration_error",
    "hamming_loss",
    "instance_auc",
    "instance_average_precision",
    "instance_f1",
    "instance_precision",
    "instance_recall",
    "jaccard",
    "labels_per_row",
    "log_loss",
    "macro_auc",
    "macro_average_precision",
    "macro_f1",
    "macro_jaccard",
    "macro_precision",
    "macro_recall",
    "metric_info",
    "micro_auc",
    "micro_average_precision",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "ndcg_at_k",
    "one_error",
    "precision_at_k",
    "propensities",
    "propensity_scored_ndcg_at_k",
    "propensity_scored_precision_at_k",
    "ranking_loss",
    "subset_accuracy",
    "threshold_decisions",
    "top_r_ceiling",
    "top_r_decisions",
]
