"""Our own SVG drawings once more, for PNG and PDF: lines, angled paths and words, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIXELS_PER_INCH = 96.0
POINTS_PER_PIXEL = 72.0 / PIXELS_PER_INCH
FONT_PIXELS = 15.0
"""Where the drawing does not say."""

INK = "#1f2328"
_SIDES = {"start": "left", "middle": "center", "end": "right"}
_STEP = re.compile(r"([MLVH])([^MLVH]*)")


def drawn(svg: str) -> Figure:
    """Draw what :func:`~dlst.reports.critical_difference_svg` drew."""
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(svg)  # noqa: S314  # written by this package a moment ago
    width, height = (float(root.get(side, "0")) for side in ("width", "height"))
    figure = Figure(figsize=(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    size = float(root.get("font-size", FONT_PIXELS)) * POINTS_PER_PIXEL
    for element in root.iter():
        kind = element.tag.rpartition("}")[2]
        stroke = float(element.get("stroke-width", 1)) * POINTS_PER_PIXEL
        if kind == "line":
            ends = [[float(element.get(f"{axis}{end}", 0)) for end in (1, 2)] for axis in "xy"]
            axes.plot(*ends, color=INK, linewidth=stroke, solid_capstyle="butt")
        elif kind == "path":
            corners = list(_corners(element.get("d", "")))
            axes.plot(*zip(*corners, strict=True), color=INK, linewidth=stroke)
        elif kind == "text":
            axes.text(
                float(element.get("x", 0)),
                float(element.get("y", 0)),
                "".join(element.itertext()),
                ha=_SIDES[element.get("text-anchor", "start")],
                va="baseline",
                fontsize=size,
                color=INK,
                alpha=float(element.get("opacity", 1)),
                fontweight=element.get("font-weight", "normal"),
            )
    return figure


def _corners(path: str) -> Iterator[tuple[float, float]]:
    """Give the corners of a path that moves, and then goes along straight lines."""
    x = y = 0.0
    for step, numbers in _STEP.findall(path):
        values = [float(number) for number in numbers.replace(",", " ").split()]
        if step == "H":
            x = values[0]
        elif step == "V":
            y = values[0]
        else:
            x, y = values
        yield x, y
