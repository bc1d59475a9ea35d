"""Which variables of a MAT file hold the data, and which side of them the instances."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import scipy.sparse as sp

from dlst._files import PathLike
from dlst.errors import ReadError

Variables = dict[str, Any]


class Layout(NamedTuple):
    """A pair of variable names, plain: lower or upper case, no underscores."""

    features: str
    labels: str
    transposed: tuple[bool, bool] = (False, False)
    """Whether features and labels usually have one column per instance."""


_LAYOUTS = (
    Layout("X", "Y"),
    Layout("data", "target", (False, True)),
    Layout("data", "targets", (False, True)),
    Layout("ftmat", "lblmat", (True, True)),
    Layout("XXf", "XY"),
    Layout("features", "labels"),
    Layout("feature", "label"),
    Layout("data", "labels"),
    Layout("data", "label"),
    Layout("X", "labels"),
    Layout("X", "label"),
    Layout("X", "target"),
)
_PARTS = (("train", "test"), ("trn", "tst"), ("tr", "te"))


def choose_variables(
    path: PathLike,
    variables: Variables,
    features: str | Sequence[str] | None,
    labels: str | Sequence[str] | None,
) -> tuple[list[tuple[str, str]], Layout]:
    """Return the names of the (features, labels) pairs: one, or training and test."""
    if labels is not None:
        y_names = [labels] if isinstance(labels, str) else list(labels)
        if features is None and len(y_names) == 1:
            features = _only_matrix_beside(path, variables, y_names[0])
        x_names = [features] if isinstance(features, str) else list(features or ())
        if len(x_names) != len(y_names) or len(x_names) not in (1, 2):
            raise ValueError(
                "features and labels must be one name each, or a pair each (training, test); "
                f"got features={features!r} and labels={labels!r}."
            )
        return list(zip(x_names, y_names, strict=True)), Layout("", "")
    if features is not None:
        raise ValueError(f"features must come with labels; got features={features!r} alone.")
    plain = {name.casefold().replace("_", ""): name for name in variables}
    for layout in _LAYOUTS:
        for train, test in _PARTS:
            for pattern in ("{part}{name}", "{name}{part}"):
                parts = [
                    _both(plain, layout, pattern.replace("{part}", part)) for part in (train, test)
                ]
                if parts[0] is not None:
                    return [pair for pair in parts if pair is not None], layout
    for layout in _LAYOUTS:
        for pattern in ("{name}", "{name}all", "all{name}"):
            pair = _both(plain, layout, pattern)
            if pair is not None:
                return [pair], layout
    raise ReadError(
        path,
        "expected variables such as X and Y, data and target, or train_data, train_target, "
        f"test_data and test_target; got {list_variables(variables)}. "
        "Name the variable of the labels with labels=.",
    )


def _only_matrix_beside(path: PathLike, variables: Variables, labels: str) -> str:
    """Return the one variable that has the labels' number of instances and several features."""
    shapes = {name: getattr(value, "shape", ()) for name, value in variables.items()}
    sides = set(shapes.pop(labels, ())) - {1}
    fitting = [name for name, shape in shapes.items() if 1 not in shape and sides & set(shape)]
    if len(fitting) != 1:
        raise ReadError(
            path,
            f"expected one matrix that belongs to the labels {labels!r}, got "
            f"{', '.join(fitting) or 'none'} of {list_variables(variables)}. "
            "Name both in Python, with features and labels of read_mat.",
        )
    return fitting[0]


def _both(plain: dict[str, str], layout: Layout, pattern: str) -> tuple[str, str] | None:
    keys = [pattern.replace("{name}", name).casefold() for name in layout[:2]]
    found = [plain.get(key) for key in keys]
    if found[0] is None or found[1] is None:
        return None
    return found[0], found[1]


def orient(
    path: PathLike,
    parts: list[tuple[Any, Any]],
    pairs: list[tuple[str, str]],
    layout: Layout,
) -> tuple[list[tuple[Any, Any]], tuple[str, ...]]:
    """Turn each pair so that rows are instances."""
    every = itertools.product((False, True), repeat=2)
    fitting = [turn for turn in (layout.transposed, *every) if _fits(parts, *turn)]
    if not fitting:
        shapes = ", ".join(
            f"{name} {describe_variable(value)}"
            for pair, part in zip(pairs, parts, strict=True)
            for name, value in zip(pair, part, strict=True)
        )
        raise ReadError(
            path,
            f"features and labels must agree in the number of instances; got {shapes}. "
            "Name other variables in Python, with features and labels of read_mat.",
        )
    turn_x, turn_y = fitting[0]
    notes: tuple[str, ...] = ()
    if len(set(fitting)) > 1:
        sides = [("rows", "columns")[turned] for turned in (turn_x, turn_y)]
        notes = (
            f"orientation ambiguous: instances read as {sides[0]} of {pairs[0][0]} "
            f"and {sides[1]} of {pairs[0][1]}",
        )
    return [(X.T if turn_x else X, Y.T if turn_y else Y) for X, Y in parts], notes


def _fits(parts: list[tuple[Any, Any]], turn_x: bool, turn_y: bool) -> bool:
    same_n = all(X.shape[turn_x] == Y.shape[turn_y] for X, Y in parts)
    widths = {(X.shape[not turn_x], Y.shape[not turn_y]) for X, Y in parts}
    return same_n and len(widths) == 1


def list_variables(variables: Variables) -> str:
    """Name the first variables with their kinds and shapes, for an error."""
    shown = [
        # A name in a damaged file may hold line ends; an error is one line.
        f"{name if name.isprintable() else repr(name)} ({describe_variable(value)})"
        for name, value in itertools.islice(variables.items(), 12)
    ]
    more = len(variables) - len(shown)
    return (", ".join(shown) or "no variables") + (f" and {more} more" if more else "")


def describe_variable(value: Any) -> str:
    """Return the kind and shape of one variable, such as ``float64 593 by 72``."""
    kind = "sparse" if sp.issparse(value) else str(getattr(value, "dtype", type(value).__name__))
    if kind == "object":
        kind = "cell"
    return f"{kind} {' by '.join(str(side) for side in getattr(value, 'shape', ()))}"
