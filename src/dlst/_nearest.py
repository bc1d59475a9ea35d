"""Known names that may be meant by one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: object, known: Iterable[object], most: int = 3) -> list[str]:
    """Return the known names that are nearly a name, the nearest first, whatever their case.

    Examples
    --------
    >>> nearest("TAG", ["text", "Tags"])
    ['Tags']
    """
    plain = {str(each).casefold(): str(each) for each in known}
    found = difflib.get_close_matches(str(name).casefold(), plain, n=most)
    return [plain[each] for each in found]


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Ask for the known name that is nearest, behind a blank; nothing where none is near.

    Examples
    --------
    >>> did_you_mean("tag", ["text", "tags"]), did_you_mean("tag", ["price"])
    (" Did you mean 'tags'?", '')
    """
    return "".join(f" Did you mean {near!r}?" for near in nearest(name, known, 1))


def nearest_or_all(name: object, known: Iterable[object]) -> str:
    """Ask for the known names that are near, behind a blank; give all of them where none is.

    Examples
    --------
    >>> nearest_or_all("tag", ["text", "tags"]), nearest_or_all("tag", ["price", "text"])
    (' Did you mean tags?', ' Take one of price, text.')
    """
    names = [str(each) for each in known]
    near = nearest(name, names)
    return f" Did you mean {', '.join(near)}?" if near else f" Take one of {', '.join(names)}."
