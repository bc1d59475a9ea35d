"""Claims on Tables II and III."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from dlst.experiments.published import MAIN, MEASURES, PRINTED_AS
from dlst.methods import method_info
from dlst.reports.claims.judgement import (
    AP,
    DEFAULT,
    PAPER,
    Judgement,
    Run,
    judged_by_share,
    signed,
)
from dlst.reports.items._cells import ordered_frame
from dlst.reports.items._parts import measure_words, scores
from dlst.reports.items._words import listed
from dlst.reports.items.main_table import compared

LARGE = 0.1
"""A gain of at least half of what the paper prints for its variants."""


def all_eighteen(run: Run) -> Judgement:
    """Count the columns of Table II that DLST leads or shares."""
    frame = _random_splits(run)
    counts = {title: _best_or_tied(frame, title) for title in (DEFAULT, PAPER)}
    printed = [
        f"{measure_words(measure)} on {data}"
        for measure, by_data in MAIN.items()
        for data, values in by_data.items()
        if max(values.values()) > values["dlst"]
    ]
    won, total = counts[PAPER]
    return Judgement(
        "DLST is better than, or comparable to, the nine others in all 18 columns of Table II.",
        "table-main",
        judged_by_share(won, total),
        f"Best, or not significantly worse than the best: {PAPER} in {won} of {total}, the "
        f"library's default {counts[DEFAULT][0]} of {counts[DEFAULT][1]}. Table II itself has a "
        f"higher value than DLST's, which it prints in bold, in {listed(printed)}.",
    )


def printed_values(run: Run) -> Judgement:
    """Hold printed values against what is possible, and against what takes no features."""
    frame = ordered_frame(run.records, run.plan)
    values = {
        (measure, each.column, PRINTED_AS.get(method, method)): each
        for measure in MEASURES
        for each in compared(frame, measure)
        for method in [_method_of(frame, each.title)]
    }
    above = [key for key, each in values.items() if each.is_impossible]
    below = sum(each.is_below for each in values.values())
    named = [
        f"{method_info(method).title} {measure_words(measure)} on {column}"
        for measure, column, method in above
    ]
    return Judgement(
        "The values of Table II were measured with the r best labels of each row.",
        "table-main",
        "not borne out" if above else "borne out",
        f"{len(above)} of {len(values)} printed values are above what any ranking can reach "
        f"({listed(named)}), {below} below ranking the labels by frequency alone.",
    )


def beats_the_group(claim: str, methods: Sequence[str], printed: str) -> Callable[[Run], Judgement]:
    """Return the judge of a claim to beat some methods on every set."""

    def judge(run: Run) -> Judgement:
        table = scores(_random_splits(run), AP)
        if table is None:
            return Judgement(claim, "table-main", "cannot be judged", "Nothing was measured.")
        titles = [method_info(method).title for method in methods]
        gains = {
            ours: pd.DataFrame(
                {title: table.mean.loc[ours] / table.mean.loc[title] - 1 for title in titles}
            )
            for ours in (DEFAULT, PAPER)
        }
        told = [
            f"{column}: "
            + ", ".join(
                f"{ours} {signed(gains[ours].loc[column].min())} to "
                f"{signed(gains[ours].loc[column].max())}"
                for ours in (DEFAULT, PAPER)
            )
            for column in table.mean.columns
        ]
        behind = int((gains[PAPER].min(axis=1) > 0).sum())
        total = len(table.mean.columns)
        return Judgement(
            claim,
            "table-main",
            judged_by_share(behind, total),
            f"Relative gain in AP over the best and over the weakest of them. {'; '.join(told)}. "
            f"The paper prints {printed}.",
        )

    return judge


def variants(run: Run) -> Judgement:
    """Judge what the code adds to its two ablations."""
    table = scores(_random_splits(run), AP)
    claim = (
        "DLST beats regression on labels (DLST₁) by 20 % and neighbours in features (DLST₂) by "
        "18 % in AP on Scene: the dense code is what helps."
    )
    if table is None or "scene" not in " ".join(map(str, table.mean.columns)):
        return Judgement(claim, "table-variants", "cannot be judged", "Scene was not run.")
    column = next(each for each in table.mean.columns if str(each).startswith("scene"))
    means = table.mean[column]
    parts = [method_info(each).title for each in ("dlst1", "dlst2")]
    gains = {ours: [means[ours] / means[part] - 1 for part in parts] for ours in (DEFAULT, PAPER)}
    told = [f"{ours} {listed(signed(gain) for gain in gains[ours])}" for ours in gains]
    others = [
        f"{each} {signed(table.mean.at[PAPER, each] / table.mean.at[parts[0], each] - 1)}"
        for each in table.mean.columns
        if each != column
    ]
    return Judgement(
        claim,
        "table-variants",
        judged_by_share(sum(gain >= LARGE for gain in gains[PAPER]), len(parts)),
        f"On scene over {listed(parts)}: {'; '.join(told)}. {PAPER} over {parts[0]} elsewhere: "
        f"{listed(others)}.",
    )


def _random_splits(run: Run) -> pd.DataFrame:
    frame = ordered_frame(run.records, run.plan)
    drawn = frame[frame["drawn"] == "random"]
    return drawn if len(drawn) else frame


def _best_or_tied(frame: pd.DataFrame, title: str) -> tuple[int, int]:
    won = total = 0
    for measure in MEASURES:
        table = scores(frame, measure)
        if table is not None and title in table.mean.index:
            fine = table.best.loc[title] | table.tied.loc[title]
            won, total = won + int(fine.sum()), total + len(fine)
    return won, total


def _method_of(frame: pd.DataFrame, title: str) -> str:
    return str(frame.loc[frame["title"] == title, "method"].iloc[0])
