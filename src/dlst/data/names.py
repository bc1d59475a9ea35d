"""Names of columns, held or counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from dlst.errors import DataError


class NumberedNames(Sequence[str]):
    """``prefix0 … prefix(count-1)`` without holding them: XC sets have millions of columns.

    Parameters
    ----------
    prefix : str
    count : int

    Examples
    --------
    >>> NumberedNames("label", 10**9)[-1]
    'label999999999'
    """

    def __init__(self, prefix: str, count: int):
        self.prefix = prefix
        self.size = count

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(f"{self.prefix}{i}" for i in range(self.size)[index])
        return f"{self.prefix}{range(self.size)[index]}"

    def __iter__(self) -> Iterator[str]:
        return (f"{self.prefix}{i}" for i in range(self.size))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):
            return self.prefix == other.prefix and len(self) == len(other)
        if isinstance(other, Sequence) and not isinstance(other, str):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, whose hash it cannot match

    def __repr__(self) -> str:
        return f"NumberedNames({self.prefix!r}, {len(self)})"


def checked_names(what: str, names: Sequence[str], count: int, prefix: str) -> Sequence[str]:
    """Return distinct names of ``count`` columns; numbered ones when there are none."""
    if not names:
        return NumberedNames(prefix, count)
    if len(names) != count:
        raise DataError(
            f"{what}_names must name each of the {count} columns; got {len(names)} names."
        )
    if isinstance(names, NumberedNames):
        return names
    names = tuple(names)
    if len(set(names)) != count:
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"{what}_names must be distinct; got {twice!r} twice. Rename one.")
    return names
