"""Claims on the figures of missing labels, of few training rows, and of the penalty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dlst.methods import method_info
from dlst.reports.claims.judgement import AP, DEFAULT, PAPER, Judgement, Run, judged_by_share
from dlst.reports.items import LAYOUTS
from dlst.reports.items._curve_claims import first_places, kept_share
from dlst.reports.items._curve_parts import curve_frame, parts_of, rivals_of, scores_along
from dlst.reports.items._words import listed, percent

STABLE = 0.01
"""The paper calls less than this share of change stable."""


def leads_everywhere(claim: str, item: str, key: str) -> Callable[[Run], Judgement]:
    """Return the judge of a claim to lead along a curve, ``key`` being the protocol's x."""

    def judge(run: Run) -> Judgement:
        parts = parts_of(curve_frame(run.records, lambda cell: _share_of(cell, key)))
        counts = {}
        for ours in (DEFAULT, PAPER):
            places = [
                first_places(scores_along(part, AP), ours, rivals_of(part)) for _, _, part in parts
            ]
            counts[ours] = (sum(won for won, _ in places), sum(total for _, total in places))
        where = listed(title for _, title, _ in parts)
        told = [f"{ours} at {won} of {total}" for ours, (won, total) in counts.items()]
        return Judgement(
            claim,
            item,
            judged_by_share(*counts[PAPER]),
            f"Every rival is behind in AP: {listed(told)} places, on {where}.",
        )

    return judge


def steadiest(claim: str, item: str, key: str, *, hard_first: bool) -> Callable[[Run], Judgement]:
    """Return the judge of a claim to keep the largest share of AP from end to end of a curve."""

    def judge(run: Run) -> Judgement:
        told, places = [], []
        for _, title, part in parts_of(curve_frame(run.records, lambda cell: _share_of(cell, key))):
            table = scores_along(part, AP)
            ends = list(table.mean.columns[[0, -1]])
            easy, hard = reversed(ends) if hard_first else ends
            kept = kept_share(table, easy, hard).dropna()
            order = list(kept.sort_values(ascending=False).index)
            places.append(order.index(PAPER) if PAPER in order else len(order))
            shares = [
                f"{name} {percent(kept[name], 1)} of {table.mean.at[name, easy]:.3f}"
                for name in order
            ]
            told.append(f"{title}: {', '.join(shares)}")
        first = sum(place == 0 for place in places)
        return Judgement(
            claim,
            item,
            judged_by_share(first, len(places)),
            f"What each method keeps of its AP where it is hardest. {'; '.join(told)}.",
        )

    return judge


def tenth_of_the_rows(run: Run) -> Judgement:
    """Judge one per cent of the rows against the rivals' ten."""
    claim = (
        "With a tenth of the training rows DLST does as well as the semi-supervised methods "
        "(MC, MIML, SLRM) with all of them."
    )
    rivals = [method_info(each).title for each in ("mc", "miml", "slrm")]
    told, reached = [], []
    for _, title, part in parts_of(
        curve_frame(run.records, lambda cell: _share_of(cell, "fraction"))
    ):
        means = scores_along(part, AP).mean
        most, least = means.columns[-1], means.columns[0]
        best = means.reindex(rivals)[most].max()
        reached.append(bool(means.at[PAPER, least] >= best))
        told.append(
            f"{title}: with {least} % {DEFAULT} {means.at[DEFAULT, least]:.3f}, {PAPER} "
            f"{means.at[PAPER, least]:.3f}; the best of the three with {most} % {best:.3f}"
        )
    return Judgement(
        claim,
        "figure-training",
        judged_by_share(sum(reached), len(reached)),
        f"AP with a tenth of the rows. {'; '.join(told)}.",
    )


def penalty(run: Run) -> Judgement:
    """Judge whether λ = 0.01 is as good as the best λ."""
    near = []
    for _, _, part in parts_of(
        curve_frame(run.records, lambda cell: cell["parameters"].get("alpha"))
    ):
        means = part.groupby("x")[AP].mean()
        near.append(bool(means.get(0.01, np.nan) >= (1 - STABLE) * means.max()))
    return Judgement(
        "Performance is stable around λ = 0.01.",
        "figure-lambda",
        judged_by_share(sum(near), len(near)),
        LAYOUTS["figure-lambda"].verdict(run.records, run.plan),
    )


def _share_of(cell: Mapping[str, Any], key: str) -> float | None:
    share = cell["protocol"].get(key)
    return None if share is None else round(100 * share, 6)
