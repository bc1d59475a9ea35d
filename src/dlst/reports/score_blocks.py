"""Methods × data sets as tables and charts: marks, floor and ceiling, and the run in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dlst.reports.document import Chart, Series, Table, TableCell, TableColumn, Text
from dlst.reports.frames import direction_of, is_better_higher, measure_heading
from dlst.reports.run import CEILING, FLOOR, SIZES, Run, common_words, titled
from dlst.reports.score_tables import (
    FEWEST_PAIRS,
    LEVEL,
    ScoreTable,
    gaps_between,
    is_level,
    paired_runs,
    score_table,
)
from dlst.reports.words import SIMULATED, data_title, finite, grid, listed, number

BETTER, WORSE = "▲", "▼"
FEW_TUNING_ROWS = 100
"""Parameters that were chosen once, on fewer rows than these, are marked."""

TUNED_ON_FEW = "†"
FLOOR_ROW = "floor: labels by frequency alone"
CEILING_ROW = "ceiling: the best ranking, top r"


def first_title(frame: pd.DataFrame) -> str:
    """Name the method that others are compared with."""
    return str(frame["title"].iloc[0])


def scores(frame: pd.DataFrame, measure: str) -> ScoreTable | None:
    """Summarise a measure by the columns of :func:`titled`; None where nothing was measured."""
    if measure not in frame or not frame[measure].notna().any():
        return None
    frame = titled(frame)
    return score_table(frame.assign(data=frame["column"], protocol=""), measure)


def score_block(
    frame: pd.DataFrame,
    measure: str,
    *,
    name: str,
    title: str = "",
    references: Sequence[Sequence[TableCell]] = (),
    note: str = "",
) -> Table | None:
    """Lay out methods × data sets, with marks, floor and ceiling; None where nothing was measured.

    Marks compare the methods with the first of them; ``references`` are rows shown beneath, before
    floor and ceiling. The title is that of the measure by default.
    """
    summary = scores(frame, measure)
    if summary is None:
        return None
    reference = first_title(frame)
    marks = _marks(titled(frame), measure, reference)
    rows = titled(frame).groupby(["title", "column"], sort=False)["tuned_on"].max()
    few = rows[rows < FEW_TUNING_ROWS]
    columns = list(summary.mean.columns)

    def cell(method: str, column: str) -> TableCell:
        runs, dagger = summary.count.at[method, column], (method, column) in few.index
        said = filter(None, [TUNED_ON_FEW if dagger else "", marks.at[method, column]])
        note = f"{runs} run{'' if runs == 1 else 's'}"
        marked = "".join(f" {each}" for each in said)
        return score_cell(summary, method, column, marks=marked, note=note)

    return Table(
        name,
        title or measure_heading(measure),
        [TableColumn("method"), *_columns(frame, measure, columns)],
        grid(summary.mean.index, columns, cell),
        [*references, *_bounds(frame, measure)],
        " ".join(filter(None, [note, _marks_note(summary, reference), _few_note(few)])),
    )


def score_chart(frame: pd.DataFrame, measure: str, *, name: str) -> Chart | None:
    """Draw the means of a measure, a group of bars for each data set; None without a measure."""
    summary = scores(frame, measure)
    if summary is None:
        return None
    # A bar without a whisker has one of no length.
    summary = replace(summary, std=summary.std.fillna(0.0))
    columns, methods = list(map(str, summary.mean.columns)), summary.mean.index
    # Names are short, but for what must be said wherever they stand.
    short = [data_title(each.partition(" (")[0], SIMULATED in each) for each in columns]
    sets = columns if len(set(short)) < len(short) else short
    heading = measure_heading(measure)
    best = [
        f"{listed(map(str, summary.best.index[summary.best[column]]))} on {each}"
        for each, column in zip(sets, columns, strict=True)
    ]
    return Chart(
        name,
        f"{heading}, method by method",
        "bars",
        y_title=heading,
        series=[
            series_of(summary, method, sets, [f"on {each}" for each in sets], not place)
            for place, method in enumerate(methods)
        ],
        note="Whiskers: one standard deviation over splits.",
        alternative=f"{heading}; best: {', '.join(best)}.",
    )


def series_of(
    table: ScoreTable, method: str, x: Sequence[Any], places: Sequence[str], emphasis: bool
) -> Series:
    """Draw a method's means, one standard deviation around them; places name the x in words."""
    mean, half = table.mean.loc[method], table.std.loc[method]
    texts = [
        f"{method} {place}: {table.cell(method, column)}"
        for place, column in zip(places, mean.index, strict=True)
    ]
    low, high = (list(map(finite, mean + sign * half)) for sign in (-1, 1))
    return Series(str(method), x, list(map(finite, mean)), low, high, texts, emphasis)


def _bounds(frame: pd.DataFrame, measure: str) -> list[list[TableCell]]:
    rows = []
    for prefix, title in ((FLOOR, FLOOR_ROW), (CEILING, CEILING_ROW)):
        means = bound_means(frame, prefix + measure)
        if means.notna().any():
            rows.append([TableCell(title), *map(number, means)])
    return rows


