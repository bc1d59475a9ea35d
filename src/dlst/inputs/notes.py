"""What was unusual about new rows, counted by column."""

from __future__ import annotations

from collections import Counter


class InputNote(UserWarning):
    """Cells that a model reads in a stated way: unknown categories, empty cells.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", InputNote)
    """


class Tally:
    """Counts of unusual cells; those of several blocks of rows add up.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add("team", "unknown category, read as none of the known", 2)
    >>> tally.add("size", "empty cell, read as the median", 0)
    >>> tally.notes()
    ["'team': unknown category, read as none of the known (2)"]
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, column: str, what: str, count: int = 1) -> None:
        """Count cells of a column."""
        if count:
            self._counts[column, what] += count

    def tell(self, column: str, what: str) -> None:
        """Note a thing of a whole column."""
        self._counts[column, what] = 0

    def notes(self) -> list[str]:
        """Return a line for each column and thing."""
        return [
            f"{column!r}: {what}" + (f" ({count:,})" if count else "")
            for (column, what), count in self._counts.items()
        ]
