"""Any comparison of methods on data: scores, ranks, time, and who wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from dlst.reports.document import Block, Cell, Column, Section, Table, Text
from dlst.reports.rank_blocks import rank_blocks, rank_sentence, ranks_of
from dlst.reports.run import Run, titled
from dlst.reports.score_blocks import (
    measure_words,
    number,
    run_sentences,
    score_block,
    score_chart,
    scores,
)
from dlst.reports.words import NOTHING, anchor, listed

MEASURES = (
    "instance_average_precision_labelled",
    "macro_average_precision",
    "micro_f1_top_r",
    "macro_f1_top_r",
    "micro_f1",
    "macro_f1",
    "hamming_loss",
)
COSTS = (
    ("fit_seconds", "Seconds to fit", 2),
    ("predict_seconds", "Seconds to predict the test rows", 2),
    ("tune_seconds", "Seconds to tune in the cell", 2),
    ("peak_mib", "Peak memory of the process, MiB", 0),
)

SMALLEST_COST = 0.01
"""Costs that all lie below have nothing to show."""


def sections(run: Run) -> list[Section]:
    """Build scores by measure, ranks where there is enough to rank, and costs."""
    frame = run.frame
    if not run.has_results:
        return [Section("scores", "Scores", [Text(NOTHING)])]
    reference = str(frame["title"].iloc[0])
    tables = [
        score_block(frame, measure, reference, name=anchor("scores", measure))
        for measure in MEASURES
    ]
    chart = score_chart(frame, MEASURES[0], reference, name="scores-chart")
    shown: list[Block] = [block for block in (chart, *tables) if block is not None]
    return [
        Section("scores", "Scores", [*run_sentences(run), *shown]),
        *rank_sections(frame),
        cost_section(frame),
    ]


def verdict(run: Run) -> str:
    """Say who is best by instance AP, and how the first method of the plan does over all."""
    frame = run.frame
    if not run.has_results:
        return f"{NOTHING} The list of failures says what went wrong."
    ranked = ranks_of(frame, MEASURES[0])
    first = rank_sentence(ranked) if ranked is not None else _wins_sentence(frame)
    return f"{first} {standing_sentence(frame, MEASURES)}"


def rank_sections(
    frame: pd.DataFrame, measures: Sequence[str] = MEASURES[:3] + MEASURES[4:5]
) -> list[Section]:
    """Build a section of ranks by measure; none where too few can be ranked."""
    found = [ranks_of(frame, measure) for measure in measures]
    blocks = [block for each in found if each is not None for block in rank_blocks(each, frame)]
    return [Section("ranks", "Ranks over data sets", blocks)] if blocks else []


def cost_section(frame: pd.DataFrame) -> Section:
    """Build tables of seconds and memory; nothing is marked, for machines differ."""
    note = "Means over runs. Cells that ran side by side share the machine and slow each other."
    tables: list[Block] = []
    named = titled(frame[frame["status"] == "done"])
    for measure, title, decimals in COSTS:
        if measure not in named or not (named[measure] >= SMALLEST_COST).any():
            continue
        means = named.pivot_table(
            index="title", columns="column", values=measure, sort=False, observed=True
        )
        rows = [
            [Cell(str(method)), *(number(value, decimals) for value in means.loc[method])]
            for method in means.index
        ]
        columns = [Column("method"), *(Column(str(name), "lower") for name in means.columns)]
        tables.append(Table(anchor("costs", measure), title, columns, rows, note=note))
    return Section("costs", "Time and memory", tables)


def standing_sentence(frame: pd.DataFrame, measures: Sequence[str]) -> str:
    """Count the columns that the first method wins, and name who beats it where."""
    ours = str(frame["title"].iloc[0])
    won = tied = total = 0
    beaten_by: Counter[str] = Counter()
    lost: dict[str, list[str]] = {}
    for measure in measures:
        table = scores(frame, measure)
        if table is None:
            continue
        for column in table.mean.columns[table.mean.notna().any()]:
            total += 1
            winners = [str(method) for method in table.best.index[table.best[column]]]
            won += ours in winners
            tied += bool(table.tied.at[ours, column])
            if ours not in winners:
                beaten_by.update(winners[:1])
                lost.setdefault(measure_words(measure), []).append(str(column))
    told = f"{ours} is best in {won} of {total} columns over all measures"
    if tied:
        told += f" and level with the best in {tied}"
    if not lost:
        return f"{told}."
    most, times = beaten_by.most_common(1)[0]
    measure, columns = max(lost.items(), key=lambda each: len(each[1]))
    return (
        f"{told}; it is beaten most often by {most} (in {times}), and loses most by {measure}: "
        f"on {_few(columns)}."
    )


def _wins_sentence(frame: pd.DataFrame) -> str:
    measure = next((name for name in MEASURES if scores(frame, name) is not None), "")
    table = scores(frame, measure)
    if table is None:
        return "No measure has a value."
    wins = table.best.sum(axis="columns")
    first = [str(method) for method in wins.index[wins == wins.max()]]
    is_best = "is best" if len(first) == 1 else "are each best"
    return (
        f"By {measure_words(measure)} {listed(first)} {is_best} on {wins.max()} of "
        f"{table.mean.shape[1]} data sets, of {table.mean.shape[0]} methods."
    )


def _few(names: Sequence[str], most: int = 4) -> str:
    shown = list(names[:most])
    return listed(shown if len(names) <= most else [*shown, f"{len(names) - most} more"])
