"""`dlst demo`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dlst.errors import DataError, RunError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.columns import Columns

SHADES = " ░▒▓█"
IMAGES_SHOWN = 3
PRINTED = ("scores",)
"""Sections of the report that a terminal shows; the page has all."""
WIDTH = 100
"""Signs in a line, where no terminal says how many it has."""


def demo(
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="The page to write.")
    ] = Path("dlst-demo.html"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random in the methods.")] = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Print the records as JSON; the page is written too.")
    ] = False,
) -> None:
    """Fit DLST and its rivals on embedded images, print the table, write a page that explains."""
    from rich.console import Group
    from rich.text import Text

    from dlst.cli import run_views, views
    from dlst.experiments import Limits, RecordFolder, demo_plan, run
    from dlst.reports import Run, build_document, document_to_text, write_page

    _check_target(out)
    plan = demo_plan(seed)
    with TemporaryDirectory(prefix="dlst-demo-") as folder:
        # Threads that wait for each other on a busy core make small fits many times slower.
        limits = Limits(jobs=min(2, os.cpu_count() or 1), threads=1)
        with run_views.run_bar("learning from 1,500 pictures") as watch:
            records = run(plan, folder, limits=limits, watch=watch)
        saved = RecordFolder(folder).plan()
    failed = [record for record in records if record["status"] != "done"]
    if failed:
        raise RunError(f"the demo failed: {failed[0].get('message')}")
    document = build_document(records, saved)
    write_page(document, out, command=plan.command)
    if json:
        evaluated = [record for record in records if record["kind"] == "evaluate"]
        views.print_json({"verdict": document.verdict, "records": evaluated, "written": str(out)})
        return
    (found,) = Run(records, saved).probes("map").values()
    shown = replace(run_views.sections_of(document, PRINTED), facts={})
    text = document_to_text(shown, width=get_terminal_size((WIDTH, 24)).columns)
    above = f"The first of {document.facts['test rows']} pictures that DLST had not seen:"
    views.print_view(Group(Text(above), _panels(found), Text(), Text(text), Text(_next(out))))


def _next(out: Path) -> str:
    """Say where to go from here."""
    return (
        f"wrote {out}: the same with the map of all pictures, and who voted for what.\n"
        "your own table: dlst fit table.csv --labels COLUMN -o model.skops"
    )


def as_text(image: NDArray[np.float64]) -> str:
    """Draw an image in [0, 1] with characters from blank to full.

    Examples
    --------
    >>> import numpy as np
    >>> print(as_text(np.array([[0.0, 0.5, 1.0]])).strip())
    ▒█
    """
    import numpy as np

    levels = np.rint(image * (len(SHADES) - 1)).astype(int)
    return "\n".join("".join(SHADES[level] for level in row) for row in levels)


def _check_target(out: Path) -> None:
    """Refuse, before the work begins, what could not be written or is a file of the user's."""
    from dlst.reports import is_report_page

    if out.is_dir():
        raise DataError(f"{out}: expected a file to write, got a folder. Add a file name.")
    if not out.parent.is_dir():
        raise DataError(f"{out}: its folder does not exist. Make it first.")
    if out.exists() and not is_report_page(out):
        raise DataError(f"{out}: exists already and is no page of dlst. Choose another name.")


def _panels(found: Mapping[str, Any]) -> Columns:
    """Draw the first test images with their labels, as a latent map has them."""
    from rich.columns import Columns
    from rich.panel import Panel
    from rich.text import Text

    def names(labels: list[int]) -> str:
        return " ".join(found["label_names"][label] for label in labels) or "none"

    images = found["images"]
    import numpy as np

    pixels = np.array(images["pixels"], dtype=float).reshape(-1, images["height"], images["width"])
    return Columns(
        Panel(
            Text(as_text(image / 255)),
            title=Text(f"true {names(row['truth'])}"),
            subtitle=Text(f"found {names(row['found'])}"),
            expand=False,
        )
        for image, row in list(zip(pixels, found["test"], strict=True))[:IMAGES_SHOWN]
    )
