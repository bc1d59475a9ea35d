"""Which columns are labels, and which are nominal: the same choices in every format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from dlst._nearest import did_you_mean
from dlst.errors import DataError

LABEL_PREFIX = "label:"
"""What our writers of tables put before the names of label columns."""

MOST_CATEGORIES = 100
"""An attribute that declares more is an identifier, not a kind of thing."""

FEWEST_FOR_ID = 20
"""In fewer rows, values that all differ say nothing."""

LabelChoice: TypeAlias = str | int | Sequence[str] | None
Nominal: TypeAlias = Literal["auto", "one-hot"] | Sequence[str]


def label_columns(
    names: Sequence[str], labels: LabelChoice, make_error: Callable[[str], DataError]
) -> list[str]:
    """Return the names of the label columns; None chooses those with :data:`LABEL_PREFIX`."""
    if labels is None:
        chosen = [name for name in names if name.startswith(LABEL_PREFIX)]
        if not chosen:
            raise make_error(
                f"expected label columns named '{LABEL_PREFIX}…', got {first_names(names)}. "
                "Say which columns are labels with labels=: names, a pattern, or a count: 6 = "
                "the first six, -6 = the last six."
            )
        return chosen
    if isinstance(labels, int):
        if not 0 < abs(labels) <= len(names):
            raise make_error(
                f"labels must count 1 to {len(names)} columns, positive from the start, negative "
                f"from the end; got {labels}."
            )
        return list(names[:labels] if labels > 0 else names[labels:])
    if isinstance(labels, str):
        if labels in names:
            return [labels]
        if any(sign in labels for sign in "*?["):
            chosen = [name for name in names if fnmatchcase(name, labels)]
            if not chosen:
                raise make_error(f"expected columns like {labels!r}, got {first_names(names)}.")
            return chosen
        labels = [name.strip() for name in labels.split(",") if name.strip()]
    known = set(names)
    for name in labels:
        if name not in known:
            hint = near_name(name, names)
            raise make_error(f"expected a label column {name!r}, got none of that name. {hint}")
    chosen = [str(name) for name in labels]
    if len(set(chosen)) < len(chosen):
        raise make_error(f"labels must name distinct columns; got {labels!r}.")
    return chosen


def near_name(name: str, names: Sequence[str]) -> str:
    """Ask for the column that may be meant, or show what there is."""
    return did_you_mean(name, names[:2000]).lstrip() or f"There are {first_names(names)}."


def first_names(names: Sequence[str]) -> str:
    """Show the first names of many."""
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return f"the columns {', '.join(repr(name) for name in names[:6])}{more}" if names else "none"


def check_nominal(
    nominal: Nominal, names: Sequence[str], make_error: Callable[[str], DataError]
) -> frozenset[str]:
    """Return the columns that the user names as nominal."""
    if isinstance(nominal, str):
        if nominal not in ("auto", "one-hot"):
            raise ValueError(
                "nominal must be 'auto', 'one-hot' or a list of columns; "
                f"got {nominal!r}. For one column write [{nominal!r}]."
            )
        return frozenset()
    for name in nominal:
        if name not in names:
            hint = near_name(name, names)
            raise make_error(f"expected a column {name!r}, as nominal= names it, got none. {hint}")
    return frozenset(nominal)
