"""The gain of each class by one method over another, against the labels that occur beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dlst.reports.cells import columns, number, share, signed
from dlst.reports.class_scores import by_class, correlation, fact_of_class, gains
from dlst.reports.document import Block, Chart, Series, Table, TableCell
from dlst.reports.words import anchor, listed

MOST_BARS = 101
"""More classes than these are drawn as groups of neighbours."""

N_GROUPS = 5


def class_gains(part: pd.DataFrame, ours: str, other: str) -> pd.DataFrame:
    """Return a row for each class that has a gain, the one with fewest concurrent labels first.

    ``part`` is one data set of :func:`~dlst.reports.class_scores.class_frame`. Columns are the
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
