"""One cell carried out: data, rows, parameters, fit, measures."""

from __future__ import annotations

import platform
import time
import warnings
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from dlst.data import Dataset, load
from dlst.errors import DataError
from dlst.experiments.plan import Cell
from dlst.experiments.protocols import Rows, rows_of, with_unlabelled
from dlst.experiments.tuning import Tuned, seeded, tuned
from dlst.methods import method_info
from dlst.metrics import (
    evaluate,
    instance_average_precision,
    labels_per_row,
    top_r_ceiling,
)

RANKING = ("instance_average_precision", "one_error", "ranking_loss", "coverage")
BY_LABEL = ("macro_average_precision", "macro_auc")
DECISIONS = ("micro_f1", "macro_f1", "instance_f1", "hamming_loss", "subset_accuracy")
TOP_R = ("micro_f1", "macro_f1")
LABELLED_AP = "instance_average_precision_labelled"
"""Instance AP over rows that have a label; scikit-learn counts the others as 1."""

PACKAGES = ("dlst", "numpy", "scipy", "scikit-learn", "numba")


def carry_out(cell: Cell, chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Fit and measure a cell.

    Parameters
    ----------
    cell : Cell
    chosen : mapping, optional
        Parameters that were tuned before, for ``tuning="once"``.

    Returns
    -------
    dict
        ``parameters`` (all that differ from the method's defaults), ``tuning``, ``metrics``,
        ``seconds``, ``rows``, ``split``, ``warnings``.
    """
    data = _loaded(cell.data)
    rows = rows_of(data, cell.split, cell.seed, cell.protocol)
    if not data.n_features:
        raise DataError(f"{data.name}: has labels only; a method needs features.")
    started = time.perf_counter()
    choice = Tuned(dict(chosen or {}), [])
    if cell.tuning == "cell":
        choice = tuned(cell.method, rows.train, cell.parameters, cell.seed)
    parameters = {**cell.parameters, **choice.parameters}
    tuning_seconds = time.perf_counter() - started
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metrics, seconds = _measured(cell, parameters, rows)
    return {
        "parameters": parameters,
        "tried": choice.tried,
        "metrics": metrics,
        "seconds": {"tune": round(tuning_seconds, 4), **seconds},
        "rows": _facts(rows),
        "split": rows.split,
        "warnings": _told_once(caught),
    }


def choose_parameters(cell: Cell) -> dict[str, Any]:
    """Tune a cell's method on its training rows; what ``tuning="once"`` does first."""
    rows = rows_of(_loaded(cell.data), cell.split, cell.seed, cell.protocol)
    started = time.perf_counter()
    choice = tuned(cell.method, rows.train, cell.parameters, cell.seed)
    return {
        "parameters": choice.parameters,
        "tried": choice.tried,
        "seconds": {"tune": round(time.perf_counter() - started, 4)},
        "rows": _facts(rows),
        "split": rows.split,
    }


def surroundings() -> dict[str, Any]:
    """Name what a record depends on besides its cell."""
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in PACKAGES},
    }


def _measured(
    cell: Cell, parameters: Mapping[str, Any], rows: Rows
) -> tuple[dict[str, float], dict[str, float]]:
    model = seeded(cell.method, parameters, cell.seed)
    train, test = rows.train, rows.test
    if cell.protocol.get("transductive") and method_info(cell.method).takes_unlabelled:
        train = with_unlabelled(train, test)
    clock = [time.perf_counter()]
    model.fit(train.X, train.Y)
    clock.append(time.perf_counter())
    S, P, decided = (
        model.decision_function(test.X),
        model.predict_proba(test.X),
        model.predict(test.X),
    )
    clock.append(time.perf_counter())
    fit, predict = np.diff(clock)
    r = min(labels_per_row(cardinality=float(model.prevalence_.sum())), test.n_labels)
    by_rank = evaluate(test.Y, S, TOP_R, r=r)
    metrics = {
        **evaluate(test.Y, S, RANKING),
        LABELLED_AP: float(instance_average_precision(test.Y, S, empty="skip")),
        **evaluate(test.Y, P, BY_LABEL),
        **evaluate(test.Y, None, DECISIONS, Y_pred=decided),
        **{f"{name}_top_r": value for name, value in by_rank.items()},
        "r": r,
    }
    return metrics, {"fit": round(float(fit), 4), "predict": round(float(predict), 4)}


def _facts(rows: Rows) -> dict[str, Any]:
    train, test = rows.train, rows.test
    r = min(labels_per_row(train.Y), train.n_labels)
    prior = np.tile(np.asarray(train.Y.mean(axis=0)).ravel(), (test.n_samples, 1))
    known = not np.isnan(train.Y.data).any()
    best = top_r_ceiling(test.Y, r)
    floor = {}
    if known:
        floor = evaluate(test.Y, prior, ("instance_average_precision", *TOP_R), r=r)
        floor[LABELLED_AP] = float(instance_average_precision(test.Y, prior, empty="skip"))
    return {
        "n_train": train.n_samples,
        "n_test": test.n_samples,
        "n_features": train.n_features,
        "n_labels": train.n_labels,
        "cardinality": round(train.cardinality, 6),
        "effective_missing": rows.effective_missing,
        "simulated": "simulated" in " ".join(train.provenance.notes),
        "ceiling": {
            "micro_f1_top_r": best["micro_f1"],
            "macro_f1_top_r": best["macro_f1_upper_bound"],
        },
        "floor": {
            name if name not in TOP_R else f"{name}_top_r": value for name, value in floor.items()
        },
    }


@lru_cache(maxsize=2)
def _loaded(name: str) -> Dataset:
    return load(name, download=False)


def _told_once(caught: list[warnings.WarningMessage]) -> list[str]:
    counts = Counter(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    return [text if count == 1 else f"{text} ({count} times)" for text, count in counts.items()]
