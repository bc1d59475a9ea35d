"""The execution of one cell: data, rows, parameters, fit, measures."""

from __future__ import annotations

import json
import time
import warnings
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from dlst.data import Dataset, fingerprint, load
from dlst.decisions.label_sets import calibration_error
from dlst.errors import DataError
from dlst.experiments.latent_plane import spread_rows
from dlst.experiments.measures import KEPT_OF_RULES, measure, measure_top
from dlst.experiments.plan import Cell
from dlst.experiments.probes.latent_map import map_of
from dlst.experiments.protocols import Rows, rows_of, with_unlabelled
from dlst.experiments.tuning import Tuned, seeded, tuned
from dlst.methods import MultiLabelClassifier, make, method_info
from dlst.metrics import (
    evaluate_per_class,
    instance_average_precision,
    labels_per_row,
    top_r_ceiling,
)

MOST_ROWS_KEPT = 1000
"""Of more test rows with an AP of their own a record keeps so many, at even distances."""

FOR_ALL = ("decision", "tau")
"""What a protocol fixes for all methods."""

PER_LABEL_SCORES = ("macro_average_precision", "eleven_point_average_precision")
PER_LABEL_DECISIONS = ("macro_precision", "macro_recall", "macro_f1")


def carry_out(cell: Cell, chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Fit and measure a cell; ``chosen`` are parameters that were tuned before.

    The answer has ``parameters`` (all that differ from the method's defaults), what was ``tried``,
    ``metrics``, ``seconds``, ``rows``, ``split``, ``warnings``, and what the protocol asks for.
    """
    rows, facts = _rows_and_facts(cell)
    choice, tuning_seconds = Tuned(dict(chosen or {}), []), 0.0
    if cell.tuning == "cell":
        choice, tuning_seconds = _tuned(cell, rows)
    parameters = {**_fixed(cell, rows), **choice.parameters}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        measured = _measured(cell, parameters, rows)
    measured["seconds"] = {"tune": tuning_seconds, **measured["seconds"]}
    return {
        "parameters": parameters,
        "tried": choice.tried,
        **measured,
        **facts,
        "warnings": _counted(caught),
    }


def choose_parameters(cell: Cell) -> dict[str, Any]:
    """Tune a cell's method on its training rows; what ``tuning="once"`` does first."""
    rows, facts = _rows_and_facts(cell)
    choice, seconds = _tuned(cell, rows)
    return {**choice._asdict(), "seconds": {"tune": seconds}, **facts}


def _tuned(cell: Cell, rows: Rows) -> tuple[Tuned, float]:
    started = time.perf_counter()
    choice = tuned(cell.method, rows.train, _fixed(cell, rows), cell.seed)
    return choice, round(time.perf_counter() - started, 4)


def _fixed(cell: Cell, rows: Rows) -> dict[str, Any]:
    """Return the parameters that are not tuned.

    Features of a table are on a scale already. The prior correction is the same for all methods,
    and so is the rule where the protocol names one.
    """
    fixed = {"tau": 0.0} | {key: cell.protocol[key] for key in FOR_ALL if key in cell.protocol}
    if rows.is_scaled and "scaling" in make(cell.method).get_params(deep=False):
        fixed["scaling"] = "none"
    return {**fixed, **cell.parameters}


def _measured(cell: Cell, parameters: Mapping[str, Any], rows: Rows) -> dict[str, Any]:
    model = seeded(cell.method, parameters, cell.seed)
    train, test = rows.train, rows.test
    if cell.protocol.get("transductive") and method_info(cell.method).takes_unlabelled:
        train = with_unlabelled(train, test)
    clock = [time.perf_counter()]
    model.fit(train.X, train.Y)
    clock.append(time.perf_counter())
    decided, P, S = model.predict_all(test.X)
    clock.append(time.perf_counter())
    fit, predict = np.diff(clock)
    # Top r needs the mean number of labels, which is known also where single labels are missing.
    r = min(labels_per_row(cardinality=rows.complete_cardinality), test.n_labels)
    by_rules = _by_rules(model, test.X, r)
    found = measure(test.Y, decided, P, S, r, by_rules)
    decision, tau = model.decided_by()
    measured: dict[str, Any] = {
        "metrics": {
            **found.flat,
            **measure_top(test.Y, S, model.prevalence_, len(model.training_rows_)),
        },
        "decision": decision,
        "tau": tau,
        "rules": found.rules if cell.protocol.get("rules") else {},
        "seconds": {"fit": round(float(fit), 4), "predict": round(float(predict), 4)},
    }
    if measured["rules"] and model.learnt_rules():
        measured["set_calibration"] = _set_calibration(model, test)
    if cell.protocol.get("per_label"):
        measured["labels"] = _label_by_label(rows, P, S, decided, r)
    if cell.protocol.get("per_row"):
        measured["row_ap"] = _row_by_row(test, S)
    if redraws := cell.protocol.get("redraws"):
        measured["redrawn"] = _redrawn(redraws, test.Y, decided, P, S, r, by_rules)
    asked = cell.protocol.get("map")
    if asked is not None and asked.get("method", cell.method) == cell.method:
        whole, _ = _loaded(cell.data, json.dumps(cell.protocol.get("options", {})))
        measured["answers"] = {"map": map_of(model, whole, rows.drawn, asked)}
    return measured


def _redrawn(
    redraws: int, Y: Any, decided: Any, P: Any, S: Any, r: int, by_rules: Mapping[str, Any]
) -> dict[str, list[float | None]]:
    """Measure on samples of the rows, the same for all methods: their differences are paired."""
    rng, n = np.random.default_rng(0), Y.shape[0]
    values = []
    for _ in range(redraws):
        rows = rng.integers(0, n, size=n)
        decisions = {rule: by_rules[rule][rows] for rule in KEPT_OF_RULES if rule in by_rules}
        found = measure(Y[rows], decided[rows], P[rows], S[rows], r, decisions, KEPT_OF_RULES)
        values.append(found.flat)
    return {str(name): _rounded(each) for name, each in pd.DataFrame(values).items()}


def _by_rules(model: MultiLabelClassifier, X: Any, r: int) -> dict[str, Any]:
    """Decide by the rules that the model has learnt; one for another number of labels is none."""
    if not model.learnt_rules():
        return {}
    budget = model.decisions_.rules_["budget"]
    found = model.predict_by_rules(X)
    return found if budget.r_ == r else {k: v for k, v in found.items() if k != "budget"}


def _set_calibration(model: MultiLabelClassifier, test: Dataset) -> dict[str, float]:
    """Compare what the likeliest label sets are said to be right with how often they are."""
    top = model.predict_sets(test.X, k=1)
    wrong = abs(top.sets[top.indices[:, 0]] - test.Y).sum(axis=1)
    said = top.probabilities[:, 0]
    error = calibration_error(said, np.asarray(wrong).ravel() == 0, np.ones(len(said)))
    return {
        "left_out": round(model.decisions_.rule("subset").calibration_error_, 6),
        "test": round(error, 6),
        "mean_confidence": round(float(said.mean()), 6),
    }


def _row_by_row(test: Dataset, S: Any) -> list[float | None]:
    """Return the average precision of each test row; None of rows without a label."""
    each = np.asarray(instance_average_precision(test.Y, S, empty="skip", average=None))
    return _rounded(each[spread_rows(len(each), MOST_ROWS_KEPT)])


def _label_by_label(rows: Rows, P: Any, S: Any, decided: Any, r: int) -> dict[str, Any]:
    """Return lists with a value for each label; None where a measure says nothing."""
    train, test = rows.train, rows.test
    by_score = evaluate_per_class(test.Y, P, PER_LABEL_SCORES)
    # A label that no test row has is ranked neither well nor badly.
    by_score = by_score.where(by_score["n_positive"] > 0).fillna({"n_positive": 0})
    own = evaluate_per_class(test.Y, metrics=PER_LABEL_DECISIONS, Y_pred=decided)
    by_rank = evaluate_per_class(test.Y, S, PER_LABEL_DECISIONS, r=r)
    own = own.drop(columns=["n_positive", "n_judged"])
    by_rank = by_rank.drop(columns=["n_positive", "n_judged"]).add_suffix("_top_r")
    columns = pd.concat([by_score, own, by_rank], axis=1).rename(
        columns={
            "eleven_point_average_precision": "average_precision_11",
            "n_positive": "test_positives",
        }
    )
    positives = [(part.Y == 1).astype(float) for part in (train, test)]
    counts = np.sum([part.sum(axis=0) for part in positives], axis=0)
    beside = np.sum([part.T @ part.sum(axis=1) for part in positives], axis=0)
    return {
        "names": list(train.label_names),
        "train_positives": [int(count) for count in positives[0].sum(axis=0)],
        "concurrent": _rounded(beside / np.maximum(counts, 1) - (counts > 0)),
        **{name: _rounded(values) for name, values in columns.items() if name != "n_judged"},
    }


def _rounded(values: Any) -> list[float | None]:
    return [None if not np.isfinite(value) else round(float(value), 6) for value in values]


@lru_cache(maxsize=1)
def _drawn(data: str, split: str, seed: int, protocol: str) -> tuple[Rows, dict[str, Any]]:
    """Draw rows once for all methods that are measured on them."""
    given = json.loads(protocol)
    whole, data_sha256 = _loaded(data, json.dumps(given.get("options", {})))
    rows = rows_of(whole, split, seed, given)
    if not rows.train.n_features:
        raise DataError(
            f"{whole.name}: has labels only; a method needs features. A protocol with "
            '"simulate" draws some.'
        )
    facts = {"rows": _facts(rows), "split": rows.split, "data_sha256": data_sha256}
    return rows, facts


def _rows_and_facts(cell: Cell) -> tuple[Rows, dict[str, Any]]:
    return _drawn(cell.data, cell.split, cell.seed, json.dumps(dict(cell.protocol)))


def _facts(rows: Rows) -> dict[str, Any]:
    train, test = rows.train, rows.test
    r = min(labels_per_row(cardinality=rows.complete_cardinality), train.n_labels)
    prior = np.tile(np.asarray(train.Y.mean(axis=0)).ravel(), (test.n_samples, 1))
    known = not np.isnan(train.Y.data).any()
    best = top_r_ceiling(test.Y, r)
    return {
        "n_train": train.n_samples,
        "n_test": test.n_samples,
        "n_features": train.n_features,
        "n_labels": train.n_labels,
        "cardinality": round(train.cardinality, 6),
        "cardinality_complete": round(rows.complete_cardinality, 6),
        "effective_missing": rows.effective_missing,
        "simulated": "simulated" in " ".join(train.provenance.notes),
        "ceiling": {
            **{f"micro_f1_{by}": best["micro_f1"] for by in ("top_r", "budget")},
            **{f"macro_f1_{by}": best["macro_f1_upper_bound"] for by in ("top_r", "budget")},
        },
        "floor": measure(test.Y, prior >= 0.5, prior, prior, r).flat if known else {},
    }


@lru_cache(maxsize=2)
def _loaded(name: str, options: str) -> tuple[Dataset, str]:
    given = json.loads(options)
    # Whoever knew the bytes before can tell by those after whether they changed on the way.
    return load(name, download=False, raw=True, **given), fingerprint(name, given)


def _counted(caught: list[warnings.WarningMessage]) -> list[str]:
    counts = Counter(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    return [text if count == 1 else f"{text} ({count} times)" for text, count in counts.items()]
