"""Shared code of tables and figures: words, and values as cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from dlst.reports.document import Direction, TableCell, TableColumn

T = TypeVar("T")

NOTHING = "No cell of this run has ended well, so there is nothing to show yet."
SIMULATED = "simulated features"
DASH = TableCell("—")
"""Where there is nothing to show."""


def data_title(name: str, simulated: bool) -> str:
    """Name a data set, with a warning where its features were drawn.

    Examples
    --------
    >>> data_title("voc2007", True)
    'voc2007 (simulated features)'
    """
    return f"{name} ({SIMULATED})" if simulated else name


def anchor(*words: object) -> str:
    """Join words into a name of lower-case letters, digits and hyphens.

    Examples
    --------
    >>> anchor("My data.arff", "macro_f1", "DLST₁")
    'my-data-arff-macro-f1-dlst1'
    """
    plain = unicodedata.normalize("NFKC", "-".join(map(str, words))).lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def percent(share: float, decimals: int = 0) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> percent(0.9149, 1)
    '91.5 %'
    """
    return f"{100 * share:.{decimals}f} %"


def signed_percent(gain: float) -> str:
    """Write a relative gain with its sign.

    Examples
    --------
    >>> signed_percent(0.032)
    '+3.2 %'
    """
    return f"{100 * gain:+.1f} %"


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does; "none" where there are none.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = list(words) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def known(found: Iterable[T | None]) -> list[T]:
    """Leave out what is None."""
    return [each for each in found if each is not None]


def columns(*titles: str, direction: Direction = "") -> list[TableColumn]:
    """Name columns that need no more words."""
    return [TableColumn(title, direction) for title in titles]


def grid(
    rows: Collection[Any], across: Collection[Any], cell: Callable[[Any, Any], TableCell]
) -> list[list[TableCell]]:
    """Name each row in its first cell; ``cell`` makes the others, of the row and what is across."""
    return [[TableCell(str(row)), *(cell(row, each) for each in across)] for row in rows]


def number(value: float | None, decimals: int = 3, *, best: bool = False) -> TableCell:
    """Show a number; a dash where there is none."""
    if value is None or not np.isfinite(value):
        return DASH
    return TableCell(f"{value:,.{decimals}f}", float(value), best=bool(best))


def signed(value: float, decimals: int = 3) -> TableCell:
    """Show a difference with its sign."""
    return TableCell(f"{value:+.{decimals}f}", float(value)) if np.isfinite(value) else DASH


def share(value: float, decimals: int = 0) -> TableCell:
    """Show a share in percent; a dash where there is none."""
    return TableCell(percent(value, decimals), float(value)) if np.isfinite(value) else DASH


def finite(value: float) -> float | None:
    """Return a number as charts and tables take it: None where it has no value."""
    return float(value) if np.isfinite(value) else None


def setting_words(protocol: Mapping[str, Any]) -> str:
    """Name a protocol; how features are made and what is recorded is said elsewhere."""
    words = []
    if "fraction" in protocol:
        words.append(f"{_share(protocol['fraction'])} of each class to train on")
    if "missing" in protocol:
        words.append(f"{_share(protocol['missing'])} of the training labels dropped")
    if "rows" in protocol:
        words.append("at most {:,} training and {:,} test rows".format(*protocol["rows"]))
    if "test_size" in protocol:
        words.append(f"{_share(protocol['test_size'])} of the rows to test on")
    if "folds" in protocol:
        words.append(f"{protocol['folds']} folds")
    if protocol.get("transductive"):
        words.append("features of the test rows known")
    words += [f"{key} {value}" for key, value in sorted(protocol.get("options", {}).items())]
    return ", ".join(words)


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"
