"""A claim, what became of it, and what the judges of claims share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dlst.experiments.published import MEASURES
from dlst.methods import method_info

Outcome = Literal["borne out", "in part", "not borne out", "cannot be judged"]
Records = Sequence[Mapping[str, Any]]

AP = next(iter(MEASURES))
DEFAULT, PAPER = method_info("dlst").title, method_info("dlst-paper").title


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


def judged_by_share(won: int, total: int) -> Outcome:
    """Judge by the share of places where a claim holds: all, at least half, or fewer."""
    if not total:
        return "cannot be judged"
    return "borne out" if won == total else "in part" if 2 * won >= total else "not borne out"


def signed(gain: float) -> str:
    """Write a relative gain with its sign."""
    return f"{100 * gain:+.1f} %"
