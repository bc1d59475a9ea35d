"""Metrics that differ in what they compute, and share their parameters, checks and means.

A *frame* is a function with the parameters of a family, described in its docstring; its
arguments are what one metric computes, and the units of the mean. A metric is then written as its
computation alone, and gets the frame's signature and a complete docstring.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

Unit: TypeAlias = Literal["label", "instance", "pair"]
"""The units that a metric has values for, before the mean."""

_SIZES = {"label": "K", "instance": "n", "pair": "1"}
_SECTION = re.compile(r"^\w+\n-+$", re.MULTILINE)

_Compute = TypeVar("_Compute", bound=Callable[..., Any])
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def family(
    frame: Callable[Concatenate[_Compute, Unit, _Parameters], _Result], unit: Unit
) -> Callable[[_Compute], Callable[_Parameters, _Result]]:
    """Make a decorator that puts a computation into a frame."""
    whole = inspect.signature(frame)
    signature = whole.replace(parameters=list(whole.parameters.values())[2:])
    annotations = dict(list(frame.__annotations__.items())[2:])
    words = inspect.cleandoc(frame.__doc__ or "").format(unit=unit, size=_SIZES[unit])
    _, _, shared = words.partition("\n\n")

    def decorate(compute: _Compute) -> Callable[_Parameters, _Result]:
        def metric(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
            return frame(compute, unit, *arguments, **options)

        update_wrapper(metric, compute)
        metric.__doc__ = _joined(compute.__doc__ or "", shared)
        metric.__annotations__ = annotations
        metric.__signature__ = signature  # type: ignore[attr-defined]
        return metric

    return decorate


def _joined(own: str, shared: str) -> str:
    """Insert the shared parameters before the sections of a metric's docstring."""
    own = inspect.cleandoc(own)
    found = _SECTION.search(own)
    at = found.start() if found else len(own)
    return "\n\n".join(part for part in (own[:at].rstrip(), shared, own[at:]) if part)
