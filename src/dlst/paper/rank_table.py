"""All methods over all data sets: mean ranks, the tests after them, and their diagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dlst.experiments import Source
from dlst.methods import available
from dlst.paper.item import DEFAULT, WITH_FEATURES, Item, correction_words
from dlst.paper.published import NINE
from dlst.reports import Run
from dlst.reports.document import Section, Text
from dlst.reports.frames import measure_words
from dlst.reports.rank_blocks import (
    holm_sentence,
    rank_blocks,
    rank_overview,
    rank_sentence,
    ranks_of,
)
from dlst.reports.rank_summary import RankSummary
from dlst.reports.run import real
from dlst.reports.score_blocks import run_sentences
from dlst.reports.scoreboard import FEWEST_RANKED
from dlst.reports.words import anchor, known, listed

TOO_FEW = f"Ranks need {FEWEST_RANKED} methods on {FEWEST_RANKED} data sets, one protocol each."
LARGE = ("bibtex", "delicious", "tmc2007-500")
RANKED = (
    "instance_average_precision_labelled",
    "macro_average_precision",
    "micro_f1_top_r",
    "macro_f1_top_r",
    "micro_f1",
)


def _settings(quick: bool) -> Mapping[str, Any]:
    if quick:
        return {
            "data": ["emotions", "msrc", "birds"],
            "methods": [DEFAULT, *NINE, "krr", "dlst1", "dlst2"],
            "protocols": [{"rows": [300, 300]}],
        }
    small = [{"rows": [300, 1000]}]
    # Chains of hundreds of labels are tuned in minutes on 300 rows, in hours on all.
    sets = [Source(name, protocols=small) if name in LARGE else name for name in WITH_FEATURES]
    return {"data": sets, "methods": list(available()), "tuning": "cell"}


def _sections(run: Run) -> list[Section]:
    frame, known = real(run.frame), _ranked(run)
    if not known:
        return [Section("ranks", "Mean ranks", [Text(TOO_FEW)])]
    words = [*run_sentences(run), *map(Text, correction_words(run.frame))]
    return [
        Section("ranks", "Mean ranks", [*words, rank_overview(known)]),
        *(
            Section(anchor("ranks", each.measure), each.title, rank_blocks(each, frame))
            for each in known
        ),
    ]


def _verdict(run: Run) -> str:
    known = _ranked(run)
    if not known:
        return f"{TOO_FEW} Run more of the plan."
    return f"{rank_sentence(known[0])} {_measures_sentence(known)}"


def _ranked(run: Run) -> list[RankSummary]:
    return known(ranks_of(real(run.frame), measure) for measure in RANKED)


def _measures_sentence(summaries: Sequence[RankSummary]) -> str:
    ours = summaries[0].reference
    winners: dict[str, list[str]] = {}
    for each in summaries:
        if each.ranks.mean[ours] > each.ranks.mean.min() + 1e-9:
            winner = str(each.ranks.mean.idxmin())
            winners.setdefault(winner, []).append(measure_words(each.measure))
    if winners:
        others = [f"{winner} by {listed(measures)}" for winner, measures in winners.items()]
        standing = f"{ours} does not have the best mean rank everywhere (best: {'; '.join(others)})"
    else:
        standing = f"{ours} has the best mean rank by all {len(summaries)} measures"
    return f"{standing}; {holm_sentence(summaries)}."


RANK_TABLE = Item(
    name="table-ranks",
    title="Methods ranked over thirteen data sets",
    where="beyond the paper",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    summary=r"mean-ranks|.*instance-average-precision-labelled.*",
)
