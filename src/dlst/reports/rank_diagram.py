"""Mean ranks as a critical-difference diagram, drawn as one SVG."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dlst.errors import DataError

AXIS = 420.0
FONT = 15.0
PAD = 12.0
VALUE_COLUMN = 60.0
ROW = 26.0
BAR_STEP = 10.0
BAR_GAP = 12.0
"""Bars nearer to each other than this would look like one; they get lines of their own."""

TICK_ROOM = 36.0
RANK = ' class="rank" opacity="0.75"'
GROUP = ' class="group" stroke-linecap="round"'

# The one style: alone or in <img> the drawing is its own document and picks its colour; inside a
# page `svg:root` matches nothing, and the page's text colour holds.
STYLE = "svg:root{color:#1f2328}@media (prefers-color-scheme:dark){svg:root{color:#e6edf3}}"

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def critical_difference_svg(
    ranks: pd.Series, critical_difference: float, *, title: str = ""
) -> str:
    """Draw mean ranks on an axis, with bars that join the methods that do not differ.

    Parameters
    ----------
    ranks : Series of shape (n_methods,)
        Mean ranks by the methods' names; 1 is the best, and stands left.
    critical_difference : float
        Mean ranks nearer than this do not differ.
    title : str
        Shown above the drawing, and read by screen readers.

    Returns
    -------
    str
        One ``<svg>`` element that needs nothing else. It takes the text colour of the page
        that it is put into.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> svg = critical_difference_svg(pd.Series({"dlst": 1.2, "plst": 2.0, "br": 2.8}), 1.1)
    >>> svg.count('class="group"')
    2
    """
    ordered = _checked(ranks, critical_difference)
    values = ordered.to_numpy()
    names = [str(name) for name in ordered.index]
    n_left = (len(names) + 1) // 2
    spans = [
        (values[first], values[last - 1])
        for first, last in group_bounds(values, critical_difference)
    ]
    place = _placed(names, n_left, values, title)
    bar_lines = _bar_lines(spans, BAR_GAP / place.scale)
    rows_top = place.axis_y + 18 + BAR_STEP * (max(bar_lines, default=-1) + 1) + ROW / 2
    height = rows_top + ROW * (n_left - 1) + ROW / 2 + PAD / 2
    words = title or "Critical-difference diagram"
    description = (
        f"Mean ranks of {len(names)} methods, the best at the left. Bars join methods whose mean "
        f"ranks differ by less than {critical_difference:.2f}."
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {place.width:.0f} '
        f'{height:.0f}" width="{place.width:.0f}" height="{height:.0f}" '
        f'style="max-width:100%;height:auto" font-family="system-ui, sans-serif" '
        f'font-size="{FONT:g}" fill="currentColor">',
        f"<title>{_escaped(words)}</title>",
        f"<desc>{description}</desc>",
        f"<style>{STYLE}</style>",
        *([_text(PAD, PAD + FONT, title, extra=' font-weight="bold"')] if title else []),
        *_axis(place),
        *_difference_bar(place, critical_difference),
        *_leaders(place, names, values, n_left, rows_top),
        *(
            _line(place.x(low), y, place.x(high), y, width=5, extra=GROUP)
            for (low, high), line in zip(spans, bar_lines, strict=True)
            for y in [place.axis_y + 14 + BAR_STEP * line]
        ),
        "</svg>",
    ]
    return "\n".join(parts)


@dataclass(frozen=True)
class _Place:
    """The position of the axis in the drawing."""

    left: float
    axis_y: float
    width: float
    low: float
    high: float

    @property
    def scale(self) -> float:
        return AXIS / (self.high - self.low)

    def x(self, rank: float) -> float:
        return self.left + (rank - self.low) * self.scale


def _checked(ranks: pd.Series, critical_difference: float) -> pd.Series:
    """Return the ranks from best to worst, equal ones in the order given."""
    if len(ranks) < 2:
        raise DataError(f"a diagram needs at least 2 methods; got {len(ranks)}. Add methods.")
    if not ranks.index.is_unique:
        raise DataError("each method must have a name of its own; got one twice. Rename it.")
    if not np.isfinite(ranks.to_numpy(dtype=float)).all():
        raise DataError("mean ranks must be finite; got NaN or infinity. Leave such methods out.")
    if not (math.isfinite(critical_difference) and critical_difference > 0):
        raise ValueError(
            f"critical_difference must be above 0 and finite; got {critical_difference}. "
            "Take the one of Nemenyi's test."
        )
    return ranks.astype(float).sort_values(kind="stable")


def group_bounds(values: np.ndarray, critical_difference: float) -> list[tuple[int, int]]:
    """Return [first, last) of the largest runs of sorted ranks within the difference."""
    bounds: list[tuple[int, int]] = []
    for first, low in enumerate(values):
        last = int(np.sum(values - low < critical_difference))
        reached = bounds[-1][1] if bounds else 0
        if last - first > 1 and last > reached:
            bounds.append((first, last))
    return bounds


def _bar_lines(spans: list[tuple[float, float]], gap: float) -> list[int]:
    """Assign each bar to the first line whose bars end before it begins."""
    ends: list[float] = []
    lines = []
    for low, high in spans:
        line = next((i for i, end in enumerate(ends) if end + gap < low), len(ends))
        ends[line : line + 1] = [high]
        lines.append(line)
    return lines


def _placed(names: list[str], n_left: int, values: np.ndarray, title: str) -> _Place:
    def margin(side: list[str]) -> float:
        return 2 * PAD + VALUE_COLUMN + max(map(_text_width, side))

    left, right = margin([*names[:n_left], "mean rank"]), margin(names[n_left:])
    return _Place(
        left=left,
        axis_y=(2 * FONT if title else 0) + 5.5 * FONT,
        width=max(left + AXIS + right, _text_width(title) * 1.1 + 2 * PAD),
        low=min(1.0, math.floor(values[0])),
        high=max(float(len(values)), math.ceil(values[-1])),
    )


def _axis(place: _Place) -> list[str]:
    y = place.axis_y
    parts = [
        _line(place.left, y, place.left + AXIS, y, width=1.5),
        _text(place.left - PAD, y - 10, "mean rank", anchor="end"),
    ]
    per_tick = TICK_ROOM / place.scale
    sizes = (size * 10**power for power in range(9) for size in (1, 2, 5))
    step = next(size for size in sizes if size >= per_tick)
    first, last = math.ceil(place.low), math.floor(place.high)
    ticks = {first, *(tick for tick in range(first, last + 1) if tick % step == 0)}
    # The first tick is always shown: nearer ones make room for it.
    for tick in sorted(t for t in ticks if t == first or t - first >= per_tick):
        x = place.x(tick)
        parts.append(_line(x, y - 6, x, y))
        parts.append(_text(x, y - 10, str(tick), anchor="middle", extra=' class="tick"'))
    return parts


def _difference_bar(place: _Place, critical_difference: float) -> list[str]:
    """Draw the difference above the axis's start; one that is longer than the axis has no end."""
    y = place.axis_y - 2.4 * FONT
    start, end = place.left, place.left + critical_difference * place.scale
    fits = end <= place.left + AXIS
    label = f"CD = {critical_difference:.2f}" + ("" if fits else ", longer than the axis")
    return [
        _text(start, y - 9, label),
        _line(start, y, min(end, place.left + AXIS), y, width=2, extra=' class="difference"'),
        *(_line(x, y - 5, x, y + 5, width=2) for x in ([start, end] if fits else [start])),
    ]


