"""Records as one table: a row for each finished cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from dlst.metrics import metric_info
from dlst.reports.document import Direction

TOP_R, BUDGET, SUITED = "_top_r", "_budget", "_suited"
RULES = {TOP_R: "top r", BUDGET: "rule budget", SUITED: "rule {}"}
"""What a measure of decisions was taken by, where they are not the method's own. A rule that aims
at a measure has the first word of its name."""

LABELLED = "_labelled"
OWN = "own decisions"
IDENTITY = ("data", "method", "title", "split", "seed", "protocol")


def results_frame(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each evaluated cell, failed ones too.

    Columns are what the cell is (``data``, ``method``, ``title``, ``split``, ``seed``,
    ``protocol``), ``data_sha256`` (of which bytes), ``status``, ``message``, the chosen
    ``parameters``, each metric, ``fit_seconds``, ``predict_seconds``, ``tune_seconds`` and
    ``peak_mib``.

    Parameters
    ----------
    records : iterable of mapping
        As :func:`dlst.experiments.run` returns them.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> cell = {"data": "yeast", "method": "dlst", "split": "official", "seed": 0, "protocol": {}}
    >>> cell |= {"parameters": {}, "tuning": "none"}
    >>> record = {"kind": "evaluate", "key": "1", "cell": cell}
    >>> record |= {"title": "DLST", "status": "done", "metrics": {"micro_f1": 0.65}, "rows": {}}
    >>> results_frame([record])["micro_f1"].tolist()
    [0.65]
    """
    rows = [_row(record) for record in records if record.get("kind", "evaluate") == "evaluate"]
    return pd.DataFrame(rows, columns=None if rows else [*IDENTITY, "status"])


def is_better_higher(measure: str) -> bool:
    """Return whether more of a metric is better.

    Parameters
    ----------
    measure : str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_better_higher("micro_f1_top_r"), is_better_higher("hamming_loss")
    (True, False)
    """
    return metric_info(plain_measure(measure)).direction == "higher"


def plain_measure(measure: str) -> str:
    """Return the metric of a measure, without the rule that it was taken by.

    Examples
    --------
    >>> plain_measure("micro_f1_top_r"), plain_measure("macro_f1_suited")
    ('micro_f1', 'macro_f1')
    """
    for suffix in (*RULES, LABELLED):
        measure = measure.removesuffix(suffix)
    return measure


def rule_of(measure: str) -> str | None:
    """Say what the decisions of a measure were made by, where they are not the method's own.

    Examples
    --------
    >>> rule_of("macro_f1_suited"), rule_of("macro_f1_budget"), rule_of("macro_f1")
    ('rule macro', 'rule budget', None)
    """
    aim = measure.partition("_")[0]
    found = (words for suffix, words in RULES.items() if measure.endswith(suffix))
    return next((words.format(aim) for words in found), None)


def measure_title(measure: str) -> str:
    """Name a metric for people.

    Parameters
    ----------
    measure : str

    Returns
    -------
    str

    Examples
    --------
    >>> measure_title("micro_f1")
    'Micro-F1'
    """
    name = plain_measure(measure).replace("_", " ")
    name = name.replace("average precision", "AP").replace(" f1", "-F1").replace(" auc", " AUC")
    name = name[0].upper() + name[1:]
    if measure.endswith(LABELLED):
        return f"{name}, rows with labels"
    rule = rule_of(measure)
    return name if rule is None else f"{name}, {rule}"


def direction_of(measure: str) -> Direction:
    """Say which values of a measure are better, as tables do."""
    return "higher" if is_better_higher(measure) else "lower"


def measure_words(measure: str) -> str:
    """Name a measure in a sentence.

    Examples
    --------
    >>> measure_words("micro_f1"), measure_words("micro_f1_top_r")
    ('micro-F1 (own decisions)', 'micro-F1 (top r)')
    """
    name, _, rule = measure_heading(measure.removesuffix(LABELLED)).partition(", ")
    name = name if name.startswith("Hamming") else name[0].lower() + name[1:]
    return f"{name} ({rule})" if rule else name


def measure_heading(measure: str) -> str:
    """Name a measure above a table; one of decisions says whose they are.

    Examples
    --------
    >>> measure_heading("micro_f1"), measure_heading("macro_auc")
    ('Micro-F1, own decisions', 'Macro AUC')
    """
    title = measure_title(measure)
    own = metric_info(plain_measure(measure)).needs == "decisions" and rule_of(measure) is None
    return f"{title}, {OWN}" if own else title


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    cell = record["cell"]
    seconds = record.get("seconds") or {}
    return {
        "data": cell["data"],
        "method": cell["method"],
        "title": record_title(record),
        "split": cell["split"],
        "seed": cell["seed"],
        "protocol": _settings(cell["protocol"]),
        "data_sha256": record.get("data_sha256") or "",
        "status": record["status"],
        "message": record.get("message"),
        "decision": record.get("decision"),
        "tau": record.get("tau"),
        "parameters": json.dumps(record.get("parameters") or {}, sort_keys=True),
        **(record.get("metrics") or {}),
        **{f"{part}_seconds": seconds.get(part) for part in ("fit", "predict", "tune")},
        "peak_mib": record.get("peak_mib"),
    }


def record_title(record: Mapping[str, Any]) -> str:
    """Name the method of a cell: as its record does, else by its name and parameters."""
    cell = record["cell"]
    settings = f" ({_settings(cell['parameters'])})" if cell["parameters"] else ""
    return str(record.get("title") or f"{cell['method']}{settings}")


def _settings(mapping: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(mapping.items()))
