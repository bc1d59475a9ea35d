"""The values of a chart as a table, for readers who cannot see it or want the numbers."""

from __future__ import annotations

import math
from typing import Any

from dlst.reports.document import Chart, Series, Table, TableCell
from dlst.reports.words import columns

LARGEST_GRID = 600
"""Cells of a heatmap that are still listed."""


def chart_values(chart: Chart) -> Table | None:
    """Return the values that a chart shows, or None where they are too many to read."""
    x_title, y_title = chart.x_title or "x", chart.y_title or "y"
    if chart.kind == "heatmap":
        grid = chart.grid or ()
        if not grid or len(grid) * len(grid[0]) > LARGEST_GRID:
            return None
        titles = ["row", *map(str, range(len(grid[0])))]
        rows = [[TableCell(str(i), i), *map(_cell, row)] for i, row in enumerate(grid)]
    elif chart.kind == "scatter":
        titles = ["point", x_title, y_title]
        rows = [
            [TableCell(each.texts[i] if each.texts else each.name), _cell(each.x[i]), _cell(y)]
            for each in chart.series
            for i, y in enumerate(each.y)
        ]
    else:
        titles = [x_title, *(each.name for each in chart.series)]
        found = [{x: _ranged_cell(each, i) for i, x in enumerate(each.x)} for each in chart.series]
        places = dict.fromkeys(x for cells in found for x in cells)
        rows = [[_cell(x), *(cells.get(x, TableCell("")) for cells in found)] for x in places]
    return Table(f"{chart.name}-values", f"Values of “{chart.title}”", columns(*titles), rows)


def _ranged_cell(series: Series, index: int) -> TableCell:
    cell = _cell(series.y[index])
    if series.band is None or cell.value is None:
        return cell
    low, high = (number_text(ends[index]) for ends in series.band)
    return TableCell(f"{cell.text} ({low} to {high})", cell.value)


def _cell(value: Any) -> TableCell:
    if isinstance(value, str):
        return TableCell(value)
    return TableCell(number_text(value), float(value) if is_finite(value) else None)


def number_text(value: Any) -> str:
    """Show a number with four digits, a name as it is, and what is unknown as a dash."""
    if isinstance(value, str):
        return value
    return f"{value:.4g}" if is_finite(value) else "—"


def is_finite(value: Any) -> bool:
    """Return whether something is a number, and neither infinite nor undefined."""
    return value is not None and not isinstance(value, str) and math.isfinite(value)
