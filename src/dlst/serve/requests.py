"""From the bytes of a request to the bytes of its answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from dlst.errors import DataError
from dlst.inputs import CellError, Tally
from dlst.serve.desk import Job
from dlst.serve.limits import Limits, RequestError
from dlst.serve.subject import Subject

ROWS_AT_ONCE = 128
"""Rows predicted between two checks of the deadline."""


async def read_body(request: Request, limits: Limits) -> bytes:
    """Read a body of content type JSON, up to the size limit."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Also keeps pages of other sites out: browsers send JSON only after a preflight request.
        raise RequestError(415, f"expected Content-Type: application/json, got {kind or 'none'}.")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limits.body:
        raise _too_large(f"{int(length):,}", limits)
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limits.body:
                raise _too_large("more", limits)
            parts.append(part)
    except ClientDisconnect as error:
        raise RequestError(
            400, "expected the whole body, got a part: the client disconnected."
        ) from error
    return b"".join(parts)


def read_rows(body: bytes, subject: Subject, limits: Limits, *, reasons: bool) -> list[Any]:
    """Read one row or several, and check each."""
    try:
        found = json.loads(body, parse_constant=_no_constant)
    except RequestError:
        raise
    except (ValueError, RecursionError) as error:
        raise RequestError(
            400, f"expected JSON, got a body that cannot be parsed: {_short(error)}."
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


def answer_jobs(jobs: Sequence[Job], subject: Subject, limits: Limits) -> None:
    """Answer jobs: together if that changes no answer, else one by one."""
    answers = _together(jobs, subject, limits) if len(jobs) > 1 else None
    for place, job in enumerate(jobs):
        try:
            found = answers[place] if answers is not None else _answered(job, subject, limits)
        except Exception as error:  # an invalid request, or a defect: its client gets the error
            job.done.set_exception(error)
        else:
            job.done.set_result((_written(*found), len(found[0])))


def _together(
    jobs: Sequence[Job], subject: Subject, limits: Limits
) -> list[tuple[list[Any], list[str]]] | None:
    """Answer all rows at once; None if any of them causes an error or a note."""
    tally = Tally()
    try:
        rows = [read_rows(job.body, subject, limits, reasons=False) for job in jobs]
        top = max(job.top for job in jobs)
        joined = [row for each in rows for row in each]
        if len(joined) > ROWS_AT_ONCE:
            return None
        answers = iter(subject.predict(joined, top, tally))
    except Exception:  # raised again for the request that caused it, when answered alone
        return None
    if tally.notes():
        return None
    return [
        ([{**one, "labels": one["labels"][: job.top]} for one in islice(answers, len(mine))], [])
        for job, mine in zip(jobs, rows, strict=True)
    ]


def _answered(job: Job, subject: Subject, limits: Limits) -> tuple[list[Any], list[str]]:
    """Answer one request: return the answers for its rows, and notes."""
    try:
        job.deadline.check()
        rows = read_rows(job.body, subject, limits, reasons=job.reasons)
        if job.reasons and not subject.explains:
            raise RequestError(422, f"{subject.method} gives no reasons; leave out reasons=true.")
        predict = subject.explain if job.reasons else subject.predict
        tally, answers = Tally(), []
        for start in range(0, len(rows), ROWS_AT_ONCE):
            job.deadline.check()
            try:
                answers += predict(rows[start : start + ROWS_AT_ONCE], job.top, tally)
            except CellError as error:
                raise CellError(error.column, error.row + start, error.message) from error
    except CellError as error:
        place = {"row": error.row, "column": error.column}
        raise RequestError(422, str(error), place) from error
    except DataError as error:
        raise RequestError(422, str(error)) from error
    return answers, tally.notes()


def _written(answers: list[Any], notes: list[str]) -> bytes:
    # ASCII: a text may hold a lone surrogate, which UTF-8 cannot encode.
    return json.dumps({"answers": answers, "notes": notes}, allow_nan=False).encode("ascii")


def _no_constant(name: str) -> NoReturn:
    raise RequestError(
        400,
        f"expected JSON, got {name}, which JSON does not have. Write null for unknown values.",
    )


def _too_large(got: str, limits: Limits) -> RequestError:
    return RequestError(
        413,
        f"expected a body of at most {limits.body:,} bytes, got {got}. Send fewer rows at once.",
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
