"""Charts and drawings as SVG, PNG and PDF files, drawn with matplotlib."""

from __future__ import annotations

import importlib.util
import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dlst._files import atomic_write
from dlst.errors import DlstError
from dlst.reports.document import Chart, Drawing

FORMATS = ("svg", "png", "pdf")

DOTS_PER_INCH = 160

# With no dates inside, the same chart gives the same bytes.
_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}


def can_draw() -> bool:
    """Say whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def save_chart(chart: Chart, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Draw a chart into files, each whole or not at all; ``stem`` is their name without its ending.

    Gives the files in the order of ``formats``.
    """
    from dlst.reports import _chart_drawing

    return _saved(lambda: _chart_drawing.drawn(chart), stem, formats)


def save_drawing(drawing: Drawing, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a finished drawing: the SVG as it is, which needs no matplotlib, others after it."""
    from dlst.reports import _svg_drawing

    path = stem.with_name(f"{stem.name}.svg")
    with atomic_write(path, text=True) as stream:
        stream.write(drawing.svg)
    others = [form for form in formats if form != "svg"]
    return [path, *_saved(lambda: _svg_drawing.drawn(drawing.svg), stem, others)]


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
