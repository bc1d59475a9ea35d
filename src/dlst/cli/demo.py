"""`dlst demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from dlst.errors import DataError

if TYPE_CHECKING:
    from rich.columns import Columns
    from rich.table import Table

    from dlst.experiments import DemoResult

SHADES = " ░▒▓█"
IMAGES_SHOWN = 3
METHOD_WIDTH = 12


def demo(
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="The page to write.")
    ] = Path("dlst-demo.html"),
    seed: Annotated[int, typer.Option(min=0, help="Of all that is random in the methods.")] = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON; the page is written too.")
    ] = False,
) -> None:
    """Fit DLST and its rivals on embedded images, print the table, write a page that explains."""
    from rich.console import Group
    from rich.text import Text

    from dlst.cli import views
    from dlst.data import load_multidigits
    from dlst.experiments import run_demo
    from dlst.reports import demo_verdict, write_demo

    _check_target(out)
    result = run_demo(load_multidigits(), seed=seed)
    write_demo(result, out, command=f"dlst demo --seed {seed}")
    if json:
        views.print_json({**result.to_dict(), "written": str(out)})
        return
    verdict = Text(demo_verdict(result))
    views.print_view(
        Group(_panels(result), Text(), table_view(result), Text(), verdict, Text(f"\nwrote {out}"))
    )


def table_view(result: DemoResult) -> Table:
    """Lay the scores out for a terminal; the best method of each column is bold and starred."""
    from rich.table import Table
    from rich.text import Text

    from dlst.experiments import COLUMNS

    table = Table(
        title=f"{result.dataset}: {result.n_train:,} training and {len(result.images):,} test "
        f"images, r = {result.n_labels_per_row}",
        title_justify="left",
        caption="↑ higher is better, ↓ lower is better, * best of the methods. The columns without "
        "top-r that judge decisions judge the method's own.",
        caption_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
    )
    # Titles in two lines and a first column that may break: eighty columns hold every number.
    table.add_column("method", min_width=METHOD_WIDTH)
    for column in COLUMNS:
        first, *rest = column.title.split()
        title = "\n".join([first, " ".join([*rest, column.arrow])])
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    best = {column.key: result.best(column) for column in COLUMNS}
    for row in result.rows:
        cells = [
            Text(f"*{row.text(column)}", "bold")
            if row in best[column.key]
            else Text(row.text(column), "" if row.is_method else "dim")
            for column in COLUMNS
        ]
        table.add_row(Text(row.title), *cells)
    return table


def as_text(image: NDArray[np.float64]) -> str:
    """Draw an image in [0, 1] with characters from blank to full.

    Examples
    --------
    >>> print(as_text(np.array([[0.0, 0.5, 1.0]])).strip())
    ▒█
    """
    levels = np.rint(image * (len(SHADES) - 1)).astype(int)
    return "\n".join("".join(SHADES[level] for level in row) for row in levels)


def _check_target(out: Path) -> None:
    """Refuse, before the work begins, what could not be written or is somebody's work."""
    from dlst.reports import is_demo_page

    if out.is_dir():
        raise DataError(f"{out}: expected a file to write, got a folder. Add a file name.")
    if not out.parent.is_dir():
        raise DataError(f"{out}: its folder does not exist. Make it first.")
    if out.exists() and not is_demo_page(out):
        raise DataError(f"{out}: exists already and is no page of this demo. Choose another name.")


def _panels(result: DemoResult) -> Columns:
    from rich.columns import Columns
    from rich.panel import Panel
    from rich.text import Text

    def names(present: NDArray[np.bool_]) -> str:
        return " ".join(result.label_names[label] for label in np.flatnonzero(present)) or "none"

    return Columns(
        Panel(
            Text(as_text(result.images[case.row])),
            title=Text(f"true {names(result.truth[case.row])}"),
            subtitle=Text(f"found {names(result.found[case.row])}"),
            expand=False,
        )
        for case in result.shown[:IMAGES_SHOWN]
    )
