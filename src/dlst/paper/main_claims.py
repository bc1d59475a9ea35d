"""Claims on Table II."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.paper.item import Judged, judged_by_share
from dlst.paper.printed import outside_counts
from dlst.paper.published import MAIN, MEASURES
from dlst.paper.setting import AP, DEFAULT, PIPELINE, most_runs, presets
from dlst.reports import Run
from dlst.reports.run import real
from dlst.reports.score_blocks import measure_words, scores
from dlst.reports.standing import standing
from dlst.reports.words import listed, signed_percent


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
    """Hold printed values against what is possible, and against what takes no features."""
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
