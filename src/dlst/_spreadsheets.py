"""Cells that no spreadsheet takes for a formula.

Spreadsheet programs compute cells that begin with ``=``, ``+``, ``-`` or ``@`` when they open a
CSV file, and a label's name may come from anybody. An apostrophe before such a text keeps it text.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r].", re.DOTALL)
_NUMBER = re.compile(r"[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|inf|nan)")


def harmless(text: str) -> str:
    """Put an apostrophe before a text that might be run; numbers are none.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-5"), harmless("sky")
    ("'=1+1", '-5', 'sky')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def original(text: str) -> str:
    """Return the text that :func:`harmless` was given.

    Examples
    --------
    >>> original(harmless("'=x")), original("'tis")
    ("'=x", "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
