"""A table or figure of the paper: what to run, how to tell it, and what it is said to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dlst.experiments import Plan
from dlst.reports import Run
from dlst.reports.document import Section, Text
from dlst.reports.words import NOTHING

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
    asks : callable
        Takes whether the run is to be quick, and returns what a plan of it says beside its name:
        see :class:`dlst.experiments.Plan`.
    tells, concludes : callable
        Take a run that has something to tell, and return what its report shows, and what it means
        in two sentences.
    claims : sequence of Claim
        What the paper says of it.
    summary : str
        A regular expression: the names of the blocks that a page on all items shows of it.
    probe : str
        The probe whose answers it tells; none where it tells scores.

    Examples
    --------
    >>> from dlst.paper import item
    >>> item("figure-missing").title
    'Missing labels'
    """

    name: str
    title: str
    where: str
    asks: Callable[[bool], Mapping[str, Any]]
    tells: Callable[[Run], list[Section]]
    concludes: Callable[[Run], str]
    claims: Sequence[Claim] = ()
    summary: str = ""
    probe: str = ""

    def plan(self, *, quick: bool = False) -> Plan:
        """Return what to run; the quick version has fewer seeds, sets or rows, and says so."""
        return Plan(
            **self.asks(quick),
            name=f"{self.title}{' (quick version)' if quick else ''}",
            item=self.name,
            command=f"dlst reproduce {self.name}{' --quick' if quick else ''}",
        )

    def sections(self, run: Run) -> list[Section]:
        """Return what the report shows."""
        if self.has_ended(run):
            return self.tells(run)
        return [Section(self.name, self.title, [Text(NOTHING)])]

    def verdict(self, run: Run) -> str:
        """Say what the records mean."""
        return self.concludes(run) if self.has_ended(run) else NOTHING

    def judged(self, claim: Claim, run: Run) -> Judged:
        """Say what became of a claim."""
        return claim.judge(run) if self.has_ended(run) else ("cannot be judged", NOTHING)

    def has_ended(self, run: Run) -> bool:
        """Say whether there is anything to tell."""
        return bool(run.probes(self.probe)) if self.probe else run.has_results


def judged_by_share(won: int, total: int) -> Outcome:
    """Judge by the share of places where a claim holds: all, at least half, or fewer."""
    if not total:
        return "cannot be judged"
    return "borne out" if won == total else "in part" if 2 * won >= total else "not borne out"
