"""What curves say: who leads where, and who keeps most of a score where it becomes hard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dlst.reports.items._curve_parts import AP, MACRO_F1, OURS, PAPER, rivals_of, scores_along
from dlst.reports.items._words import listed, percent
from dlst.reports.score_tables import DECIMALS, ScoreTable

Part = tuple[str, str, pd.DataFrame]


def ours_in(part: pd.DataFrame) -> list[str]:
    """List DLST and the paper's pipeline, as far as they were run."""
    return [title for title in (OURS, PAPER) if title in set(part["title"])]


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


def first_places(table: ScoreTable, ours: str, rivals: Sequence[str]) -> tuple[int, int]:
    """Count the places at which all rivals are behind, and the places that can be judged."""
    leads = [lead(table, x, ours, rivals)[2] for x in table.mean.columns]
    judged = [each for each in leads if np.isfinite(each)]
    return sum(each > 0 for each in judged), len(judged)


def kept_share(table: ScoreTable, easy: str, hard: str) -> pd.Series:
    """Divide each method's mean where it is hard by its mean where it is easy."""
    return (table.mean[hard] / table.mean[easy]).replace([np.inf, -np.inf], np.nan)


def last_stable(table: ScoreTable, ours: str, tolerance: float) -> str:
    """Name the last place before the mean leaves that of the first place by the tolerance."""
    means = table.mean.loc[ours]
    stable = (means / means.iloc[0] - 1).abs() <= tolerance
    stable.iloc[0] = True
    return str(stable.index[stable.cummin()][-1])


def ahead_sentence(parts: Sequence[Part], places: str) -> str:
    """Count, over all data sets, where DLST leads every rival."""
    told = []
    for ours in (OURS, PAPER):
        has = [part for _, _, part in parts if ours in ours_in(part)]
        if has:
            counts = [_all_first_places(has, measure, ours) for measure in (AP, MACRO_F1)]
            told.append(f"{ours} at {counts[0]} in AP and {counts[1]} in macro-F1 (top r)")
    where = f"the {places} on {listed(title for _, title, _ in parts)}"
    if not told:
        return f"Over {where}, DLST was not run."
    return f"Of {where}, every rival is behind {', behind '.join(told)}."


def steady_sentence(parts: Sequence[Part], hard: str, *, hard_first: bool) -> str:
    """Compare the share of AP that DLST keeps with that of the steadiest rival.

    Parameters
    ----------
    parts : sequence of tuple
    hard : str
        The hardest place, in words.
    hard_first : bool
        Whether the hardest place is the first on the x axis, else it is the last.
    """
    told, borne_out = [], True
    for _, title, part in parts:
        table = scores_along(part, AP)
        ends = list(table.mean.columns[[0, -1]])
        kept = kept_share(table, *(reversed(ends) if hard_first else ends)).dropna()
        others = kept.reindex(rivals_of(part)).dropna()
        if OURS in kept and len(others):
            borne_out &= bool(kept[OURS] >= others.max())
            told.append(
                f"{percent(kept[OURS], 1)} of its AP on {title} "
                f"(the steadiest rival, {others.idxmax()}: {percent(others.max(), 1)})"
            )
    if not told:
        return f"Steadiness cannot be judged without {OURS} and a rival."
    judged = "is borne out" if borne_out else "is not borne out"
    return f"With {hard} {OURS} keeps {listed(told)}; that it is the steadiest {judged}."


def _all_first_places(parts: Sequence[pd.DataFrame], measure: str, ours: str) -> str:
    counts = [first_places(scores_along(part, measure), ours, rivals_of(part)) for part in parts]
    return f"{sum(won for won, _ in counts)} of {sum(judged for _, judged in counts)}"
