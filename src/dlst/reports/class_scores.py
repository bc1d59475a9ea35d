"""Scores of single classes: means over runs, correlations, and gains of one method over another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from dlst.reports.document import Block, Chart, Series, Table, TableCell
from dlst.reports.frames import record_title
from dlst.reports.run import Run
from dlst.reports.words import (
    anchor,
    columns,
    data_title,
    listed,
    number,
    setting_words,
    share,
    signed,
)

RUN = ["setting", "split", "seed"]
FACTS = {"train_positives", "test_positives", "concurrent"}
"""What a record says of a class beside its measures."""

MOST_BARS = 101
"""More classes than these are drawn as groups of neighbours."""

N_GROUPS = 5


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


def titles_in(frame: pd.DataFrame) -> dict[str, str]:
    """Return the titles of the methods by their names, in order of appearance."""
    return dict(zip(frame["method"], frame["title"], strict=True))


def by_class(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Average a column over runs: classes × methods, both in order of appearance."""
    means = frame.groupby(["label", "method"], sort=False)[column].mean().unstack("method")
    return means.reindex(index=frame["label"].unique(), columns=frame["method"].unique())


def fact_of_class(frame: pd.DataFrame, column: str) -> pd.Series:
    """Average over all cells what does not depend on the method, such as a frequency."""
    return frame.groupby("label", sort=False)[column].mean()


def rows_of_class(frame: pd.DataFrame) -> pd.Series:
    """Count the rows that have each class, in training and testing."""
    return fact_of_class(frame, "train_positives") + fact_of_class(frame, "test_positives")


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


def class_gains(part: pd.DataFrame, ours: str, other: str) -> pd.DataFrame:
    """Return a row for each class that has a gain, the one with fewest concurrent labels first.

    ``part`` is one data set of :func:`class_frame`. Columns are the
    ``gain`` in AP, ``concurrent`` labels, ``frequency`` in training, AP of ``ours`` and ``theirs``.
    """
    ap = by_class(part, "average_precision")
    table = pd.DataFrame(
        {
            "gain": gains(part, ours, other),
            "concurrent": fact_of_class(part, "concurrent"),
            "frequency": fact_of_class(part, "train_positives"),
            "ours": ap[ours],
            "theirs": ap[other],
        }
    )
    return table.dropna(subset=["gain", "concurrent"]).sort_values("concurrent", kind="stable")


def gain_blocks(
    name: str, title: str, ours: str, tables: Mapping[str, pd.DataFrame]
) -> list[Block]:
    """Draw gains against concurrent labels and class by class, and group them in tables.

    ``tables`` are those of :func:`class_gains`, by title of the method that ours gains over.
    """
    heading = f"AP gain of each class: {title}"
    related = [
        f"over {other} {correlation(each['concurrent'], each['gain'])}"
        for other, each in tables.items()
    ]
    return [
        Chart(
            f"{name}-scatter",
            f"AP gain against concurrent labels: {title}",
            "scatter",
            "concurrent labels",
            f"AP gain of {ours}",
            [
                Series(
                    f"over {other}",
                    table["concurrent"].tolist(),
                    table["gain"].tolist(),
                    texts=[_hover(label, row) for label, row in table.iterrows()],
                )
                for other, table in tables.items()
            ],
            alternative=f"{heading}, against the number of concurrent labels; {listed(related)}.",
        ),
        Chart(
            f"{name}-bars",
            heading,
            "bars",
            "class, fewest concurrent labels first",
            f"AP gain of {ours}",
            [_bars(f"over {other}", table) for other, table in tables.items()],
            note=f"More than {MOST_BARS} classes are drawn as means of neighbours.",
            alternative=f"{heading}, in order of the number of concurrent labels.",
        ),
        *(
            _groups(f"{heading}, over {other}", anchor(name, other), ours, table)
            for other, table in tables.items()
        ),
    ]


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


def _bars(name: str, table: pd.DataFrame) -> Series:
    if len(table) <= MOST_BARS:
        texts = [_hover(label, row) for label, row in table.iterrows()]
        return Series(name, table.index.tolist(), table["gain"].tolist(), texts=texts)
    groups = _neighbours(table, MOST_BARS // 2)
    return Series(
        name,
        [f"{_range(group)} concurrent, {len(group)} classes" for group in groups],
        [float(group["gain"].mean()) for group in groups],
        texts=[listed(map(str, group.index)) for group in groups],
    )


def _groups(title: str, name: str, ours: str, table: pd.DataFrame) -> Table:
    rows = [
        [
            TableCell(_range(group), float(group["concurrent"].mean())),
            number(len(group), 0),
            number(group["ours"].mean()),
            number(group["theirs"].mean()),
            signed(group["gain"].mean()),
            share((group["gain"] > 0).mean()),
        ]
        for group in _neighbours(table, min(N_GROUPS, len(table)))
    ]
    titles = ["concurrent labels", "classes", f"AP of {ours}", "AP of the other", "mean gain"]
    shown = columns(*titles, "classes that gain")
    return Table(name, f"{title}, in groups of classes", shown, rows)


def _neighbours(table: pd.DataFrame, n_groups: int) -> list[pd.DataFrame]:
    return [table.iloc[rows] for rows in np.array_split(np.arange(len(table)), max(n_groups, 1))]


def _range(group: pd.DataFrame) -> str:
    return f"{group['concurrent'].min():.2f} to {group['concurrent'].max():.2f}"


def _hover(label: Any, row: pd.Series) -> str:
    return (
        f"{label}: {row['gain']:+.3f} ({row['ours']:.3f} against {row['theirs']:.3f}), "
        f"{row['concurrent']:.2f} concurrent labels, {row['frequency']:.0f} training rows"
    )
