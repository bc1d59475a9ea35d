"""A small run in one table: a line for each method on each data set, a column for each measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import sem

from dlst.metrics import metric_info
from dlst.reports.document import Table, TableCell, TableColumn
from dlst.reports.frames import (
    LABELLED,
    OWN,
    direction_of,
    is_better_higher,
    measure_heading,
    measure_title,
    measure_words,
    plain_measure,
    rule_of,
)
from dlst.reports.run import CEILING, FLOOR, Run, titled
from dlst.reports.score_blocks import bound_means, first_title, score_cell, scores
from dlst.reports.score_tables import (
    BEYOND_CHANCE,
    DECIMALS,
    FEWEST_PAIRS,
    ScoreTable,
    gaps_between,
    is_level,
    paired_runs,
    redrawn_error,
)
from dlst.reports.words import listed, number

MOST_LINES = 24
"""A run with more methods on data sets, or enough of both to rank, gets a table for a measure."""

FEWEST_RANKED = 3
"""Fewer methods or data sets are not worth ranking."""

BOUNDS = {
    FLOOR: ("floor: frequency", "labels ranked by their frequency in training, rows unseen"),
    CEILING: ("ceiling: top r", "the best that any ranking reaches when each row gets r labels"),
}
UPPER_BOUNDS = ("macro_f1_top_r", "macro_f1_budget")
"""Ceilings that are known to lie above what can be reached."""


class Difference(NamedTuple):
    """A paired difference of two methods: its mean, and its standard error where there is one."""

    mean: float
    error: float | None
    is_level: bool | None
    """Whether it is within chance; None where nothing tells."""


def is_small(frame: pd.DataFrame) -> bool:
    """Return whether one table holds a run."""
    lines = titled(frame)[["column", "title"]].drop_duplicates()
    return len(lines) <= MOST_LINES and lines.nunique().min() < FEWEST_RANKED


def score_lines(
    run: Run, measures: Sequence[str], *, name: str = "scores", title: str = "", note: str = ""
) -> Table:
    """Lay a small run out: the best of each data set marked, floor and ceiling below.

    A table without a title is that of all scores, and has the seconds too; by default the note
    says what is marked.
    """
    frame = titled(run.frame)
    tables = {name: each for name in measures if (each := scores(run.frame, name)) is not None}
    sets = list(frame["column"].unique())
    columns = [TableColumn("method"), TableColumn("data")]
    columns += [
        TableColumn(
            measure_title(each.removesuffix(LABELLED)), direction_of(each), measure_meaning(each)
        )
        for each in tables
    ]
    methods = dict(zip(frame["title"], frame["method"], strict=True))
    rows = [
        [
            TableCell(str(method), note=run.meaning(methods[method])),
            TableCell(str(column)),
            *(
                score_cell(each, method, column, note=f"{runs} runs" if runs > 1 else "")
                for each in tables.values()
                for runs in [each.count.at[method, column]]
            ),
        ]
        for column in sets
        for method in frame.loc[frame["column"] == column, "title"].unique()
    ]
    references = list(_bounds(run.frame, sets, list(tables)))
    if not title:
        columns.append(TableColumn("seconds", "lower", "to fit, and to predict the test rows"))
        for row, seconds in zip(rows, _seconds(frame, sets), strict=True):
            row.append(number(seconds, 1))
        for row in references:
            row.append(TableCell(""))
    if len(sets) == 1:
        del columns[1]
        for row in (*rows, *references):
            del row[1]
    note = note or _note(list(tables.values()), len(sets))
    return Table(name, title or _title(frame, sets), columns, rows, references, note)


def difference(run: Run, frame: pd.DataFrame, measure: str, ours: str, other: str) -> Difference:
    """Compare two methods on one data set over the same splits, or over the rows of a few.

    Splits are tested by Wilcoxon's signed-rank test where there are six or more; else the average
    precisions of the test rows are, or samples of these rows, where records have them.
    """
    gaps = gaps_between(paired_runs(frame, measure), ours, other)
    mean = float(gaps.mean())
    if (level := is_level(gaps)) is not None:
        return Difference(mean, float(gaps.sem()), level)
    by_row = [_row_gaps(run, cells, ours, other) for _, cells in frame.groupby(["split", "seed"])]
    pairs = np.concatenate([np.empty(0), *by_row])
    error = redrawn_error(frame, measure, ours, other)
    if len(pairs) > 1 and measure.startswith("instance_average_precision"):
        mean, error = float(pairs.mean()), float(sem(pairs))
    return Difference(mean, error, None if error is None else abs(mean) <= BEYOND_CHANCE * error)


def ranking_sentence(run: Run, measure: str) -> str:
    """Say on each data set how the first method stands to the next best, and to frequency alone."""
    frame = titled(run.frame)
    table = scores(run.frame, measure)
    ours = first_title(frame)
    if table is None or ours not in table.mean.index:
        return "No measure has a value."
    parts = [_against_next(run, table, str(column), ours) for column in table.mean.columns]
    return f"By {measure_words(measure)} {'; '.join(part for part in parts if part)}."


def measure_meaning(measure: str) -> str:
    """Explain a measure in a line."""
    own = metric_info(plain_measure(measure)).meaning
    rule = rule_of(measure)
    if rule is None:
        return own
    added = {
        "top r": "when every row gets the r labels that rank best, by no rule",
        "rule budget": "when every row gets r labels, chosen by the rule budget",
    }
    return f"{own}, {added.get(rule, f'decided by the {rule}, which aims at it')}"


def _against_next(run: Run, table: ScoreTable, column: str, ours: str) -> str:
    means = table.mean[column].dropna()
    others = means.drop(ours, errors="ignore")
    if ours not in means:
        return f"on {column} {ours} has no result"
    if others.empty:
        return f"{ours} has {means[ours]:.{DECIMALS}f} on {column}, and nothing to compare with"
    rival = str(others.idxmax() if is_better_higher(table.measure) else others.idxmin())
    frame = titled(run.frame)
    cells = frame[(frame["column"] == column) & (frame["status"] == "done")]
    gap = difference(run, cells, table.measure, ours, rival)
    ahead = (gap.mean > 0) == is_better_higher(table.measure)
    stands = "level with" if gap.is_level else "ahead of" if ahead else "behind"
    doubt = ", a difference within chance" if gap.is_level else ""
    error = "" if gap.error is None else f" ± {gap.error:.{DECIMALS}f}"
    untested = ", which so few runs cannot test" if gap.is_level is None else ""
    floor = bound_means(run.frame, f"{FLOOR}{table.measure}")[column]
    alone = f"; labels by frequency alone give {floor:.{DECIMALS}f}" if np.isfinite(floor) else ""
    return (
        f"on {column} {ours}, {means[ours]:.{DECIMALS}f}, is {stands} the next best, {rival}, "
        f"{means[rival]:.{DECIMALS}f}{doubt} ({gap.mean:+.{DECIMALS}f}{error}){untested}{alone}"
    )


def _row_gaps(run: Run, cells: pd.DataFrame, ours: str, other: str) -> np.ndarray:
    rows = {
        str(title): np.array(run.evaluated[index].get("row_ap") or [], dtype=np.float64)
        for index, title in cells["title"].items()
    }
    first, second = rows.get(ours, np.empty(0)), rows.get(other, np.empty(0))
    if len(first) != len(second):
        return np.empty(0)
    gaps = first - second
    return gaps[np.isfinite(gaps)]


def _title(frame: pd.DataFrame, sets: Sequence[str]) -> str:
    if len(sets) > 1:
        return f"Scores on {listed(map(str, sets))}"
    sizes = frame[["n_train", "n_test"]].dropna()
    if sizes.empty:
        return f"Scores on {sets[0]}"
    n_train, n_test = sizes.iloc[0]
    return f"Scores on {sets[0]}: {n_train:,.0f} training and {n_test:,.0f} test rows"


def _seconds(frame: pd.DataFrame, sets: Sequence[str]) -> Iterator[float]:
    """Yield the mean seconds of each method on each data set, in the order of the lines."""
    seconds = frame[["fit_seconds", "predict_seconds"]].sum(axis=1, min_count=1)
    for column in sets:
        cells = frame["column"] == column
        yield from seconds[cells].groupby(frame.loc[cells, "title"], sort=False).mean()


def _bounds(
    frame: pd.DataFrame, sets: Sequence[str], measures: Sequence[str]
) -> Iterator[list[TableCell]]:
    for column in sets:
        for prefix, (title, meaning) in BOUNDS.items():
            known = {name: bound_means(frame, prefix + name)[column] for name in measures}
            if np.isfinite(list(known.values())).any():
                cells = (_bound(prefix, name, value) for name, value in known.items())
                yield [TableCell(title, note=meaning), TableCell(str(column)), *cells]


def _bound(prefix: str, measure: str, value: float) -> TableCell:
    if prefix == CEILING and measure in UPPER_BOUNDS and np.isfinite(value):
        return TableCell(f"≤ {value:.{DECIMALS}f}", float(value))
    return number(value)


def _note(tables: Sequence[ScoreTable], n_sets: int) -> str:
    where = "each column" if n_sets == 1 else "each measure and data set"
    note = f"Marked: the best of {where}."
    if any(measure_heading(table.measure).endswith(OWN) for table in tables):
        note += " Where no rule is named, own decisions are judged."
    if any(table.count.to_numpy().max() >= FEWEST_PAIRS for table in tables):
        note += " And what does not differ from it, by Wilcoxon's signed-rank test over splits."
    elif any(table.tied.to_numpy().any() for table in tables):
        note += (
            " And what is within two standard errors of it, by samples of the test rows drawn with "
            "replacement."
        )
    return note
