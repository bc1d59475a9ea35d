"""Plain values as TOML, so that a plan in a report can be run again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def to_toml(values: Mapping[str, Any]) -> str:
    """Write a mapping, a key a line; long lists an entry a line. None and empty lists are left out.

    Examples
    --------
    >>> print(to_toml({"data": ["emotions"], "seeds": 3, "tuning": None}))
    data = ["emotions"]
    seeds = 3
    """
    kept = {key: value for key, value in values.items() if value not in (None, [], ())}
    return "\n".join(f"{_key(key)} = {_top(value)}" for key, value in kept.items())


def _top(value: Any) -> str:
    if isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
        entries = "".join(f"    {_inline(each)},\n" for each in value)
        return f"[\n{entries}]"
    return _inline(value)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        kept = [(key, each) for key, each in value.items() if each is not None]
        return f"{{{', '.join(f'{_key(key)} = {_inline(each)}' for key, each in kept)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(each) for each in value)}]"
    # Strings, numbers and truth values are written alike in TOML and in JSON.
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    plain = key.replace("-", "").replace("_", "")
    return key if plain.isalnum() and plain.isascii() else json.dumps(key, ensure_ascii=False)
