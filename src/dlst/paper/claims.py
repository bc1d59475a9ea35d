"""What the paper claims, each claim judged by the records of its item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dlst.paper.catalogue import ITEMS
from dlst.paper.item import Outcome
from dlst.reports import Run


@dataclass(frozen=True)
class Judgement:
    """A claim, what became of it, the figures, and the item whose records they are.

    Attributes
    ----------
    number : int
    claim : str
    outcome : str
    evidence : str
    item : str

    Examples
    --------
    >>> Judgement(1, "DLST leads.", "not borne out", "It led in 2 of 15.", "table-main").number
    1
    """

    number: int
    claim: str
    outcome: Outcome
    evidence: str
    item: str


def judge_claims(runs: Mapping[str, Run]) -> list[Judgement]:
    """Judge every claim whose item was run; ``runs`` are by name of the item.

    Parameters
    ----------
    runs : mapping of str to Run
        By name of the item.

    Returns
    -------
    list of Judgement

    Examples
    --------
    >>> judge_claims({})
    []
    """
    judged = [
        Judgement(claim.number, claim.words, *claim.judge(runs[item.name]), item.name)
        for item in ITEMS
        if item.name in runs
        for claim in item.claims
    ]
    return sorted(judged, key=lambda each: each.number)
