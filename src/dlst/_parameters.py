"""Parameters: defaults and what they may be, stated as data, checked before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, dataclass_transform

import numpy as np

from dlst._nearest import did_you_mean


@dataclass(frozen=True)
class Constraint:
    """What a parameter may be; ``a | b`` is what either allows.

    Attributes
    ----------
    words : str
        What goes between "must be" and "; got" of the error.
    allows : callable
        A value to whether it is allowed.
    known : tuple of str
        Words among these, of which the nearest is named.
    """

    words: str
    allows: Callable[[Any], bool]
    known: tuple[str, ...] = ()

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(
            f"{self.words} or {other.words}",
            lambda value: self.allows(value) or other.allows(value),
            self.known + other.known,
        )

    def check(self, name: str, value: Any, error: type[Exception] = ValueError) -> None:
        """Raise the error for a value that is not allowed."""
        if not self.allows(value):
            meant = did_you_mean(value, self.known)
            raise error(f"{name} must be {self.words}; got {value!r}.{meant}")


def number(
    *, above: float = -inf, at_least: float = -inf, at_most: float = inf, below: float = inf
) -> Constraint:
    """Allow finite numbers within bounds.

    Examples
    --------
    >>> number(above=0).check("alpha", "x")
    Traceback (most recent call last):
    ValueError: alpha must be a number above 0; got 'x'.
    """
    bounds = {"above": above, "of at least": at_least, "of at most": at_most, "below": below}
    said = [f"{word} {bound:g}" for word, bound in bounds.items() if isfinite(bound)]
    words = f"a number {' and '.join(said)}" if said else "a finite number"

    def allows(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        found = float(value)
        return isfinite(found) and above < found < below and at_least <= found <= at_most

    return Constraint(words, allows)


def integer(*, at_least: int) -> Constraint:
    """Allow integers from a bound on, and no booleans."""

    def allows(value: Any) -> bool:
        is_integer = isinstance(value, Integral) and not isinstance(value, bool)
        return is_integer and bool(value >= at_least)

    return Constraint(f"an integer of at least {at_least}", allows)


def one_of(*words: str) -> Constraint:
    """Allow some words.

    Examples
    --------
    >>> (number(above=0) | one_of("auto")).check("alpha", 0)
    Traceback (most recent call last):
    ValueError: alpha must be a number above 0 or 'auto'; got 0.
    """
    said = f"one of {', '.join(words)}" if len(words) > 1 else repr(words[0])
    return Constraint(said, lambda value: isinstance(value, str) and value in words, words)


SHARE = Constraint(
    "a share in (0, 1]",
    lambda value: isinstance(value, float) and number(above=0, at_most=1).allows(value),
)
NONE = Constraint("None", lambda value: value is None)
BOOLEAN = Constraint("True or False", lambda value: isinstance(value, bool | np.bool_))
CALLABLE = Constraint("a callable", callable)


Constraints: TypeAlias = Mapping[str, Constraint]


class Constrained(Protocol):
    """A class that states what its parameters may be."""

    _constraints: ClassVar[Constraints]


def check_parameters(owner: Constrained) -> None:
    """Raise ``ValueError`` for the first parameter that its constraint does not allow."""
    for name, constraint in owner._constraints.items():
        constraint.check(name, getattr(owner, name))


Estimator = TypeVar("Estimator")


def parameter(*, default: Any, must_be: Constraint) -> Any:
    """State a parameter's default and what else it may be; see :func:`with_parameters`."""
    return field(default=default, metadata={"must be": must_be})


@dataclass_transform(eq_default=False, field_specifiers=(parameter,))
def with_parameters(cls: type[Estimator]) -> type[Estimator]:
    """Give a class the constructor that scikit-learn asks for, which assigns and does nothing else.

    Its parameters are the annotated attributes of the class and of those that it derives from,
    those after ``_: KW_ONLY`` by name alone.

    Examples
    --------
    >>> @with_parameters
    ... class Ridge:
    ...     alpha: float = parameter(default=1.0, must_be=number(above=0))
    >>> check_parameters(Ridge(-1.0))
    Traceback (most recent call last):
    ValueError: alpha must be a number above 0; got -1.0.
    """
    made: Any = dataclass(eq=False, repr=False, match_args=False)(cls)
    stated = {each.name: each.metadata.get("must be") for each in fields(made)}
    made._constraints = {name: given for name, given in stated.items() if given is not None}
    return cls
