"""Small words that builders of figures share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from dlst.reports.document import Section, Text
from dlst.reports.items._cells import SIMULATED

NOTHING = "No cell of this run has ended, so there is nothing to show yet."


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


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does; "none" where there are none.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = list(words) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def empty_section(name: str, title: str) -> list[Section]:
    """Say that nothing has ended yet."""
    return [Section(name, title, [Text(NOTHING)])]
