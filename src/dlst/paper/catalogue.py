"""The paper's tables and figures by name, and the judgement of each claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dlst._nearest import did_you_mean
from dlst.errors import UnknownNameError
from dlst.paper.classes import CLASSES
from dlst.paper.codes import CODES
from dlst.paper.data_table import DATA_SETS
from dlst.paper.examples import EXAMPLES
from dlst.paper.item import Item, Outcome
from dlst.paper.main_table import MAIN_TABLE
from dlst.paper.missing_labels import MISSING_LABELS
from dlst.paper.nuswide import NUSWIDE
from dlst.paper.penalty import PENALTY
from dlst.paper.rank_table import RANK_TABLE
from dlst.paper.training_rows import TRAINING_ROWS
from dlst.paper.variants import VARIANTS
from dlst.paper.voc import VOC
from dlst.reports import Run

ITEMS: tuple[Item, ...] = (
    DATA_SETS,
    MAIN_TABLE,
    VARIANTS,
    VOC,
    RANK_TABLE,
    CODES,
    EXAMPLES,
    NUSWIDE,
    MISSING_LABELS,
    TRAINING_ROWS,
    CLASSES,
    PENALTY,
)
"""The tables and figures of the paper, and one beyond it."""


def item(name: str) -> Item:
    """Look an item up by name.

    Parameters
    ----------
    name : str
        As ``dlst reproduce`` lists them.

    Returns
    -------
    Item

    Examples
    --------
    >>> item("table-main").where
    'Table II'
    >>> len(item("table-main").plan(quick=True).cells()) < len(item("table-main").plan().cells())
    True
    """
    known = {each.name: each for each in ITEMS}
    if found := known.get(name.strip().lower()):
        return found
    meant = did_you_mean(name, known)
    raise UnknownNameError(f"an item must be one of {', '.join(known)}; got {name!r}.{meant}")


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
