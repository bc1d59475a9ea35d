"""The figure of missing labels: scores against the share of training labels that was dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dlst.paper.curve_claims import Curve, first_places, ours_in, rivals_of
from dlst.paper.item import AP, DEFAULT, MACRO_F1, PIPELINE, TENTH, Claim, Item
from dlst.reports import Run, curves
from dlst.reports.curves import LastColumn, Part, place
from dlst.reports.document import Section, Table, TableCell, TableColumn, Text
from dlst.reports.score_tables import ScoreTable
from dlst.reports.words import DASH, number, percent, share

RATIOS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9)
METHODS = (DEFAULT, PIPELINE, "faie", "mc", "slrm", "mrv", "leml", "krr")
MEASURES = (AP, "macro_average_precision", MACRO_F1, "macro_f1")

TOLERANCE = 0.01
"""The paper calls performance stable while it varies by less than 1 %."""

LABELS_NEEDED = {"msrc": 3, "sunattribute": 6}
"""Labels per instance from which on DLST is stable, as the paper printed them."""


def _settings(quick: bool) -> Mapping[str, Any]:
    ratios = (0.0, 0.4, 0.9) if quick else RATIOS
    return {
        "data": ["msrc"] if quick else ["msrc", "sunattribute"],
        "methods": METHODS,
        "splits": ["random"],
        "seeds": 2 if quick else 10,
        "protocols": [{**TENTH, "missing": ratio} for ratio in ratios],
    }


def _parts(run: Run) -> list[Part]:
    def dropped(cell: Mapping[str, Any]) -> float:
        return float(round(100 * cell["protocol"].get("missing", 0.0), 6))

    frame = curves.curve_frame(run, dropped)
    return [(name, title, _one_place_each(part)) for name, title, part in curves.parts_of(frame)]


def _one_place_each(part: pd.DataFrame) -> pd.DataFrame:
    """Keep, of nominal shares that drop equally many labels, the first; ``places`` names them."""
    dropped = part.groupby("x")["effective_missing"].mean().round(6)
    first = {x: float(dropped.index[dropped == share][0]) for x, share in dropped.items()}
    ends = {x: max(each for each in first if first[each] == x) for x in first.values()}
    words = {x: place(x) if x == end else f"{place(x)} to {place(end)}" for x, end in ends.items()}
    kept = part[part["x"].map(first) == part["x"]]
    return kept.assign(places=kept["x"].map(words))


CURVE = Curve(_parts, "missing ratios", "the most labels dropped", hard_first=False)


def _sections(run: Run) -> list[Section]:
    parts = _parts(run)
    text = (
        "A share of the positive training entries is dropped; every row keeps a label and every "
        "class a row, so the share really dropped, beneath the axis, stays below the nominal one. "
        "Nominal shares that drop the very same labels are one place, named by all of them. Test "
        "labels are complete. "
        f"{curves.how_measured(run, parts)}"
    )
    behind = "places at which every rival is behind"
    claims = Table(
        "missing-claims",
        "What the paper says of DLST under missing labels, in figures",
        [
            TableColumn("data set and method"),
            TableColumn("leads in AP", "higher", behind),
            TableColumn("leads in macro-F1, top r", "higher", behind),
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


def _section(part: Part) -> Section:
    frame = part[2]
    means = frame.groupby("x")[["effective_missing", "labels_kept"]].mean().dropna()
    words = {place(x): f"{each} %" for x, each in frame.groupby("x")["places"].first().items()}
    return curves.curve_section(
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
    kept = CURVE.kept_share(table.mean).dropna()
    return column, {str(method): share(each, 1) for method, each in kept.items()}


def _claim_row(part: Part, ours: str) -> list[TableCell]:
    name, title, frame = part
    means = curves.scores_along(frame, AP).mean
    kept = CURVE.kept_share(means)
    others = kept.reindex(rivals_of(frame)).dropna()
    labels = frame.groupby(frame["x"].map(place), sort=False)["labels_kept"].mean()
    stable = ((means.loc[ours] / means.loc[ours].iloc[0] - 1).abs() <= TOLERANCE).cummin()
    # The first place is as good as itself, also where it is zero.
    needed = labels[stable.index[max(1, stable.sum()) - 1]]
    span = f"{percent(others.min(), 1)} to {percent(others.max(), 1)}"
    return [
        TableCell(f"{title}: {ours}"),
        *(_count(*first_places([part], measure, ours)) for measure in (AP, MACRO_F1)),
        share(kept[ours], 1),
        TableCell(span) if len(others) else DASH,
        number(needed, 2),
        number(frame["labels_complete"].mean(), 2),
        number(LABELS_NEEDED.get(name), 0),
    ]


def _count(won: int, judged: int) -> TableCell:
    return TableCell(f"{won} of {judged}", won / judged) if judged else DASH


MISSING_LABELS = Item(
    name="figure-missing",
    title="Missing labels",
    where="Figure of missing ratios",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=CURVE.verdict,
    claims=(
        Claim(7, "DLST leads at all missing ratios.", CURVE.leads_everywhere),
        Claim(8, "DLST depends less than the others on labels that are missing.", CURVE.keeps_most),
    ),
    summary=r"missing-claims|missing-[a-z0-9-]*-instance-average-precision-labelled",
)
