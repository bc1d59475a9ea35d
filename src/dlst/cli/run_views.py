"""Output of runs: a bar with the time left, tables, failures, the catalogue."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table

from dlst.cli.views import plain_table
from dlst.errors import PlanError

if TYPE_CHECKING:
    from pathlib import Path

    from dlst.experiments import Limits, Plan, RecordFolder
    from dlst.experiments.crews import ClusterCrew
    from dlst.experiments.runner import Progress
    from dlst.reports import Document


MOST_PRINTED_ROWS = 30


@contextmanager
def crew_of(
    scheduler: str | None, cluster: int | None, limits: Limits
) -> Iterator[ClusterCrew | None]:
    """Yield the workers of a cluster where one is wanted; None means processes of this machine."""
    if scheduler is None and cluster is None:
        yield None
        return
    if scheduler is not None and cluster is not None:
        raise PlanError("give --scheduler or --cluster, not both.")
    from dlst.distributed import connected
    from dlst.experiments.crews import ClusterCrew

    with connected(scheduler, cluster) as client:
        yield ClusterCrew(client, limits)


def count_unknown(run: RecordFolder) -> None:
    """Say how many lines the last reading of a run's records left out."""
    if run.n_unknown:
        lines = "1 line" if run.n_unknown == 1 else f"{run.n_unknown} lines"
        print(
            f"note: left out {lines} of {run.file} that this version of dlst does not know.",
            file=sys.stderr,
        )


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """Say to who stops a run that nothing is lost."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        print(
            f"stopped; what was finished is in {folder}, and the same command goes on from there.",
            file=sys.stderr,
        )
        raise


@contextmanager
def run_bar(first: str = "starting") -> Iterator[Callable[[Progress, dict[str, Any]], None]]:
    """Yield a watcher that draws done, failed, left and the time left, on a terminal.

    Until the first piece of work has ended it says ``first``.
    """
    if not sys.stderr.isatty():
        yield lambda at, record: None
        return
    from dlst.reports.run import short_name
    from dlst.reports.times import duration

    # The name of a file is no markup.
    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(), TextColumn("{task.fields[state]}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=None, state="")

        def watch(at: Progress, record: dict[str, Any]) -> None:
            what = record.get("cell") or record["probe"]
            state = f"{at.done} done, {at.failed} failed, {at.left} left"
            if at.seconds_left is not None:
                state += f", about {duration(at.seconds_left)}"
            bar.update(
                task,
                description=f"{short_name(what['data'])} · {what.get('method', record['kind'])}",
                total=at.total,
                completed=at.done + at.failed,
                state=state,
            )

        yield watch


def fetch_data(plan: Plan) -> None:
    """Bring what a plan needs into the data home, before anything is run.

    A name that means nothing is an error. Data that cannot be had are named, and their cells
    fail and say so; where none can be had, that is the error.
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
    view = plain_table("item", "what it shows", "in the paper")
    for row in catalogue_rows():
        view.add_row(*row.values())
    return view


def sections_of(document: Document, names: Sequence[str]) -> Document:
    """Keep some sections, and count the rows of tables that would fill screens."""
    from dlst.reports.document import Section, Table, Text

    def short(block: Any) -> Any:
        if isinstance(block, Table) and len(block.rows) > MOST_PRINTED_ROWS:
            return Text(f"{block.title}: {len(block.rows)} rows, in the report.")
        return block

    sections = [
        Section(section.name, section.title, [short(block) for block in section.blocks])
        for section in document.sections
        if section.name in names
    ]
    return replace(document, sections=sections)


def name_failures(records: Iterable[Mapping[str, Any]]) -> None:
    """Name the cells that failed, on stderr."""
    for record in records:
        if record["status"] != "done" and "cell" in record:
            cell = record["cell"]
            print(
                f"{record['status']}: {record.get('title', cell['method'])} on {cell['data']}, "
                f"seed {cell['seed']}: {record.get('message')}",
                file=sys.stderr,
            )
