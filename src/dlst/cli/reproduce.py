"""`dlst reproduce` and `dlst report`: the paper's tables and figures, and any run as a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dlst.cli.compare import Again, MemoryLimit, TimeLimit
from dlst.cli.data_commands import Json
from dlst.errors import RunError

if TYPE_CHECKING:
    from dlst.reports.document import Document

RUNS = Path("dlst-runs")
REPORT = "report"
NOT_PRINTED = ("provenance", "latent-map", "explained")


def reproduce(
    item: Annotated[
        str | None,
        typer.Argument(metavar="ITEM", help="A table or figure; without it all are listed."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer seeds and sets: minutes instead of hours.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the run; default dlst-runs/ITEM."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Cells run in parallel; default: the number of cores.")
    ] = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
    again: Again = False,
    json: Json = False,
) -> None:
    """Run a table or figure of the paper, print it, and write its report.

    A run that was stopped goes on where it was when the same command is given again. The exit
    code is 1 when a cell failed.
    """
    from dlst.cli import run_views, views
    from dlst.experiments import Limits, run
    from dlst.paper import item as item_of
    from dlst.reports import document_to_text

    if item is None:
        views.show(json, run_views.catalogue_rows(), run_views.catalogue_view)
        return
    plan = item_of(item).plan(quick=quick)
    folder = out or RUNS / f"{plan.item}{'-quick' if quick else ''}"
    # Two BLAS threads on a busy core wait for each other; cells are the better unit.
    limits = Limits(time_limit, memory_limit, jobs or os.cpu_count() or 1, threads=1)
    run_views.fetch_data(plan)
    with run_views.resumable(folder), run_views.run_bar() as watch:
        records = run(plan, folder, limits=limits, again=again, watch=watch)
    document = _written(folder, folder / REPORT, page_only=False)
    if json:
        views.print_json({"run": str(folder), "records": records})
    else:
        shown = [each.name for each in document.sections if each.name not in NOT_PRINTED]
        typer.echo(document_to_text(run_views.sections_of(document, shown)))
        typer.echo(f"\nreport: {folder / REPORT / 'report.html'}")
    if any(record["status"] != "done" for record in records):
        raise typer.Exit(1)


def report(
    run_folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run, with its records.jsonl.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write; default RUN/report.")
    ] = None,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Only the HTML page, no tables and figures.")
    ] = False,
    json: Json = False,
) -> None:
    """Write the report of a run: a page, tables and figures, from its records alone."""
    from dlst.cli import views

    folder = out or run_folder / REPORT
    document = _written(run_folder, folder, page_only=page_only)
    page = folder / "report.html"
    if json:
        views.print_json({"report": str(page), "verdict": document.verdict, **document.facts})
        return
    typer.echo(document.verdict)
    typer.echo(f"report: {page}")


def _written(run_folder: Path, folder: Path, *, page_only: bool) -> Document:
    # Registers how the paper's items are laid out.
    import dlst.paper  # noqa: F401
    from dlst.cli import run_views
    from dlst.experiments import RecordFolder
    from dlst.reports import build_document, write_everything, write_page

    run = RecordFolder(run_folder)
    if not run.exists:
        raise RunError(
            f"{run_folder}: has no records. Give the folder that dlst compare or dlst reproduce "
            "wrote."
        )
    records, plan = run.read(), run.plan()
    run_views.count_unknown(run)
    document = build_document(records, plan)
    folder.mkdir(parents=True, exist_ok=True)
    write_page(document, folder / "report.html", command=str(plan.get("command", "")))
    if not page_only:
        write_everything(document, records, folder)
    return document
