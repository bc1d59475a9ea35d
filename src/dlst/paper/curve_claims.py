"""What curves say: who leads where, and who keeps most of a score where it becomes hard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dlst.paper.item import Outcome, judged_by_share
from dlst.paper.setting import AP, MACRO_F1, PIPELINE, presets
from dlst.reports import Run
from dlst.reports.curves import Part, scores_along
from dlst.reports.score_tables import DECIMALS, ScoreTable
from dlst.reports.words import listed, percent


def real_parts(parts: Sequence[Part]) -> list[Part]:
    """Leave out data with simulated features, which count in no verdict."""
    return [each for each in parts if not each[2]["simulated"].any()]


def rivals_of(part: pd.DataFrame) -> list[str]:
    """List the titles of all methods that are not DLST or a variant of it."""
    others = part[~part["method"].str.startswith("dlst")]
    return [str(title) for title in others["title"].unique()]


def ours_in(run: Run, part: pd.DataFrame) -> list[str]:
    """List DLST and the paper's pipeline, as far as they were run."""
    return [title for title in presets(run) if title in set(part["title"])]


def lead(table: ScoreTable, x: str, ours: str, rivals: Sequence[str]) -> tuple[int, int, float]:
    """Count the rivals that are behind to the decimals shown, count all of them, give the lead.

    The lead is over the best rival, so it is negative where one of them is ahead; NaN where there
    is nothing to compare.
    """
    means = table.mean[x].round(DECIMALS)
    theirs = means.reindex(rivals).dropna()
    if ours not in means or theirs.empty or not np.isfinite(means[ours]):
        return 0, 0, float("nan")
    return int((theirs < means[ours]).sum()), len(theirs), float(means[ours] - theirs.max())


def first_places(parts: Sequence[Part], measure: str, ours: str) -> tuple[int, int]:
    """Count the places at which all rivals are behind, and the places that can be judged."""
    leads = [
        lead(table, x, ours, rivals_of(part))[2]
        for _, _, part in parts
        for table in [scores_along(part, measure)]
        for x in table.mean.columns
    ]
    judged = [each for each in leads if np.isfinite(each)]
    return sum(each > 0 for each in judged), len(judged)


def kept_share(table: ScoreTable, *, hard_first: bool) -> pd.Series:
    """Divide each method's mean where it is hard by its mean where it is easy.

    The hardest place is the first on the x axis or the last.
    """
    first, last = table.mean.columns[[0, -1]]
    easy, hard = (last, first) if hard_first else (first, last)
    return (table.mean[hard] / table.mean[easy]).replace([np.inf, -np.inf], np.nan)


def last_stable(table: ScoreTable, ours: str, tolerance: float) -> str:
    """Name the last place before the mean leaves that of the first place by the tolerance."""
    means = table.mean.loc[ours]
    stable = (means / means.iloc[0] - 1).abs() <= tolerance
    stable.iloc[0] = True
    return str(stable.index[stable.cummin()][-1])


def ahead_sentence(run: Run, parts: Sequence[Part], places: str) -> str:
    """Count, over data sets with real features, where DLST leads every rival."""
    parts = real_parts(parts)
    if not parts:
        return "All have simulated features, which count in no verdict."
    where = f"the {places} on {listed(title for _, title, _ in parts)}"
    counts = []
    for ours in presets(run):
        found = [first_places(parts, measure, ours) for measure in (AP, MACRO_F1)]
        if found[0][1]:
            won = [f"{best} of {judged}" for best, judged in found]
            counts.append(f"{ours} at {won[0]} in AP and {won[1]} in macro-F1 (top r)")
    if not counts:
        return f"Over {where}, DLST was not run."
    return f"Of {where}, every rival is behind {', behind '.join(counts)}."


def steady_sentence(run: Run, parts: Sequence[Part], hard: str, *, hard_first: bool) -> str:
    """Compare the share of AP that DLST keeps with that of the steadiest rival.

    Parameters
    ----------
    run : Run
    parts : sequence of tuple
    hard : str
        The hardest place, in words.
    hard_first : bool
        Whether it is the first on the x axis, else it is the last.
    """
    ours = presets(run)[0]
    sentences, borne_out = [], True
    for _, title, part in real_parts(parts):
        kept = kept_share(scores_along(part, AP), hard_first=hard_first).dropna()
        others = kept.reindex(rivals_of(part)).dropna()
        if ours in kept and len(others):
            borne_out &= bool(kept[ours] >= others.max())
            sentences.append(
                f"{percent(kept[ours], 1)} of its AP on {title} "
                f"(the steadiest rival, {others.idxmax()}: {percent(others.max(), 1)})"
            )
    if not sentences:
        return f"Steadiness cannot be judged without {ours} and a rival."
    judged = "is borne out" if borne_out else "is not borne out"
    return f"With {hard} {ours} keeps {listed(sentences)}; that it is the steadiest {judged}."


def leads_everywhere(run: Run, parts: Sequence[Part]) -> tuple[Outcome, str]:
    """Judge a claim to lead all along a curve."""
    parts = real_parts(parts)
    counts = {ours: first_places(parts, AP, ours) for ours in presets(run)}
    where = listed(title for _, title, _ in parts)
    words = [f"{ours} at {won} of {total}" for ours, (won, total) in counts.items()]
    return judged_by_share(*counts[run.title(PIPELINE)]), (
        f"Every rival is behind in AP: {listed(words)} places, on {where}."
    )


def keeps_most(run: Run, parts: Sequence[Part], *, hard_first: bool) -> tuple[Outcome, str]:
    """Judge a claim to keep the largest share of AP from end to end of a curve."""
    paper = run.title(PIPELINE)
    lines, first = [], []
    for _, title, part in real_parts(parts):
        table = scores_along(part, AP)
        easy = table.mean.columns[-1 if hard_first else 0]
        kept = kept_share(table, hard_first=hard_first).dropna().sort_values(ascending=False)
        first.append(bool(len(kept)) and kept.index[0] == paper)
        shares = [
            f"{name} {percent(share, 1)} of {table.mean.at[name, easy]:.3f}"
            for name, share in kept.items()
        ]
        lines.append(f"{title}: {', '.join(shares)}")
    return judged_by_share(sum(first), len(first)), (
        f"What each method keeps of its AP where it is hardest. {'; '.join(lines)}."
    )
