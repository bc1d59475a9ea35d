"""The probe "examples": label sets that regression, neighbours and codes give to the same rows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from dlst._matrices import BoolArray, FloatArray
from dlst.data import Dataset
from dlst.errors import DataError
from dlst.experiments.latent_plane import grey_pixels, spread_rows
from dlst.experiments.protocols import rows_of
from dlst.experiments.tuning import seeded
from dlst.methods import method_info
from dlst.metrics import evaluate, labels_per_row

N_EXAMPLES = 8
SHOWN_METHODS = {
    "dlst1": "regression",
    "dlst2": "neighbours in features",
    "dlst-paper": "neighbours in codes",
    "dlst": "regression and both neighbours",
}
"""Methods, in order, and what their labels come from: the first three are the paper's columns."""

PAPERS_CHOICE = "dlst-paper"
"""The method whose label sets the paper calls the most comprehensive."""

MEASURES = {"precision": "micro_precision", "recall": "micro_recall", "exact": "subset_accuracy"}


def examples(data: Dataset, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Fit DLST₁, DLST₂, the paper's DLST and the default, and compare the labels they give.

    Parameters
    ----------
    data : Dataset
        Trained and tested on its official rows, or on random halves.
    settings : mapping
        ``n_examples``: test rows to show, at even distances in the test set, so that nobody picked
        them; ``seed``; ``parameters``: of single methods, by name.

    Returns
    -------
    dict
        ``examples``: row (its place among the test rows), ``truth``, ``unknown`` (labels that are
        not judged) and, by method, ``given`` labels, as numbers, and ``image``, rows of ink from 0
        to 255, or None; ``methods``: for each, over all test rows, labels ``given`` to a row and
        how many are ``right``, ``precision``, ``recall`` and share of ``exact`` matches by its own
        decisions, ``recall_top_r`` when it gives its best ``r`` labels to every row, and its
        ``lead`` over the paper's choice in right labels of a row (mean difference and standard
        error).
    """
    if not data.n_features:
        raise DataError(f"{data.name}: has labels only; a method needs features.")
    seed = settings.get("seed", 0)
    rows = rows_of(data, "auto", seed, {})
    train, test = rows.train, rows.test
    r = min(labels_per_row(train.Y), data.n_labels)
    labels = test.Y.toarray()
    given, recall_top_r, seconds = {}, {}, {}
    for name in SHOWN_METHODS:
        model = seeded(name, settings.get("parameters", {}).get(name, {}), seed)
        started = time.perf_counter()
        model.fit(train.X, train.Y)
        given[name] = model.predict(test.X).toarray() == 1
        seconds[name] = round(time.perf_counter() - started, 3)
        by_rank = evaluate(labels, model.decision_function(test.X), ("micro_recall",), r=r)
        recall_top_r[name] = round(by_rank["micro_recall"], 5)
    truth, unknown = labels == 1, np.isnan(labels)
    images = grey_pixels(test)
    chosen = spread_rows(test.n_samples, settings.get("n_examples", N_EXAMPLES))
    return {
        "data": data.name,
        "split": rows.split,
        "n_train": train.n_samples,
        "n_test": test.n_samples,
        "label_names": list(test.label_names),
        "cardinality": round(float(truth.sum(axis=1).mean()), 5),
        "r": r,
        "papers_choice": PAPERS_CHOICE,
        "methods": [
            {
                "name": name,
                "title": method_info(name).title,
                "source": source,
                **_judged(labels, given[name], given[PAPERS_CHOICE]),
                "recall_top_r": recall_top_r[name],
                "seconds": seconds[name],
            }
            for name, source in SHOWN_METHODS.items()
        ],
        "examples": [
            {
                "row": int(row),
                "truth": np.flatnonzero(truth[row]).tolist(),
                "unknown": np.flatnonzero(unknown[row]).tolist(),
                "given": {name: np.flatnonzero(given[name][row]).tolist() for name in given},
                "image": None if images is None else images[row].tolist(),
            }
            for row in chosen
        ],
    }


def _judged(labels: FloatArray, given: BoolArray, papers: BoolArray) -> dict[str, Any]:
    truth, known = labels == 1, ~np.isnan(labels)
    found = evaluate(labels, metrics=tuple(MEASURES.values()), Y_pred=given)
    difference = (given & truth).sum(axis=1) - (papers & truth).sum(axis=1)
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.inf
    return {
        "given": round(float((given & known).sum(axis=1).mean()), 5),
        "right": round(float((given & truth).sum(axis=1).mean()), 5),
        **{key: round(found[name], 5) for key, name in MEASURES.items()},
        "lead": round(float(difference.mean()), 5),
        "lead_error": round(float(error), 5) if np.isfinite(error) else None,
    }
