"""The gain of each class, against the number of labels that occur beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dlst.methods import method_info
from dlst.reports.document import Block, Cell, Chart, Column, Section, Series, Table, Text
from dlst.reports.items._cells import Records
from dlst.reports.items._class_parts import (
    Correlation,
    best_rival,
    by_class,
    class_frame,
    correlation,
    fact_of_class,
    gains,
)
from dlst.reports.items._parts import number, tuning_sentence
from dlst.reports.items._words import NOTHING, anchor, empty_section, listed, percent
from dlst.reports.score_tables import LEVEL

OURS, VARIANT = "dlst", "dlst1"
MOST_BARS = 101
"""More classes than these are drawn as groups of neighbours."""

N_GROUPS = 5


def classes_sections(records: Records, plan: Mapping[str, Any]) -> list[Section]:
    """Show the AP gain of each class over DLST₁ and over the best rival."""
    parts = class_tables(records)
    if not parts:
        return empty_section("classes", "Gain of each class")
    text = (
        "The gain of a class is DLST's average precision (AP) less the other method's on the same "
        "test rows, averaged over runs; classes without a test positive have none. The concurrent "
        "labels of a class are the other labels of the rows that have it, on average. The paper "
        "says that gains are larger where concurrent labels are few, which is a negative rank "
        f"correlation. {tuning_sentence(records)}"
    )
    claims = Table(
        "classes-claims",
        "Rank correlation (Spearman) of gains with concurrent labels and with frequency",
        [
            Column("data set and rival"),
            Column("classes", "", "that have a gain"),
            Column("mean gain", "higher"),
            Column("classes that gain", "higher"),
            Column("with concurrent labels", "", "negative: larger gains where they are few"),
            Column("the paper's claim", "", f"borne out: negative, p below {LEVEL:g}"),
            Column("with frequency", "", "of the class in the training rows"),
        ],
        [
            _claim_row(f"{title}: over {other}", table)
            for title, _, tables in parts
            for other, table in tables.items()
        ],
    )
    figures = [_section(title, name, tables) for title, name, tables in parts]
    return [Section("classes", "The paper's claim", [Text(text), claims]), *figures]


def classes_verdict(records: Records, plan: Mapping[str, Any]) -> str:
    """Say how much classes gain, and whether the gain falls with concurrent labels."""
    parts = class_tables(records)
    if not parts:
        return NOTHING
    ours = method_info(OURS).title
    gained, related = [], []
    for title, _, tables in parts:
        for other, table in tables.items():
            gained.append(f"{_signed(table['gain'].mean())} over {other} on {title}")
            found = correlation(table["concurrent"], table["gain"])
            judged = "borne out" if _borne_out(found) else "not borne out"
            related.append(f"{judged} over {other} on {title} ({_told(found).text})")
    return (
        f"The mean AP gain of {ours} over all classes is {listed(gained)}. "
        f"That classes with few concurrent labels gain most is, by rank correlation, "
        f"{listed(related)}."
    )


def class_tables(records: Records) -> list[tuple[str, str, dict[str, pd.DataFrame]]]:
    """Give title, name and, for each other method, a table of classes; only where there is one."""
    frame = class_frame(records)
    parts = []
    for name, part in frame.groupby("data", sort=False) if len(frame) else ():
        methods = set(part["method"])
        others = [VARIANT] if VARIANT in methods else []
        rival = best_rival(part)
        others += [] if rival is None else [rival]
        if OURS in methods and others:
            tables = {method_info(other).title: _classes(part, other) for other in others}
            parts.append((str(part["shown"].iloc[0]), str(name), tables))
    return parts


def _classes(part: pd.DataFrame, other: str) -> pd.DataFrame:
    ap = by_class(part, "average_precision")
    table = pd.DataFrame(
        {
            "gain": gains(part, OURS, other),
            "concurrent": fact_of_class(part, "concurrent"),
            "frequency": fact_of_class(part, "train_positives"),
            "ours": ap[OURS],
            "theirs": ap[other],
        }
    )
    return table.dropna(subset=["gain", "concurrent"]).sort_values("concurrent", kind="stable")


def _claim_row(title: str, table: pd.DataFrame) -> list[Cell]:
    if table.empty:
        return [Cell(title), Cell("0", 0.0), *[Cell("—")] * 5]
    beside = correlation(table["concurrent"], table["gain"])
    share = (table["gain"] > 0).mean()
    judged = "—" if beside is None else "borne out" if _borne_out(beside) else "not borne out"
    return [
        Cell(title),
        Cell(str(len(table)), float(len(table))),
        Cell(_signed(table["gain"].mean()), float(table["gain"].mean())),
        Cell(percent(share), float(share)),
        _told(beside),
        Cell(judged),
        _told(correlation(table["frequency"], table["gain"])),
    ]


def _section(title: str, name: str, tables: Mapping[str, pd.DataFrame]) -> Section:
    ours = method_info(OURS).title
    heading = f"AP gain of each class: {title}"
    told = [
        f"over {other} {correlation(each['concurrent'], each['gain'])}"
        for other, each in tables.items()
    ]
    blocks: list[Block] = [
        Chart(
            anchor("classes", name, "scatter"),
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
            alternative=f"{heading}, against the number of concurrent labels; {listed(told)}.",
        ),
        Chart(
            anchor("classes", name, "bars"),
            heading,
            "bars",
            "class, fewest concurrent labels first",
            f"AP gain of {ours}",
            [_bars(f"over {other}", table) for other, table in tables.items()],
            note=f"More than {MOST_BARS} classes are drawn as means of neighbours.",
            alternative=f"{heading}, in order of the number of concurrent labels.",
        ),
        *(
            _groups(f"{heading}, over {other}", anchor("classes", name, other), table)
            for other, table in tables.items()
        ),
    ]
    return Section(anchor("classes", name), title, blocks)


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


def _groups(title: str, name: str, table: pd.DataFrame) -> Table:
    rows = []
    for group in _neighbours(table, min(N_GROUPS, len(table))):
        share = (group["gain"] > 0).mean()
        rows.append(
            [
                Cell(_range(group), float(group["concurrent"].mean())),
                Cell(str(len(group)), float(len(group))),
                number(group["ours"].mean()),
                number(group["theirs"].mean()),
                Cell(_signed(group["gain"].mean()), float(group["gain"].mean())),
                Cell(percent(share), float(share)),
            ]
        )
    titles = ["concurrent labels", "classes", "AP of DLST", "AP of the other", "mean gain"]
    columns = [Column(each) for each in [*titles, "classes that gain"]]
    return Table(name, f"{title}, in groups of classes", columns, rows)


def _neighbours(table: pd.DataFrame, n_groups: int) -> list[pd.DataFrame]:
    return [table.iloc[rows] for rows in np.array_split(np.arange(len(table)), max(n_groups, 1))]


def _range(group: pd.DataFrame) -> str:
    return f"{group['concurrent'].min():.2f} to {group['concurrent'].max():.2f}"


def _hover(label: Any, row: pd.Series) -> str:
    return (
        f"{label}: {_signed(row['gain'])} ({row['ours']:.3f} against {row['theirs']:.3f}), "
        f"{row['concurrent']:.2f} concurrent labels, {row['frequency']:.0f} training rows"
    )


def _borne_out(found: Correlation | None) -> bool:
    return found is not None and found.rho < 0 and found.p < LEVEL


def _told(found: Correlation | None) -> Cell:
    return Cell("—") if found is None else Cell(str(found), found.rho)


def _signed(value: float) -> str:
    return f"{value:+.3f}"
