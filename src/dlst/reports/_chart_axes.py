"""Ticks and levels of a chart: what stands where, without words upon words."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator
from matplotlib.transforms import Bbox

from dlst.reports.document import Chart

MOST_TICKS = 12
"""With up to so many distinct x values each has its tick."""

MOST_COLUMNS = 12
INCHES_PER_LETTER = 0.08
AXIS_INCHES = 6.2
LINE_POINTS = 11.0
TICK_GAP = 4.0
SMALL = 7
GREY = "#666666"

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def places(chart: Chart) -> dict[Any, float]:
    """Give each x of a chart its place on the axis: numbers their own, words 0, 1, 2, …."""
    values = list(dict.fromkeys(x for series in chart.series for x in series.x))
    if chart.kind == "bars" or any(isinstance(value, str) for value in values):
        return {value: float(place) for place, value in enumerate(values)}
    return {value: float(value) for value in values}


def needs_rows(where: Mapping[Any, float]) -> bool:
    """Say whether names are too many or too long to stand beside each other."""
    names = [value for value in where if isinstance(value, str)]
    if not names:
        return False
    longest = max(map(len, names)) * INCHES_PER_LETTER + 0.12
    return len(where) > MOST_COLUMNS or longest * len(where) > AXIS_INCHES


def tick_labels(chart: Chart, where: Mapping[Any, float]) -> list[str]:
    """Say each x, with its second words beneath."""
    numbers = [value for value in where if not isinstance(value, str)]
    by_powers = chart.log_x and all(_is_power(value) for value in numbers)
    lines = []
    for value in where:
        line = value if isinstance(value, str) else _power(value) if by_powers else f"{value:g}"
        second = chart.second_x.get(value, "")
        lines.append(f"{line}\n{second}" if second else line)
    return lines


def set_ticks(axes: Axes, chart: Chart, where: Mapping[Any, float]) -> None:
    """Put ticks where the second words are or beneath all x; many x get matplotlib's own ticks."""
    shown = {value: place for value, place in where.items() if value in chart.second_x}
    shown |= {value: float(value) for value in chart.second_x if _is_beside(value, where)}
    shown = shown or dict(where)
    has_words = any(isinstance(value, str) for value in where)
    if chart.second_x or chart.kind == "bars" or has_words or len(shown) <= MOST_TICKS:
        axes.set_xticks(list(shown.values()), tick_labels(chart, shown))
        axes.xaxis.set_minor_locator(NullLocator())
    elif chart.log_x:
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: _power(value) if _is_power(value) else "")
        )


def settle_ticks(figure: Figure, axes: Axes) -> None:
    """Wrap and shrink words beneath the x axis that collide; then turn names, thin numbers."""
    boxes = _boxes(figure, axes)
    if not _collide(boxes):
        return
    places, texts = axes.get_xticks(), [label.get_text() for label in axes.get_xticklabels()]
    axes.set_xticks(places, [_wrapped(text) for text in texts], fontsize=SMALL)
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


def draw_levels(
    figure: Figure, axes: Axes, levels: Mapping[str, float], *, lying: bool = False
) -> None:
    """Draw dashed lines across the values, each with its name at the end."""
    levels = {name: value for name, value in levels.items() if math.isfinite(value)}
    if not levels:
        return
    lowest_first = sorted(levels.items(), key=lambda level: level[1])
    for _, value in lowest_first:
        line = axes.axvline if lying else axes.axhline
        line(value, color=GREY, linestyle=(0, (4, 3)), linewidth=1, zorder=2)
    _make_room(axes, levels, lying=lying)
    figure.draw_without_rendering()
    taken = -math.inf
    for name, value in lowest_first:
        words = textwrap.fill(f"{name} {value:.3g}", 18)
        # Turned words need more room beside each other than lines beneath each other.
        room = LINE_POINTS * (2 if lying else 1) * (words.count("\n") + 1)
        pixels = axes.transData.transform((value, value))[0 if lying else 1]
        at = float(pixels) * 72 / figure.dpi
        # Names of near levels are pushed apart; each stays as near to its line as it can.
        placed = max(at, taken + room / 2)
        taken = placed + room / 2
        _name_level(axes, words, value, placed - at, lying=lying)


def _name_level(axes: Axes, words: str, value: float, shift: float, *, lying: bool) -> None:
    style: dict[str, Any] = {"textcoords": "offset points", "color": GREY, "fontsize": 8}
    if lying:
        style |= {"rotation": 30, "rotation_mode": "anchor"}
        across = ("data", "axes fraction")
        axes.annotate(words, (value, 1), (shift, 4), xycoords=across, **style)
    else:
        across = ("axes fraction", "data")
        axes.annotate(words, (1, value), (4, shift), xycoords=across, va="center", **style)


def _make_room(axes: Axes, levels: Mapping[str, float], *, lying: bool) -> None:
    """Widen the axis of values where a line would lie upon its end."""
    low, high = axes.get_xlim() if lying else axes.get_ylim()
    margin = 0.03 * (high - low)
    low = min(low, min(levels.values()) - margin)
    high = max(high, max(levels.values()) + margin)
    (axes.set_xlim if lying else axes.set_ylim)(low, high)


def _boxes(figure: Figure, axes: Axes) -> list[Bbox]:
    figure.draw_without_rendering()
    return [label.get_window_extent() for label in axes.get_xticklabels()]


def _collide(boxes: list[Bbox]) -> bool:
    from_left = sorted(boxes, key=lambda box: box.x0)
    return any(left.x1 + TICK_GAP > right.x0 for left, right in pairwise(from_left))


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.fill(line, 12) for line in text.split("\n"))


def _is_beside(value: Any, where: Mapping[Any, float]) -> bool:
    """Say whether a number is no x itself, but lies on the same axis of numbers."""
    is_number_axis = all(not isinstance(x, str) and x == place for x, place in where.items())
    return is_number_axis and not isinstance(value, str) and value not in where


def _is_power(value: float) -> bool:
    return value > 0 and math.isclose(math.log10(value), round(math.log10(value)), abs_tol=1e-9)


def _power(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(_RAISED)
