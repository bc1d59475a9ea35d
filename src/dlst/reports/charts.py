"""Charts and drawings as SVG, PNG and PDF files, drawn with matplotlib."""

from __future__ import annotations

import importlib.util
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from dlst._files import atomic_write
from dlst.errors import DlstError
from dlst.reports.document import Chart, Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")

DOTS_PER_INCH = 160

# With no dates inside, the same chart gives the same bytes.
_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}

PIXELS_PER_INCH = 96.0
POINTS_PER_PIXEL = 72.0 / PIXELS_PER_INCH
FONT_PIXELS = 15.0
"""Where the drawing does not say."""

INK = "#1f2328"
_SIDES = {"start": "left", "middle": "center", "end": "right"}
_STEP = re.compile(r"([MLVH])([^MLVH]*)")


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def save_chart(chart: Chart, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Draw a chart into files, each whole or not at all; ``stem`` is their name without its ending.

    Gives the files in the order of ``formats``.
    """
    from dlst.reports import _chart_drawing

    return _saved(lambda: _chart_drawing.drawn(chart), stem, formats)


def save_drawing(drawing: Drawing, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a finished drawing: the SVG as it is, which needs no matplotlib, others after it."""
    path = stem.with_name(f"{stem.name}.svg")
    with atomic_write(path, text=True) as stream:
        stream.write(drawing.svg)
    others = [form for form in formats if form != "svg"]
    return [path, *_saved(lambda: drawn_again(drawing.svg), stem, others)]


def _saved(draw: Callable[[], Any], stem: Path, formats: Sequence[str]) -> list[Path]:
    if not formats:
        return []
    if not can_draw():
        raise DlstError(
            "figures need the package matplotlib; got none installed. "
            "Install it with: pip install dlst[plots]"
        )
    if unknown := [form for form in formats if form not in FORMATS]:
        raise ValueError(f"formats must be of {', '.join(FORMATS)}; got {', '.join(unknown)}.")
    from matplotlib import style

    from dlst.reports._chart_drawing import SETTINGS

    paths = []
    with style.context(["default", SETTINGS]), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the tables have it in full.
        warnings.filterwarnings("ignore", "Glyph .* missing from (current )?font")
        figure = draw()
        for form in formats:
            picture = io.BytesIO()
            figure.savefig(picture, format=form, dpi=DOTS_PER_INCH, metadata=_UNDATED[form])
            path = stem.with_name(f"{stem.name}.{form}")
            with atomic_write(path) as stream:
                stream.write(picture.getvalue())
            paths.append(path)
    return paths


def drawn_again(svg: str) -> Figure:
    """Draw our own SVG once more: lines, angled paths and words, nothing else."""
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
    """Yield the corners of a path that moves, and then goes along straight lines."""
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
