"""Methods × data sets: means over splits and seeds, the best of them, and what ties with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dlst.reports.frames import is_better_higher
from dlst.reports.signed_rank import signed_rank_p

DECIMALS = 3
FEWEST_PAIRS = 6
"""With fewer pairs Wilcoxon's test cannot reach the level, whatever the values."""

LEVEL = 0.05
BEYOND_CHANCE = 2.0
"""A mean difference of less than so many standard errors is put down to chance."""


@dataclass(frozen=True)
class ScoreTable:
    """One metric of methods (rows) on data sets (columns).

    Attributes
    ----------
    measure : str
        The metric.
    mean, std, count : DataFrame
        Over splits and seeds; NaN and 0 where nothing was measured.
    best : DataFrame of bool
        The best mean of a column, to the decimals shown.
    tied : DataFrame of bool
        What is not significantly worse than the best by Wilcoxon's signed-rank test over the same
        splits and seeds (level .05, not corrected), where there are at least six; of fewer, what
        is within two standard errors of it over samples of the test rows, where records have them.

    Examples
    --------
    >>> frame = pd.DataFrame({"title": ["DLST", "BR"], "data": "yeast", "split": "", "seed": 0})
    >>> frame = frame.assign(protocol="", status="done", micro_f1=[0.65, 0.6])
    >>> score_table(frame, "micro_f1").best["yeast"].to_dict()
    {'DLST': True, 'BR': False}
    """

    measure: str
    mean: pd.DataFrame
    std: pd.DataFrame
    count: pd.DataFrame
    best: pd.DataFrame
    tied: pd.DataFrame

    def cell(self, method: str, data: str) -> str:
        """Show mean and, with several runs, standard deviation."""
        mean, std = self.mean.at[method, data], self.std.at[method, data]
        if not np.isfinite(mean):
            return "—"
        text = f"{mean:.{DECIMALS}f}"
        if self.count.at[method, data] > 1:
            text += f" ± {std:.{DECIMALS}f}"
        return text


def score_table(frame: pd.DataFrame, measure: str) -> ScoreTable:
    """Summarise a metric of a :func:`~dlst.reports.results_frame`.

    Columns are data sets, with the protocol where there are several.

    Parameters
    ----------
    frame : DataFrame
    measure : str
        A column of it.

    Returns
    -------
    ScoreTable

    Examples
    --------
    >>> frame = pd.DataFrame({"title": ["DLST", "BR"], "data": "yeast", "split": "", "seed": 0})
    >>> frame = frame.assign(protocol="", status="done", micro_f1=[0.65, 0.6])
    >>> score_table(frame, "micro_f1").mean["yeast"].to_dict()
    {'DLST': 0.65, 'BR': 0.6}
    """
    frame = frame.assign(column=_columns(frame))
    done = frame[frame["status"] == "done"]
    rows, columns = frame["title"].unique(), frame["column"].unique()
    grouped = done.groupby(["title", "column"])[measure]

    def pivoted(values: pd.Series) -> pd.DataFrame:
        return values.unstack("column").reindex(index=rows, columns=columns)

    mean, std = pivoted(grouped.mean()), pivoted(grouped.std(ddof=1))
    count = pivoted(grouped.count()).fillna(0).astype(int)
    shown = mean.round(DECIMALS)
    best = shown.eq(shown.max() if is_better_higher(measure) else shown.min())
    return ScoreTable(measure, mean, std, count, best, _tied(done, measure, mean, best))


def _columns(frame: pd.DataFrame) -> pd.Series:
    if frame["protocol"].nunique() <= 1:
        return frame["data"]
    plain = frame["protocol"] == ""
    return frame["data"].where(plain, frame["data"] + " (" + frame["protocol"] + ")")


def _tied(done: pd.DataFrame, measure: str, mean: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    tied = pd.DataFrame(False, index=mean.index, columns=mean.columns)
    for column, cells in done.groupby("column"):
        winners, runs = best.index[best[column].fillna(False)], paired_runs(cells, measure)
        if not len(winners):
            continue
        for method in mean.index.difference(winners).intersection(runs.columns):
            gaps = gaps_between(runs, winners[0], method)
            if (level := is_level(gaps)) is not None:
                tied.at[method, column] = level
            elif (error := redrawn_error(cells, measure, winners[0], method)) is not None:
                tied.at[method, column] = abs(gaps.mean()) <= BEYOND_CHANCE * error
    return tied


def paired_runs(cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a measure on one data set: a row for each split and seed, a column for each method."""
    return cells.pivot_table(index=["split", "seed"], columns="title", values=measure)


def gaps_between(runs: pd.DataFrame, ours: str, other: str) -> pd.Series:
    """Subtract run by run; differences within rounding are 0."""
    return (runs[ours] - runs[other]).dropna().round(12)


def is_level(gaps: pd.Series) -> bool | None:
    """Return whether Wilcoxon's test finds no difference; None where there are too few pairs."""
    return None if len(gaps) < FEWEST_PAIRS else signed_rank_p(gaps) >= LEVEL


def redrawn_error(cells: pd.DataFrame, measure: str, ours: str, other: str) -> float | None:
    """Return the standard error of the mean difference of two methods, over samples of test rows.

    None where records have no such samples, or where a measure has no value on one.
    """
    if "redrawn" not in cells:
        return None
    by_run = []
    for _, run in cells.groupby(["split", "seed"]):
        found = {row.title: (row.redrawn or {}).get(measure) for row in run.itertuples()}
        if not found.get(ours) or not found.get(other):
            return None
        by_run.append(np.subtract(*np.array([found[ours], found[other]], dtype=np.float64)))
    gaps = np.mean(by_run, axis=0)
    return float(np.std(gaps, ddof=1)) if np.isfinite(gaps).all() else None
