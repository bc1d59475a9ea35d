"""What the paper claims, each claim judged by the records of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from dlst.experiments.published import MAIN, MEASURES, PRINTED_AS
from dlst.experiments.published_voc import classes_not_led, recomputed_map
from dlst.methods import method_info
from dlst.reports.document import Cell, Column, Table
from dlst.reports.items import LAYOUTS
from dlst.reports.items._cells import ordered_frame
from dlst.reports.items._class_parts import correlation
from dlst.reports.items._curve_claims import first_places, kept_share
from dlst.reports.items._curve_parts import curve_frame, parts_of, rivals_of, scores_along
from dlst.reports.items._parts import measure_words, scores
from dlst.reports.items._probes import probe_results
from dlst.reports.items._words import listed, percent
from dlst.reports.items.class_gains import class_tables
from dlst.reports.items.codes import is_rotation
from dlst.reports.items.examples import ranks_best, standing
from dlst.reports.items.main_table import compared

Outcome = Literal["borne out", "in part", "not borne out", "cannot be judged"]
Records = Sequence[Mapping[str, Any]]

AP = next(iter(MEASURES))
DEFAULT, PAPER = method_info("dlst").title, method_info("dlst-paper").title
PRINTED_ORDER = "(Scene, Emotions, Yeast, Mediamill, MSRC, SUNattribute)"
LARGE = 0.1
"""A gain of at least half of what the paper prints for its variants."""

STABLE = 0.01
"""The paper calls less than this share of change stable."""


@dataclass(frozen=True)
class Run:
    """The records of an item, and its plan."""

    records: Records
    plan: Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    """A claim, what became of it, and the figures.

    Attributes
    ----------
    claim : str
        In our words.
    item : str
        The item of the catalogue whose records judge it.
    outcome : {"borne out", "in part", "not borne out", "cannot be judged"}
        For the paper's pipeline; where the library's default differs the evidence says so.
    evidence : str
    """

    claim: str
    item: str
    outcome: Outcome
    evidence: str


def judge_claims(runs: Mapping[str, Run]) -> list[Judgement]:
    """Judge every claim whose item was run.

    Parameters
    ----------
    runs : mapping of str to Run
        By item of the catalogue.
    """
    return [judge(runs[item]) for item, judge in _JUDGES if item in runs]


def claims_table(judgements: Sequence[Judgement]) -> Table:
    """Lay the judgements out."""
    return Table(
        "claims",
        "Claim by claim",
        [Column("claim of the paper"), Column("judged"), Column("figures"), Column("item")],
        [
            [Cell(each.claim), Cell(each.outcome), Cell(each.evidence), Cell(each.item)]
            for each in judgements
        ],
    )


def _all_eighteen(run: Run) -> Judgement:
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
        _share_judged(won, total),
        f"Best, or not significantly worse than the best: {PAPER} in {won} of {total}, the "
        f"library's default {counts[DEFAULT][0]} of {counts[DEFAULT][1]}. Table II itself has a "
        f"higher value than DLST's, which it prints in bold, in {listed(printed)}.",
    )


def _printed_values(run: Run) -> Judgement:
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


def _group_claim(claim: str, methods: Sequence[str], printed: str) -> Callable[[Run], Judgement]:
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
                f"{ours} {_signed(gains[ours].loc[column].min())} to "
                f"{_signed(gains[ours].loc[column].max())}"
                for ours in (DEFAULT, PAPER)
            )
            for column in table.mean.columns
        ]
        behind = int((gains[PAPER].min(axis=1) > 0).sum())
        total = len(table.mean.columns)
        return Judgement(
            claim,
            "table-main",
            _share_judged(behind, total),
            f"Relative gain in AP over the best and over the weakest of them. {'; '.join(told)}. "
            f"The paper prints {printed}.",
        )

    return judge


def _variants(run: Run) -> Judgement:
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
    told = [f"{ours} {listed(_signed(gain) for gain in gains[ours])}" for ours in gains]
    others = [
        f"{each} {_signed(table.mean.at[PAPER, each] / table.mean.at[parts[0], each] - 1)}"
        for each in table.mean.columns
        if each != column
    ]
    return Judgement(
        claim,
        "table-variants",
        _share_judged(sum(gain >= LARGE for gain in gains[PAPER]), len(parts)),
        f"On scene over {listed(parts)}: {'; '.join(told)}. {PAPER} over {parts[0]} elsewhere: "
        f"{listed(others)}.",
    )


def _lead_claim(claim: str, item: str, key: str) -> Callable[[Run], Judgement]:
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
            _share_judged(*counts[PAPER]),
            f"Every rival is behind in AP: {listed(told)} places, on {where}.",
        )

    return judge


def _steady_claim(
    claim: str, item: str, key: str, *, hard_first: bool
) -> Callable[[Run], Judgement]:
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
        steadiest = sum(place == 0 for place in places)
        return Judgement(
            claim,
            item,
            _share_judged(steadiest, len(places)),
            f"What each method keeps of its AP where it is hardest. {'; '.join(told)}.",
        )

    return judge


def _tenth_of_the_rows(run: Run) -> Judgement:
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
        _share_judged(sum(reached), len(reached)),
        f"AP with a tenth of the rows. {'; '.join(told)}.",
    )


def _concurrent(run: Run) -> Judgement:
    told, borne = [], []
    for title, _, tables in class_tables(run.records):
        for other, table in tables.items():
            found = correlation(table["concurrent"], table["gain"])
            if found is not None:
                borne.append(found.rho < 0 and found.p < 0.05)
                told.append(f"{title}, over {other}: {found}")
    return Judgement(
        "Classes with few concurrent labels gain most.",
        "figure-classes",
        _share_judged(sum(borne), len(borne)),
        f"Rank correlation of the gain with concurrent labels. {'; '.join(told)}.",
    )


def _voc(run: Run) -> Judgement:
    means = recomputed_map()
    led = classes_not_led()
    classes = listed(sorted({name for names in led.values() for name in names}))
    printed = f"DLST's printed row averages {means['DLST']:.1f}, not 85.7"
    return Judgement(
        "On VOC 2007 DLST has the higher average precision in all classes, and 85.7 mAP.",
        "table-voc",
        "not borne out" if led else "cannot be judged",
        f"By Table IV itself another row is higher for {classes}; {printed}. Real features are "
        "not available here, so nothing more can be judged.",
    )


def _memory(run: Run) -> Judgement:
    frame = ordered_frame(run.records, run.plan)
    named = [method_info(each).title for each in ("br", "cplst", "leml")]
    done = frame[(frame["status"] == "done") & frame["title"].isin(named)]
    peaks = done.groupby("title")["peak_mib"].max().dropna()
    told = [f"{title} {peak:,.0f} MiB" for title, peak in peaks.items()]
    rows = done["n_train"].max() if len(done) else 0
    return Judgement(
        "The other methods run out of memory on VOC 2007 and NUS-WIDE.",
        "table-voc",
        "not borne out" if len(peaks) == len(named) else "cannot be judged",
        f"On the {rows:,.0f} training rows of VOC 2007 (simulated features) at most "
        f"{listed(told)} of memory."
        if len(peaks)
        else "They were not run.",
    )


def _codes(run: Run) -> Judgement:
    results = probe_results(run.records, "codes").values()
    filled = [not is_rotation(result["steps"][-1]) for result in results]
    return Judgement(
        "The learnt code is denser than the labels and fills in what they lack.",
        "figure-codes",
        _share_judged(sum(filled), len(filled)),
        LAYOUTS["figure-codes"].verdict(run.records, run.plan),
    )


def _examples(run: Run) -> Judgement:
    results = probe_results(run.records, "examples").values()
    holds = [standing(result) == "holds" for result in results]
    holds += [ranks_best(result) for result in results]
    return Judgement(
        "Neighbours in codes give the most comprehensive label sets.",
        "figure-examples",
        _share_judged(sum(holds), len(holds)),
        LAYOUTS["figure-examples"].verdict(run.records, run.plan),
    )


def _nuswide(run: Run) -> Judgement:
    # Whatever is measured, the other side is quoted from another split and other input.
    return Judgement(
        "On NUS-WIDE DLST's mean precision and recall are 32.6 % and 47.6 % above CNN-RNN's.",
        "figure-nuswide",
        "cannot be judged",
        LAYOUTS["figure-nuswide"].verdict(run.records, run.plan),
    )


def _lambda(run: Run) -> Judgement:
    near = []
    for _, _, part in parts_of(
        curve_frame(run.records, lambda cell: cell["parameters"].get("alpha"))
    ):
        means = part.groupby("x")[AP].mean()
        near.append(bool(means.get(0.01, np.nan) >= (1 - STABLE) * means.max()))
    return Judgement(
        "Performance is stable around λ = 0.01.",
        "figure-lambda",
        _share_judged(sum(near), len(near)),
        LAYOUTS["figure-lambda"].verdict(run.records, run.plan),
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


def _share_judged(won: int, total: int) -> Outcome:
    if not total:
        return "cannot be judged"
    return "borne out" if won == total else "in part" if 2 * won >= total else "not borne out"


def _share_of(cell: Mapping[str, Any], key: str) -> float | None:
    share = cell["protocol"].get(key)
    return None if share is None else round(100 * share, 6)


def _method_of(frame: pd.DataFrame, title: str) -> str:
    return str(frame.loc[frame["title"] == title, "method"].iloc[0])


def _signed(gain: float) -> str:
    return f"{100 * gain:+.1f} %"


_JUDGES: tuple[tuple[str, Callable[[Run], Judgement]], ...] = (
    ("table-main", _all_eighteen),
    ("table-main", _printed_values),
    (
        "table-main",
        _group_claim(
            "DLST beats the label-space methods (CPLST, FaIE, ML-LOC) in AP on all six sets.",
            ("cplst", "faie", "mlloc"),
            f"gains of as much as 20, 28, 28, 17, 20 and 19 % {PRINTED_ORDER}",
        ),
    ),
    (
        "table-main",
        _group_claim(
            "DLST beats the methods for missing labels (SLRM, MRV, LEML) in AP on all six sets.",
            ("slrm", "mrv", "leml"),
            f"gains of 14, 23, 19, 15, 19 and 16 % {PRINTED_ORDER}",
        ),
    ),
    (
        "table-main",
        _group_claim(
            "DLST beats the semi-supervised methods (MC, MIML, SLRM) in AP on all six sets.",
            ("mc", "miml", "slrm"),
            "no figures",
        ),
    ),
    ("table-variants", _variants),
    (
        "figure-missing",
        _lead_claim("DLST leads at all missing ratios.", "figure-missing", "missing"),
    ),
    (
        "figure-missing",
        _steady_claim(
            "DLST depends less than the others on labels that are missing.",
            "figure-missing",
            "missing",
            hard_first=False,
        ),
    ),
    (
        "figure-training",
        _lead_claim("DLST leads at all shares of training rows.", "figure-training", "fraction"),
    ),
    (
        "figure-training",
        _steady_claim(
            "DLST is the steadiest over all shares of training rows.",
            "figure-training",
            "fraction",
            hard_first=True,
        ),
    ),
    ("figure-training", _tenth_of_the_rows),
    ("figure-lambda", _lambda),
    ("figure-classes", _concurrent),
    ("figure-codes", _codes),
    ("figure-examples", _examples),
    ("table-voc", _voc),
    ("table-voc", _memory),
    ("figure-nuswide", _nuswide),
)
