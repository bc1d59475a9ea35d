"""`dlst fit`, `dlst predict`, `dlst evaluate` and `dlst explain`."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from dlst.cli.data_commands import Data, From, Json, Labels, Nominal, load_data
from dlst.errors import DataError

_WORDS = {"true": True, "false": False, "none": None}

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `dlst fit` wrote.")]
AllRows = Annotated[
    bool, typer.Option("--all", help="Use all rows, not only one side of the data's split.")
]
TestSize = Annotated[
    float | None,
    typer.Option(help="Draw this share of the rows as test rows, by --seed, for data of no split."),
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]


def fit(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    method: Annotated[str, typer.Option(help="See `dlst methods`.")] = "dlst",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter, such as decision=micro; one of a part, such as decoder.tau=0. "
            "`dlst methods NAME` lists them.",
        ),
    ] = None,
    seed: Seed = 0,
    test_size: TestSize = None,
    labels: Labels = None,
    nominal: Nominal = None,
    from_: From = None,
    all_rows: AllRows = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Fit a method to data (the training rows, when they have a split) and save the model."""
    import time

    from dlst.cli import views
    from dlst.methods import make
    from dlst.persistence import save_model

    _check_target(out, force)
    parameters = parse_settings(settings or [])
    try:
        model = make(method, **parameters)
    except ValueError as error:
        raise DataError(str(error).replace("__", ".")) from error
    if "random_state" in model.get_params() and "random_state" not in parameters:
        model.set_params(random_state=seed)
    dataset = load_data(data, labels, nominal, from_, None)
    dataset = _one_side(dataset, "train", all_rows, test_size, seed)
    if not dataset.n_features:
        raise DataError(f"{dataset.name}: has labels only; a method needs features.")
    started = time.perf_counter()
    save_model(_fitted(model, dataset), out, data=dataset)
    seconds = time.perf_counter() - started
    facts = {
        "model": str(out),
        "method": method,
        "data": dataset.name,
        "n_samples": dataset.n_samples,
        "n_labels": dataset.n_labels,
        "seconds": round(seconds, 3),
    }
    if json:
        views.print_json(facts)
    else:
        typer.echo(
            f"fitted {method} to {dataset.n_samples:,} rows of {dataset.name} in {seconds:.1f} s; "
            f"wrote {out}"
        )


def predict(
    model_file: Model,
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File to write: .csv, .tsv, .parquet, .arff or .xc.")
    ],
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Keep the best labels of each row only, with their scores."),
    ] = None,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Write 0 and 1 instead of probabilities.")
    ] = False,
    labels: Labels = None,
    nominal: Nominal = None,
    from_: From = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Predict the labels of data, which need none, and write them block by block."""
    from dlst.cli import views
    from dlst.cli.predictions import write_predictions

    _check_target(out, force)
    model, dataset = _model_and_data(model_file, data, labels, nominal, from_)
    write_predictions(model, dataset, out, top=top, decisions=decisions)
    if json:
        views.print_json({"written": str(out), "n_samples": dataset.n_samples})
    else:
        typer.echo(f"wrote {out}, {dataset.n_samples:,} rows")


def evaluate(
    model_file: Model,
    data: Data,
    labels: Labels = None,
    nominal: Nominal = None,
    from_: From = None,
    all_rows: AllRows = False,
    test_size: TestSize = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a model on data (the test rows, when they have a split)."""
    from dlst.cli import model_views, views
    from dlst.cli.measures import measure

    model, dataset = _model_and_data(model_file, data, labels, nominal, from_)
    side = _one_side(dataset, "test", all_rows, test_size, seed)
    _tell_if_seen(model_file, dataset, side)
    dataset = side
    if not dataset.n_labels:
        raise DataError(f"{dataset.name}: has no labels to compare with. Name them with --labels.")
    found = measure(model, dataset)
    if json:
        views.print_json({"data": dataset.name, "n_samples": dataset.n_samples, **found})
    else:
        views.print_view(model_views.measures_view(dataset.name, dataset.n_samples, found))


