"""How much one request may ask for, and how a request that asks too much is told so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Bounds of one request and of those that wait.

    Attributes
    ----------
    rows : int
        Rows in a request.
    explained_rows : int
        Rows in a request for reasons; each is predicted once more without each of its words.
    body : int
        Bytes of a request.
    seconds : float
        From the arrival of a request to its answer.
    waiting : int
        Requests that one worker lets wait; the next is sent away at once.

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
    """A request that gets no answer: the HTTP status, and why in one sentence."""

    status: int
    message: str
    place: Mapping[str, Any] = field(default_factory=dict)
    """The row and the column at fault, where they are known."""

    @property
    def content(self) -> dict[str, Any]:
        """What the client is told."""
        return {"error": self.message, **self.place}

    @property
    def headers(self) -> dict[str, str]:
        """What a program that asked can act on."""
        return {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "1"}}.get(self.status, {})
