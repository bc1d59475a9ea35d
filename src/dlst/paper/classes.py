"""The gain of each class, against the number of labels that occur with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dlst.experiments import Source
from dlst.paper.item import DEFAULT, PIPELINE, Claim, Item, Judged, judged_by_share
from dlst.reports import Run
from dlst.reports.class_scores import (
    Correlation,
    class_frame,
    class_gains,
    correlation,
    gain_blocks,
    over_classes,
)
from dlst.reports.document import Section, Table, TableCell, TableColumn, Text
from dlst.reports.score_tables import LEVEL
from dlst.reports.words import DASH, anchor, listed, number, share, signed

VARIANT = "dlst1"
Part = tuple[str, str, dict[str, pd.DataFrame]]
"""Title and name of a data set and, by title of the other method, its classes."""


def _settings(quick: bool) -> Mapping[str, Any]:
    sets: list[str | Source] = ["mediamill-2000"]
    if not quick:
        official = Source("corel5k", splits=["official"], seeds=1, protocols=[{"per_label": True}])
        sets.append(official)
    return {
        "data": sets,
        "methods": [DEFAULT, PIPELINE, VARIANT, "krr", "slrm", "mrv"],
        "splits": ["random"],
        "seeds": 2 if quick else 10,
        "protocols": [{"per_label": True}],
    }


def _sections(run: Run) -> list[Section]:
    found = {method: _gains_of(run, method) for method in (DEFAULT, PIPELINE)}
    text = (
        "The gain of a class is DLST's average precision (AP) less the other method's on the same "
        "test rows, averaged over runs; classes without a test positive have none. The concurrent "
        "labels of a class are the other labels of the rows that have it, on average. The paper "
        "says that gains are larger where concurrent labels are few, which is a negative rank "
        f"correlation. {run.tuning}"
    )
    claims = Table(
        "classes-claims",
        "Rank correlation (Spearman) of gains with concurrent labels and with frequency",
        [
            TableColumn("data set, method and rival"),
            TableColumn("classes", "", "that have a gain"),
            TableColumn("mean gain", "higher"),
            TableColumn("classes that gain", "higher"),
            TableColumn("with concurrent labels", "", "negative: larger gains where they are few"),
            TableColumn("the paper's claim", "", f"borne out: negative, p below {LEVEL:g}"),
            TableColumn("with frequency", "", "of the class in the training rows"),
        ],
        [
            _claim_row(f"{title}: {run.title(method)} over {other}", table)
            for method, parts in found.items()
            for title, _, tables in parts
            for other, table in tables.items()
        ],
    )
    figures = [
        Section(
            anchor("classes", method, name),
            f"{title}: {run.title(method)}",
            gain_blocks(anchor("classes", method, name), title, run.title(method), tables),
        )
        for method, parts in found.items()
        for title, name, tables in parts
    ]
    return [Section("classes", "The paper's claim", [Text(text), claims]), *figures]


def _verdict(run: Run) -> str:
    gained: list[str] = []
    related: dict[str, list[str]] = {}
    for title, _, tables in _gains_of(run, DEFAULT):
        for other, table in tables.items():
            gained.append(f"{table['gain'].mean():+.3f} over {other} on {title}")
            found = correlation(table["concurrent"], table["gain"])
            judged = "borne out" if _borne_out(found) else "not borne out"
            words = f"over {other} on {title} ({_correlation_cell(found).text})"
            related.setdefault(judged, []).append(words)
    parts = [f"{judged} {listed(words)}" for judged, words in related.items()]
    return (
        f"The mean AP gain of {run.title(DEFAULT)} over all classes is {listed(gained)}. "
        f"That classes with few concurrent labels gain most is, by rank correlation, "
        f"{'; '.join(parts)}."
    )


def _few_concurrent_gain_most(run: Run) -> Judged:
    """Judge who gains most by the paper's pipeline: gain against concurrent labels."""
    lines: dict[str, list[str]] = {}
    borne: dict[str, list[bool]] = {}
    for method in (PIPELINE, DEFAULT):
        for title, _, tables in _gains_of(run, method):
            for other, table in tables.items():
                found = correlation(table["concurrent"], table["gain"])
                if found is not None:
                    borne.setdefault(method, []).append(_borne_out(found))
                    lines.setdefault(method, []).append(f"{title}, over {other}: {found}")
    figures = [f"{run.title(method)}: {'; '.join(words)}" for method, words in lines.items()]
    evidence = f"Rank correlation of the gain with concurrent labels. {'. '.join(figures)}."
    if PIPELINE not in borne:
        return "cannot be judged", (
            f"The paper's pipeline was not run class by class. {evidence if figures else ''}"
        ).strip()
    return judged_by_share(sum(borne[PIPELINE]), len(borne[PIPELINE])), evidence


def _gains_of(run: Run, method: str) -> list[Part]:
    """Return the classes of each data set on which a method, DLST₁ or a rival were run."""
    frame = class_frame(run)
    parts = []
    for name, part in frame.groupby("data", sort=False) if len(frame) else ():
        methods = set(part["method"])
        # The best by mean AP over classes that is no variant of DLST.
        rivals = over_classes(part[~part["method"].str.startswith("dlst")], "average_precision")
        best = rivals["mean"].dropna().nlargest(1).index
        others = [str(each) for each in (VARIANT, *best) if each in methods]
        if method in methods and others:
            tables = {run.title(other): class_gains(part, method, other) for other in others}
            parts.append((str(part["shown"].iloc[0]), str(name), tables))
    return parts


def _claim_row(title: str, table: pd.DataFrame) -> list[TableCell]:
    if table.empty:
        return [TableCell(title), number(0, 0), *[DASH] * 5]
    beside = correlation(table["concurrent"], table["gain"])
    judged = "—" if beside is None else "borne out" if _borne_out(beside) else "not borne out"
    return [
        TableCell(title),
        number(len(table), 0),
        signed(table["gain"].mean()),
        share((table["gain"] > 0).mean()),
        _correlation_cell(beside),
        TableCell(judged),
        _correlation_cell(correlation(table["frequency"], table["gain"])),
    ]


def _borne_out(found: Correlation | None) -> bool:
    return found is not None and found.rho < 0 and found.p < LEVEL


def _correlation_cell(found: Correlation | None) -> TableCell:
    return DASH if found is None else TableCell(str(found), found.rho)


CLASSES = Item(
    name="figure-classes",
    title="Gain of each class",
    where="Figure of improvements",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    claims=(Claim(13, "Classes with few concurrent labels gain most.", _few_concurrent_gain_most),),
    summary=r"classes-claims",
)
