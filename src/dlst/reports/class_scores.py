"""Records with values of single classes, as a table; means over runs, gains and correlations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from dlst.reports.frames import record_title
from dlst.reports.run import Run
from dlst.reports.words import data_title, setting_words

RUN = ["setting", "split", "seed"]
FACTS = {"train_positives", "test_positives", "concurrent"}
"""What a record says of a class beside its measures."""


class Correlation(NamedTuple):
    """Spearman's rank correlation, its p-value and the number of classes."""

    rho: float
    p: float
    n: int

    def __str__(self) -> str:
        """Write it as a sentence does."""
        p = f"p = {self.p:.3f}" if self.p >= 0.001 else "p < .001"
        return f"{self.rho:+.2f}, {p}"


def class_frame(run: Run) -> pd.DataFrame:
    """Return a row for each class of each finished cell that recorded its classes.

    Columns are ``data``, ``shown`` (its title), ``setting``, ``method``, ``title``,
    ``split``, ``seed``, ``label``, and the lists of the record's ``labels``, as numbers with NaN
    where a class has no value. A class without a test row has no measures, whatever a record says.
    """
    done = [each for each in run.evaluated if each["status"] == "done" and each.get("labels")]
    frames = [_of_record(record) for record in done]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def by_class(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Average a column over runs: classes × methods, both in order of appearance."""
    means = frame.groupby(["label", "method"], sort=False)[column].mean().unstack("method")
    return means.reindex(index=frame["label"].unique(), columns=frame["method"].unique())


def fact_of_class(frame: pd.DataFrame, column: str) -> pd.Series:
    """Average over all cells what does not depend on the method, such as a frequency."""
    return frame.groupby("label", sort=False)[column].mean()


def over_classes(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Average a column over classes, then over runs: ``mean`` and ``std`` of each method."""
    runs = frame.groupby(["method", *RUN], sort=False)[column].mean()
    return runs.groupby("method", sort=False).agg(["mean", "std"])


def gains(frame: pd.DataFrame, ours: str, theirs: str) -> pd.Series:
    """Subtract another method's AP of each class, run by run, and average; NaN where undefined."""
    runs = frame.set_index([*RUN, "label", "method"])["average_precision"].unstack("method")
    difference = (runs[ours] - runs[theirs]).groupby("label").mean()
    return difference.reindex(frame["label"].unique())


def correlation(a: pd.Series, b: pd.Series) -> Correlation | None:
    """Correlate the ranks of two values of classes; None where there is nothing to rank."""
    pairs = pd.concat([a, b], axis=1).dropna()
    if len(pairs) < 3 or (pairs.nunique() < 2).any():
        return None
    found = spearmanr(pairs.iloc[:, 0], pairs.iloc[:, 1])
    return Correlation(float(found.statistic), float(found.pvalue), len(pairs))


def _of_record(record: Any) -> pd.DataFrame:
    cell, labels = record["cell"], dict(record["labels"])
    names = [str(name) for name in labels.pop("names")]
    values = {key: np.array(column, dtype=np.float64) for key, column in labels.items()}
    tested = values["test_positives"] > 0
    for key in values.keys() - FACTS:
        values[key] = np.where(tested, values[key], np.nan)
    return pd.DataFrame(
        {
            "data": cell["data"],
            "shown": data_title(cell["data"], bool((record.get("rows") or {}).get("simulated"))),
            "setting": setting_words(cell["protocol"]),
            "method": cell["method"],
            "title": record_title(record),
            "split": cell["split"],
            "seed": cell["seed"],
            "label": names,
            **values,
        }
    )