def _leaders(
    place: _Place, names: list[str], values: np.ndarray, n_left: int, rows_top: float
) -> list[str]:
    parts = []
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        edge, sign, side = place.left - PAD, -1, "end"
        # From the outside in, so that no line to a name crosses another.
        y = rows_top + ROW * i
        if i >= n_left:
            edge, sign, side = place.left + AXIS + PAD, 1, "start"
            y = rows_top + ROW * (len(names) - 1 - i)
        shown, text_y = f"{value:.2f}", y + 0.35 * FONT
        parts += [
            f'<path d="M{place.x(value):.2f} {place.axis_y:.2f}V{y:.2f}H{edge:.2f}" fill="none" '
            'stroke="currentColor"/>',
            _text(edge + sign * 5, text_y, shown, anchor=side, extra=RANK),
            _text(edge + sign * VALUE_COLUMN, text_y, name, anchor=side, extra=' class="method"'),
        ]
    return parts


def _line(x1: float, y1: float, x2: float, y2: float, *, width: float = 1, extra: str = "") -> str:
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" '
        f'stroke="currentColor" stroke-width="{width:g}"{extra}/>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", extra: str = "") -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}"{extra}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return html.escape(_NOT_IN_XML.sub("", text))


def _text_width(text: str) -> float:
    """Return room enough for a text in any common sans-serif font."""

    def width(letter: str) -> float:
        if unicodedata.east_asian_width(letter) in "WF":
            return 1.1
        return 0.95 if letter in "MW@%mw" else 0.75 if letter.isupper() else 0.6

    return FONT * sum(map(width, text))
