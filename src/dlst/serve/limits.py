"""Limits of requests, and the error of a request that exceeds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Limits of one request and of the queue.

    Attributes
    ----------
    rows : int
        Maximum number of rows in a request.
    explained_rows : int
        The same with reasons, for which each row is predicted again without each of its words.
    body : int
        Maximum size of a request in bytes.
    seconds : float
        Maximum time from the arrival of a request to its answer.
    waiting : int
        Maximum number of requests that wait for one worker; more are refused at once.

    Examples
    --------
    >>> Limits(rows=10).seconds
    30.0
    """

    rows: int = 1000
    explained_rows: int = 20
    body: int = 8 * 2**20
    seconds: float = 30.0
    waiting: int = 64


@dataclass(eq=False)
class RequestError(Exception):
    """A refused request: the HTTP status, and the reason in one sentence."""

    status: int
    message: str
    place: Mapping[str, Any] = field(default_factory=dict)
    """The row and the column at fault, if known."""

    @property
    def content(self) -> dict[str, Any]:
        """The JSON body of the response."""
        return {"error": self.message, **self.place}

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers that tell a client what to do."""
        return {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "1"}}.get(self.status, {})
