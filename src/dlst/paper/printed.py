"""Values of Table II beside ours, and whether they can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from dlst.paper.published import MEASURES, PRINTED_AS, main_value
from dlst.reports import Run
from dlst.reports.run import CEILING, FLOOR, titled
from dlst.reports.score_blocks import measure_words

KINDS = ["random", "official"]
IMPOSSIBLE = "above the ceiling"
BELOW = "below the floor"


class Outside(NamedTuple):
    """Printed values, how many are above the ceiling and below the floor, and which are above."""

    total: int
    above: int
    below: int
    named: list[str]


def beside(frame: pd.DataFrame, measure: str, kinds: Sequence[str] = KINDS) -> pd.DataFrame:
    """Put each printed value of a measure beside ours: a row for each column and method.

    Floor and ceiling are means over the splits of a kind; of several kinds the one that allows
    more. ``is_impossible`` and ``is_below`` say whether a printed value lies outside, and ``mark``
    says so in words.
    """
    names = {measure: "ours", FLOOR + measure: "floor", CEILING + measure: "ceiling"}
    # Random and official splits are columns of the same name once they are apart.
    named = pd.concat([titled(frame[frame["drawn"] == kind]) for kind in KINDS])
    named = named.reindex(columns=[*{*named.columns, *names}]).rename(columns=names)
    by_method = named.groupby(["column", "title"], sort=False)
    table = by_method[["data", "method"]].first()
    means = named.groupby(["column", "title", "drawn"])["ours"].mean().unstack("drawn")
    table = table.join(means.reindex(columns=KINDS)).reset_index()
    by_split = named.groupby(["column", "drawn", "split", "seed"])[["floor", "ceiling"]].first()
    by_kind = by_split.groupby(["column", "drawn"]).mean().query("drawn in @kinds")
    bounds = by_kind.groupby("column").agg({"floor": "min", "ceiling": "max"})
    table = table.join(bounds, on="column")
    table["printed"] = [
        main_value(measure, data, method)
        for data, method in zip(table["data"], table["method"], strict=True)
    ]
    table = table[table["printed"].notna()].astype({"printed": float})
    table["is_impossible"] = table["printed"] > table["ceiling"]
    table["is_below"] = table["printed"] < table["floor"]
    mark = np.select([table["is_impossible"], table["is_below"]], [IMPOSSIBLE, BELOW], "")
    elsewhere = table["data"].isin(PRINTED_AS) & (mark != "")
    return table.assign(mark=mark + np.where(elsewhere, " (on our rows)", ""))


def outside_counts(run: Run, kinds: Sequence[str] = KINDS) -> Outside:
    """Count printed values that are impossible or below the floor; presets of DLST share one."""
    tables = {measure: beside(run.frame, measure, kinds) for measure in MEASURES}
    table = pd.concat(tables, names=["measure"]).reset_index("measure")
    table["method"] = table["method"].replace(PRINTED_AS)
    table = table.drop_duplicates(["measure", "column", "method"])
    above = table[table["is_impossible"]]
    return Outside(
        total=len(table),
        above=len(above),
        below=int(table["is_below"].sum()),
        named=[
            f"{each.title.partition(' (')[0]} {measure_words(each.measure)} on {each.column}"
            for each in above.itertuples()
        ],
    )
