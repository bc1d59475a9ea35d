"""Names of a package found on first use, so that nobody waits for what he does not use.

A package lists what it offers as ordinary imports under ``if TYPE_CHECKING:``, where type checkers,
editors and the import contract see them; at run time the same lines, read from its source, say
where a name lives.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from dlst._garbage import without_collecting

_OF_THE_PACKAGE = {"TYPE_CHECKING", "on_first_use"}
"""What a package imports for itself, which nobody looks for in it."""


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give a package its ``__getattr__`` and ``__dir__``.

    A name must not be that of the module where it lives: Python sets a module as an attribute of
    its package when anybody imports it, and nothing would be asked for the name.
    """
    homes = _homes(package)

    def __getattr__(name: str) -> Any:  # noqa: N807 - as the package will call it
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with without_collecting():
            value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[package]), *homes} - _OF_THE_PACKAGE)

    return __getattr__, __dir__


def _homes(package: str) -> dict[str, str]:
    """Read the imports under ``if TYPE_CHECKING:``: the module of each name."""
    spec = sys.modules[package].__spec__
    source = spec.loader.get_source(package)  # type: ignore[union-attr]
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            return {
                alias.name: str(entry.module)
                for entry in statement.body
                if isinstance(entry, ast.ImportFrom)
                for alias in entry.names
            }
    raise ImportError(f"{package} has no imports under 'if TYPE_CHECKING:'.")
