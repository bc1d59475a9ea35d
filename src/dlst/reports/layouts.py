"""How a kind of run is told: layouts by the name that a plan has for its item."""

from __future__ import annotations

from typing import Protocol

from dlst.reports import comparison
from dlst.reports.document import Section
from dlst.reports.run import Run


class Layout(Protocol):
    """What turns a run into sections, and into two sentences.

    Examples
    --------
    >>> from dlst.paper import item
    >>> [name for name in ("sections", "verdict") if callable(getattr(item("table-main"), name))]
    ['sections', 'verdict']
    """

    def sections(self, run: Run, /) -> list[Section]:
        """Return what the report shows."""

    def verdict(self, run: Run, /) -> str:
        """Say what the records mean."""


_LAYOUTS: dict[str, Layout] = {}


def register_layout(item: str, layout: Layout) -> None:
    """Lay out every run whose plan has this ``item`` in one's own way.

    Parameters
    ----------
    item : str
        As in :class:`dlst.experiments.Plan`.
    layout : Layout
        Any object with ``sections`` and ``verdict``.

    Examples
    --------
    >>> register_layout("our-table", OurLayout())  # doctest: +SKIP
    """
    _LAYOUTS[item] = layout


def layout_of(item: str) -> Layout:
    """Give the layout of an item, or that of a plain comparison."""
    return _LAYOUTS.get(item, comparison)
