"""The application: routes, limits and errors, for any model."""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from dlst import __version__
from dlst._nearest import did_you_mean
from dlst.serve.board import Board
from dlst.serve.desk import Deadline, Desk, Job
from dlst.serve.guard import Guard
from dlst.serve.limits import Limits, RequestError
from dlst.serve.page import page_response
from dlst.serve.requests import answer_jobs, read_body
from dlst.serve.schema import About, Answers, Health, problems, request_body
from dlst.serve.subject import Subject

MOST_LABELS = 1000
"""Maximum number of labels listed by ``/model``."""

PARAMETERS = ("top", "reasons")

log = logging.getLogger("dlst.serve")


def make_app(
    subject: Subject,
    *,
    name: str = "model",
    limits: Limits | None = None,
    token: str | None = None,
    hosts: Collection[str] | None = None,
    board: Board | None = None,
) -> FastAPI:
    """Make the ASGI application of one model, which it warms up.

    Parameters
    ----------
    subject : Subject
        Made by :func:`~dlst.serve.models.subject_of`.
    name : str
        Name of the model on the page.
    limits : Limits, optional
    token : str, optional
        Required of clients when given.
    hosts : collection of str, optional
        Host names that requests may use; any by default.
    board : Board, optional
        Where requests are counted.

    Returns
    -------
    FastAPI

    Examples
    --------
    >>> from dlst import Tagger
    >>> from dlst.serve.models import subject_of
    >>> tagger = Tagger("plst").fit(["a printer", "a flight"] * 5, [["office"], ["travel"]] * 5)
    >>> make_app(subject_of(tagger), name="tickets").title
    'dlst: tickets'
    """
    limits, board = limits or Limits(), board or Board()
    desk = Desk(limits, partial(answer_jobs, subject=subject, limits=limits))
    subject.warm_up()
    about = _about(subject, name, limits)
    # FastAPI's documentation pages are off: they load scripts from other hosts.
    app = FastAPI(title=f"dlst: {name}", version=__version__, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, board=board, token=token, hosts=hosts)
    _add_error_handlers(app)
    guarded = problems(401) if token is not None else {}

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return page_response()

    @app.get("/health", response_model=Health)
    async def health() -> Response:
        """Report that the model is loaded and answers."""
        return JSONResponse({"status": "ok"})

    @app.get("/metrics", response_class=Response, responses={**guarded, 200: _PROMETHEUS})
    async def metrics() -> Response:
        """Return counts of requests, rows and seconds, for Prometheus."""
        text = board.exposition({"name": name, "method": subject.method, "dlst": __version__})
        return Response(text, media_type="text/plain; version=0.0.4")

    @app.get("/model", response_model=About, responses=guarded)
    async def model() -> Response:
        """Describe the model: its columns, labels and limits."""
        return JSONResponse(about)

    @app.post(
        "/predict",
        response_model=Answers,
        responses={**guarded, **problems(400, 408, 413, 415, 422, 503)},
        openapi_extra={"requestBody": request_body(subject, limits)},
    )
    async def predict(
        request: Request,
        top: Annotated[
            int, Query(ge=1, le=len(subject.labels), description="Number of tags to list.")
        ] = min(5, len(subject.labels)),
        reasons: Annotated[
            bool, Query(description=f"Explain the tags; at most {limits.explained_rows} rows.")
        ] = False,
    ) -> Response:
        """Return tags with probabilities, and optionally reasons, for each row."""
        deadline = Deadline(limits.seconds)
        for name in set(request.query_params) - {*PARAMETERS}:
            meant = did_you_mean(name, PARAMETERS)
            raise RequestError(
                422, f"parameters are {' and '.join(PARAMETERS)}; got {name}.{meant}"
            )
        try:
            body = await asyncio.wait_for(read_body(request, limits), deadline.left)
        except TimeoutError as error:
            raise RequestError(
                408, f"expected the whole request within {limits.seconds:g} seconds, got a part."
            ) from error
        answer, n_rows = await desk.submit(Job(body, top, reasons, deadline))
        board.rows(n_rows)
        return Response(answer, media_type="application/json")

    return app


_PROMETHEUS = {"content": {"text/plain": {"schema": {"type": "string"}}}}


def _about(subject: Subject, name: str, limits: Limits) -> dict[str, Any]:
    return {
        "name": name,
        "method": subject.method,
        "n_labels": len(subject.labels),
        "labels": subject.labels[:MOST_LABELS].tolist(),
        "columns": subject.columns,
        "explains": subject.explains,
        "limits": asdict(limits),
        "dlst": __version__,
    }


def _add_error_handlers(app: FastAPI) -> None:
    """Return all errors in the same form, without a traceback."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestError)  # noqa: S101
        return JSONResponse(error.content, error.status, error.headers)

    async def wrong_parameter(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        first = error.errors()[0]
        message = f"{first['loc'][-1]}: {first['msg']}; got {first.get('input')!r}."
        return JSONResponse({"error": message}, 422)

    async def no_such(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        message, path = error.detail, request.url.path
        if error.status_code == 404:
            paths = ", ".join(sorted(route.path for route in app.routes))  # type: ignore[attr-defined]
            message = f"expected one of the paths {paths}; got {path}."
        elif error.status_code == 405:
            message = f"{path} takes {(error.headers or {}).get('Allow')}; got {request.method}."
        return JSONResponse({"error": message}, error.status_code, error.headers)

    async def defect(request: Request, error: Exception) -> Response:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return JSONResponse({"error": "internal server error; see the server's log."}, 500)

    app.add_exception_handler(RequestError, refused)
    app.add_exception_handler(RequestValidationError, wrong_parameter)
    app.add_exception_handler(HTTPException, no_such)
    app.add_exception_handler(Exception, defect)
