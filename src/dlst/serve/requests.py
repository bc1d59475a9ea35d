"""From the bytes of a request to the bytes of its answer."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from dlst.errors import DataError
from dlst.inputs import CellError, Tally
from dlst.serve.desk import Deadline
from dlst.serve.limits import Limits, RequestError
from dlst.serve.subject import Subject

ROWS_AT_ONCE = 128
"""Between so many rows the time is looked at."""


async def read_body(request: Request, limits: Limits) -> bytes:
    """Read a body that is JSON by its own word, up to the limit."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Also what keeps pages of other sites out: a browser asks us before it sends JSON.
        raise RequestError(415, f"expected Content-Type: application/json, got {kind or 'none'}.")
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > limits.body:
        raise _too_large(f"{int(told):,}", limits)
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limits.body:
                raise _too_large("more", limits)
            parts.append(part)
    except ClientDisconnect as error:
        raise RequestError(400, "the request ended before its body did.") from error
    return b"".join(parts)


def read_rows(body: bytes, subject: Subject, limits: Limits, *, reasons: bool) -> list[Any]:
    """Read rows, or a single one, and check each."""
    try:
        found = json.loads(body, parse_constant=_no_constant)
    except RequestError:
        raise
    except (ValueError, RecursionError) as error:
        raise RequestError(
            400, f"expected JSON, got what cannot be read: {_short(error)}."
        ) from error
    rows = subject.rows_in(found)
    most = limits.explained_rows if reasons else limits.rows
    if not rows:
        raise RequestError(422, "expected at least one row, got none.")
    if len(rows) > most:
        option = "with reasons=true" if reasons else "in one request"
        raise RequestError(
            413, f"expected at most {most:,} rows {option}, got {len(rows):,}. Send them in parts."
        )
    return [subject.read(row, place) for place, row in enumerate(rows)]


def answer(
    body: bytes, subject: Subject, limits: Limits, deadline: Deadline, top: int, *, reasons: bool
) -> tuple[bytes, int]:
    """Answer a request; also say how many rows it had."""
    try:
        deadline.check()
        rows = read_rows(body, subject, limits, reasons=reasons)
        if reasons and not subject.explains:
            raise RequestError(422, f"{subject.method} does not explain; ask without reasons=true.")
        ask = subject.explain if reasons else subject.predict
        tally, answers = Tally(), []
        for start in range(0, len(rows), ROWS_AT_ONCE):
            deadline.check()
            try:
                answers += ask(rows[start : start + ROWS_AT_ONCE], top, tally)
            except CellError as error:
                raise CellError(error.column, error.row + start, error.message) from error
    except CellError as error:
        place = {"row": error.row, "column": error.column}
        raise RequestError(422, str(error), place) from error
    except DataError as error:
        raise RequestError(422, str(error)) from error
    # ASCII: a text may hold half a sign, which UTF-8 has no bytes for.
    told = json.dumps({"answers": answers, "notes": tally.notes()}, allow_nan=False)
    return told.encode("ascii"), len(rows)


def _no_constant(name: str) -> NoReturn:
    raise RequestError(
        400,
        f"expected JSON, got {name}, which it does not have. Write null where nothing is known.",
    )


def _too_large(got: str, limits: Limits) -> RequestError:
    return RequestError(
        413,
        f"expected a body of at most {limits.body:,} bytes, got {got}. Send fewer rows at once.",
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
