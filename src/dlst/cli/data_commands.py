"""`dlst datasets` and `dlst convert`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from dlst.errors import DataError, UnknownNameError

# The packages behind these commands take a second to import; --help does not wait for them.

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="A file, a folder or the name of a known data set.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Labels = Annotated[
    str | None,
    typer.Option(
        help="Which columns are labels: names 'a,b', a pattern 'tag_*', a count (6: the first six, "
        "-6: the last six), or one column of delimited labels.",
    ),
]
LabelDelimiter = Annotated[
    str | None,
    typer.Option(
        metavar="SIGN",
        help="Separator of labels in a cell; by default the first of line end, ; | and , that some "
        "cell holds. ' ' is any blank.",
    ),
]
Nominal = Annotated[
    str | None,
    typer.Option(
        help="How to read nominal features: auto, one-hot, or the names 'a,b' of columns that "
        "are nominal whatever they look like.",
    ),
]
From = Annotated[str | None, typer.Option("--from", help="Format, if the suffix does not tell.")]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of CSV or JSON, such as latin-1; by default UTF-8, or as a byte order mark "
        "says.",
    ),
]
Test = Annotated[Path | None, typer.Option(help="The test file that belongs to DATA.")]


def datasets(
    data: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="A known data set, a file or a folder."),
    ] = None,
    labels: Labels = None,
    nominal: Nominal = None,
    from_: From = None,
    encoding: Encoding = None,
    test: Test = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch a known data set into the data home.")
    ] = False,
    json: Json = False,
) -> None:
    """List the known data sets, or describe one: `dlst datasets yeast`, `dlst datasets my.arff`."""
    from dlst.cli import views
    from dlst.data import available, data_home, entry, is_cached

    if data is None:
        rows = [(entry(name), is_cached(name)) for name in available()]
        facts = [views.entry_facts(known, cached) for known, cached in rows]
        views.show(json, facts, lambda: views.known_data_sets(rows, data_home()))
        return
    if not download and not Path(data).expanduser().exists() and _is_known_but_absent(data):
        known = entry(data)
        folder = data_home() / known.name
        views.show(json, views.entry_facts(known, False), lambda: views.entry_view(known, folder))
        return
    dataset, columns = _described(data, labels, nominal, from_, test, encoding)
    about = views.dataset_facts(dataset) | ({"columns": columns} if columns else {})
    views.show(json, about, lambda: views.dataset_view(dataset, columns))


def convert(
    data: Data,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; its suffix tells the format.")
    ],
    labels: Labels = None,
    nominal: Nominal = None,
    from_: From = None,
    encoding: Encoding = None,
    to: Annotated[
        str | None, typer.Option("--to", help="Format, if the suffix of OUT does not tell.")
    ] = None,
    test: Test = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    json: Json = False,
) -> None:
    """Convert data to another format; a train/test pair becomes OUT-train and OUT-test."""
    from dlst.cli import views
    from dlst.cli.model_options import check_target
    from dlst.data import files_to_write, save
    from dlst.data.formats import format_of

    target = format_of(out, to)
    dataset = load_data(data, labels, nominal, from_, test, encoding=encoding)
    for file in files_to_write(dataset, out):
        check_target(file, force, data, *([] if test is None else [test]))
    written = save(dataset, out, format=to)
    if json:
        views.print_json({"written": [str(file) for file in written], "loses": target.loses})
        return
    for file in written:
        typer.echo(f"wrote {file}")
    if target.loses:
        typer.echo(f"note: {target.name} does not keep {target.loses}.", err=True)


def _described(
    data: str,
    labels: str | None,
    nominal: str | None,
    from_: str | None,
    test: Path | None,
    encoding: str | None,
) -> tuple[Any, list[dict[str, str]]]:
    """Load DATA; of a table that holds more than numbers, say how its columns are read."""
    from dlst.data.front_door import holds_tables
    from dlst.inputs.kinds import recognise
    from dlst.tagging.tables import placed, training_frame

    if nominal is None and holds_tables(data, from_):
        dataset = load_raw(data, parse_labels(labels), from_, test, encoding=encoding)
        if dataset.table is not None:
            with placed(dataset.table):
                columns = recognise(training_frame(dataset.table), {})
            if any(column.kind != "number" for column in columns):
                return dataset, [asdict(column) for column in columns]
    return load_data(data, labels, nominal, from_, test, encoding=encoding), []


def parse_labels(text: str | None) -> int | str | None:
    """Read --labels: a count, or what :func:`~dlst.data.load` takes as names or a pattern."""
    return int(text) if text and re.fullmatch(r"[-+]?\d+", text) else text


def parse_nominal(text: str | None) -> list[str] | str | None:
    """Read --nominal: auto, one-hot, or names between commas."""
    if text in (None, "auto", "one-hot"):
        return text
    return [name.strip() for name in text.split(",")]


def load_data(
    data: str,
    labels: str | None,
    nominal: str | None,
    from_: str | None,
    test: Path | None,
    *,
    encoding: str | None = None,
    labels_optional: bool = False,
) -> Any:
    """Load DATA with the options that the commands share."""
    options = {
        "labels": parse_labels(labels),
        "nominal": parse_nominal(nominal),
        "encoding": encoding,
    }
    return _loaded(data, options, from_, test, labels_optional=labels_optional and labels is None)


def load_raw(
    data: str,
    labels: Any,
    from_: str | None,
    test: Path | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    label_delimiter: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    labels_optional: bool = False,
) -> Any:
    """Load DATA, the columns of a table as they are."""
    from dlst.data.front_door import holds_tables

    options, raw = {"labels": labels, "encoding": encoding}, holds_tables(data, from_)
    if raw:
        options |= {"label_delimiter": label_delimiter, "delimiter": delimiter}
        options |= {"columns": columns or None}
    return _loaded(data, options, from_, test, raw=raw, labels_optional=labels_optional)


def _loaded(
    data: str,
    options: Mapping[str, Any],
    from_: str | None,
    test: Path | None,
    *,
    raw: bool = False,
    labels_optional: bool,
) -> Any:
    """Load DATA; what has none of the label columns is loaded without where that is allowed."""
    from dlst.data import load

    given = {name: value for name, value in options.items() if value is not None}
    try:
        return load(data, test=test, format=from_, raw=raw, **given)
    except DataError:
        if not labels_optional:
            raise
        with suppress(DataError, ValueError):
            bare = load(data, test=test, format=from_, raw=raw, **{**given, "labels": []})
            there = bare.feature_names if bare.table is None else bare.table.frame.columns
            if not set(given.get("labels", ())) & set(there):
                return bare
        raise


def _is_known_but_absent(name: str) -> bool:
    from dlst.data import is_cached

    try:
        return not is_cached(name)
    except UnknownNameError:
        return False
