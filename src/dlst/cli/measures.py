"""A model measured on data: rankings, its own decisions, and the paper's top-r rule."""

from __future__ import annotations

from typing import Any

from dlst.data import Dataset
from dlst.metrics import evaluate, labels_per_row, top_r_ceiling

RANKING = ("instance_average_precision", "one_error", "coverage", "ranking_loss")
BY_LABEL = ("macro_average_precision", "micro_average_precision", "macro_auc")
PROBABILITY = ("log_loss", "expected_calibration_error")
DECISION = ("micro_f1", "macro_f1", "instance_f1", "hamming_loss", "subset_accuracy", "jaccard")
TOP_R = ("micro_f1", "macro_f1")


def measure(model: Any, data: Dataset) -> dict[str, Any]:
    """Return metrics by group: ``scores``, ``decisions``, ``top_r``, and the top-r ceiling.

    Rankings within a row are those of ``decision_function``; within a label those of
    ``predict_proba``. r is the cardinality of the training labels, rounded up.
    """
    decided, P, scores = model.predict_all(data.X)
    r = min(labels_per_row(cardinality=float(model.prevalence_.sum())), data.n_labels)
    return {
        "scores": {
            **evaluate(data.Y, scores, RANKING),
            **evaluate(data.Y, P, (*BY_LABEL, *PROBABILITY)),
        },
        "decisions": evaluate(data.Y, None, DECISION, Y_pred=decided),
        "top_r": {"r": r, **evaluate(data.Y, scores, TOP_R, r=r)},
        "top_r_ceiling": top_r_ceiling(data.Y, r),
    }
