"""Where one method stands among others: the columns in which it is best, level or beaten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dlst.reports.score_blocks import measure_words, scores


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
