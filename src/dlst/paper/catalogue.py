"""The paper's tables and figures by name: what `dlst reproduce` runs."""

from __future__ import annotations

from dlst._nearest import did_you_mean
from dlst.errors import UnknownNameError
from dlst.experiments import Plan
from dlst.paper.classes import CLASSES
from dlst.paper.codes import CODES
from dlst.paper.data_table import DATA_SETS
from dlst.paper.examples import EXAMPLES
from dlst.paper.item import Item
from dlst.paper.main_table import MAIN_TABLE
from dlst.paper.missing_labels import MISSING_LABELS
from dlst.paper.nuswide import NUSWIDE
from dlst.paper.penalty import PENALTY
from dlst.paper.rank_table import RANK_TABLE
from dlst.paper.training_rows import TRAINING_ROWS
from dlst.paper.variants import VARIANTS
from dlst.paper.voc import VOC

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
    """
    for each in ITEMS:
        if each.name == name.strip().lower():
            return each
    known = [each.name for each in ITEMS]
    raise UnknownNameError(
        f"an item must be one of {', '.join(known)}; got {name!r}.{did_you_mean(name, known)}"
    )


def plan_for(name: str, *, quick: bool = False) -> Plan:
    """Return the plan of an item.

    Parameters
    ----------
    name : str
        As in :func:`item`.
    quick : bool
        Whether the plan is a small one, of minutes.

    Returns
    -------
    Plan

    Examples
    --------
    >>> plan_for("table-variants").sources[0].name
    'emotions'
    >>> len(plan_for("table-main", quick=True).cells()) < len(plan_for("table-main").cells())
    True
    """
    return item(name).plan(quick=quick)
