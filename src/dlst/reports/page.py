"""A whole report as one HTML file that opens offline."""

from __future__ import annotations

import base64
import gzip
import io
import itertools
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from PIL import Image

from dlst._files import atomic_write, open_binary
from dlst._matrices import FloatArray
from dlst.reports._chart_values import chart_values
from dlst.reports._plotly import THEMES, chart_figure
from dlst.reports._writer import marked_up, numeric_columns
from dlst.reports.document import Block, Chart, Document, Drawing, Explained, LatentMap, Table

GENERATOR = "dlst report"
"""How a page says that this program wrote it."""

FILTER_FROM = 9
"""A table of this many rows gets a box that filters them."""

RADIOS_UP_TO = 12
"""With more labels than this a map has a list with a search box instead of buttons."""

SPRITE_COLUMNS = 20

_PLOTLY = Path(__file__).with_name("templates") / "plotly.min.js.gz"
"""Packed when the package is built, so that plotly need not be installed."""

TERM_MEANINGS = {
    "start": "what the label begins with, before the instance is looked at",
    "direct": "the features regressed straight onto the label",
    "code vote": "training instances whose codes lie near",
    "near code vote": "of these, the nearest once more",
    "feature vote": "training instances whose features lie near",
}


def write_page(document: Document, path: str | os.PathLike[str], command: str = "") -> None:
    """Write the page, all of it or nothing.

    Parameters
    ----------
    document : Document
    path : path-like
        A file; replaced if it exists.
    command : str
        What made it, for the foot of the page.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> write_page(Document("Demo", "All is well.", {}, []), path)
    >>> is_report_page(path)
    True
    """
    page = render_page(document, command=command)
    with atomic_write(path, text=True) as stream:
        stream.write(page)


def render_page(document: Document, *, command: str = "") -> str:
    """Return the report as HTML that asks the network for nothing.

    Charts are drawn by plotly, which the page carries if it has a chart, when they come into view.

    Parameters
    ----------
    document : Document
    command : str
        What made it, for the foot of the page.

    Returns
    -------
    str

    Examples
    --------
    >>> "All is well." in render_page(Document("Demo", "All is well.", {}, []))
    True
    """
    anchors = {"content", "plotly", "themes", *(section.name for section in document.sections)}
    # What is no markup is escaped, and a name without a value is an error.
    environment = Environment(
        loader=PackageLoader("dlst.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        prose=prose,
        generator=GENERATOR,
        document=document,
        sections=[
            (section, [_view(block, anchors) for block in section.blocks])
            for section in document.sections
        ],
        themes=THEMES,
        plotly=_plotly_source() if document.blocks(Chart) else None,
        filter_from=FILTER_FROM,
        radios_up_to=RADIOS_UP_TO,
        term_meanings=TERM_MEANINGS,
        command=command,
    )


def prose(text: str) -> Markup:
    """Mark up a text: code between backticks, what matters between double asterisks.

    Examples
    --------
    >>> prose("**`r` < K** as usual")
    Markup('<strong><code>r</code> &lt; K</strong> as usual')
    """
    return Markup(  # noqa: S704 - escaped piece by piece
        marked_up(text, escape, Markup("<code>{}</code>").format, ("<strong>", "</strong>"))
    )


def _anchor(name: str, taken: set[str]) -> str:
    """Return an id for a block, which is its name where that is still free."""
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    anchor = next(each for each in itertools.chain([name], numbered) if each not in taken)
    taken.add(anchor)
    return anchor


def _view(block: Block, anchors: set[str]) -> dict[str, Any]:
    """Return what the template needs to show a block, beside the block itself."""
    view: dict[str, Any] = {"kind": type(block).__name__, "block": block}
    if isinstance(block, Table | Chart | Drawing | LatentMap | Explained):
        view["anchor"] = _anchor(block.name, anchors)
    if isinstance(block, Table):
        view["numeric"] = numeric_columns(block)
    elif isinstance(block, Chart):
        values = chart_values(block)
        view["figure"] = chart_figure(block)
        view["values"] = values and _view(values, anchors)
    elif isinstance(block, Drawing):
        view["svg"] = Markup(re.sub(r"^\s*<\?xml.*?\?>", "", block.svg))  # noqa: S704 - our own
        view["adapts"] = "currentColor" in block.svg
    elif isinstance(block, LatentMap):
        view["map"] = _map_data(block.result)
    return view


def _map_data(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a map's result, its pictures as one sheet and its labels by how often they occur."""
    found = Counter(label for instance in result["test"] for label in instance["truth"])
    counts = [found[label] for label in range(len(result["label_names"]))]
    order = sorted(range(len(counts)), key=lambda label: -counts[label])
    sheets = {name: _sheet(result.get(name)) for name in ("images", "train_images")}
    return {**result, "counts": counts, "order": order, **sheets}


def _sheet(images: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if images is None or "sprite" in images:
        return None if images is None else dict(images)
    size = {side: images[side] for side in ("width", "height")}
    ink = np.reshape(images["pixels"], (-1, size["height"], size["width"])) / 255
    address = png_address(sprite(ink, SPRITE_COLUMNS))
    return {"sprite": address, "columns": SPRITE_COLUMNS, **size, "count": len(ink)}


def png_address(ink: FloatArray) -> str:
    """Return an image of shape (height, width) as a ``data:`` address; 0 is paper, 1 is ink.

    Examples
    --------
    >>> png_address(np.eye(2))[:22]
    'data:image/png;base64,'
    """
    grey = np.rint(255 * (1 - np.clip(ink, 0, 1))).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


def sprite(images: FloatArray, n_columns: int) -> FloatArray:
    """Lay images of shape (n, height, width) side by side, ``n_columns`` to a line."""
    n, height, width = images.shape
    sheet = np.pad(images, [(0, -n % n_columns), (0, 0), (0, 0)])
    lines = sheet.reshape(-1, n_columns, height, width)
    return lines.swapaxes(1, 2).reshape(-1, n_columns * width)


def is_report_page(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a page that :func:`write_page` wrote.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    bool

    Examples
    --------
    >>> is_report_page(__file__)
    False
    """
    with open_binary(path) as stream:
        return f'name="generator" content="{GENERATOR}"'.encode() in stream.read(1000)


def _plotly_source() -> Markup:
    if _PLOTLY.is_file():
        source = gzip.decompress(_PLOTLY.read_bytes()).decode()
    else:
        # A checkout that was never installed; hatch_build.py packs the file.
        from plotly.offline import get_plotlyjs

        source = get_plotlyjs()
    # A closing tag inside a string of the library would end the script element.
    return Markup(source.replace("</script", "<\\/script"))  # noqa: S704 - not our text
