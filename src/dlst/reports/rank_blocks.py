"""Ranks of one measure over data sets: the tests in words, a table, a diagram, a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dlst.reports.document import Block, Drawing, Table, TableCell, TableColumn, Text
from dlst.reports.frames import measure_heading, measure_words
from dlst.reports.rank_summary import RankSummary, p_words, rank_summary
from dlst.reports.score_blocks import scores
from dlst.reports.score_tables import LEVEL
from dlst.reports.scoreboard import FEWEST_RANKED
from dlst.reports.words import DASH, anchor, columns, grid, listed, number, signed

SHARE_KEPT = 2 / 3
"""A method with results on fewer of the data sets is not ranked: the others would lose them too."""

TEST_COLUMNS = (
    TableColumn("method"),
    TableColumn("mean rank", "lower", "1 is the best"),
    TableColumn("Nemenyi p", "", "of the difference of mean ranks, corrected for all pairs"),
    TableColumn("wins/ties/losses", "", "of the reference against the method of the row"),
    TableColumn("mean difference", "", "plus where the reference is better"),
    TableColumn("Wilcoxon p", "", "signed-rank test over data sets, two-sided"),
    TableColumn("Holm p", "", "the same, corrected for the number of methods"),
    TableColumn(
        "P(better)", "", "that the reference is practically better; Bayesian signed-rank test"
    ),
    TableColumn("P(equal)", "", "that the difference is practically none"),
    TableColumn("P(worse)", "", "that the reference is practically worse"),
)


def ranks_of(frame: pd.DataFrame, measure: str) -> RankSummary | None:
    """Rank the methods by a measure, against the first of them; None where too few can be ranked.

    A data set counts once: with official and random splits the kind with more runs is taken.
    Nothing is ranked where a data set has several protocols, for they are not independent.
    """
    if frame.empty or frame.groupby("data")["protocol"].nunique().max() > 1:
        return None
    table = scores(one_split_each(frame), measure)
    if table is None:
        return None
    # A score counts where it is over as many runs as the others.
    complete = table.count.eq(table.count.max()) & table.mean.apply(np.isfinite)
    kept = complete.index[complete.mean(axis="columns") >= SHARE_KEPT]
    reference = str(table.mean.index[0])
    few = min(len(kept), complete.loc[kept].all().sum()) < FEWEST_RANKED
    if few or reference not in kept:
        return None
    parts = ("mean", "std", "count", "best", "tied")
    ranked = replace(table, **{part: getattr(table, part).loc[kept] for part in parts})
    return rank_summary(ranked, reference)


def one_split_each(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep, of each data set, the kind of split that has more seeds."""
    seeds = frame.groupby(["data", "drawn"])["seed"].nunique()
    kind = {data: seeds[data].idxmax() for data in frame["data"].unique()}
    return frame[frame["drawn"] == frame["data"].map(kind)]


def rank_blocks(summary: RankSummary, frame: pd.DataFrame | None = None) -> list[Block]:
    """Lay ranks out: the tests in words, a table, a diagram; a frame tells who was not ranked.

    Parameters
    ----------
    summary : RankSummary
    frame : DataFrame, optional
        All results.

    Returns
    -------
    list of Block

    Examples
    --------
    >>> from dlst.reports import rank_summary, score_table
    >>> frame = pd.DataFrame({"title": ["a", "b"] * 3, "data": list("xxyyzz"), "seed": 0})
    >>> frame = frame.assign(protocol="", split="", status="done", micro_f1=[9, 5, 8, 6, 7, 6.5])
    >>> summary = rank_summary(score_table(frame, "micro_f1"), "a", n_draws=1000)
    >>> len(rank_blocks(summary)) > 1
    True
    """
    mean = summary.ranks.mean.sort_values(kind="stable")
    in_order = ", ".join(f"{method} {rank:.2f}" for method, rank in mean.items())
    table = Table(
        name=anchor("ranks", summary.measure),
        title=f"{summary.title}: mean ranks, and {summary.reference} against each",
        columns=TEST_COLUMNS,
        rows=[_test_row(summary, str(method)) for method in mean.index],
        note="Marked: the best mean rank, and those that Nemenyi's test does not tell from it.",
    )
    diagram = Drawing(
        name=anchor("ranks", summary.measure, "diagram"),
        title=f"{summary.title}: critical-difference diagram",
        svg=summary.diagram(),
        note="Bars join methods that Nemenyi's test does not tell apart.",
        alternative=f"Mean ranks, best first: {in_order}. "
        f"Critical difference {summary.nemenyi.critical_difference:.2f}.",
    )
    words = summary.sentences()
    titles = () if frame is None else frame["title"].unique()
    if missing := [title for title in titles if title not in mean]:
        words.append(
            f"Not ranked, as results on a third of the data sets are missing: {listed(missing)}."
        )
    return [*map(Text, words), table, diagram]


