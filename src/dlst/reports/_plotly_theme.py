"""The colours of the page for plotly: of series, and of what surrounds them, light and dark."""

from __future__ import annotations

from typing import Any

COLOURS = (
    "#3574d4",
    "#cf5f14",
    "#24905f",
    "#b8459a",
    "#8a7a16",
    "#7c64d8",
    "#15899f",
    "#cc4148",
    "#7d7a74",
    "#a0643c",
    "#5b8c2a",
    "#9a6fa8",
    "#4f86b5",
    "#c2577f",
)
"""Each has a contrast of 3 or more with the light page and with the dark one."""

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'


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
            "annotationdefaults": {"font": {"color": ink}},
            "shapedefaults": {"line": {"color": soft}},
            "colorway": list(COLOURS),
        },
        "data": {"bar": [whiskers], "scatter": [whiskers]},
    }


THEMES = {
    "light": _theme("#1c1b19", "#5b5852", "#dedad1", "#ffffff"),
    "dark": _theme("#eceae4", "#a8a59d", "#363943", "#1d1f25"),
}
"""Templates of a figure's layout, in the colours of the page."""
