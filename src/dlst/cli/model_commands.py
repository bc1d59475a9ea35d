"""`dlst predict`, `dlst evaluate`, `dlst explain` and `dlst methods`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dlst.cli.data_commands import Data, Encoding, From, Json, Labels
from dlst.cli.model_options import AllRows, Model, Seed, TestSize, check_target, new_side, sides
from dlst.errors import DataError


def predict(
    model_file: Model,
    data: Data,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .csv, .tsv, .jsonl, .json, .parquet, .arff or .xc; - is standard "
            "output.",
        ),
    ],
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Write the best labels of each row, with their probabilities."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep all columns of the data, not only the ids.")
    ] = False,
    decision: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="Decide by another rule than the model's: f1, micro, macro, instance, hamming, "
            "subset, top, budget or own; `dlst evaluate` shows them side by side.",
        ),
    ] = None,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Write 0 and 1 instead of probabilities.")
    ] = False,
    labels: Labels = None,
    from_: From = None,
    encoding: Encoding = None,
    all_rows: AllRows = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Predict the labels of data, which need none, and write them block by block.

    A table keeps its ids; `tags` holds the labels decided for, as a;b or, in JSON, as a list, and
    the other columns their probabilities. Of data with a split the test rows are predicted.
    """
    from dlst.cli import views
    from dlst.cli.models import open_model
    from dlst.cli.predictions import SHELL, Wanted, check_wanted, write_predictions
    from dlst.tagging.columns import JOINS, joint

    if out != SHELL:
        check_target(out, force, model_file, data)
    elif json:
        raise DataError("--json goes with a file to write, not with -o -. Leave one of them out.")
    model = open_model(model_file)
    if decision is not None:
        model.decide_by(decision)
    wanted = Wanted(model.label_names, top, decisions)
    check_wanted(out, wanted)
    if (sign := joint(model.label_names)) != JOINS[0]:
        typer.echo(
            f"note: names of labels hold ';', so tags are joined by {sign!r}; Python reads them "
            f"with label_delimiter={sign!r}.",
            err=True,
        )
    blocks = None
    if labels is None and from_ is None:
        blocks = model.predicted_file(Path(data), keep, encoding)
    if blocks is None:
        rows = new_side(model.load(data, labels, from_, encoding), all_rows)
        blocks = model.predicted(rows, keep)
    n_rows = write_predictions(blocks, out, wanted, name=Path(data).stem)
    if json:
        views.print_json({"written": str(out), "n_samples": n_rows})
    elif out != SHELL:
        typer.echo(f"wrote {out}, {n_rows:,} {'row' if n_rows == 1 else 'rows'}")


def evaluate(
    model_file: Model,
    data: Data,
    labels: Labels = None,
    from_: From = None,
    encoding: Encoding = None,
    all_rows: AllRows = False,
    test_size: TestSize = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a model on data (the test rows, when they have a split)."""
    from dlst.cli import model_views, views
    from dlst.cli.models import open_model
    from dlst.experiments.measures import measure_model

    model = open_model(model_file)
    dataset = model.load(data, labels, from_, encoding, judged=True)
    train, test = sides(dataset, all_rows, test_size, seed)
    judged = train if test is None else test
    if not judged.n_samples:
        raise DataError(f"{data}: expected rows to measure on, got none.")
    _tell_if_seen(
        model_file,
        dataset,
        judged,
        "these are not test scores. Fit and evaluate with --test-size 0.3 to keep rows apart.",
    )
    found = measure_model(model.method, model.ready(judged))
    facts = {"data": judged.name, "n_samples": judged.n_samples, **found}
    views.show(json, facts, lambda: model_views.measures_view(judged.name, judged.n_samples, found))


def explain(
    model_file: Model,
    data: Data,
    row: Annotated[int, typer.Option(help="The row to explain, counted from 0.")] = 0,
    shown: Annotated[int, typer.Option("--top", min=1, help="Number of labels to show.")] = 5,
    voters: Annotated[int, typer.Option(min=0, help="Number of voters to show.")] = 5,
    labels: Labels = None,
    from_: From = None,
    encoding: Encoding = None,
    all_rows: AllRows = False,
    test_size: TestSize = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Say why a row got its labels: what spoke for each, and which training rows voted.

    Of data with a split the test rows are counted.
    """
    from dlst.cli import model_views, views
    from dlst.cli.models import open_model

    model = open_model(model_file)
    dataset = model.load(data, labels, from_, encoding)
    rows = new_side(dataset, all_rows, test_size, seed)
    if not rows.n_samples:
        raise DataError(f"{data}: expected rows to explain, got none.")
    if not 0 <= row < rows.n_samples:
        raise DataError(
            f"--row must be from 0 to {rows.n_samples - 1}, the rows of the data; got {row}."
        )
    _tell_if_seen(
        model_file,
        dataset,
        rows,
        "a row that it has seen finds itself among its voters. Fit and explain with --test-size "
        "0.3 to keep rows apart.",
    )
    facts = model.explained(rows, row, shown, voters)
    facts["true"] = _true_labels(rows, row)
    _name_voters(facts, _learnt_rows(model_file, dataset))
    views.show(json, facts, lambda: model_views.explanation_view(facts))


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of them.")] = None,
    json: Json = False,
) -> None:
    """List the methods, or what can be set of one."""
    from dlst.cli import model_views, views
    from dlst.methods import METHODS, make, method_info

    if name is not None:
        about = method_info(name)
        parameters = {
            key.replace("__", "."): repr(value)
            for key, value in make(about.name).get_params().items()
        }
        facts = {"name": about.name, "title": about.title, "meaning": about.meaning}
        view = partial(model_views.method_view, about, parameters)
        views.show(json, {**facts, "parameters": parameters}, view)
    else:
        listed = [{"name": m.name, "title": m.title, "meaning": m.meaning} for m in METHODS]
        views.show(json, listed, lambda: model_views.methods_view(METHODS))


def _true_labels(dataset: Any, row: int) -> list[str] | None:
    if not dataset.n_labels:
        return None
    known = dataset.Y[[row]]
    return [dataset.label_names[label] for label in known.indices[known.data == 1]]


def _tell_if_seen(model_file: Path, dataset: Any, used: Any, consequence: str) -> None:
    """Say so when all rows of the data that a model was fitted to are used."""
    if used is dataset and _learnt_from(model_file, dataset):
        typer.echo(f"note: the model was fitted to rows of these data, so {consequence}", err=True)


def _learnt_from(model_file: Path, dataset: Any) -> Mapping[str, Any]:
    """Return what is known of the data of the fit if they are these data; else nothing."""
    from dlst.persistence import describe_model

    learnt_from: Mapping[str, Any] = describe_model(model_file).get("data") or {}
    files = learnt_from.get("files")
    return learnt_from if files and files == dict(dataset.provenance.files) else {}


def _learnt_rows(model_file: Path, dataset: Any) -> Any:
    """Return the rows of the fit where they are among these data; None for a random split."""
    known = _learnt_from(model_file, dataset).get("n_samples")
    learnt = [dataset] if dataset.split is None else [dataset.train, dataset]
    return next((rows for rows in learnt if rows.n_samples == known), None)


def _name_voters(facts: dict[str, Any], learnt: Any) -> None:
    """Say the labels of voters that are known by their numbers alone."""
    for voters in facts["voters"].values() if learnt is not None else ():
        for voter in voters:
            if voter["tags"] is None:
                voter["tags"] = _true_labels(learnt, voter["row"])
