"""Options of readers; unknown ones are refused by one error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from inspect import Parameter, signature
from typing import Any

from dlst._nearest import did_you_mean


def check_options(reader: str, known: Collection[str], given: Iterable[str]) -> None:
    """Raise ``ValueError`` for options that a reader does not take.

    Examples
    --------
    >>> check_options("csv", ["labels"], ["lables"])
    Traceback (most recent call last):
    ValueError: the csv reader takes labels; got lables. Did you mean 'labels'?
    """
    unknown = sorted(set(given) - set(known))
    if unknown:
        takes = ", ".join(sorted(known)) or "no options"
        meant = did_you_mean(unknown[0], known)
        raise ValueError(f"the {reader} reader takes {takes}; got {', '.join(unknown)}.{meant}")


def options_of(reader: Callable[..., Any]) -> list[str]:
    """Name what a reader takes by name alone.

    Examples
    --------
    >>> options_of(lambda path, *, labels=None: path)
    ['labels']
    """
    parameters = signature(reader).parameters.values()
    return [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
