"""All methods over all data sets: mean ranks, the tests after them, and their diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from dlst.reports.document import Cell, Column, Section, Table, Text
from dlst.reports.items._cells import Records, ordered_frame
from dlst.reports.items._parts import measure_heading, measure_words, number, run_sentences
from dlst.reports.items._ranks import FEWEST, rank_blocks, rank_sentence, ranks_of
from dlst.reports.items._words import anchor, listed
from dlst.reports.rank_summary import RankSummary
from dlst.reports.score_tables import LEVEL

RANKED = (
    "instance_average_precision_labelled",
    "macro_average_precision",
    "micro_f1_top_r",
    "macro_f1_top_r",
    "micro_f1",
)


def sections(records: Records, plan: Mapping[str, Any]) -> list[Section]:
    """Build an overview of mean ranks, then a section for each measure."""
    frame = ordered_frame(records, plan)
    summaries = {measure: ranks_of(frame, measure) for measure in RANKED}
    known = {measure: summary for measure, summary in summaries.items() if summary is not None}
    if not known:
        return [Section("ranks", "Mean ranks", [Text(_too_few())])]
    overview = Section("ranks", "Mean ranks", [*run_sentences(frame, records), _overview(known)])
    return [
        overview,
        *(
            Section(anchor("ranks", measure), summary.title, rank_blocks(summary, frame))
            for measure, summary in known.items()
        ),
    ]


def verdict(records: Records, plan: Mapping[str, Any]) -> str:
    """Say who ranks best, and whether the tests tell the first method of the plan from others."""
    frame = ordered_frame(records, plan)
    found = [ranks_of(frame, measure) for measure in RANKED]
    known = [summary for summary in found if summary is not None]
    if not known:
        return f"{_too_few()} Run more of the plan."
    return f"{rank_sentence(known[0])} {_measures_sentence(known)}"


def _measures_sentence(summaries: list[RankSummary]) -> str:
    ours = summaries[0].reference
    winners: dict[str, list[str]] = {}
    for each in summaries:
        if each.ranks.mean[ours] > each.ranks.mean.min() + 1e-9:
            winner = str(each.ranks.mean.idxmin())
            winners.setdefault(winner, []).append(measure_words(each.measure))
    if winners:
        told = [f"{winner} by {listed(measures)}" for winner, measures in winners.items()]
        standing = f"{ours} does not have the best mean rank everywhere (best: {'; '.join(told)})"
    else:
        standing = f"{ours} has the best mean rank by all {len(summaries)} measures"
    tests = pd.concat([each.wilcoxon for each in summaries])
    shown = tests[tests["p_holm"] < LEVEL]
    better = int((shown["mean_difference"] > 0).sum())
    return (
        f"{standing}; of {len(tests)} Holm-corrected Wilcoxon tests {better} show it better than "
        f"another method and {len(shown) - better} worse."
    )


def _overview(summaries: Mapping[str, RankSummary]) -> Table:
    ranks = pd.DataFrame({measure: each.ranks.mean for measure, each in summaries.items()})
    ranks = ranks.loc[ranks.mean(axis="columns").sort_values(kind="stable").index]
    best = ranks.round(2).eq(ranks.round(2).min())
    rows = []
    for method in ranks.index:
        cells = [
            replace(number(ranks.at[method, measure], 2), best=bool(best.at[method, measure]))
            for measure in ranks.columns
        ]
        rows.append([Cell(str(method)), *cells])
    sizes = "; ".join(
        f"{each.friedman.n_data} by {measure_words(each.measure)}" for each in summaries.values()
    )
    columns = [Column(measure_heading(measure), "lower") for measure in ranks.columns]
    return Table(
        name="mean-ranks",
        title="Mean ranks by measure",
        columns=[Column("method"), *columns],
        rows=rows,
        note=f"1 is the best. Data sets with results of every ranked method: {sizes}.",
    )


def _too_few() -> str:
    return f"Ranks need results of {FEWEST} methods on {FEWEST} data sets, one protocol each."
