"""What the paper claims, each claim judged by the records of its item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dlst.paper.catalogue import ITEMS
from dlst.paper.item import Outcome
from dlst.paper.setting import AP, PIPELINE, most_runs
from dlst.reports import Run

SMALL = "msrc"
"""The set that Table II and the figure of missing labels treat alike."""


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
        Judgement(claim.number, claim.words, *item.judged(claim, runs[item.name]), item.name)
        for item in ITEMS
        if item.name in runs
        for claim in item.claims
    ]
    return sorted(judged, key=lambda each: each.number)


def tuned_and_not(runs: Mapping[str, Run]) -> str:
    """Tell the paper's pipeline on a tenth of MSRC as tuned once, and with default parameters.

    Table II and the figure of missing labels have the very same setting; empty where one of them
    was not run.

    Parameters
    ----------
    runs : mapping of str to Run
        By name of the item.

    Returns
    -------
    str

    Examples
    --------
    >>> tuned_and_not({})
    ''
    """
    found = []
    for item in ("table-main", "figure-missing"):
        if item not in runs or not runs[item].has_results:
            return ""
        frame = most_runs(runs[item].frame)
        cells = frame[(frame["data"] == SMALL) & (frame["method"] == PIPELINE)]
        cells = cells[cells["effective_missing"] == 0]
        if cells.empty:
            return ""
        found.append((cells[AP].mean(), cells["tuned_on"].max()))
    (tuned, rows), (default, _) = found
    title = runs["table-main"].title(PIPELINE)
    how = f"tuned once, on {rows:.0f} rows" if rows == rows else "as run there"
    return (
        f"{title} on {SMALL} with a tenth of each class has an AP of {tuned:.3f} in table-main, "
        f"{how}, and of {default:.3f} in figure-missing, the same setting with default parameters: "
        "so few rows choose badly, and claims on Table II suffer from it."
    )
