"""A whole report as one HTML file that opens offline."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from dlst._files import atomic_write, open_binary
from dlst.reports._chart_values import chart_values
from dlst.reports._plotly import THEMES, chart_figure
from dlst.reports._png import png_address, sprite
from dlst.reports._writer import marked_up, numeric_columns
from dlst.reports.document import (
    Block,
    Chart,
    Document,
    Drawing,
    Explained,
    LatentMap,
    Table,
)

GENERATOR = "dlst report"
"""How a page says that this program wrote it."""

FILTER_FROM = 9
"""A table of this many rows gets a box that filters them."""

RADIOS_UP_TO = 12
"""With more labels than this a map has a list with a search box instead of buttons."""

SPRITE_COLUMNS = 20

_PLOTLY = Path(__file__).with_name("templates") / "plotly.min.js.gz"
"""Packed when the package is built, so that nobody need install plotly."""

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
    >>> from dlst.reports.document import Document, Section, Text
    >>> section = Section("words", "Words", [Text("Hello.")])
    >>> document = Document("Demo", "All is well.", {}, [section])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> write_page(document, path)
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
    >>> from dlst.reports.document import Document, Section, Text
    >>> section = Section("words", "Words", [Text("Hello.")])
    >>> document = Document("Demo", "All is well.", {}, [section])
    >>> "All is well." in render_page(document)
    True
    """
    anchors = _Anchors(section.name for section in document.sections)
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
        plotly=_plotly_source() if document.charts() else None,
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


class _Anchors:
    """Gives every block an id of its own, which is its name where that is still free."""

    def __init__(self, taken: Iterable[str]):
        self._taken = {"content", "plotly", "themes", *taken}

    def give(self, name: str) -> str:
        anchor, number = name, 2
        while anchor in self._taken:
            anchor, number = f"{name}-{number}", number + 1
        self._taken.add(anchor)
        return anchor


def _view(block: Block, anchors: _Anchors) -> dict[str, Any]:
    """Give what the template needs to show a block, beside the block itself."""
    view: dict[str, Any] = {"kind": type(block).__name__, "block": block}
    if isinstance(block, Table | Chart | Drawing | LatentMap | Explained):
        view["anchor"] = anchors.give(block.name)
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
    """Give a map's result with its pictures as one sheet and its labels by how often they occur."""
    counts = [0] * len(result["label_names"])
    for instance in result["test"]:
        for label in instance["truth"]:
            counts[label] += 1
    order = sorted(range(len(counts)), key=lambda label: -counts[label])
    sheets = {name: _sheet(result.get(name)) for name in ("images", "train_images")}
    return {**result, "counts": counts, "order": order, **sheets}


def _sheet(images: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if images is None or "sprite" in images:
        return None if images is None else dict(images)
    width, height = images["width"], images["height"]
    ink = np.asarray(images["pixels"], dtype=float).reshape(-1, height, width) / 255
    return {
        "sprite": png_address(sprite(ink, SPRITE_COLUMNS)),
        "columns": SPRITE_COLUMNS,
        "width": width,
        "height": height,
        "count": len(ink),
    }


def is_report_page(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is a page that :func:`write_page` wrote.

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
