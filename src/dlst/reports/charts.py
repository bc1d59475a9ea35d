"""Charts as SVG, PNG and PDF files, drawn with matplotlib."""

from __future__ import annotations

import importlib.util
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dlst._files import atomic_write
from dlst.errors import DlstError
from dlst.reports.document import Chart

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
    """Draw a chart into files, each whole or not at all.

    Parameters
    ----------
    chart : Chart
    stem : Path
        The files' name without its ending.
    formats : sequence of {"svg", "png", "pdf"}

    Returns
    -------
    list of Path
        The files, in the order of ``formats``.
    """
    if not can_draw():
        raise DlstError(
            "figures need the package matplotlib; got none installed. "
            "Install it with: pip install dlst[plots]"
        )
    if unknown := [form for form in formats if form not in FORMATS]:
        raise ValueError(f"formats must be of {', '.join(FORMATS)}; got {', '.join(unknown)}.")
    from matplotlib import style

    from dlst.reports import _chart_drawing

    paths = []
    with style.context(["default", _chart_drawing.SETTINGS]), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the tables have it in full.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = _chart_drawing.drawn(chart)
        for form in formats:
            picture = io.BytesIO()
            figure.savefig(picture, format=form, dpi=DOTS_PER_INCH, metadata=_UNDATED[form])
            path = stem.with_name(f"{stem.name}.{form}")
            with atomic_write(path) as stream:
                stream.write(picture.getvalue())
            paths.append(path)
    return paths
