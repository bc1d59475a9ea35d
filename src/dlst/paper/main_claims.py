"""Claims on Table II."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from dlst.paper.item import Outcome, judged_by_share
from dlst.paper.printed import outside_counts
from dlst.paper.published import MAIN, MEASURES
from dlst.paper.setting import AP, DEFAULT, PIPELINE, most_runs, presets
from dlst.reports import Run
from dlst.reports.run import real
from dlst.reports.score_blocks import measure_words, scores
from dlst.reports.standing import standing
from dlst.reports.words import listed, signed_percent


def better_everywhere(run: Run) -> tuple[Outcome, str]:
    """Count the columns that DLST leads or shares among itself and the nine."""
    counts: dict[str, tuple[int, int]] = {}
    apart: dict[str, tuple[int, int]] = {}
    for method in (PIPELINE, DEFAULT):
        other = DEFAULT if method == PIPELINE else PIPELINE
        frame = most_runs(run.frame[run.frame["method"] != other])
        title = run.title(method)
        for part, found in ((real(frame), counts), (frame[frame["simulated"]], apart)):
            stands = standing(part, tuple(MEASURES), title)
            found[title] = (stands.best + len(stands.level), stands.total)
    default, paper = presets(run)
    higher = [
        f"{measure_words(measure)} on {data}"
        for measure, by_data in MAIN.items()
        for data, values in by_data.items()
        if max(values.values()) > values["dlst"]
    ]
    both = {
        title: [sum(pair) for pair in zip(counts[title], apart[title], strict=True)]
        for title in counts
    }
    beside = _with_simulated(both) if apart[paper][1] else ""
    return judged_by_share(*counts[paper]), (
        f"Best, or not significantly worse than the best, against the nine alone: {paper} in "
        f"{counts[paper][0]} of {counts[paper][1]}, the library's default in "
        f"{counts[default][0]} of {counts[default][1]}{beside}. Table II itself has a higher value "
        f"than DLST's, which it prints in bold, in {listed(higher)}."
    )


def _with_simulated(both: Mapping[str, Sequence[int]]) -> str:
    words = [f"{title} in {won} of {total}" for title, (won, total) in both.items()]
    return f" (with simulated features, which do not count: {listed(words)})"


def measured_by_top_r(run: Run) -> tuple[Outcome, str]:
    """Hold printed values against what is possible, and against what takes no features."""
    found, random = outside_counts(run), outside_counts(run, ("random",))
    return "not borne out" if found.above else "borne out", (
        f"{found.above} of {found.total} printed values are above what any ranking can reach "
        f"({listed(found.named)}), {found.below} below ranking the labels by frequency alone. "
        "That is by the higher ceiling and the lower floor of official and random splits; by "
        f"those of random splits alone it is {random.above} and {random.below}."
    )


def beats_the_group(methods: Sequence[str], printed: str) -> Callable[[Run], tuple[Outcome, str]]:
    """Return the judge of a claim to beat some methods on every set."""

    def judge(run: Run) -> tuple[Outcome, str]:
        table = scores(most_runs(real(run.frame)), AP)
        titles = [run.title(method) for method in methods]
        if table is None or not set(titles) <= set(table.mean.index):
            return "cannot be judged", "Nothing was measured."
        gains = {
            ours: pd.DataFrame(
                {title: table.mean.loc[ours] / table.mean.loc[title] - 1 for title in titles}
            )
            for ours in presets(run)
        }
        lines = [
            f"{column}: "
            + ", ".join(
                f"{ours} {signed_percent(gain.loc[column].min())} to "
                f"{signed_percent(gain.loc[column].max())}"
                for ours, gain in gains.items()
            )
            for column in table.mean.columns
        ]
        ahead = int((gains[run.title(PIPELINE)].min(axis=1) > 0).sum())
        return judged_by_share(ahead, len(table.mean.columns)), (
            f"Relative gain in AP over the best and over the weakest of them. {'; '.join(lines)}. "
            f"Simulated features do not count. The paper prints {printed}."
        )

    return judge
