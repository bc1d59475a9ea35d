"""What a chart shows, as a table for readers who cannot see it or want the numbers."""

from __future__ import annotations

import math
from typing import Any

from dlst.reports.document import Chart, Series, Table, TableCell, TableColumn

LARGEST_GRID = 600
"""Cells of a heatmap that are still listed."""


def chart_values(chart: Chart) -> Table | None:
    """Return the values that a chart shows, or None where they are too many to read."""
    name, title = f"{chart.name}-values", f"Values of “{chart.title}”"
    if chart.kind == "heatmap":
        grid = chart.grid or ()
        if not grid or len(grid) * len(grid[0]) > LARGEST_GRID:
            return None
        columns = [TableColumn("row"), *(TableColumn(str(j)) for j in range(len(grid[0])))]
        rows = [[TableCell(str(i), i), *map(_cell, row)] for i, row in enumerate(grid)]
        return Table(name, title, columns, rows)
    x_title = chart.x_title or "x"
    if chart.kind == "scatter":
        columns = [TableColumn("point"), TableColumn(x_title), TableColumn(chart.y_title or "y")]
        points = [(each, i) for each in chart.series for i in range(len(each.y))]
        return Table(
            name,
            title,
            columns,
            [
                [TableCell(_point_name(each, i)), _cell(each.x[i]), _cell(each.y[i])]
                for each, i in points
            ],
        )
    places = list(dict.fromkeys(x for each in chart.series for x in each.x))
    found = [{x: i for i, x in enumerate(each.x)} for each in chart.series]
    return Table(
        name,
        title,
        [TableColumn(x_title), *(TableColumn(each.name) for each in chart.series)],
        [
            [
                _cell(x),
                *(
                    _ranged_cell(each, where[x]) if x in where else TableCell("")
                    for each, where in zip(chart.series, found, strict=True)
                ),
            ]
            for x in places
        ],
    )


def _point_name(series: Series, index: int) -> str:
    return series.texts[index] if series.texts is not None else series.name


def _ranged_cell(series: Series, index: int) -> TableCell:
    cell = _cell(series.y[index])
    if series.low is None or series.high is None or cell.value is None:
        return cell
    low, high = series.low[index], series.high[index]
    return TableCell(f"{cell.text} ({number_text(low)} to {number_text(high)})", cell.value)


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
    """Tell whether something is a number, and neither infinite nor undefined."""
    return value is not None and not isinstance(value, str) and math.isfinite(value)
