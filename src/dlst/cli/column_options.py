"""Options that say what the columns of a table are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from dlst.errors import DataError

COLUMNS = {
    "text": "Columns of texts, 'a,b'.",
    "category": "Columns of categories, also of numbers.",
    "number": "Columns of numbers.",
    "date": "Columns of dates; 'day=%d/%m/%Y' says their format.",
    "image": "Columns of paths of pictures.",
    "id": "Columns that name the rows.",
    "drop": "Columns to leave out.",
}


def takes_columns(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each kind of columns to a command, in the place of its ``columns``."""
    given = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in given.parameters.items():
        parameters += _options(parameter) if name == "columns" else [parameter]

    @wraps(command)
    def with_options(**values: Any) -> None:
        columns = given_columns(**{kind: values.pop(kind) for kind in COLUMNS})
        command(columns=columns, **values)

    signature = given.replace(parameters=parameters)
    with_options.__signature__ = signature  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options


def _options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    return [
        parameter.replace(
            name=kind,
            default=None,
            annotation=Annotated[list[str] | None, typer.Option(f"--{kind}", help=words)],
        )
        for kind, words in COLUMNS.items()
    ]


def given_columns(**options: list[str] | None) -> dict[str, Any]:
    """Collect the options by kind.

    Examples
    --------
    >>> given_columns(text=["title,body"], date=["day=%d/%m/%Y"], drop=None)
    {'text': ['title', 'body'], 'date': {'day': '%d/%m/%Y'}}
    """
    found: dict[str, Any] = {}
    for kind, values in options.items():
        if values:
            found[kind] = _dates(values) if kind == "date" else _names(values)
    return found


def _names(values: list[str]) -> list[str]:
    names = [name.strip() for value in values for name in value.split(",")]
    if not all(names):
        raise DataError(f"column options take names such as 'title,body'; got {values[0]!r}.")
    return names


def _dates(values: list[str]) -> dict[str, str] | list[str]:
    # A format may hold commas, so only a list without formats is cut at them.
    if not any("=" in value for value in values):
        return _names(values)
    pairs = [value.partition("=") for value in values]
    return {name.strip(): form for name, _, form in pairs}
