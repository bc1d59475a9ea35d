"""The gain of each class by one method over another, against the labels that occur beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dlst.reports.class_scores import by_class, correlation, fact_of_class, gains
from dlst.reports.document import Block, Chart, Series, Table, TableCell, TableColumn
from dlst.reports.score_blocks import number, percent_cell
from dlst.reports.words import anchor, listed

MOST_BARS = 101
"""More classes than these are drawn as groups of neighbours."""

N_GROUPS = 5


def class_gains(part: pd.DataFrame, ours: str, other: str) -> pd.DataFrame:
    """Return a row for each class that has a gain, the one with fewest concurrent labels first.

    Parameters
    ----------
    part : DataFrame
        Of one data set, from :func:`~dlst.reports.class_scores.class_frame`.
    ours, other : str
        Names of methods.

    Returns
    -------
    DataFrame
        ``gain`` in AP, ``concurrent`` labels, ``frequency`` in training, and the AP of ``ours`` and
        ``theirs``.
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

    Parameters
    ----------
    name, title : str
        For names of blocks, and of the data set.
    ours : str
        Title of the method that gains.
    tables : mapping of str to DataFrame
        By title of the other method, from :func:`class_gains`.
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
            levels={"no gain": 0.0},
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
    rows = []
    for group in _neighbours(table, min(N_GROUPS, len(table))):
        share = (group["gain"] > 0).mean()
        rows.append(
            [
                TableCell(_range(group), float(group["concurrent"].mean())),
                TableCell(str(len(group)), float(len(group))),
                number(group["ours"].mean()),
                number(group["theirs"].mean()),
                TableCell(signed_gain(group["gain"].mean()), float(group["gain"].mean())),
                percent_cell(share),
            ]
        )
    titles = ["concurrent labels", "classes", f"AP of {ours}", "AP of the other", "mean gain"]
    columns = [TableColumn(each) for each in [*titles, "classes that gain"]]
    return Table(name, f"{title}, in groups of classes", columns, rows)


def _neighbours(table: pd.DataFrame, n_groups: int) -> list[pd.DataFrame]:
    return [table.iloc[rows] for rows in np.array_split(np.arange(len(table)), max(n_groups, 1))]


def _range(group: pd.DataFrame) -> str:
    return f"{group['concurrent'].min():.2f} to {group['concurrent'].max():.2f}"


def _hover(label: Any, row: pd.Series) -> str:
    return (
        f"{label}: {signed_gain(row['gain'])} ({row['ours']:.3f} against {row['theirs']:.3f}), "
        f"{row['concurrent']:.2f} concurrent labels, {row['frequency']:.0f} training rows"
    )


def signed_gain(value: float) -> str:
    """Write a gain with its sign."""
    return f"{value:+.3f}"
