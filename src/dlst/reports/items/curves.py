"""The figures of missing labels, of few training rows and of the penalty λ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dlst.reports.document import Block, Cell, Chart, Column, Section, Table, Text
from dlst.reports.items._cells import Records
from dlst.reports.items._curve_claims import (
    ahead_sentence,
    first_places,
    kept_share,
    last_stable,
    lead,
    ours_in,
    steady_sentence,
)
from dlst.reports.items._curve_parts import (
    AP,
    MACRO_F1,
    curve_frame,
    floor_along,
    floor_series,
    how_measured,
    line_series,
    parts_of,
    place,
    rivals_of,
    scores_along,
    table_along,
    titles_of,
)
from dlst.reports.items._parts import number
from dlst.reports.items._words import NOTHING, anchor, empty_section, listed, percent
from dlst.reports.items.penalty import lambda_sections, lambda_verdict
from dlst.reports.score_tables import DECIMALS, ScoreTable

__all__ = [
    "lambda_sections",
    "lambda_verdict",
    "missing_sections",
    "missing_verdict",
    "training_sections",
    "training_verdict",
]

MISSING_MEASURES = (AP, "macro_average_precision", MACRO_F1, "macro_f1")
TRAINING_MEASURES = (AP, MACRO_F1, "macro_f1")
SHOWN_PERCENTS = (1, 2, 5, 10)
BANDS = "Bands: one standard deviation."

TOLERANCE = 0.01
"""The paper calls performance stable while it varies by less than 1 %."""

LABELS_NEEDED = {"msrc": 3, "sunattribute": 6}
"""Labels per instance from which on DLST is stable, as the paper printed them."""


def missing_sections(records: Records, plan: Mapping[str, Any]) -> list[Section]:
    """Show scores against the share of training labels that was dropped."""
    frame = curve_frame(records, _missing_percent)
    parts = parts_of(frame)
    if not parts:
        return empty_section("missing", "The paper's claims")
    text = (
        "A share of the positive training entries is dropped; every row keeps a label and every "
        "class a row, so the share really dropped, beneath the axis, stays below the nominal one. "
        f"Test labels are complete. {how_measured(frame, records)}"
    )
    claims = Table(
        "missing-claims",
        "What the paper says of DLST under missing labels, in figures",
        [
            Column("data set and method"),
            Column("leads in AP", "higher", "ratios at which every rival is behind"),
            Column("leads in macro-F1, top r", "higher", "ratios at which every rival is behind"),
            Column("AP kept", "higher", "AP at the highest ratio over AP at the lowest"),
            Column("AP kept by rivals", "", "the least and the most"),
            Column("labels needed", "lower", "labels per instance down to which AP is stable"),
            Column("labels there are", "", "per instance, before any was dropped"),
            Column("labels needed, paper", "", "as printed"),
        ],
        [_missing_row(part, title, ours) for _, title, part in parts for ours in ours_in(part)],
        note=f"Stable: within {percent(TOLERANCE)} of the AP at the lowest ratio. The paper says "
        "that DLST leads at all ratios, varies less than the others, and is stable down to as few "
        "labels as the last column says; where that is more than there are, it says nothing.",
    )
    figures = [_missing_section(name, title, part) for name, title, part in parts]
    return [Section("missing", "The paper's claims", [Text(text), claims]), *figures]


def missing_verdict(records: Records, plan: Mapping[str, Any]) -> str:
    """Say whether DLST leads at all ratios, and whether it is the steadiest."""
    parts = parts_of(curve_frame(records, _missing_percent))
    if not parts:
        return NOTHING
    steady = steady_sentence(parts, "the most labels dropped", hard_first=False)
    return f"{ahead_sentence(parts, 'missing ratios')} {steady}"


def training_sections(records: Records, plan: Mapping[str, Any]) -> list[Section]:
    """Show scores against the share of training rows of each class."""
    frame = curve_frame(records, _training_percent)
    parts = parts_of(frame)
    if not parts:
        return empty_section("training", "The paper's claims")
    text = (
        "Methods train on a share of each class of the training rows, drawn anew in each run; the "
        "test rows do not depend on the share. The paper says that DLST is stable, leads at all "
        "shares and needs no more than 10 %; larger shares were not run. "
        f"{how_measured(frame, records)}"
    )
    wins = [_wins(name, title, part, ours) for name, title, part in parts for ours in ours_in(part)]
    figures = [_training_section(name, title, part) for name, title, part in parts]
    return [Section("training", "The paper's claims", [Text(text), *wins]), *figures]


def training_verdict(records: Records, plan: Mapping[str, Any]) -> str:
    """Say whether DLST leads at all shares, and whether it is the steadiest."""
    parts = parts_of(curve_frame(records, _training_percent))
    if not parts:
        return NOTHING
    steady = steady_sentence(parts, "the fewest training rows", hard_first=True)
    return f"{ahead_sentence(parts, 'training shares')} {steady}"


def _missing_percent(cell: Mapping[str, Any]) -> float:
    return round(100 * float(cell["protocol"].get("missing", 0.0)), 6)


def _training_percent(cell: Mapping[str, Any]) -> float | None:
    fraction = cell["protocol"].get("fraction")
    return None if fraction is None else round(100 * fraction, 6)


def _missing_section(name: str, title: str, part: pd.DataFrame) -> Section:
    means = part.groupby("x")[["effective_missing", "labels_kept"]].mean().dropna()
    beneath = {
        float(x): f"{percent(dropped)}, {kept:.2f} labels"
        for x, dropped, kept in means.itertuples()
    }
    blocks: list[Block] = []
    for measure, words in titles_of(MISSING_MEASURES).items():
        table = scores_along(part, measure)
        low, high = table.mean.columns[[0, -1]]
        shares = kept_share(table, low, high).dropna()
        kept = {method: Cell(percent(share, 1), float(share)) for method, share in shares.items()}
        heading = f"Missing labels, {title}: {words}"
        blocks += [
            Chart(
                anchor("missing", name, measure),
                heading,
                "lines",
                "labels dropped, nominal % (beneath: really dropped, labels kept per instance)",
                words,
                [*line_series(table), *floor_series(part, measure)],
                second_x=beneath,
                note=BANDS,
                alternative=_told_lines(table, heading, "% of labels dropped"),
            ),
            table_along(
                anchor("missing", name, measure, "table"),
                heading,
                table,
                {x: f"{x} %" for x in table.mean.columns},
                floor=floor_along(part, measure),
                last=(Column("kept", "higher", f"value at {high} % over value at {low} %"), kept),
            ),
        ]
    return Section(anchor("missing", name), title, blocks)


def _missing_row(part: pd.DataFrame, title: str, ours: str) -> list[Cell]:
    rivals, table = rivals_of(part), scores_along(part, AP)
    kept = kept_share(table, *table.mean.columns[[0, -1]])
    others = kept.reindex(rivals).dropna()
    labels = part.groupby(part["x"].map(place), sort=False)["labels_kept"].mean()
    printed = LABELS_NEEDED.get(str(part["data"].iloc[0]))
    return [
        Cell(f"{title}: {ours}"),
        *(_count(*first_places(scores_along(part, name), ours, rivals)) for name in (AP, MACRO_F1)),
        Cell("—") if pd.isna(kept[ours]) else Cell(percent(kept[ours], 1), float(kept[ours])),
        Cell(f"{percent(others.min(), 1)} to {percent(others.max(), 1)}" if len(others) else "—"),
        number(labels[last_stable(table, ours, TOLERANCE)], 2),
        number(part["labels_complete"].mean(), 2),
        Cell("—") if printed is None else number(printed, 0),
    ]


def _training_section(name: str, title: str, part: pd.DataFrame) -> Section:
    rows = part.groupby("x")["n_train"].mean().dropna()
    blocks: list[Block] = []
    for measure, words in titles_of(TRAINING_MEASURES).items():
        table = scores_along(part, measure)
        every = list(table.mean.columns)
        shown = [x for x in every if float(x) in SHOWN_PERCENTS] or every
        heading = f"Few training rows, {title}: {words}"
        blocks += [
            Chart(
                anchor("training", name, measure),
                heading,
                "lines",
                "training rows of each class, %",
                words,
                [*line_series(table), *floor_series(part, measure)],
                second_x={float(x): f"{count:,.0f} rows" for x, count in rows.items()},
                note=BANDS,
                alternative=_told_lines(table, heading, "% of the training rows"),
            ),
            table_along(
                anchor("training", name, measure, "table"),
                heading,
                table,
                {x: f"{x} %" for x in shown},
                floor=floor_along(part, measure),
            ),
        ]
    return Section(anchor("training", name), title, blocks)


def _wins(name: str, title: str, part: pd.DataFrame, ours: str) -> Table:
    measures = titles_of(TRAINING_MEASURES)
    tables = [scores_along(part, measure) for measure in measures]
    rows = []
    for x in tables[0].mean.columns:
        row = [Cell(f"{x} %", float(x))]
        for table in tables:
            behind, judged, gap = lead(table, x, ours, rivals_of(part))
            text = f"{behind} of {judged} ({gap:+.{DECIMALS}f})" if judged else "—"
            row.append(Cell(text, gap if judged else None))
        rows.append(row)
    return Table(
        anchor("training", name, ours, "wins"),
        f"Rivals behind {ours}, and its lead over the best of them: {title}",
        [Column("training rows"), *(Column(words, "higher") for words in measures.values())],
        rows,
        note=f"By means, to {DECIMALS} decimals; a minus says that a rival is ahead.",
    )


def _told_lines(table: ScoreTable, heading: str, along: str) -> str:
    low, high = table.mean.columns[[0, -1]]
    ends = table.mean[[low, high]].dropna()
    told = [f"{method} from {a:.3f} to {b:.3f}" for method, a, b in ends.itertuples()]
    return f"{heading}; from {low} to {high} {along}: {listed(told)}."


def _count(won: int, judged: int) -> Cell:
    return Cell(f"{won} of {judged}", won / judged) if judged else Cell("—")
