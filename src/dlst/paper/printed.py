"""Values of Table II beside ours, and whether they can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from dlst.paper.published import MEASURES, PRINTED_AS, main_value
from dlst.reports import Run
from dlst.reports.run import CEILING, FLOOR, titled
from dlst.reports.score_blocks import bound_means, measure_words, scores

KINDS = ("random", "official")
IMPOSSIBLE = "above the ceiling"
BELOW = "below the floor"


@dataclass(frozen=True)
class Beside:
    """A value of the paper beside ours, means over the same splits."""

    column: str
    title: str
    method: str
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


class Outside(NamedTuple):
    """Printed values, how many are above the ceiling and below the floor, and which are above."""

    total: int
    above: int
    below: int
    named: list[str]


def beside(frame: pd.DataFrame, measure: str, kinds: Sequence[str] = KINDS) -> list[Beside]:
    """Put each printed value of a measure beside ours.

    Parameters
    ----------
    frame : DataFrame
        As :attr:`dlst.reports.Run.frame`.
    measure : str
    kinds : sequence of {"random", "official"}
        Splits whose floor and ceiling count; of several the one that allows more.
    """
    return list(_beside(frame, measure, kinds))


def outside_counts(run: Run, kinds: Sequence[str] = KINDS) -> Outside:
    """Count printed values that are impossible or below the floor; presets of DLST share one."""
    values = {
        (measure, each.column, PRINTED_AS.get(each.method, each.method)): (measure, each)
        for measure in MEASURES
        for each in beside(run.frame, measure, kinds)
    }
    above = [(measure, each) for measure, each in values.values() if each.is_impossible]
    return Outside(
        total=len(values),
        above=len(above),
        below=sum(each.is_below for _, each in values.values()),
        named=[
            f"{each.title.partition(' (')[0]} {measure_words(measure)} on {each.column}"
            for measure, each in above
        ],
    )


def _beside(frame: pd.DataFrame, measure: str, kinds: Sequence[str]) -> Iterator[Beside]:
    by_split = {
        kind: scores(frame[frame["drawn"] == kind], measure) if measure in frame else None
        for kind in KINDS
    }
    floors = _bounds(frame, FLOOR + measure, kinds, min)
    ceilings = _bounds(frame, CEILING + measure, kinds, max)
    # Random and official splits are columns of the same name once they are apart.
    named = pd.concat([titled(frame[frame["drawn"] == kind]) for kind in KINDS])
    for (column, title), cells in named.groupby(["column", "title"], sort=False):
        data, method = cells["data"].iloc[0], cells["method"].iloc[0]
        printed = main_value(measure, data, method)
        if printed is None:
            continue
        ours = {
            kind: float(table.mean.at[title, column])
            if table is not None and column in table.mean and title in table.mean.index
            else np.nan
            for kind, table in by_split.items()
        }
        yield Beside(
            column=str(column),
            title=str(title),
            method=str(method),
            random=ours["random"],
            official=ours["official"],
            printed=printed,
            floor=floors.get(column, np.nan),
            ceiling=ceilings.get(column, np.nan),
            stands_in=data in PRINTED_AS,
        )


def _bounds(
    frame: pd.DataFrame, bound: str, kinds: Sequence[str], widest: Callable[[float, float], float]
) -> dict[str, float]:
    """Average a bound over the splits of a kind; of the kinds the one that allows more."""
    found: dict[str, float] = {}
    for kind in kinds:
        for column, mean in bound_means(frame[frame["drawn"] == kind], bound).dropna().items():
            found[str(column)] = widest(found.get(str(column), mean), mean)
    return found
