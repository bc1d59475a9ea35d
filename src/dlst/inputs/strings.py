"""Many strings in two arrays, which save and load at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray


class Strings(Sequence[str]):
    """An immutable sequence of strings, held as UTF-8 bytes and where each one ends.

    A model file describes every Python string of a list by itself: a vocabulary of 200,000 words
    takes minutes to save that way, and no time in this form.

    Examples
    --------
    >>> words = Strings(["sky", "", "sea"])
    >>> words[2], list(words[:2]), len(words)
    ('sea', ['sky', ''], 3)
    """

    def __init__(self, strings: Iterable[str] = ()):
        # Half a surrogate pair can stand in a Python string, not in UTF-8.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        self.ends_: NDArray[np.int64] = np.cumsum([len(part) for part in encoded], dtype=np.int64)
        self.bytes_: NDArray[np.uint8] = np.frombuffer(b"".join(encoded), dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.ends_)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Strings: ...
    def __getitem__(self, place: int | slice) -> str | Strings:
        if isinstance(place, slice):
            return Strings(self[i] for i in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(f"place {place} of {len(self)} strings")
        place %= len(self)
        start = int(self.ends_[place - 1]) if place else 0
        return self.bytes_[start : self.ends_[place]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        content, start = self.bytes_.tobytes(), 0
        for end in self.ends_.tolist():
            yield content[start:end].decode("utf-8", "surrogatepass")
            start = end

    def __repr__(self) -> str:
        return f"Strings({len(self)} strings, {len(self.bytes_)} bytes)"
