"""What runs print: a bar with the time left, tables, failures, the catalogue."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd

    from dlst.experiments import Plan
    from dlst.experiments.runner import Progress
    from dlst.reports import ScoreTable


@contextmanager
def run_bar() -> Iterator[Callable[[Progress, dict[str, Any]], None]]:
    """Give a watcher that draws done, failed, left and the time left, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda at, record: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, told="")

        def watch(at: Progress, record: dict[str, Any]) -> None:
            what = record.get("cell") or record["probe"]
            told = f"{at.done} done, {at.failed} failed, {at.left} left"
            if at.seconds_left is not None:
                told += f", about {_duration(at.seconds_left)}"
            bar.update(
                task,
                description=f"{_short(what['data'])} · {what.get('method', record['kind'])}",
                total=at.total,
                completed=at.done + at.failed,
                told=told,
            )

        yield watch


def fetch_data(plan: Plan) -> None:
    """Bring what a plan needs into the data home, before anything is run.

    A name that means nothing is an error. A data set that cannot be had is told, and its cells will
    fail and say so; where no data set can be had, that is the error.
    """
    from dlst.data import is_at_hand, load
    from dlst.errors import DataHomeError

    sources = [source.name for source in plan.sources] + [probe["data"] for probe in plan.probes]
    names = list(dict.fromkeys(sources))
    out_of_reach = []
    for name in [name for name in names if not is_at_hand(name)]:
        print(f"fetching {name}", file=sys.stderr)
        try:
            load(name)
        except DataHomeError as error:
            out_of_reach.append(error)
            print(f"note: {error}", file=sys.stderr)
    if len(out_of_reach) == len(names):
        raise DataHomeError(f"none of {', '.join(names)} can be had; nothing was run.")


def catalogue_rows() -> list[dict[str, str]]:
    """List what can be reproduced."""
    from dlst.paper import ITEMS

    return [{"item": item.name, "title": item.title, "where": item.where} for item in ITEMS]


def catalogue_view() -> Table:
    """Show what can be reproduced."""
    view = Table("item", "what it shows", "in the paper", box=None, header_style="bold")
    for row in catalogue_rows():
        view.add_row(*row.values())
    return view


def score_view(table: ScoreTable) -> Table:
    """Show a table: the best bold, what ties with it underlined."""
    view = Table("method", box=None, header_style="bold", title=table.title, title_justify="left")
    for data in table.mean.columns:
        view.add_column(_short(str(data)), justify="right")
    for method in table.mean.index:
        cells = []
        for data in table.mean.columns:
            style = "bold" if table.best.at[method, data] else ""
            style = "underline" if table.tied.at[method, data] else style
            cells.append(Text(table.cell(method, data), style=style))
        view.add_row(str(method), *cells)
    return view


def tell_failures(frame: pd.DataFrame) -> None:
    """Name the cells that failed, on stderr."""
    failed = frame[frame["status"] != "done"]
    for _, row in failed.iterrows():
        print(
            f"{row['status']}: {row['title']} on {row['data']}, seed {row['seed']}: "
            f"{row['message']}",
            file=sys.stderr,
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1]
