"""The figure of few training rows: scores against the share of each class that trains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlst.experiments import Source
from dlst.paper.curve_claims import Curve, lead, ours_in, rivals_of
from dlst.paper.item import (
    AP,
    DEFAULT,
    MACRO_F1,
    PIPELINE,
    SEMI,
    Claim,
    Item,
    Judged,
    judged_by_share,
    presets,
)
from dlst.reports import Run, curves
from dlst.reports.curves import Part
from dlst.reports.document import Section, Table, TableCell, Text
from dlst.reports.score_tables import DECIMALS, ScoreTable
from dlst.reports.words import DASH, anchor, columns

METHODS = (DEFAULT, PIPELINE, "cplst", "mc", "slrm", "faie", "miml", "krr")
MEASURES = (AP, MACRO_F1, "macro_f1")
SHOWN_PERCENTS = (1, 2, 5, 10)
SEMI_SUPERVISED = ("mc", "miml", "slrm")


def _settings(quick: bool) -> Mapping[str, Any]:
    percents = (2, 5, 10) if quick else range(1, 11)
    sets: list[str | Source] = ["mediamill-2000"]
    if not quick:
        # Semi-supervised methods complete the test rows too: of thousands, 2,000 must do. A draw of
        # the 983 labels of delicious takes minutes at each share: there six shares.
        tested = {"rows": [21519, 2000], **SEMI}
        for name, shares in (("tmc2007-500", percents), ("delicious", (1, 2, 3, 5, 7, 10))):
            protocols = [{"fraction": percent / 100, **tested} for percent in shares]
            sets.append(Source(name, protocols=protocols))
    return {
        "data": sets,
        "methods": METHODS,
        "splits": ["official"],
        "seeds": 2 if quick else 10,
        "protocols": [{"fraction": percent / 100, **SEMI} for percent in percents],
    }


def _parts(run: Run) -> list[Part]:
    def percent(cell: Mapping[str, Any]) -> float | None:
        fraction = cell["protocol"].get("fraction")
        return None if fraction is None else round(100 * fraction, 6)

    return curves.parts_of(curves.curve_frame(run, percent))


CURVE = Curve(_parts, "training shares", "the fewest training rows", hard_first=True)


def _sections(run: Run) -> list[Section]:
    parts = _parts(run)
    text = (
        "Methods train on a share of each class of the training rows, drawn anew in each run; the "
        "test rows do not depend on the share. The paper says that DLST is stable, leads at all "
        "shares and needs no more than 10 %; larger shares were not run. "
        f"{curves.how_measured(run, parts)}"
    )
    wins = [_wins(part, ours) for part in parts for ours in ours_in(run, part[2])]
    figures = [_section(part) for part in parts]
    return [Section("training", "The paper's claims", [Text(text), *wins]), *figures]


def _needs_a_tenth(run: Run) -> Judged:
    """Judge the smallest share against ten times as many rows of the rivals."""
    default, paper = presets(run)
    rivals = [run.title(each) for each in SEMI_SUPERVISED]
    lines, reached = [], []
    for _, title, part in CURVE.real_parts(run):
        means = curves.scores_along(part, AP).mean
        most, least = means.columns[-1], means.columns[0]
        if not {default, paper} <= set(means.index):
            continue
        best = means.reindex(rivals)[most].max()
        reached.append(bool(means.at[paper, least] >= best))
        lines.append(
            f"{title}: with {least} % {default} {means.at[default, least]:.3f}, {paper} "
            f"{means.at[paper, least]:.3f}; the best of the three with {most} % {best:.3f}"
        )
    return judged_by_share(sum(reached), len(reached)), (
        f"No run has all rows: compared is AP with 1 % of the rows of each class and the rivals' "
        f"with 10 %. {'; '.join(lines)}."
    )


def _section(part: Part) -> Section:
    rows = part[2].groupby("x")["n_train"].mean().dropna()
    return curves.curve_section(
        "training",
        "Few training rows",
        part,
        MEASURES,
        x_title="training rows of each class, %",
        along="% of the training rows",
        second_x={float(x): f"{count:,.0f} rows" for x, count in rows.items()},
        places=_shown_places,
    )


def _shown_places(table: ScoreTable) -> dict[str, str]:
    every = list(table.mean.columns)
    shown = [x for x in every if float(x) in SHOWN_PERCENTS] or every
    return {x: f"{x} %" for x in shown}


def _wins(part: Part, ours: str) -> Table:
    name, title, frame = part
    measures = curves.titles_of(MEASURES)
    tables = [curves.scores_along(frame, measure) for measure in measures]
    rows = []
    for x in tables[0].mean.columns:
        row = [TableCell(f"{x} %", float(x))]
        for table in tables:
            behind, judged, gap = lead(table, x, ours, rivals_of(frame))
            text = f"{behind} of {judged} ({gap:+.{DECIMALS}f})"
            row.append(TableCell(text, gap) if judged else DASH)
        rows.append(row)
    return Table(
        anchor("training", name, ours, "wins"),
        f"Rivals behind {ours}, and its lead over the best of them: {title}",
        [*columns("training rows"), *columns(*measures.values(), direction="higher")],
        rows,
        note=f"By means, to {DECIMALS} decimals; a minus says that a rival is ahead.",
    )


TRAINING_ROWS = Item(
    name="figure-training",
    title="Few training rows",
    where="Figure of training ratios",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=CURVE.verdict,
    claims=(
        Claim(9, "DLST leads at all shares of training rows.", CURVE.leads_everywhere),
        Claim(10, "DLST is the steadiest over all shares of training rows.", CURVE.keeps_most),
        Claim(
            11,
            "With a tenth of the training rows DLST does as well as the semi-supervised methods "
            "(MC, MIML, SLRM) with all of them; here 1 % against 10 %.",
            _needs_a_tenth,
        ),
    ),
    summary=r"training-[a-z0-9-]*-instance-average-precision-labelled",
)
