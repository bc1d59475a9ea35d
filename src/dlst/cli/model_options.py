"""Options that the model commands share."""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from dlst.errors import DataError

_WORDS = {"true": True, "false": False, "none": None}

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `dlst fit` wrote.")]
AllRows = Annotated[
    bool, typer.Option("--all", help="Use all rows, not only one side of the data's split.")
]
TestSize = Annotated[
    float | None,
    typer.Option(
        help="Draw this share of the rows as test rows, by --seed, for data without a split."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]


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
    >>> parse_settings(["decoder.n_jobs=2"])
    {'decoder__n_jobs': 2}
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


def check_target(out: Path, force: bool, *read: str | Path) -> None:
    """Refuse what could not be written in the end: hours of work may lie between."""
    if out.is_dir():
        raise DataError(f"{out}: expected a file to write, got a folder. Name a file in it.")
    if out.exists() and any(Path(file).exists() and out.samefile(file) for file in read):
        raise DataError(f"{out}: is read by this command. Choose another name.")
    if out.exists() and not force:
        raise DataError(f"{out}: exists already. Choose another name, or add --force.")
    if not out.absolute().parent.is_dir():
        raise DataError(f"{out}: expected a folder {out.parent}, got none. Make it first.")
    try:
        tempfile.TemporaryFile(dir=out.absolute().parent).close()
    except OSError as error:
        raise DataError(
            f"{out}: expected a folder in which files may be made, got one that refuses "
            f"({error.strerror}). Choose another."
        ) from error


def sides(dataset: Any, all_rows: bool, test_size: float | None, seed: int) -> tuple[Any, Any]:
    """Return training and test rows of the data's split, or of one that is drawn.

    Without a split, and with ``all_rows``, training rows are all and test rows None.
    """
    if test_size is not None:
        from dlst.data import random_split

        if all_rows or dataset.split is not None:
            reason = "--all was given" if all_rows else f"{dataset.name} has a split of its own"
            raise DataError(f"--test-size draws a split, but {reason}. Leave one of them out.")
        if not 0 < test_size < 1:
            raise DataError(f"--test-size must lie between 0 and 1; got {test_size:g}.")
        dataset = dataset.with_split(random_split(dataset, test_size, random_state=seed))
    if dataset.split is None or all_rows:
        return dataset, None
    return dataset.train, dataset.test


def new_side(dataset: Any, all_rows: bool, test_size: float | None = None, seed: int = 0) -> Any:
    """Return the test rows of data with a split, or of one that is drawn, and say so."""
    _, test = sides(dataset, all_rows, test_size, seed)
    if test is None:
        return dataset
    split = "drawn" if dataset.split is None else dataset.split.name
    typer.echo(
        f"note: these are the {test.n_samples:,} test rows of {dataset.name} ({split} split), "
        "counted from 0; --all takes all rows.",
        err=True,
    )
    return test
