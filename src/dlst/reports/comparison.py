"""The report of a comparison of methods on data: scores, ranks, time, and the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dlst.reports.document import Block, Section, Table, TableCell, Text
from dlst.reports.frames import BUDGET, SUITED, TOP_R, measure_words
from dlst.reports.rank_blocks import holm_sentence, rank_blocks, rank_sentence, ranks_of
from dlst.reports.run import Run, real, titled
from dlst.reports.score_blocks import first_title, run_sentences, score_block, score_chart, scores
from dlst.reports.scoreboard import is_small, ranking_sentence, score_lines
from dlst.reports.words import NOTHING, anchor, columns, known, listed, number

MEASURES = (
    "instance_average_precision_labelled",
    "macro_average_precision",
    "micro_f1_budget",
    "macro_f1_budget",
    "micro_f1_top_r",
    "macro_f1_top_r",
    "micro_f1",
    "macro_f1",
    "hamming_loss",
)
HAVE_RULES = ("micro_f1", "macro_f1", "hamming_loss")
"""Measures that have a rule of their own; judged by it where all methods were given one."""

PLAIN = ("micro_f1_top_r", "macro_f1_top_r")
PLAIN_TITLE = "Beside it: the plain top r"
PLAIN_NOTE = "Rankings cut at r labels, by no rule; no column above counts them."

RANKED = (*MEASURES[:2], "micro_f1_top_r", "micro_f1")
COSTS = (
    ("fit_seconds", "Seconds to fit", 2),
    ("predict_seconds", "Seconds to predict the test rows", 2),
    ("tune_seconds", "Seconds to tune in the cell", 2),
    ("peak_mib", "Peak memory of the process, MiB", 0),
)

MOST_NAMED = 4
SMALLEST_COST = 0.01
"""Costs that all lie below have nothing to show."""


@dataclass(frozen=True)
class Beaten:
    """A column in which others are best: the measure, the data, and who they are."""

    measure: str
    column: str
    winners: tuple[str, ...]

    def __str__(self) -> str:
        """Name the measure and the data."""
        return f"{measure_words(self.measure)} on {self.column}"


@dataclass(frozen=True)
class Standing:
    """How a method does over measures and data sets."""

    best: int
    """Columns in which no other mean is better, to the decimals shown."""
    alone: int
    """Those of them in which no other is level with it."""
    level: tuple[Beaten, ...]
    """Where it is not significantly worse than the best, by the test of ScoreTable."""
    worse: tuple[Beaten, ...]

    @property
    def total(self) -> int:
        """All columns."""
        return self.best + len(self.level) + len(self.worse)

    @property
    def words(self) -> str:
        """Count them, as a part of a sentence."""
        shared = self.best - self.alone
        ties = f", with another level in {shared} of them" if shared else ""
        level = f", level with the best in {len(self.level)} more" if self.level else ""
        return f"best in {self.best} of {self.total} columns{ties}{level}"


def sections(run: Run) -> list[Section]:
    """Build scores, ranks where there is enough to rank, and costs.

    A small run has one table; a larger one a table for each measure, and what was simulated apart.
    """
    if not run.has_results:
        return [Section("scores", "Scores", [Text(NOTHING)])]
    frame = run.frame
    judged, beside = measures_of(frame)
    words = run_sentences(run, by_column=bool(beside))
    if is_small(frame):
        tables = [score_lines(run, judged)]
        if beside:
            more = score_lines(run, beside, name="top-r", title=PLAIN_TITLE, note=PLAIN_NOTE)
            tables.append(more)
        return [Section("scores", "Scores", [*words, *tables])]
    counted, apart = real(frame), frame[frame["simulated"]]
    shown = _score_section("scores", "Scores", words, counted)
    note = [Text("A made problem on real labels; it counts in no verdict or rank.")]
    simulated = _score_section("simulated", "Simulated features, apart", note, apart)
    return [*shown, *rank_sections(counted), *simulated, cost_section(frame)]


def verdict(run: Run) -> str:
    """Say who is best by instance AP, what tests say of it, and how the first method does."""
    if not run.has_results:
        return f"{NOTHING} The list of failures says what went wrong."
    frame = real(run.frame)
    if frame.empty:
        return "All features were simulated, which counts in no verdict."
    counted = Run([run.evaluated[index] for index in frame.index], run.plan)
    ranked = ranks_of(frame, MEASURES[0])
    judged, beside = measures_of(frame)
    stands = standing_sentence(frame, judged, "In each column by the rule for it" if beside else "")
    if beside:
        plain = standing_sentence(frame, beside, "By the plain top r, which follows no rule,")
        stands = f"{stands} {plain}"
    if ranked is None:
        return f"{ranking_sentence(counted, MEASURES[0])} {stands}"
    tests = holm_sentence([ranked])
    return f"{rank_sentence(ranked)} {tests[0].upper()}{tests[1:]}. {stands}"


def measures_of(frame: pd.DataFrame) -> tuple[Sequence[str], Sequence[str]]:
    """Return what methods are judged by, and what is shown beside and judges nothing.

    Where all of them have learnt rules, a measure of label sets is that of the rule that suits it,
    and the plain top r of a ranking, for which a rule chooses r labels, stands beside.
    """
    done = frame[frame["status"] == "done"]

    def is_known(measure: str) -> bool:
        return measure in done and bool(done[measure].notna().all())

    def says_more(measure: str) -> bool:
        plain = measure.replace(BUDGET, TOP_R)
        return measure == plain or (is_known(measure) and not done[measure].equals(done[plain]))

    measures = [measure for measure in MEASURES if says_more(measure)]
    if not all(is_known(f"{measure}{SUITED}") for measure in HAVE_RULES):
        return measures, []
    beside = [each for each in PLAIN if each.replace(TOP_R, BUDGET) in measures]
    judged = [name for name in measures if name not in beside]
    return [f"{name}{SUITED}" if name in HAVE_RULES else name for name in judged], beside


def rank_sections(frame: pd.DataFrame, measures: Sequence[str] = RANKED) -> list[Section]:
    """Build a section of ranks by measure; none where too few can be ranked."""
    found = known(ranks_of(frame, measure) for measure in measures)
    blocks = [block for each in found for block in rank_blocks(each, frame)]
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
            [TableCell(str(method)), *(number(value, decimals) for value in means.loc[method])]
            for method in means.index
        ]
        titles = [*columns("method"), *columns(*means.columns, direction="lower")]
        tables.append(Table(anchor("costs", measure), title, titles, rows, note=note))
    return Section("costs", "Time and memory", tables)


def standing(frame: pd.DataFrame, measures: Sequence[str], title: str) -> Standing:
    """Compare the method of a title with all others of a frame, column by column."""
    best = alone = 0
    level, worse = [], []
    for measure in measures:
        table = scores(frame, measure)
        if table is None or title not in table.mean.index:
            continue
        for column in table.mean.columns[table.mean.loc[title].notna()]:
            winners = tuple(str(method) for method in table.best.index[table.best[column]])
            beaten = Beaten(measure, str(column), winners)
            if title in winners:
                best += 1
                alone += len(winners) == 1 and not table.tied[column].any()
            elif table.tied.at[title, column]:
                level.append(beaten)
            else:
                worse.append(beaten)
    return Standing(best, alone, tuple(level), tuple(worse))


def standing_sentence(frame: pd.DataFrame, measures: Sequence[str], by: str = "") -> str:
    """Count the columns that the first method wins, and name who beats it where.

    The sentence begins with ``by``, where these are not all measures.
    """
    ours = first_title(frame)
    found = standing(frame, measures, ours)
    words = f"{by} {ours} is {found.words}" if by else f"{ours} is {found.words} over all measures"
    lost = [*found.level, *found.worse]
    if not lost:
        return f"{words}."
    if frame["data"].nunique() == 1:
        to: dict[str, list[str]] = {}
        for each in found.worse:
            to.setdefault(listed(each.winners), []).append(measure_words(each.measure))
        beaten = [f"{listed(names)} to {winners}" for winners, names in to.items()]
        return f"{words}; it loses {'; '.join(beaten) or 'none'}."
    rival, times = Counter(each.winners[0] for each in lost).most_common(1)[0]
    measure, _ = Counter(each.measure for each in lost).most_common(1)[0]
    where = [each.column for each in lost if each.measure == measure]
    more = [f"{len(where) - MOST_NAMED} more"] if len(where) > MOST_NAMED else []
    return (
        f"{words}; it is beaten most often by {rival} (in {times}), and loses most by "
        f"{measure_words(measure)}: on {listed([*where[:MOST_NAMED], *more])}."
    )


def _score_section(
    name: str, title: str, words: Sequence[Block], frame: pd.DataFrame
) -> list[Section]:
    if frame.empty:
        return []
    judged, beside = measures_of(frame)
    notes = dict.fromkeys(judged, "") | dict.fromkeys(beside, PLAIN_NOTE)
    tables = [
        score_block(frame, measure, name=anchor(name, measure), note=note)
        for measure, note in notes.items()
    ]
    shown: list[Block] = known([score_chart(frame, MEASURES[0], name=f"{name}-chart"), *tables])
    return [Section(name, title, [*words, *shown])]