def rank_overview(summaries: Sequence[RankSummary]) -> Table:
    """Lay out the mean ranks by several measures, the best method over all of them first."""
    ranks = pd.DataFrame({each.measure: each.ranks.mean for each in summaries})
    ranks = ranks.loc[ranks.mean(axis="columns").sort_values(kind="stable").index]
    best = ranks.round(2).eq(ranks.round(2).min())

    def cell(method: str, measure: str) -> TableCell:
        return number(ranks.at[method, measure], 2, best=best.at[method, measure])

    sizes = "; ".join(
        f"{each.friedman.n_data} by {measure_words(each.measure)}" for each in summaries
    )
    return Table(
        name="mean-ranks",
        title="Mean ranks by measure",
        columns=[*columns("method"), *columns(*map(measure_heading, ranks), direction="lower")],
        rows=grid(ranks.index, ranks, cell),
        note=f"1 is the best. Data sets with results of every ranked method: {sizes}.",
    )


def rank_sentence(summary: RankSummary) -> str:
    """Say in a sentence which method has the best mean rank, and where the reference stands."""
    mean = summary.ranks.mean.sort_values(kind="stable")
    ours, test = summary.reference, summary.friedman
    first = [str(method) for method in mean.index[mean <= mean.iloc[0] + 1e-9]]
    has = "has" if len(first) == 1 else "share"
    words = (
        f"By {measure_words(summary.measure)} {listed(first)} {has} the best mean rank of "
        f"{test.n_methods} methods on {test.n_data} data sets, {mean.iloc[0]:.2f}"
    )
    if ours not in first:
        place = int((mean < mean[ours] - 1e-9).sum()) + 1
        return f"{words}; {ours} is number {place} with {mean[ours]:.2f}."
    others = mean.drop(first)
    if others.empty:
        return f"{words}."
    apart = int((summary.nemenyi.p_values.loc[ours, others.index] < LEVEL).sum())
    return (
        f"{words}, before {others.index[0]} with {others.iloc[0]:.2f}; Nemenyi's test tells {ours} "
        f"from {apart or 'none'} of the {len(mean) - 1} others."
    )


def holm_sentence(summaries: Sequence[RankSummary]) -> str:
    """Say how many pairs with the reference differ over data sets, corrected for their number."""
    tests = pd.concat([each.wilcoxon for each in summaries])
    different = tests[tests["p_holm"] < LEVEL]
    sets = {each.friedman.n_data for each in summaries}
    count = f"{min(sets)}" if len(sets) == 1 else f"{min(sets)} to {max(sets)}"
    ours = summaries[0].reference
    if different.empty:
        return f"with {count} data sets no pair with {ours} is significant after Holm"
    better = int((different["mean_difference"] > 0).sum())
    return (
        f"over {count} data sets {better} of {len(tests)} Wilcoxon tests, corrected by Holm, show "
        f"{ours} better and {len(different) - better} show it worse"
    )


def _test_row(summary: RankSummary, method: str) -> list[TableCell]:
    rank, mean = float(summary.ranks.mean[method]), summary.ranks.mean
    p_of_best = summary.nemenyi.p_values.at[mean.idxmin(), method]
    is_best = rank <= mean.min() + 1e-9
    placed = TableCell(
        f"{rank:.2f}", rank, best=is_best, tied=bool(not is_best and p_of_best >= LEVEL)
    )
    if method == summary.reference:
        return [TableCell(method), placed, *(DASH for _ in TEST_COLUMNS[2:])]
    paired, chances = summary.wilcoxon.loc[method], summary.bayesian.loc[method]
    score = f"{paired['wins']:.0f}/{paired['ties']:.0f}/{paired['losses']:.0f}"
    return [
        TableCell(method),
        placed,
        _p_value(summary.nemenyi.p_values.at[summary.reference, method]),
        TableCell(score, float(paired["wins"] - paired["losses"])),
        signed(paired["mean_difference"]),
        _p_value(paired["p_value"]),
        _p_value(paired["p_holm"]),
        *(number(chances[side]) for side in ("better", "equal", "worse")),
    ]


def _p_value(value: float) -> TableCell:
    return TableCell(p_words(value), float(value))
