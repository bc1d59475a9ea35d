"""Parameters of methods, checked before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a word that is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}.")


def check_integer(name: str, value: Any, at_least: int) -> None:
    """Refuse what is no integer, or too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}; got {value!r}.")


def check_number(
    name: str,
    value: Any,
    *,
    above: float = -inf,
    at_least: float = -inf,
    at_most: float = inf,
) -> None:
    """Refuse what is no finite number, or out of bounds.

    Examples
    --------
    >>> check_number("alpha", "x", above=0)
    Traceback (most recent call last):
    ValueError: alpha must be a number above 0; got 'x'.
    """
    is_number = not isinstance(value, bool) and isinstance(value, Real) and isfinite(value)
    if not is_number or not (value > above and at_least <= value <= at_most):
        bounds = {"above": above, "of at least": at_least, "of at most": at_most}
        said = [f"{word} {bound:g}" for word, bound in bounds.items() if isfinite(bound)]
        wanted = f"number {' and '.join(said)}" if said else "finite number"
        raise ValueError(f"{name} must be a {wanted}; got {value!r}.")
