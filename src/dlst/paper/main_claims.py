"""Table II compared with the records: its values beside ours, and its claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.paper.item import AP, DEFAULT, PIPELINE, Judged, judged_by_share, most_runs, presets
from dlst.paper.published import MAIN, MEASURES, PRINTED_AS, main_value
from dlst.reports import Run
from dlst.reports.comparison import standing
from dlst.reports.frames import measure_words
from dlst.reports.run import CEILING, FLOOR, real, titled
from dlst.reports.score_blocks import scores
from dlst.reports.words import listed, signed_percent

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


def better_everywhere(run: Run) -> Judged:
    """Count the columns that DLST leads or shares among itself and the nine."""
    counted, simulated = real(run.frame), run.frame[run.frame["simulated"]]
    won = {method: _won(run, counted, method) for method in (PIPELINE, DEFAULT)}
    apart = {method: _won(run, simulated, method) for method in won}
    higher = [
        f"{measure_words(measure)} on {data}"
        for measure, by_data in MAIN.items()
        for data, values in by_data.items()
        if max(values.values()) > values["dlst"]
    ]
    both = listed(f"{run.title(each)} in {_of(won[each] + apart[each])}" for each in won)
    beside = f" (with simulated features, which do not count: {both})" if len(simulated) else ""
    return judged_by_share(*won[PIPELINE]), (
        "Best, or not significantly worse than the best, against the nine alone: "
        f"{run.title(PIPELINE)} in {_of(won[PIPELINE])}, the library's default in "
        f"{_of(won[DEFAULT])}{beside}. Table II itself has a higher value than DLST's, which it "
        f"prints in bold, in {listed(higher)}."
    )


def _won(run: Run, frame: pd.DataFrame, method: str) -> NDArray[np.int_]:
    """Count the columns that a preset wins or shares, the other one left out, and all columns."""
    other = DEFAULT if method == PIPELINE else PIPELINE
    alone = most_runs(frame[frame["method"] != other])
    found = standing(alone, tuple(MEASURES), run.title(method))
    return np.array([found.best + len(found.level), found.total])


def _of(counts: NDArray[np.int_]) -> str:
    return "{} of {}".format(*counts)


def measured_by_top_r(run: Run) -> Judged:
    """Compare printed values with what is possible, and with what takes no features."""
    found, random = outside_counts(run), outside_counts(run, ("random",))
    return "not borne out" if found.above else "borne out", (
        f"{found.above} of {found.total} printed values are above what any ranking can reach "
        f"({listed(found.named)}), {found.below} below ranking the labels by frequency alone. "
        "That is by the higher ceiling and the lower floor of official and random splits; by "
        f"those of random splits alone it is {random.above} and {random.below}."
    )


def beats_the_group(methods: Sequence[str], printed: str) -> Callable[[Run], Judged]:
    """Return the judge of a claim to beat some methods on every set."""

    def judge(run: Run) -> Judged:
        table = scores(most_runs(real(run.frame)), AP)
        titles = [run.title(method) for method in methods]
        if table is None or not set(titles) <= set(table.mean.index):
            return "cannot be judged", "Nothing was measured."
        rivals = table.mean.loc[titles]
        gains = {ours: table.mean.loc[ours] / rivals - 1 for ours in presets(run)}
        spans = {
            ours: (gain.min().map(signed_percent) + " to " + gain.max().map(signed_percent))
            for ours, gain in gains.items()
        }
        lines = [
            f"{column}: {', '.join(f'{ours} {span[column]}' for ours, span in spans.items())}"
            for column in rivals.columns
        ]
        ahead = int((gains[run.title(PIPELINE)].min() > 0).sum())
        return judged_by_share(ahead, len(rivals.columns)), (
            f"Relative gain in AP over the best and over the weakest of them. {'; '.join(lines)}. "
            f"Simulated features do not count. The paper prints {printed}."
        )

    return judge
