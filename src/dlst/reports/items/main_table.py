"""The paper's main table: ten methods on six sets, by three measures, beside what it printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dlst.experiments.published import DATASETS, MEASURES, PRINTED_AS, main_value
from dlst.reports.document import Block, Cell, Column, Section, Table, Text
from dlst.reports.items._cells import CEILING, FLOOR, Records, ordered_frame, titled
from dlst.reports.items._parts import (
    bound_means,
    direction_of,
    measure_heading,
    measure_words,
    number,
    run_sentences,
    score_block,
    score_chart,
    scores,
)
from dlst.reports.items._words import NOTHING, anchor, listed
from dlst.reports.items.comparison import cost_section, has_results, rank_sections

OWN_DECISIONS = {"micro_f1_top_r": "micro_f1", "macro_f1_top_r": "macro_f1"}
SPLITS = {"random": "random splits", "official": "official split"}
IMPOSSIBLE = "above the ceiling"
BELOW = "below the floor"


@dataclass(frozen=True)
class Beside:
    """A value of the paper beside ours, means over the same splits."""

    column: str
    title: str
    random: float
    official: float
    printed: float
    floor: float
    ceiling: float
    stands_in: bool
    """Whether our rows are not those of the paper."""

    @property
    def is_impossible(self) -> bool:
        """Whether no ranking reaches the printed value."""
        return self.printed > self.ceiling

    @property
    def is_below(self) -> bool:
        """Whether ranking labels by frequency alone does better than the printed value."""
        return self.printed < self.floor

    @property
    def mark(self) -> str:
        """Say what is wrong with the printed value, if anything is."""
        mark = IMPOSSIBLE if self.is_impossible else BELOW if self.is_below else ""
        return f"{mark} (on our rows)" if mark and self.stands_in else mark


def sections(records: Records, plan: Mapping[str, Any]) -> list[Section]:
    """Build a section for each measure of the paper, then ranks and costs."""
    frame = ordered_frame(records, plan)
    if not has_results(frame):
        return [Section("main", "Scores", [Text(NOTHING)])]
    protocol = Section("protocol", "Protocol", [*run_sentences(frame, records), *_words(frame)])
    return [
        protocol,
        *(_measure_section(frame, measure) for measure in MEASURES),
        *rank_sections(frame, tuple(MEASURES)),
        cost_section(frame),
    ]


def verdict(records: Records, plan: Mapping[str, Any]) -> str:
    """Say where the first method is best, and how many printed values cannot be."""
    frame = ordered_frame(records, plan)
    if not has_results(frame):
        return f"{NOTHING} The list of failures says what went wrong."
    return f"{_wins_sentence(frame)} {_printed_sentence(frame)}"


def compared(frame: pd.DataFrame, measure: str) -> list[Beside]:
    """Put each printed value of a measure beside ours."""
    return list(_beside(frame, measure))


def _measure_section(frame: pd.DataFrame, measure: str) -> Section:
    reference = str(frame["title"].iloc[0])
    measures = [measure, *([OWN_DECISIONS[measure]] if measure in OWN_DECISIONS else [])]
    shown = frame[
        frame["drawn"] == ("random" if (frame["drawn"] == "random").any() else "official")
    ]
    chart = score_chart(shown, measure, reference, name=anchor("main", measure, "chart"))
    blocks: list[Block] = [] if chart is None else [chart]
    for each in measures:
        for kind, words in SPLITS.items():
            table = score_block(
                frame[frame["drawn"] == kind],
                each,
                reference,
                name=anchor("main", each, kind),
                title=f"{measure_heading(each)}: {words}",
            )
            blocks += [table] if table is not None else []
    blocks += _printed_table(frame, measure)
    return Section(anchor("main", measure), MEASURES[measure], blocks)


def _printed_table(frame: pd.DataFrame, measure: str) -> list[Block]:
    found = compared(frame, measure)
    if not found:
        return []
    direction = direction_of(measure)
    columns = [
        Column("data"),
        Column("method"),
        Column("ours, random splits", direction),
        Column("ours, official split", direction),
        Column("paper", "", f"{MEASURES[measure]} in Table II, as printed"),
        Column("floor", "", "labels ranked by their frequency in training"),
        Column("ceiling", "", "what no ranking exceeds when r labels of each row are predicted"),
        Column("about the printed value"),
    ]
    rows = [
        [
            Cell(each.column),
            Cell(each.title),
            number(each.random),
            number(each.official),
            number(each.printed, 4),
            number(each.floor),
            number(each.ceiling),
            Cell(each.mark),
        ]
        for each in found
    ]
    outside = sum(bool(each.mark) for each in found)
    note = (
        f"{outside} of {len(found)} lines have a printed value outside floor and ceiling. Above "
        "the ceiling it cannot be under the printed protocol; below the floor, ranking the labels "
        "by frequency alone does better. Of "
        "official and random splits the lower floor and the higher ceiling count. A poor method "
        "may miss a floor; no method passes a ceiling. The paper's DLST stands beside each of our "
        "presets of it."
    )
    title = f"{measure_heading(measure)}: ours beside the paper's"
    return [Table(anchor("main", measure, "printed"), title, columns, rows, note=note)]


def _beside(frame: pd.DataFrame, measure: str) -> Iterator[Beside]:
    by_split = {
        kind: scores(frame[frame["drawn"] == kind], measure) if measure in frame else None
        for kind in SPLITS
    }
    floors, ceilings = _bounds(frame, FLOOR + measure, min), _bounds(frame, CEILING + measure, max)
    # Random and official splits are columns of the same name once they are apart.
    named = pd.concat([titled(frame[frame["drawn"] == kind]) for kind in SPLITS])
    for (column, title), cells in named.groupby(["column", "title"], sort=False):
        data, method = cells["data"].iloc[0], cells["method"].iloc[0]
        printed = main_value(measure, data, method)
        if printed is None:
            continue
        ours = {
            kind: table.mean.at[title, column]
            if table is not None and column in table.mean and title in table.mean.index
            else np.nan
            for kind, table in by_split.items()
        }
        yield Beside(
            column=str(column),
            title=str(title),
            printed=printed,
            floor=floors.get(column, np.nan),
            ceiling=ceilings.get(column, np.nan),
            stands_in=data in PRINTED_AS,
            **ours,
        )


def _bounds(
    frame: pd.DataFrame, bound: str, widest: Callable[[float, float], float]
) -> dict[str, float]:
    """Average a bound over the splits of a kind; of the two kinds the one that allows more."""
    found: dict[str, float] = {}
    for kind in SPLITS:
        for column, mean in bound_means(frame[frame["drawn"] == kind], bound).dropna().items():
            found[str(column)] = widest(found.get(str(column), mean), mean)
    return found


def _words(frame: pd.DataFrame) -> list[Text]:
    words = [
        "Top r: the r best-ranked labels of each row count as predicted, r being the mean number "
        "of labels of a training row, rounded up, as the paper says. Own decisions: each method's "
        "own rule. Average precision is the mean over rows that have a label."
    ]
    if frame["setting"].str.contains("features of the test rows").any():
        words.append(
            "MC, SLRM and MRV, which learn from unlabelled rows too, are given the features of the "
            "test rows, as in the paper; their parameters were tuned without them."
        )
    if "mediamill-2000" in set(frame["data"]):
        words.append(
            "**mediamill-2000** stands for the paper's Mediamill: it is 2,000 of its "
            f"{DATASETS['mediamill']['n']:,} rows, so ours and the printed values are not of the "
            "same rows."
        )
    return [Text(word) for word in words]


def _wins_sentence(frame: pd.DataFrame) -> str:
    ours = str(frame["title"].iloc[0])
    kind = "random" if (frame["drawn"] == "random").any() else "official"
    won, lost = 0, []
    for measure in MEASURES:
        table = scores(frame[frame["drawn"] == kind], measure)
        if table is None:
            continue
        for column in table.mean.columns[table.mean.notna().any()]:
            winners = [str(method) for method in table.best.index[table.best[column]]]
            won += ours in winners
            if ours not in winners:
                lost.append(f"{measure_words(measure)} on {column} ({listed(winners)})")
    told = f"On {SPLITS[kind]} {ours} is best in {won} of {won + len(lost)} columns"
    return f"{told}; it is not best in {listed(lost)}." if lost else f"{told}."


def _printed_sentence(frame: pd.DataFrame) -> str:
    names = dict(zip(frame["title"], frame["method"], strict=True))
    # Presets of DLST share a printed value: it counts once.
    values = {
        (measure, each.column, PRINTED_AS.get(names[each.title], names[each.title])): each
        for measure in MEASURES
        for each in compared(frame, measure)
    }
    above = sum(each.is_impossible for each in values.values())
    below = sum(each.is_below for each in values.values())
    return (
        f"Of the {len(values)} values that the paper printed for these columns, above what any "
        f"ranking reaches under its protocol: {above}; below ranking labels by their frequency "
        f"alone: {below}."
    )
