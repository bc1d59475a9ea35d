"""Values as cells of a table."""

from __future__ import annotations

import numpy as np

from dlst.reports.document import Direction, TableCell, TableColumn
from dlst.reports.words import percent

DASH = TableCell("—")
"""Where there is nothing to show."""


def columns(*titles: str, direction: Direction = "") -> list[TableColumn]:
    """Name columns that need no more words."""
    return [TableColumn(title, direction) for title in titles]


def number(value: float | None, decimals: int = 3, *, best: bool = False) -> TableCell:
    """Show a number; a dash where there is none."""
    if value is None or not np.isfinite(value):
        return DASH
    return TableCell(f"{value:,.{decimals}f}", float(value), best=bool(best))


def signed(value: float, decimals: int = 3) -> TableCell:
    """Show a difference with its sign."""
    return TableCell(f"{value:+.{decimals}f}", float(value)) if np.isfinite(value) else DASH


def share(value: float, decimals: int = 0) -> TableCell:
    """Show a share in percent; a dash where there is none."""
    return TableCell(percent(value, decimals), float(value)) if np.isfinite(value) else DASH


def finite(value: float) -> float | None:
    """Give a number as charts and tables take it: None where it has no value."""
    return float(value) if np.isfinite(value) else None
