"""The demo's plan: DLST and its rivals on embedded images, and a map that explains them."""

from __future__ import annotations

from dlst.experiments.plan import Plan

DATA = "multidigits"
METHODS = ("dlst", "dlst-paper", "dlst1", "dlst2", "mlknn")
"""The first is the one that is mapped and explained."""

REDRAWS = 100
"""Samples of the test rows that tell whether a difference is more than chance."""


def demo_plan(seed: int = 0, rows: tuple[int, int] | None = None) -> Plan:
    """Return what `dlst demo` runs.

    Parameters
    ----------
    seed : int
        Of everything random in the methods.
    rows : tuple of int, optional
        At most so many training and test rows.

    Returns
    -------
    Plan

    Examples
    --------
    >>> demo_plan().sources[0].name
    'multidigits'
    """
    limits = {} if rows is None else {"rows": list(rows)}
    return Plan(
        [DATA],
        METHODS,
        splits=["official"],
        seeds=[seed],
        protocols=[
            {
                "per_row": True,
                # A column judges label sets by the rule that aims at it, for all methods alike.
                "decision": "f1",
                "redraws": REDRAWS,
                "map": {"method": METHODS[0], "n_test": 500, "n_neighbours": 5},
                **limits,
            }
        ],
        name="Which labels are in the picture?",
        command=f"dlst demo --seed {seed}",
    )
