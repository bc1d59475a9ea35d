"""The figure of missing labels: scores against the share of training labels that was dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dlst.paper.curve_claims import (
    ahead_sentence,
    first_places,
    keeps_most,
    kept_share,
    last_stable,
    leads_everywhere,
    ours_in,
    rivals_of,
    steady_sentence,
)
from dlst.paper.item import Claim, Item, Outcome
from dlst.paper.setting import AP, DEFAULT, MACRO_F1, PIPELINE, TENTH
from dlst.reports import Run
from dlst.reports.curves import (
    LastColumn,
    Part,
    curve_frame,
    curve_section,
    how_measured,
    parts_of,
    place,
    scores_along,
)
from dlst.reports.document import Section, Table, TableCell, TableColumn, Text
from dlst.reports.score_blocks import number, percent_cell
from dlst.reports.score_tables import ScoreTable
from dlst.reports.words import NOTHING, empty_section, percent

RATIOS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9)
METHODS = (DEFAULT, PIPELINE, "faie", "mc", "slrm", "mrv", "leml", "krr")
MEASURES = (AP, "macro_average_precision", MACRO_F1, "macro_f1")

TOLERANCE = 0.01
"""The paper calls performance stable while it varies by less than 1 %."""

LABELS_NEEDED = {"msrc": 3, "sunattribute": 6}
"""Labels per instance from which on DLST is stable, as the paper printed them."""


def asks(quick: bool) -> Mapping[str, Any]:
    """Say what to run."""
    ratios = (0.0, 0.4, 0.9) if quick else RATIOS
    return {
        "data": ["msrc"] if quick else ["msrc", "sunattribute"],
        "methods": METHODS,
        "splits": ["random"],
        "seeds": 2 if quick else 10,
        "protocols": [{**TENTH, "missing": ratio} for ratio in ratios],
    }


def sections(run: Run) -> list[Section]:
    """Show the claims in figures, then each data set."""
    parts = _parts(run)
    if not parts:
        return empty_section("missing", "The paper's claims")
    text = (
        "A share of the positive training entries is dropped; every row keeps a label and every "
        "class a row, so the share really dropped, beneath the axis, stays below the nominal one. "
        "Nominal shares that drop the very same labels are one place, named by all of them. Test "
        f"labels are complete. {how_measured(run, pd.concat([part for _, _, part in parts]))}"
    )
    claims = Table(
        "missing-claims",
        "What the paper says of DLST under missing labels, in figures",
        [
            TableColumn("data set and method"),
            TableColumn("leads in AP", "higher", "places at which every rival is behind"),
            TableColumn(
                "leads in macro-F1, top r", "higher", "places at which every rival is behind"
            ),
            TableColumn("AP kept", "higher", "AP at the highest ratio over AP at the lowest"),
            TableColumn("AP kept by rivals", "", "the least and the most"),
            TableColumn("labels needed", "lower", "labels per instance down to which AP is stable"),
            TableColumn("labels there are", "", "per instance, before any was dropped"),
            TableColumn("labels needed, paper", "", "as printed"),
        ],
        [_claim_row(part, ours) for part in parts for ours in ours_in(run, part[2])],
        note=f"Stable: within {percent(TOLERANCE)} of the AP at the lowest ratio. The paper says "
        "that DLST leads at all ratios, varies less than the others, and is stable down to as few "
        "labels as the last column says; where that is more than there are, it says nothing. What "
        "has simulated features counts in no verdict.",
    )
    figures = [_section(part) for part in parts]
    return [Section("missing", "The paper's claims", [Text(text), claims]), *figures]


def verdict(run: Run) -> str:
    """Say whether DLST leads at all ratios, and whether it is the steadiest."""
    parts = _parts(run)
    if not parts:
        return NOTHING
    steady = steady_sentence(run, parts, "the most labels dropped", hard_first=False)
    return f"{ahead_sentence(run, parts, 'missing ratios')} {steady}"


def leads_at_all_ratios(run: Run) -> tuple[Outcome, str]:
    """Judge whether every rival is behind at every ratio."""
    return leads_everywhere(run, _parts(run))


def depends_least(run: Run) -> tuple[Outcome, str]:
    """Judge who keeps most where most labels are missing."""
    return keeps_most(run, _parts(run), hard_first=False)


def _parts(run: Run) -> list[Part]:
    frame = curve_frame(run, lambda cell: round(100 * cell["protocol"].get("missing", 0.0), 6))
    return [(name, title, _one_place_each(part)) for name, title, part in parts_of(frame)]


def _one_place_each(part: pd.DataFrame) -> pd.DataFrame:
    """Keep, of nominal shares that drop equally many labels, the first; ``places`` names them."""
    dropped = part.groupby("x")["effective_missing"].mean().round(6)
    first = {x: float(dropped.index[dropped == share][0]) for x, share in dropped.items()}
    ends = {x: max(each for each in first if first[each] == x) for x in first.values()}
    words = {x: place(x) if x == end else f"{place(x)} to {place(end)}" for x, end in ends.items()}
    kept = part[part["x"].map(first) == part["x"]]
    return kept.assign(places=kept["x"].map(words))


def _section(part: Part) -> Section:
    frame = part[2]
    means = frame.groupby("x")[["effective_missing", "labels_kept"]].mean().dropna()
    words = {place(x): f"{each} %" for x, each in frame.groupby("x")["places"].first().items()}
    return curve_section(
        "missing",
        "Missing labels",
        part,
        MEASURES,
        x_title="labels dropped, nominal % (beneath: really dropped, labels kept per instance)",
        along="% of labels dropped",
        second_x={
            float(x): f"{percent(dropped)}, {kept:.2f} labels"
            for x, dropped, kept in means.itertuples()
        },
        places=lambda table: {x: words[x] for x in table.mean.columns},
        last=_kept,
    )


def _kept(table: ScoreTable) -> LastColumn:
    low, high = table.mean.columns[[0, -1]]
    column = TableColumn("kept", "higher", f"value at {high} % over value at {low} %")
    shares = kept_share(table, hard_first=False).dropna()
    return column, {str(method): percent_cell(share, 1) for method, share in shares.items()}


def _claim_row(part: Part, ours: str) -> list[TableCell]:
    name, title, frame = part
    table = scores_along(frame, AP)
    kept = kept_share(table, hard_first=False)
    others = kept.reindex(rivals_of(frame)).dropna()
    labels = frame.groupby(frame["x"].map(place), sort=False)["labels_kept"].mean()
    printed = LABELS_NEEDED.get(name)
    return [
        TableCell(f"{title}: {ours}"),
        *(_count(*first_places([part], measure, ours)) for measure in (AP, MACRO_F1)),
        percent_cell(kept[ours], 1),
        TableCell(
            f"{percent(others.min(), 1)} to {percent(others.max(), 1)}" if len(others) else "—"
        ),
        number(labels[last_stable(table, ours, TOLERANCE)], 2),
        number(frame["labels_complete"].mean(), 2),
        TableCell("—") if printed is None else number(printed, 0),
    ]


def _count(won: int, judged: int) -> TableCell:
    return TableCell(f"{won} of {judged}", won / judged) if judged else TableCell("—")


MISSING_LABELS = Item(
    name="figure-missing",
    title="Missing labels",
    where="Figure of missing ratios",
    asks=asks,
    sections=sections,
    verdict=verdict,
    claims=(
        Claim(7, "DLST leads at all missing ratios.", leads_at_all_ratios),
        Claim(8, "DLST depends less than the others on labels that are missing.", depends_least),
    ),
    summary=r"missing-claims|missing-[a-z0-9-]*-instance-average-precision-labelled",
)