def explain(
    model_file: Model,
    data: Data,
    row: Annotated[int, typer.Option(help="The row to explain, counted from 0.")] = 0,
    shown: Annotated[int, typer.Option("--top", min=1, help="How many labels to show.")] = 5,
    labels: Labels = None,
    nominal: Nominal = None,
    from_: From = None,
    json: Json = False,
) -> None:
    """Say why a row got its labels: what spoke for each, and which training rows voted."""
    from dlst.cli import model_views, views

    model, dataset = _model_and_data(model_file, data, labels, nominal, from_)
    if not 0 <= row < dataset.n_samples:
        raise DataError(
            f"--row must be from 0 to {dataset.n_samples - 1}, the rows of the data; got {row}."
        )
    if not hasattr(model, "explain"):
        raise DataError(f"{type(model).__name__} does not explain its scores; fit --method dlst.")
    explanation = model.explain(dataset.X[[row]])
    known = dataset.Y[[row]]
    truth = set(known.indices[known.data == 1].tolist()) if dataset.n_labels else None
    if json:
        views.print_json(model_views.explanation_facts(explanation, model.label_names_, row, shown))
    else:
        views.print_view(
            model_views.explanation_view(explanation, model.label_names_, row, shown, truth)
        )


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
        if json:
            facts = {"name": about.name, "title": about.title, "meaning": about.meaning}
            views.print_json({**facts, "parameters": parameters})
        else:
            views.print_view(model_views.method_view(about, parameters))
    elif json:
        views.print_json(
            [{"name": m.name, "title": m.title, "meaning": m.meaning} for m in METHODS]
        )
    else:
        views.print_view(model_views.methods_view(METHODS))


def parse_settings(
    texts: list[str], option: str = "--set", example: str = "decision=micro"
) -> dict[str, Any]:
    """Read name=value; values are Python literals, and words without quotes are words.

    ``true``, ``false`` and ``none`` mean what they say, as in TOML and JSON. A dot leads to a
    parameter of a part.

    Examples
    --------
    >>> parse_settings(["n_neighbors=20", "decision=micro", "n_components=None", "refit=false"])
    {'n_neighbors': 20, 'decision': 'micro', 'n_components': None, 'refit': False}
    >>> parse_settings(["decoder.tau=0.1"])
    {'decoder__tau': 0.1}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace(".", "__")
        if not equals or not name.isidentifier():
            raise DataError(f"{option} takes NAME=VALUE, such as {example}; got {text!r}.")
        found[name] = _value_of(value.strip())
    return found


def _value_of(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _fitted(model: Any, dataset: Any) -> Any:
    """Fit, and tell warnings as notes of one line, without the place in the source."""
    from dlst.methods.fitting import fit_dataset

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", UserWarning)
        fitted = fit_dataset(model, dataset)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        typer.echo(f"note: {' '.join(message.split())}", err=True)
    return fitted


def _check_target(out: Path, force: bool) -> None:
    if out.exists() and not force:
        raise DataError(f"{out}: exists already. Choose another name, or add --force.")
    if not out.absolute().parent.is_dir():
        raise DataError(f"{out}: expected a folder {out.parent}, got none. Make it first.")


def _model_and_data(
    model_file: Path,
    data: str,
    labels: str | None,
    nominal: str | None,
    from_: str | None,
) -> tuple[Any, Any]:
    from dlst.methods import MultiLabelClassifier
    from dlst.methods.fitting import in_line_with
    from dlst.persistence import load_model

    model = load_model(model_file)
    is_method = isinstance(model, MultiLabelClassifier) and hasattr(model, "n_labels_")
    if not is_method or not model._targets.is_indicator:
        raise DataError(
            f"{model_file}: expected a method of `dlst methods` fitted to labels, got another "
            f"{type(model).__name__}. Use it from Python, with dlst.load_model."
        )
    dataset = load_data(data, labels, nominal, from_, None, labels_optional=True)
    return model, in_line_with(model, dataset)


def _one_side(dataset: Any, side: str, all_rows: bool, test_size: float | None, seed: int) -> Any:
    """Return the training or the test rows of the data's split, or of one that is drawn."""
    if test_size is not None:
        from dlst.data import random_split

        if all_rows or dataset.split is not None:
            reason = "--all was given" if all_rows else f"{dataset.name} has a split of its own"
            raise DataError(f"--test-size draws a split, but {reason}. Leave one of them out.")
        if not 0 < test_size < 1:
            raise DataError(f"--test-size must lie between 0 and 1; got {test_size:g}.")
        dataset = dataset.with_split(random_split(dataset, test_size, random_state=seed))
    if dataset.split is None or all_rows:
        return dataset
    return dataset.train if side == "train" else dataset.test


def _tell_if_seen(model_file: Path, dataset: Any, judged: Any) -> None:
    """Say so when a model is measured on all rows of the data that it was fitted to."""
    from dlst.persistence import describe_model

    learnt_from = describe_model(model_file).get("data") or {}
    files = learnt_from.get("files")
    if judged is dataset and files and files == dict(dataset.provenance.files):
        typer.echo(
            "note: the model was fitted to rows of these data, so these are not test scores. Fit "
            "and evaluate with --test-size 0.3 to keep rows apart.",
            err=True,
        )
