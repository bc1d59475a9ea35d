"""How much a file may ask for: relative to the bytes it has, and for the user to raise."""

from __future__ import annotations

import os
from typing import NamedTuple


class Limit(NamedTuple):
    """A number that an environment variable replaces, so that it holds in Python and the shell.

    Examples
    --------
    >>> Limit("DLST_NO_SUCH_LIMIT", 7).value
    7
    """

    variable: str
    default: int

    @property
    def value(self) -> int:
        """The number that holds now."""
        text = os.environ.get(self.variable, "")
        if not text:
            return self.default
        if not text.isdecimal():
            raise ValueError(f"{self.variable} must be a whole number; got {text!r}.")
        return int(text)

    @property
    def remedy(self) -> str:
        """How a user raises it."""
        return (
            f"If you trust the file, raise the limit: set {self.variable} in the environment "
            f"(now {self.value})."
        )


# Dense text of a sparse 0/1 table compresses up to 250 times; a bomb reaches gzip's limit of 1032.
GZIP_RATIO = Limit("DLST_MAX_GZIP_RATIO", 300)
"""How many times its size a packed file may unpack to."""

MEMORY_RATIO = Limit("DLST_MAX_MEMORY_RATIO", 500)
"""How many times its size a binary file may need in memory."""

# A row of an extreme-classification set has some hundred bytes and promises millions of columns.
COLUMNS_PER_BYTE = Limit("DLST_MAX_COLUMNS_PER_BYTE", 1000)
"""How many features or labels a file may have for each byte of its text."""
