"""A record as a line of text: its format, its checksum, and the check of a line."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

FORMAT = 2
"""Format 1 had neither this number nor a checksum, and is still read; later ones have both."""

CELL = ("data", "method", "parameters", "split", "seed", "protocol")
ABOUT = {"evaluate": ("cell", CELL), "tune": ("cell", CELL), "probe": ("probe", ("probe", "data"))}
"""What a record of each kind is about, and what must be said of it."""

OUTCOME = {"evaluate": "metrics", "tune": "parameters", "probe": "result"}
"""What a record of each kind has when it is done."""

_CHECK = b', "check": "'


class LineError(ValueError):
    """A line that is no record, or a damaged one."""


def to_line(record: Mapping[str, Any]) -> bytes:
    r"""Write a record as one line, numbers that JSON cannot say as null.

    Examples
    --------
    >>> to_line({"key": "k", "status": "done"})
    b'{"format": 2, "key": "k", "status": "done", "check": "92fc46187acb4c22"}\n'
    """
    text = json.dumps(finite({"format": FORMAT, **record}), ensure_ascii=False, allow_nan=False)
    body = text.encode("utf-8", "surrogatepass")[:-1]
    return body + _CHECK + _digest(body) + b'"}\n'


def from_line(line: bytes) -> dict[str, Any] | None:
    """Read a record; None for one of a later format, or of a kind that is not known here.

    Raises
    ------
    LineError
        When it is no record, or was damaged.
    """
    try:
        found = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise LineError(f"expected JSON, got other text ({error})") from error
    if not isinstance(found, dict):
        raise LineError(f"expected an object, got {type(found).__name__}")
    format_number, check = found.pop("format", 1), found.pop("check", None)
    if format_number != 1 or check is not None:
        _verify(line, check)
    if not isinstance(format_number, int) or format_number < 1:
        raise LineError(f"expected a format of at least 1, got {format_number!r}")
    if format_number > FORMAT:
        return None
    kind = found.get("kind", "evaluate")
    _require(found, "", ("key", "status"), str)
    if kind not in ABOUT:
        return None
    part, needed = ABOUT[kind]
    _require(found, "", (part,), dict)
    _require(found[part], f"its {part}: ", needed, object)
    if found["status"] == "done":
        _require(found, f"a finished record of kind {kind}: ", (OUTCOME[kind],), dict)
    return found


def finite(value: Any) -> Any:
    """Return plain values in which a number that JSON cannot say is None."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _verify(line: bytes, check: Any) -> None:
    body, found, _ = line.rpartition(_CHECK)
    if not found or check != _digest(body).decode():
        raise LineError("its checksum is wrong, so it was damaged")


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _require(found: Mapping[str, Any], what: str, names: tuple[str, ...], kind: type) -> None:
    for name in names:
        if not isinstance(found.get(name), kind) or (kind is object and name not in found):
            got = repr(found[name])[:40] if name in found else "none"
            raise LineError(f"{what}expected {name}, got {got}")
