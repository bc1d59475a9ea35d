"""Claims about curves: who leads, and who keeps most of a score where the problem is hardest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dlst.paper.item import AP, MACRO_F1, PIPELINE, Judged, judged_by_share, presets
from dlst.reports import Run
from dlst.reports.curves import Part, scores_along
from dlst.reports.score_tables import DECIMALS, ScoreTable
from dlst.reports.words import listed, percent


@dataclass(frozen=True)
class Curve:
    """Scores of a run along a setting, and what is said of them: who leads, who is steadiest."""

    parts: Callable[[Run], list[Part]]
    places: str
    """What the x axis counts, in words."""
    hard: str
    """Its hardest place, in words."""
    hard_first: bool
    """Whether that is the first of the x axis; else it is the last."""

    def verdict(self, run: Run) -> str:
        """Say whether DLST leads everywhere, and whether it is the steadiest."""
        return f"{self._ahead(run)} {self._steady(run)}"

    def leads_everywhere(self, run: Run) -> Judged:
        """Judge whether every rival is behind at every place."""
        parts = self.real_parts(run)
        counts = {ours: first_places(parts, AP, ours) for ours in presets(run)}
        where = listed(title for _, title, _ in parts)
        words = [f"{ours} at {won} of {total}" for ours, (won, total) in counts.items()]
        return judged_by_share(*counts[run.title(PIPELINE)]), (
            f"Every rival is behind in AP: {listed(words)} places, on {where}."
        )

    def keeps_most(self, run: Run) -> Judged:
        """Judge who keeps the largest share of AP where it is hardest."""
        lines, first = [], []
        for _, title, part in self.real_parts(run):
            means = scores_along(part, AP).mean
            kept = self.kept_share(means).dropna().sort_values(ascending=False)
            first.append(bool(len(kept)) and kept.index[0] == run.title(PIPELINE))
            easy = means.iloc[:, -1 if self.hard_first else 0]
            shares = [f"{name} {percent(x, 1)} of {easy[name]:.3f}" for name, x in kept.items()]
            lines.append(f"{title}: {', '.join(shares)}")
        return judged_by_share(sum(first), len(first)), (
            f"What each method keeps of its AP where it is hardest. {'; '.join(lines)}."
        )

    def kept_share(self, means: pd.DataFrame) -> pd.Series:
        """Divide each method's mean where it is hard by its mean where it is easy."""
        first, last = means.iloc[:, 0], means.iloc[:, -1]
        kept = first / last if self.hard_first else last / first
        return kept.replace([np.inf, -np.inf], np.nan)

    def real_parts(self, run: Run) -> list[Part]:
        """Leave out data with simulated features, which count in no verdict."""
        return [each for each in self.parts(run) if not each[2]["simulated"].any()]

    def _ahead(self, run: Run) -> str:
        parts = self.real_parts(run)
        if not parts:
            return "All have simulated features, which count in no verdict."
        where = f"the {self.places} on {listed(title for _, title, _ in parts)}"
        counts = []
        for ours in presets(run):
            (won, judged), (in_f1, of_f1) = (first_places(parts, m, ours) for m in (AP, MACRO_F1))
            in_ap = f"{ours} at {won} of {judged} in AP"
            counts += [f"{in_ap} and {in_f1} of {of_f1} in macro-F1 (top r)"] if judged else []
        if not counts:
            return f"Over {where}, DLST was not run."
        return f"Of {where}, every rival is behind {', behind '.join(counts)}."

    def _steady(self, run: Run) -> str:
        ours = presets(run)[0]
        sentences, borne_out = [], True
        for _, title, part in self.real_parts(run):
            kept = self.kept_share(scores_along(part, AP).mean).dropna()
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
        words = f"With {self.hard} {ours} keeps {listed(sentences)}"
        return f"{words}; that it is the steadiest {judged}."


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
