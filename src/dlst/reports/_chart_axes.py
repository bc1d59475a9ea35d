"""Ticks of a chart: positions, and labels that do not overlap."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from matplotlib.transforms import Bbox

from dlst.reports.document import Chart

MOST_TICKS = 12
"""With up to so many distinct x values each has its tick."""

MOST_COLUMNS = 12
INCHES_PER_LETTER = 0.08
AXIS_INCHES = 6.2
TICK_GAP = 4.0
SMALL = 7

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def places(chart: Chart) -> dict[Any, float]:
    """Map each x of a chart to its place on the axis: numbers their own, words 0, 1, 2, …."""
    values = list(dict.fromkeys(x for series in chart.series for x in series.x))
    if chart.kind == "bars" or any(isinstance(value, str) for value in values):
        return {value: float(place) for place, value in enumerate(values)}
    return {value: float(value) for value in values}


def needs_rows(where: Mapping[Any, float]) -> bool:
    """Return whether names are too many or too long to fit side by side."""
    names = [value for value in where if isinstance(value, str)]
    if not names:
        return False
    longest = max(map(len, names)) * INCHES_PER_LETTER + 0.12
    return len(where) > MOST_COLUMNS or longest * len(where) > AXIS_INCHES


def tick_labels(chart: Chart, where: Mapping[Any, float]) -> list[str]:
    """Return the tick label of each x, with its second line."""
    numbers = [value for value in where if not isinstance(value, str)]
    by_powers = chart.log_x and all(_is_power(value) for value in numbers)
    lines = []
    for value in where:
        line = value if isinstance(value, str) else _power(value) if by_powers else f"{value:g}"
        second = chart.second_x.get(value, "")
        lines.append(f"{line}\n{second}" if second else line)
    return lines


def set_ticks(axes: Axes, chart: Chart, where: Mapping[Any, float]) -> None:
    """Set ticks where there are second lines, or at all x; many x get matplotlib's own ticks."""
    shown = {value: place for value, place in where.items() if value in chart.second_x} or where
    has_words = any(isinstance(value, str) for value in where)
    if chart.second_x or chart.kind == "bars" or has_words or len(shown) <= MOST_TICKS:
        axes.set_xticks(list(shown.values()), tick_labels(chart, shown))
        axes.xaxis.set_minor_locator(NullLocator())


def settle_ticks(figure: Figure, axes: Axes) -> None:
    """Wrap and shrink tick labels that collide; then rotate names, thin out numbers."""
    boxes = _boxes(figure, axes)
    if not _collide(boxes):
        return
    places, texts = axes.get_xticks(), [label.get_text() for label in axes.get_xticklabels()]
    lines = [[textwrap.fill(line, 12) for line in text.split("\n")] for text in texts]
    axes.set_xticks(places, list(map("\n".join, lines)), fontsize=SMALL)
    boxes = _boxes(figure, axes)
    if not _collide(boxes):
        return
    if any(character.isalpha() for text in texts for character in text):
        axes.set_xticks(
            places, texts, fontsize=SMALL, rotation=40, ha="right", rotation_mode="anchor"
        )
        return
    taken = -math.inf
    for place, box in enumerate(boxes):
        if box.x0 < taken:
            texts[place] = ""
        else:
            taken = box.x1 + TICK_GAP
    axes.set_xticks(places, texts, fontsize=SMALL)


def _boxes(figure: Figure, axes: Axes) -> list[Bbox]:
    figure.draw_without_rendering()
    return [label.get_window_extent() for label in axes.get_xticklabels()]


def _collide(boxes: list[Bbox]) -> bool:
    from_left = sorted(boxes, key=lambda box: box.x0)
    return any(left.x1 + TICK_GAP > right.x0 for left, right in pairwise(from_left))


def _is_power(value: float) -> bool:
    return value > 0 and math.isclose(math.log10(value), round(math.log10(value)), abs_tol=1e-9)


def _power(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(_RAISED)
