"""Options by which a user says what the columns of a table are."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dlst.errors import DataError

Text = Annotated[list[str] | None, typer.Option("--text", help="Columns of texts, 'a,b'.")]
Category = Annotated[
    list[str] | None, typer.Option("--category", help="Columns of categories, also of numbers.")
]
Number = Annotated[list[str] | None, typer.Option("--number", help="Columns of numbers.")]
Date = Annotated[
    list[str] | None,
    typer.Option("--date", help="Columns of dates; 'day=%d/%m/%Y' says their format."),
]
Image = Annotated[list[str] | None, typer.Option("--image", help="Columns of paths of pictures.")]
Id = Annotated[list[str] | None, typer.Option("--id", help="Columns that name the rows.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to leave out.")]


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
