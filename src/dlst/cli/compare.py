"""`dlst compare`: data × methods × splits, resumable."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dlst.cli.column_options import takes_columns
from dlst.cli.data_commands import Encoding, Json, LabelDelimiter, Labels, parse_labels
from dlst.cli.model_options import parse_settings
from dlst.errors import PlanError, ReadError

DEFAULT_METHODS = "dlst,krr,br,mlknn"
MAPPED = "dlst"
MOST_MAPS = 3
PRINTED = ("scores", "simulated", "ranks")
"""Sections of the report that are printed."""

TimeLimit = Annotated[float, typer.Option(help="Time limit of a cell, in seconds.")]
MemoryLimit = Annotated[float | None, typer.Option(help="Memory limit of a cell, in MiB.")]
Again = Annotated[bool, typer.Option("--again", help="Run failed cells again.")]


@takes_columns
def compare(
    data: Annotated[
        list[str] | None, typer.Argument(metavar="DATA...", help="Files, folders or known names.")
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            help="Names separated by commas, or `all`; see `dlst methods`. module:name is a "
            "classifier of your own."
        ),
    ] = DEFAULT_METHODS,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the run; a run in it is resumed.")
    ] = Path("dlst-run"),
    plan_file: Annotated[
        Path | None, typer.Option("--plan", help="A TOML file with all of these settings.")
    ] = None,
    split: Annotated[
        str, typer.Option(help="official, random, or auto: official where there is one.")
    ] = "auto",
    seeds: Annotated[int, typer.Option(min=1, help="Number of random splits.")] = 1,
    test_size: Annotated[
        float | None, typer.Option(help="Share of test rows in a random split.")
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="Further settings of the rows, such as fraction=0.1, missing=0.6 or folds=10."
        ),
    ] = None,
    decision: Annotated[
        str | None,
        typer.Option(help="Decision rule for all methods, such as f1; default: each method's own."),
    ] = None,
    tau: Annotated[
        str, typer.Option(help="Prior correction of all rankings: a number, or auto.")
    ] = "0",
    labels: Labels = None,
    label_delimiter: LabelDelimiter = None,
    encoding: Encoding = None,
    columns: Any = None,
    tuning: Annotated[
        str,
        typer.Option(help="none, once for each data set and method, or in each cell."),
    ] = "none",
    jobs: Annotated[int, typer.Option(min=1, help="Cells run in parallel.")] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run cells on the Dask cluster of this scheduler."),
    ] = None,
    cluster: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Run cells on a local Dask cluster of N processes."),
    ] = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
    again: Again = False,
    latent_map: Annotated[
        bool,
        typer.Option(
            "--map/--no-map", help="Draw the codes of up to three data sets for the page."
        ),
    ] = True,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print tables in LaTeX.")] = False,
    json: Json = False,
) -> None:
    """Compare methods on data: fit, measure, and print the tables.

    A run that was stopped goes on where it was when the same command is given again. The exit
    code is 1 when a cell failed.
    """
    # Registers the paper's probes, which a plan may ask for.
    import dlst.paper  # noqa: F401
    from dlst.cli import run_views, views
    from dlst.experiments import Limits, Plan, RecordFolder, read_plan, run
    from dlst.reports import (
        build_document,
        document_to_latex,
        document_to_markdown,
        document_to_text,
        write_results,
    )
    from dlst.reports.document import Table
    from dlst.reports.latex import TABLE_PREAMBLE

    if (plan_file is None) == (not data):
        raise PlanError(
            "give DATA or --plan, not both." if data else "give DATA, or a plan with --plan."
        )
    if plan_file is not None:
        plan = read_plan(plan_file)
    else:
        rows = parse_settings(protocol or [], "--protocol", "fraction=0.1")
        rows |= {} if test_size is None else {"test_size": test_size}
        rows |= {} if decision is None else {"decision": decision}
        rows |= {} if tau == "0" else parse_settings([f"tau={tau}"])
        options = _options(
            labels=parse_labels(labels),
            label_delimiter=label_delimiter,
            columns=columns or None,
            encoding=encoding,
        )
        # One split has no others to be paired with: its rows tell what is chance.
        rows |= options | ({"per_row": True} if seeds == 1 else {})
        names = [_resolved(name) for name in data or []]
        for name in names:
            _check_labels(name, parse_labels(labels), encoding)
        compared = _listed(methods)
        mapped = names[:MOST_MAPS] if latent_map and MAPPED in compared else []
        plan = Plan(
            names,
            compared,
            splits=[split],  # type: ignore[list-item]  # the plan checks it
            seeds=seeds,
            protocols=[rows],
            tuning=tuning,  # type: ignore[arg-type]
            probes=[{"probe": "map", "data": name, **options} for name in mapped],
            command=" ".join(["dlst", *map(shlex.quote, sys.argv[1:])]),
        )
    limits = Limits(seconds=time_limit, memory_mib=memory_limit, jobs=jobs)
    run_views.fetch_data(plan)
    with (
        run_views.crew_of(scheduler, cluster, limits) as crew,
        run_views.resumable(out),
        run_views.run_bar() as watch,
    ):
        records = run(plan, out, limits=limits, again=again, watch=watch, crew=crew)
    write_results(records, out)
    if json:
        evaluated = [record for record in records if record["kind"] == "evaluate"]
        views.print_json({"run": str(out), "records": evaluated})
    else:
        shown = run_views.sections_of(build_document(records, plan.as_dict()), PRINTED)
        if latex:
            lines = TABLE_PREAMBLE.splitlines()
            typer.echo("\n".join(["% Tables need in the preamble:", *(f"%   {x}" for x in lines)]))
        if markdown or latex:
            typer.echo((document_to_latex if latex else document_to_markdown)(shown.blocks(Table)))
        else:
            typer.echo(document_to_text(shown))
        run_views.name_failures(records)
        kept = RecordFolder(out)
        kept.read()
        run_views.count_unknown(kept)
        typer.echo(f"records and results.csv in {out}; `dlst report {out}` makes a page of them")
    if any(record["status"] != "done" for record in records if record["kind"] == "evaluate"):
        raise typer.Exit(1)


def _options(**given: Any) -> dict[str, Any]:
    """Return the options of the data's readers as a plan has them; nothing where none is given."""
    found = {name: value for name, value in given.items() if value is not None}
    return {"options": found} if found else {}


def _check_labels(name: str, labels: Any, encoding: str | None) -> None:
    """Refuse a table that has not the label columns, before anything is run."""
    from dlst.data.column_choice import label_columns
    from dlst.data.tables.raw import is_table, raw_frames

    if is_table(name):
        try:
            frame, place = next(raw_frames(name, (), encoding=encoding))
        except ReadError:  # the cells report a damaged file; other data are run
            return
        label_columns(list(frame.columns), labels, lambda said: place.error(said, None))


def _listed(names: str) -> list[Any]:
    from dlst.methods import available

    return list(available()) if names == "all" else [name for name in names.split(",") if name]


def _resolved(name: str) -> str:
    """Make a path absolute: a run is resumed from any folder."""
    path = Path(name).expanduser()
    return str(path.resolve()) if path.exists() else name
