"""The penalty λ of the paper's pipeline, by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dlst.experiments import Variant
from dlst.paper.item import AP, MACRO_F1, PIPELINE, Claim, Item, Judged, judged_by_share
from dlst.reports import Run
from dlst.reports.curves import (
    curve_frame,
    how_measured,
    line_series,
    parts_of,
    scores_along,
    titles_of,
)
from dlst.reports.document import Chart, Section, Table, TableCell, TableColumn, Text
from dlst.reports.score_blocks import score_cell
from dlst.reports.score_tables import DECIMALS, ScoreTable
from dlst.reports.words import DASH, anchor, columns, listed, number, percent, share

LAMBDAS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
MEASURES = (AP, "micro_f1_top_r", MACRO_F1, "micro_f1", "macro_f1")
PRINTED = "0.01"
"""The λ that the paper chose, saying that performance is stable around it."""

TOLERANCE = 0.01


def _settings(quick: bool) -> Mapping[str, Any]:
    return {
        "data": ["emotions"] if quick else ["emotions", "scene", "yeast"],
        "methods": [
            Variant(PIPELINE, {"regressor__alpha": each})
            for each in (LAMBDAS[1::2] if quick else LAMBDAS)
        ],
        "splits": ["official"],
        "seeds": 3 if quick else 10,
        "protocols": [{"folds": 3 if quick else 10}],
    }


def _sections(run: Run) -> list[Section]:
    parts = parts_of(_frame(run))
    text = (
        "The penalty of the regression from features to codes, in the paper's pipeline; the paper "
        f"varies it by tens, finds performance stable around λ = {PRINTED} and uses that. The "
        f"folds are of the training rows alone. {how_measured(run, parts)}"
    )
    claims = Table(
        "lambda-claims",
        f"The best λ, and what λ = {PRINTED} costs",
        [
            TableColumn("data set and measure"),
            TableColumn("best λ"),
            TableColumn("score there", "higher"),
            TableColumn(f"score at {PRINTED}", "higher"),
            TableColumn("share of the best", "higher"),
            TableColumn(f"within {percent(TOLERANCE)}"),
            TableColumn(
                "neighbours", "", "change of the score to the next λ, the larger of both sides"
            ),
        ],
        [
            _claim_row(f"{title}: {words}", _means(part, measure))
            for _, title, part in parts
            for measure, words in titles_of(MEASURES).items()
        ],
    )
    figures = [_section(name, title, part) for name, title, part in parts]
    return [Section("lambda", "The paper's claim", [Text(text), claims]), *figures]


def _verdict(run: Run) -> str:
    best, near = [], []
    for _, title, part in parts_of(_frame(run)):
        means = _means(part, AP)
        best.append(f"{means.idxmax()} on {title}")
        if PRINTED in means:
            kept = means[PRINTED] / means.max()
            within = "within" if kept >= 1 - TOLERANCE else "not within"
            near.append(
                f"{within} {percent(TOLERANCE)} of the best on {title} ({percent(kept, 1)})"
            )
    printed = f"is {listed(near)}" if near else "was not run"
    return f"The best λ for instance AP is {listed(best)}. The paper's {PRINTED} {printed}."


def _is_stable(run: Run) -> Judged:
    """Judge whether λ = 0.01 is as good as the best λ."""
    means = [_means(part, AP) for _, _, part in parts_of(_frame(run))]
    near = [bool(each.get(PRINTED, np.nan) >= (1 - TOLERANCE) * each.max()) for each in means]
    return judged_by_share(sum(near), len(near)), _verdict(run)


def _penalty_of(cell: Mapping[str, Any]) -> float | None:
    """Return λ of a cell; in early records it is a parameter of the method, not of its part."""
    parameters: Mapping[str, float] = cell["parameters"]
    return parameters.get("regressor__alpha", parameters.get("alpha"))


def _frame(run: Run) -> pd.DataFrame:
    # Cells of the same method differ by λ, which is the axis here and no part of the title.
    frame = curve_frame(run, _penalty_of)
    return frame.assign(title=frame["method"])


def _means(part: pd.DataFrame, measure: str) -> pd.Series:
    return scores_along(part, measure).mean.iloc[0].dropna()


def _claim_row(title: str, means: pd.Series) -> list[TableCell]:
    if means.empty:
        return [TableCell(title), *[DASH] * 6]
    best = str(means.idxmax())
    row = [TableCell(title), TableCell(best, float(best)), number(means[best])]
    if PRINTED not in means:
        return [*row, *[DASH] * 4]
    of_best = means[PRINTED] / means[best]
    return [
        *row,
        number(means[PRINTED]),
        share(of_best, 1),
        TableCell("yes" if of_best >= 1 - TOLERANCE else "no"),
        number(_change_around(means)),
    ]


def _change_around(means: pd.Series) -> float:
    middle = means.index.get_loc(PRINTED)
    beside = means.iloc[[i for i in (middle - 1, middle + 1) if 0 <= i < len(means)]]
    return float((beside - means[PRINTED]).abs().max())


def _section(name: str, title: str, part: pd.DataFrame) -> Section:
    tables = {words: scores_along(part, measure) for measure, words in titles_of(MEASURES).items()}
    series = [
        replace(line_series(table)[0], name=words, emphasis=table.measure == AP)
        for words, table in tables.items()
    ]
    heading = f"Scores over the penalty λ: {title}"
    best = [f"{words} at {table.mean.iloc[0].idxmax()}" for words, table in tables.items()]
    chart = Chart(
        anchor("lambda", name, "scores"),
        heading,
        "lines",
        "λ",
        "score",
        series,
        log_x=True,
        note="Bands: one standard deviation over the folds.",
        alternative=f"{heading}; highest: {listed(best)}.",
    )
    table = Table(
        anchor("lambda", name, "table"),
        heading,
        [*columns("λ"), *columns(*tables, direction="higher")],
        [
            [TableCell(x, float(x)), *(_lambda_cell(each, x) for each in tables.values())]
            for x in next(iter(tables.values())).mean
        ],
    )
    return Section(anchor("lambda", name), title, [chart, table])


def _lambda_cell(table: ScoreTable, x: str) -> TableCell:
    means = table.mean.iloc[0].round(DECIMALS)
    cell = score_cell(table, table.mean.index[0], x, note="")
    return replace(cell, best=bool(means[x] == means.max()))


PENALTY = Item(
    name="figure-lambda",
    title="The penalty λ",
    where="Section on compared methods",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    claims=(Claim(12, "Performance is stable around λ = 0.01.", _is_stable),),
    summary=r"lambda-claims",
)
