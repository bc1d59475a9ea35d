"""The items of the paper, its tables and figures, and their shared code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from dlst.experiments import Plan
from dlst.paper.published import MEASURES
from dlst.reports import Run
from dlst.reports.document import Section, Table, TableCell, Text
from dlst.reports.frames import measure_heading
from dlst.reports.score_blocks import score_block
from dlst.reports.words import NOTHING, anchor, known

DEFAULT, PIPELINE = "dlst", "dlst-paper"
"""The library's default composition, and the paper's own pipeline read soundly."""

AP = next(iter(MEASURES))
MACRO_F1 = "macro_f1_top_r"

SIMULATED = {"n_features": 64}
HARD = {"n_features": 64, "signal_to_noise": 0.1}
"""With few labels per row the first would be too easy to tell methods apart."""

SEMI = {"transductive": True}
"""The semi-supervised methods see the test rows, without labels, as the paper has it."""

TENTH = {"fraction": 0.1, "simulate": SIMULATED, **SEMI}
"""Train on a tenth of each class, test on the rest; features only where there are none."""

CORRECTION = (
    "DLST alone ranks by logit p less τ times log prior, τ = .2, which favours rare labels a "
    "little; no other method has this correction, so a part of its lead may be due to it."
)
"""Of records that do not say their τ; others have that of all methods."""

SPLITS = {"random": "random splits", "official": "official split"}
WITH_FEATURES = (
    "emotions",
    "scene",
    "yeast",
    "mediamill-2000",
    "msrc",
    "birds",
    "cal500",
    "enron",
    "medical",
    "corel5k",
    "bibtex",
    "delicious",
    "tmc2007-500",
)

Outcome = Literal["borne out", "in part", "not borne out", "cannot be judged"]
Judged = tuple[Outcome, str]
"""What became of a claim, for the paper's pipeline, and the figures."""


@dataclass(frozen=True)
class Claim:
    """Something that the paper says.

    Attributes
    ----------
    number : int
        Its place in the list of claims.
    words : str
        In our words.
    judge : callable
        Takes a run of the item and returns what became of the claim, for the paper's pipeline, and
        the figures; where the library's default differs the figures say so.

    Examples
    --------
    >>> from dlst.paper import item
    >>> item("table-main").claims[0].number
    1
    """

    number: int
    words: str
    judge: Callable[[Run], Judged]


@dataclass(frozen=True)
class Item:
    """A table or a figure; also how :mod:`dlst.reports` lays its runs out.

    Attributes
    ----------
    name : str
        For the command line.
    title : str
        For people.
    where : str
        Its place in the paper.
    make_settings : callable
        Takes whether the run is to be quick, and returns what a plan of it says beside its name:
        see :class:`dlst.experiments.Plan`.
    make_sections, make_verdict : callable
        Take a run that has results, and return what its report shows, and what it means
        in two sentences.
    claims : sequence of Claim
        What the paper says of it.
    summary : str
        A regular expression: the names of the blocks that a page on all items shows of it.
    probe : str
        The probe whose results it shows; none where it shows scores.

    Examples
    --------
    >>> from dlst.paper import item
    >>> item("figure-missing").title
    'Missing labels'
    """

    name: str
    title: str
    where: str
    make_settings: Callable[[bool], Mapping[str, Any]]
    make_sections: Callable[[Run], list[Section]]
    make_verdict: Callable[[Run], str]
    claims: Sequence[Claim] = ()
    summary: str = ""
    probe: str = ""

    def plan(self, *, quick: bool = False) -> Plan:
        """Return what to run; the quick version has fewer seeds, sets or rows, and says so."""
        return Plan(
            **self.make_settings(quick),
            name=f"{self.title}{' (quick version)' if quick else ''}",
            item=self.name,
            command=f"dlst reproduce {self.name}{' --quick' if quick else ''}",
        )

    def sections(self, run: Run) -> list[Section]:
        """Return what the report shows."""
        if self.has_ended(run):
            return self.make_sections(run)
        return [Section(self.name, self.title, [Text(NOTHING)])]

    def verdict(self, run: Run) -> str:
        """Say what the records mean."""
        return self.make_verdict(run) if self.has_ended(run) else NOTHING

    def judged(self, claim: Claim, run: Run) -> Judged:
        """Say what became of a claim."""
        return claim.judge(run) if self.has_ended(run) else ("cannot be judged", NOTHING)

    def has_ended(self, run: Run) -> bool:
        """Return whether there is anything to report."""
        return bool(run.probes(self.probe)) if self.probe else run.has_results


def judged_by_share(won: int, total: int) -> Outcome:
    """Judge by the share of places where a claim holds: all, at least half, or fewer."""
    if not total:
        return "cannot be judged"
    return "borne out" if won == total else "in part" if 2 * won >= total else "not borne out"


def split_tables(
    frame: pd.DataFrame,
    topic: str,
    measure: str,
    references: Callable[[pd.DataFrame], Sequence[Sequence[TableCell]]] = lambda _: (),
    note: str = "",
) -> list[Table]:
    """Lay a measure out for random and for official splits; ``references`` gives rows of others."""
    return known(
        score_block(
            part,
            measure,
            name=anchor(topic, measure, kind),
            title=f"{measure_heading(measure)}: {words}",
            references=references(part),
            note=note,
        )
        for kind, words in SPLITS.items()
        for part in [frame[frame["drawn"] == kind]]
    )


def correction_words(frame: pd.DataFrame) -> list[str]:
    """Warn of DLST's prior correction, where records do not state that of every method."""
    return [] if frame["tau"].notna().any() else [CORRECTION]


def presets(run: Run) -> tuple[str, str]:
    """Return the titles of the default and of the paper's pipeline."""
    return run.title(DEFAULT), run.title(PIPELINE)


def most_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep random splits where there are any, else the official one."""
    kind = "random" if (frame["drawn"] == "random").any() else "official"
    return frame[frame["drawn"] == kind]