def bound_means(frame: pd.DataFrame, bound: str) -> pd.Series:
    """Average a bound over the splits of each column; they do not depend on the method."""
    frame = titled(frame)
    columns = pd.Index(frame["column"].unique())
    if bound not in frame:
        return pd.Series(np.nan, index=columns)
    by_split = frame.groupby(["column", "split", "seed"])[bound].first()
    return by_split.groupby("column").mean().reindex(columns)


def score_cell(
    table: ScoreTable, method: str, column: str, *, marks: str = "", note: str
) -> TableCell:
    """Show a score with its marks; what has no value has none."""
    value = finite(table.mean.at[method, column])
    return TableCell(
        table.cell(method, column) + (marks if value is not None else ""),
        value,
        best=bool(table.best.at[method, column]),
        tied=bool(table.tied.at[method, column]),
        note=note,
    )


def _decisions_sentence(frame: pd.DataFrame, by_column: bool = False) -> str:
    """Say what methods decide by, and how rankings were corrected by the prior."""
    known = titled(frame).dropna(subset=["decision"]) if "decision" in frame else frame.iloc[:0]
    if known.empty:
        return ""
    by_rule: dict[str, list[str]] = {}
    for title, rule in known.groupby("title", sort=False)["decision"].first().items():
        by_rule.setdefault(str(rule), []).append(str(title))
    said = [
        f"{listed(titles)} {'as their authors do' if rule == 'own' else f'by the rule {rule}'}"
        for rule, titles in by_rule.items()
    ]
    taus = sorted(known["tau"].dropna().unique())
    correction = "none, for any method" if taus == [0.0] else f"τ = {', '.join(map(str, taus))}"
    suited = "in each column by the rule named above it, for all methods alike; elsewhere "
    return (
        f"Decisions: {suited if by_column else ''}{'; '.join(said)}. Prior correction of rankings: "
        f"{correction}."
    )


def run_sentences(run: Run, by_column: bool = False) -> list[Text]:
    """Say on which rows and with which parameters a run was made, and what was simulated.

    ``by_column`` says whether each column of label sets is decided by a rule that it names.
    """
    sentences = [
        _protocol_sentence(run.frame),
        _decisions_sentence(run.frame, by_column),
        run.tuning,
        simulated_sentence(run.frame),
    ]
    return [Text(sentence) for sentence in sentences if sentence]


def _protocol_sentence(frame: pd.DataFrame) -> str:
    words = []
    for kind, seeds in frame.groupby("drawn")["seed"].nunique().items():
        drawn = "one random split" if seeds == 1 else f"{seeds} random splits"
        words.append(drawn if kind == "random" else "the official split")
    words += common_words(frame["setting"])
    return f"Protocol: {', '.join(words)}."


def simulated_sentence(frame: pd.DataFrame) -> str:
    """Warn where features are simulated."""
    names = list(frame.loc[frame["simulated"].astype(bool), "data"].unique())
    if not names:
        return ""
    return (
        f"**{listed(names)}: {SIMULATED}.** The labels are real, the features are drawn from them: "
        "such a column compares methods on a made problem, and says nothing about the real data."
    )


def _columns(frame: pd.DataFrame, measure: str, names: Sequence[str]) -> list[TableColumn]:
    known = titled(frame).dropna(subset=["n_train"]).drop_duplicates("column").set_index("column")
    meanings = {
        name: "{:.0f} training rows, {:.0f} test rows, {:.0f} features, {:.0f} labels".format(
            *(row[size] for size in SIZES)
        )
        for name, row in known.iterrows()
    }
    return [TableColumn(name, direction_of(measure), meanings.get(name, "")) for name in names]


def _few_note(few: pd.Series) -> str:
    by_column = few.groupby("column", sort=False).last()
    words = [f"{rows:.0f} rows of {column}" for column, rows in by_column.items()]
    return f"{TUNED_ON_FEW}: parameters chosen once, on {listed(words)}." if words else ""


def _marks(frame: pd.DataFrame, measure: str, reference: str) -> pd.DataFrame:
    """Say where a method differs from the reference over the same splits, and which way."""
    marks = pd.DataFrame("", index=frame["title"].unique(), columns=frame["column"].unique())
    for column, cells in frame.groupby("column"):
        runs = paired_runs(cells, measure)
        for method in runs.columns.drop(reference) if reference in runs else ():
            gaps = gaps_between(runs, method, reference)
            if is_level(gaps) is False:
                ahead = (gaps.mean() > 0) == is_better_higher(measure)
                marks.at[method, column] = BETTER if ahead else WORSE
    return marks


def _marks_note(table: ScoreTable, reference: str) -> str:
    if table.count.to_numpy().max() < FEWEST_PAIRS:
        return "Marked: the best of each column. There are too few runs to test differences."
    return (
        "Marked: the best of each column and what does not differ from it; "
        f"{BETTER} and {WORSE}: better and worse than {reference}. Wilcoxon's signed-rank test "
        f"over the same splits, level {LEVEL:g}, not corrected for the number of tests; splits of "
        "one data set share rows, so it finds differences too easily."
    )
