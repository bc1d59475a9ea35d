"""`dlst fit`."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from dlst.cli.column_options import takes_columns
from dlst.cli.data_commands import (
    Data,
    Encoding,
    From,
    Json,
    LabelDelimiter,
    Labels,
    Nominal,
    load_data,
    load_raw,
    parse_labels,
)
from dlst.cli.model_options import AllRows, Seed, TestSize, check_target, parse_settings, sides
from dlst.errors import DataError


@takes_columns
def fit(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    method: Annotated[
        str, typer.Option(help="See `dlst methods`; or module:name, a classifier of your own.")
    ] = "dlst",
    decision: Annotated[
        str | None,
        typer.Option(
            help="What decisions aim at: f1, micro, macro, instance, hamming, subset, top, budget; "
            "or own, as the method's authors decide. Default: f1 for dlst, own for the others."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter, such as tau=0; one of a part, such as decoder.n_jobs=2. "
            "`dlst methods NAME` lists them.",
        ),
    ] = None,
    seed: Seed = 0,
    test: Annotated[
        Path | None, typer.Option(help="The test file that belongs to DATA, to measure on.")
    ] = None,
    test_size: TestSize = None,
    labels: Labels = None,
    label_delimiter: LabelDelimiter = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of sample weights: how often each row counts.")
    ] = None,
    columns: Any = None,
    images: Annotated[
        str, typer.Option(help="How pictures are described: classical, or pretrained (an extra).")
    ] = "classical",
    delimiter: Annotated[
        str | None, typer.Option(help="Separator of the fields of a table; detected by default.")
    ] = None,
    examples: Annotated[
        bool,
        typer.Option(
            "--examples/--no-examples",
            help="Keep the beginnings of training texts in the model, to show which rows voted.",
        ),
    ] = True,
    nominal: Nominal = None,
    from_: From = None,
    encoding: Encoding = None,
    all_rows: AllRows = False,
    card: Annotated[Path | None, typer.Option(help="Also write a model card, in Markdown.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Fit a method to data (the training rows, when they have a split) and save the model.

    The columns of a table (CSV, TSV, JSON, Parquet) are read by what they hold, which is printed;
    options such as --text and --category say otherwise. Where there are test rows, the model is
    measured on them.
    """
    from dlst.cli import views
    from dlst.cli.models import used_model
    from dlst.data.front_door import holds_tables
    from dlst.experiments.measures import measure_model
    from dlst.persistence import save_model
    from dlst.tagging import Tagger

    for target in (out, *([card] if card else [])):
        check_target(target, force, data, *([] if test is None else [test]))
    model = _made(method, decision, settings or [], seed, weighs=weight is not None)
    if weight is not None:
        columns["drop"] = [*columns.get("drop", []), weight]
    if holds_tables(data, from_):
        if nominal is not None:
            raise DataError("--nominal is for ARFF; name the columns of a table with --category.")
        dataset = load_raw(
            data,
            parse_labels(labels),
            from_,
            test,
            columns=columns,
            label_delimiter=label_delimiter,
            delimiter=delimiter,
            encoding=encoding,
        )
    else:
        if columns or label_delimiter is not None:
            option = "weight" if weight is not None else next(iter(columns), "label-delimiter")
            raise DataError(f"--{option} is for tables (CSV, TSV, JSON, Parquet); {data} is none.")
        dataset = load_data(data, labels, nominal, from_, test, encoding=encoding)
    for note in dataset.provenance.notes if dataset.table is not None else ():
        typer.echo(f"note: {note}", err=True)
    train, held_out = sides(dataset, all_rows, test_size, seed)
    if dataset.table is None and not dataset.n_features:
        raise DataError(f"{dataset.name}: has labels only; a method needs features.")
    started = time.perf_counter()
    tagger = Tagger(
        model,
        columns=_with_pictures(columns, images),
        keep_examples=examples,
        random_state=seed,
    )
    fitted = _fitted(model if train.table is None else tagger, train, weight)
    seconds = time.perf_counter() - started
    used = used_model(fitted)
    scores = None
    if held_out is not None and held_out.n_samples:
        scores = {
            "n_samples": held_out.n_samples,
            **measure_model(used.method, used.ready(held_out)),
        }
    save_model(fitted, out, data=train, about={"columns": used.columns(), "scores": scores})
    facts = {
        "model": str(out),
        "method": method,
        "data": train.name,
        "n_samples": train.n_samples,
        "n_labels": train.n_labels,
        "seconds": round(seconds, 3),
        "columns": used.columns(),
        "scores": scores,
    }
    if card is not None:
        from dlst.cli.info import write_card

        write_card(used, out, card)
    if json:
        views.print_json(facts)
    else:
        _tell(facts, used.columns(), used.label_names)


def _made(
    method: str, decision: str | None, settings: list[str], seed: int, *, weighs: bool
) -> Any:
    """Make the method, in the words of the shell where it cannot be made."""
    from sklearn.utils.validation import has_fit_parameter

    from dlst._seeds import give_seed
    from dlst.methods import make

    try:
        chosen = {} if decision is None else {"decision": decision}
        model = give_seed(make(method, **chosen, **parse_settings(settings)), seed)
    except ValueError as error:
        raise DataError(str(error).replace("__", ".")) from error
    if weighs and not has_fit_parameter(model, "sample_weight"):
        raise DataError(
            f"--weight goes with methods that weigh rows, such as dlst, krr and br; {method} "
            "does not. Leave one of them out."
        )
    return model


def _tell(facts: dict[str, Any], columns: list[dict[str, str]], labels: list[str]) -> None:
    from dlst.cli import model_views, views

    if columns:
        views.print_view(views.columns_view(columns))
        views.print_view(model_views.labels_line(labels))
    typer.echo(
        f"fitted {facts['method']} to {facts['n_samples']:,} rows of {facts['data']} in "
        f"{facts['seconds']:.1f} s; wrote {facts['model']}"
    )
    if facts["scores"]:
        typer.echo(model_views.scores_line(facts["scores"]))


def _with_pictures(columns: dict[str, Any], images: str) -> dict[str, Any]:
    from dlst._parameters import one_of
    from dlst.inputs import PretrainedImages

    one_of("classical", "pretrained").check("--images", images)
    return {**columns, "image_encoder": PretrainedImages()} if images == "pretrained" else columns


def _fitted(model: Any, dataset: Any, weight: str | None) -> Any:
    """Fit, and tell warnings as notes of one line, without the place in the source."""
    from dlst.methods.fitting import fit_dataset
    from dlst.tagging.tables import fit_table

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", UserWarning)
        if dataset.table is None:
            fitted = fit_dataset(model, dataset)
        else:
            fitted = fit_table(model, dataset, weight)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        typer.echo(f"note: {' '.join(message.split())}", err=True)
    return fitted
