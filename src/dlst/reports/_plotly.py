"""Charts as plotly figures in plain JSON."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from dlst.reports._chart_values import is_finite, number_text
from dlst.reports.document import Chart, Series

COLOURS = (
    *("#3574d4", "#cf5f14", "#24905f", "#b8459a", "#8a7a16", "#7c64d8", "#15899f"),
    *("#cc4148", "#7d7a74", "#a0643c", "#5b8c2a", "#9a6fa8", "#4f86b5", "#c2577f"),
)
"""Each has a contrast of 3 or more with the light page and with the dark one."""

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "triangle-down", "star")

UPRIGHT_BARS = 12
"""Above so many categories bars lie, and the chart grows with them."""

HEIGHT = 440
BAR_ROOM, GROUPED_BAR_ROOM = 24, 11
LEGEND_GAP = 8
BAND_OPACITY = 0.16
_HUES = ("#2166ac", "#7fb2d6", "#f4f2ee", "#e8917a", "#b2182b")
NEGATIVE_TO_POSITIVE = [[place / 4, hue] for place, hue in enumerate(_HUES)]


def chart_figure(chart: Chart) -> dict[str, Any]:
    """Return data and layout of a chart as plotly takes them, without colours of the theme."""
    lying = chart.kind == "bars" and _n_places(chart) > UPRIGHT_BARS
    layout: dict[str, Any] = {
        "height": _height(chart, lying),
        "margin": {"l": 56, "r": 16, "t": 16, "b": 48},
        "hovermode": "closest",
        "showlegend": len(chart.series) > 1,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "barmode": "group",
    }
    x_axis: dict[str, Any] = {"title": {"text": _words(chart.x_title)}, **_x_scale(chart)}
    y_axis: dict[str, Any] = {
        "title": {"text": _words(chart.y_title)},
        "zeroline": chart.kind in ("bars", "scatter"),
    }
    if chart.kind == "heatmap":
        y_axis |= {"autorange": "reversed", "showgrid": False}
        x_axis |= {"showgrid": False}
        traces = [_heatmap(chart)]
    else:
        order = list(range(len(chart.series)))
        if chart.kind != "bars":
            # The strongest is drawn last, over the others, and keeps its place in the legend.
            order.sort(key=lambda i: chart.series[i].emphasis)
        traces = [trace for i in order for trace in _traces(chart, i, lying)]
    if lying:
        x_axis, y_axis = y_axis, {**x_axis, "autorange": "reversed", "dtick": 1}
        # In shares of the chart, which may be tall.
        layout["legend"]["y"] = 1 + LEGEND_GAP / layout["height"]
    return {"data": traces, "layout": {**layout, "xaxis": x_axis, "yaxis": y_axis}}


def _n_places(chart: Chart) -> int:
    return len({x for each in chart.series for x in each.x})


def _height(chart: Chart, lying: bool) -> int:
    if lying:
        room = max(BAR_ROOM, GROUPED_BAR_ROOM * len(chart.series))
        return 110 + room * _n_places(chart)
    if chart.kind == "heatmap":
        return min(760, max(300, 120 + 14 * len(chart.grid or ())))
    return HEIGHT


def _x_scale(chart: Chart) -> dict[str, Any]:
    if any(isinstance(x, str) for each in chart.series for x in each.x):
        # Said outright, because plotly takes some names for dates or numbers.
        return {"type": "category"}
    scale: dict[str, Any] = {"type": "log", "dtick": 1} if chart.log_x else {}
    if chart.second_x:
        scale["tickmode"] = "array"
        scale["tickvals"] = _plain(list(chart.second_x))
        # A line for each part: labels that are too wide would be turned on their side.
        scale["ticktext"] = [
            "<br>".join([number_text(x), *_words(words).split(", ")])
            for x, words in chart.second_x.items()
        ]
        scale.pop("dtick", None)
    return scale


def _traces(chart: Chart, index: int, lying: bool) -> list[dict[str, Any]]:
    series = chart.series[index]
    colour = COLOURS[index % len(COLOURS)]
    along, upward = ("y", "x") if lying else ("x", "y")
    trace: dict[str, Any] = {
        "name": _words(series.name),
        "legendgroup": str(index),
        "legendrank": index + 1,
        along: _plain(series.x),
        upward: _finite(series.y),
    }
    shown = f"%{{{along}}}: %{{{upward}:.4~g}}"
    if series.texts is not None:
        shown, trace["hovertext"] = "%{hovertext}", [_words(text) for text in series.texts]
    trace["hovertemplate"] = f"{shown}<extra>{_words(series.name)}</extra>"
    if chart.kind == "bars":
        pale = not series.emphasis and any(each.emphasis for each in chart.series)
        trace |= {"type": "bar", "marker": {"color": colour, "opacity": 0.6 if pale else 1.0}}
        if lying:
            trace["orientation"] = "h"
        if series.band is not None:
            trace[f"error_{upward}"] = _whiskers(series)
        return [trace]
    strong = series.emphasis
    trace |= {
        "type": "scatter",
        "mode": "markers" if chart.kind == "scatter" else "lines+markers",
        "marker": {
            "color": colour,
            "symbol": SYMBOLS[index % len(SYMBOLS)],
            "size": 9 if strong else 7,
        },
    }
    if chart.kind == "scatter":
        trace["marker"]["opacity"] = 0.85
        return [trace]
    trace["line"] = {
        "color": colour,
        "width": 3.5 if strong else 1.8,
        "dash": "solid" if strong else DASHES[index % len(DASHES)],
    }
    return [*_band(series, index, colour), trace]


def _band(series: Series, index: int, colour: str) -> list[dict[str, Any]]:
    """Return two unseen lines with the room between them filled."""
    if series.band is None:
        return []
    points = zip(series.x, *map(_finite, series.band), strict=True)
    known = [point for point in points if None not in point[1:]]
    edge = {
        "type": "scatter",
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": str(index),
        "x": _plain([x for x, _, _ in known]),
    }
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},{BAND_OPACITY})"}
    return [
        {**edge, "y": [low for _, low, _ in known]},
        {**edge, "y": [high for _, _, high in known], **fill},
    ]


def _whiskers(series: Series) -> dict[str, Any]:
    downward, upward = (
        [
            0.0 if end is None or y is None else abs(end - y)
            for end, y in zip(_finite(ends), _finite(series.y), strict=True)
        ]
        for ends in series.band or ((), ())
    )
    look = {"thickness": 1.4, "width": 3}
    return {"type": "data", "symmetric": False, "array": upward, "arrayminus": downward, **look}


def _heatmap(chart: Chart) -> dict[str, Any]:
    grid = [_finite(row) for row in chart.grid or ()]
    signed = any(value is not None and value < 0 for row in grid for value in row)
    return {
        "type": "heatmap",
        "z": grid,
        "colorscale": NEGATIVE_TO_POSITIVE if signed else "Cividis",
        "hovertemplate": "row %{y}, column %{x}: %{z:.4~g}<extra></extra>",
        "colorbar": {"thickness": 12, "outlinewidth": 0},
        **({"zmid": 0} if signed else {}),
    }


def _finite(values: Sequence[float | None]) -> list[float | None]:
    return [float(value) if value is not None and is_finite(value) else None for value in values]


def _plain(places: Sequence[Any]) -> list[Any]:
    """Return numbers of NumPy as numbers of Python, which JSON takes."""
    return [x.item() if isinstance(x, np.generic) else x for x in places]


def _words(text: str) -> str:
    """Keep plotly from taking a text for markup."""
    return html.escape(text, quote=False)


def _theme(ink: str, soft: str, line: str, card: str) -> dict[str, Any]:
    axis = {
        "gridcolor": line,
        "linecolor": soft,
        "zerolinecolor": soft,
        "tickcolor": soft,
        "tickfont": {"color": soft},
        "automargin": True,
    }
    whiskers = {"error_x": {"color": ink}, "error_y": {"color": ink}}
    return {
        "layout": {
            "font": {"color": ink, "family": FONT, "size": 13},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"bgcolor": card, "bordercolor": soft, "font": {"color": ink}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": soft, "activecolor": ink},
            "colorway": list(COLOURS),
        },
        "data": {"bar": [whiskers], "scatter": [whiskers]},
    }


THEMES = {
    "light": _theme("#1c1b19", "#5b5852", "#dedad1", "#ffffff"),
    "dark": _theme("#eceae4", "#a8a59d", "#363943", "#1d1f25"),
}
"""Templates of a figure's layout, in the colours of the page."""
