"""Charts drawn with matplotlib, whose global state is left alone."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from dlst.reports import _chart_axes
from dlst.reports.document import Chart, Series

SETTINGS: dict[str, Any] = {
    # Identifiers in SVG files and fonts that are the same everywhere.
    "svg.hashsalt": "dlst",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
    "axes.edgecolor": "#777777",
    "axes.labelcolor": "#222222",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "hatch.linewidth": 0.7,
    "legend.frameon": False,
    # Names may hold dollars; they are no formulas.
    "text.parse_math": False,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}

# Okabe and Ito's colours for all kinds of sight, without the yellow, which is lost on white.
# Beyond them darker shades, so that the eleven methods of a large table differ.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555"),
    *("#7A3B00", "#5B2A6E", "#7F9A00", "#A50026", "#00535E"),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1)))
# Of lines only: dots and circles make files of a megabyte.
HATCHES = ("", "////", "---", "xxxx", "\\\\\\\\", "++++", "|||")
WIDTH = 7.2
MOST_INSIDE = 4
"""A legend of more lines stands outside the axes; of other kinds always, to hide no points."""

TALL, TALLEST = 9.0, 60.0
"""Inches: from here a chart of bars has numbers at both ends, and here it stops growing."""

THINNEST_HATCHED = 0.08


def drawn(chart: Chart) -> Figure:
    """Draw a chart; call it with ``SETTINGS`` in force."""
    if chart.kind == "heatmap":
        return _heatmap(chart)
    return _bars(chart) if chart.kind == "bars" else _points(chart)


def _canvas(chart: Chart, width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06))
    title = textwrap.fill(chart.title, int(width * 10.5))
    figure.suptitle(title, x=0.012, ha="left")
    axes = figure.add_subplot()
    if not chart.series and not chart.grid:
        axes.text(0.5, 0.5, "no values", ha="center", va="center", transform=axes.transAxes)
    return figure, axes


def _points(chart: Chart) -> Figure:
    figure, axes = _canvas(chart, WIDTH, 4.4)
    places = _chart_axes.places(chart)
    for order, series in enumerate(chart.series):
        x = [places[value] for value in series.x]
        (_line if chart.kind == "lines" else _cloud)(axes, order, series, x)
    axes.grid(True, axis="y" if chart.kind == "lines" else "both")
    if chart.log_x:
        axes.set_xscale("log", nonpositive="mask")
    axes.set(xlabel=chart.x_title, ylabel=chart.y_title)
    if chart.kind == "scatter" and any(y is not None and y < 0 for s in chart.series for y in s.y):
        axes.axhline(0, color="#666666", linestyle=DASHES[1], linewidth=1, zorder=2)
    _legend(figure, axes, chart)
    _chart_axes.set_ticks(axes, chart, places)
    _chart_axes.settle_ticks(figure, axes)
    return figure


def _line(axes: Axes, order: int, series: Series, x: Sequence[float]) -> None:
    colour = COLOURS[order % len(COLOURS)]
    if series.band:
        low, high = map(_numbers, series.band)
        axes.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
    axes.plot(
        x,
        _numbers(series.y),
        label=series.name,
        color=colour,
        linestyle="-" if series.emphasis else DASHES[order % len(DASHES)],
        linewidth=2.8 if series.emphasis else 1.4,
        marker=MARKERS[order % len(MARKERS)],
        markersize=7 if series.emphasis else 4.5,
        markeredgecolor="white",
        markeredgewidth=0.6,
        markevery=max(1, len(x) // 12),
        zorder=4 if series.emphasis else 3,
    )


def _cloud(axes: Axes, order: int, series: Series, x: Sequence[float]) -> None:
    size = 42 if len(x) <= 60 else 24 if len(x) <= 400 else 10
    axes.scatter(
        x,
        _numbers(series.y),
        label=series.name,
        s=size * (1.6 if series.emphasis else 1),
        color=COLOURS[order % len(COLOURS)],
        marker=MARKERS[order % len(MARKERS)],
        alpha=0.9 if series.emphasis else 0.7,
        edgecolor="black" if series.emphasis else "white",
        linewidth=0.6,
        zorder=4 if series.emphasis else 3,
    )


def _bars(chart: Chart) -> Figure:
    places = _chart_axes.places(chart)
    n_series = max(1, len(chart.series))
    lying = _chart_axes.needs_rows(places)
    per_category = max(0.2, 0.1 * n_series + 0.06)
    height = min(TALLEST, 1.4 + per_category * len(places)) if lying else 4.4
    figure, axes = _canvas(chart, WIDTH, height)
    thickness = 0.8 / n_series
    room = per_category if lying else (WIDTH - 1) / max(1, len(places))
    any_emphasis = any(series.emphasis for series in chart.series)
    for order, series in enumerate(chart.series):
        shift = (order - (n_series - 1) / 2) * thickness
        y = _numbers(series.y)
        where = [places[value] + shift for value in series.x]
        style: dict[str, Any] = {
            "label": series.name,
            "color": COLOURS[order % len(COLOURS)],
            "alpha": 0.6 if any_emphasis and not series.emphasis else 1.0,
            "edgecolor": "white",
            "linewidth": 0.3,
            "hatch": HATCHES[order % len(HATCHES)] if thickness * room > THINNEST_HATCHED else "",
        }
        if series.band:
            whiskers = {"xerr" if lying else "yerr": _whiskers(y, *map(_numbers, series.band))}
            style |= {**whiskers, "ecolor": "#333333", "capsize": min(3, 12 * thickness * room)}
        (axes.barh if lying else axes.bar)(where, y, thickness, **style)
    axes.grid(True, axis="x" if lying else "y")
    ends = (-0.6, max(0.6, len(places) - 0.4))
    if lying:
        axes.set(xlabel=chart.y_title, ylabel=chart.x_title, ylim=ends[::-1])
        axes.set_yticks(range(len(places)), _chart_axes.tick_labels(chart, places))
        axes.tick_params(axis="y", length=0)
        # Who reads the first rows of a tall chart should not have to scroll to its foot.
        axes.tick_params(axis="x", labeltop=height > TALL)
    else:
        axes.set(xlabel=chart.x_title, ylabel=chart.y_title, xlim=ends)
        _chart_axes.set_ticks(axes, chart, places)
    _legend(figure, axes, chart, beside=lying)
    if not lying:
        _chart_axes.settle_ticks(figure, axes)
    return figure


def _heatmap(chart: Chart) -> Figure:
    grid = np.array([_numbers(row) for row in chart.grid or [[None]]])
    n_rows, n_columns = grid.shape
    height = min(9.0, max(2.6, 5.0 * n_rows / n_columns + 1.2))
    figure, axes = _canvas(chart, WIDTH, height)
    known = grid[np.isfinite(grid)]
    diverging = known.size and known.min() < 0 < known.max()
    farthest = float(np.abs(known).max()) if diverging else None
    binary = bool(np.isin(known, (0, 1)).all())
    image = axes.imshow(
        np.ma.masked_invalid(grid),
        aspect="auto",
        cmap="PuOr_r" if diverging else "Greys" if binary else "cividis",
        vmin=-farthest if farthest else None,
        vmax=farthest,
    )
    axes.set_facecolor("#f2dede")
    axes.set(xlabel=chart.x_title, ylabel=chart.y_title)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    figure.colorbar(image, ax=axes, ticks=[0, 1] if binary else None, pad=0.02)
    return figure


def _legend(figure: Figure, axes: Axes, chart: Chart, *, beside: bool = False) -> None:
    names = [series.name for series in chart.series]
    if len(names) < 2:
        return
    if chart.kind == "lines" and len(names) <= MOST_INSIDE:
        axes.legend(loc="best", frameon=True, framealpha=0.85, edgecolor="none")
    elif beside:
        figure.legend(loc="outside right upper")
    else:
        per_line = max(1, min(5, 95 // (max(map(len, names)) + 7)))
        figure.legend(loc="outside lower center", ncols=per_line, handlelength=3.2)


def _numbers(values: Sequence[float | None]) -> np.ndarray:
    numbers = np.array(values, dtype=float)  # None is NaN, which is a gap
    # What is infinite has no place on an axis: a gap, too.
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _whiskers(y: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.maximum([y - low, high - y], 0))
