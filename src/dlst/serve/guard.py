"""Access control, headers of every answer, and counting of requests."""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dlst.errors import DataError
from dlst.serve.board import Board
from dlst.serve.limits import RequestError

OPEN = ("/", "/health")
"""Paths that need no token: the page, which reveals nothing of the model, and the health check."""

LEAST_TOKEN = 16

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Tell whether an address can only be reached from this machine.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_token(host: str, token: str | None) -> None:
    """Require a token if other machines can connect."""
    if token is None and not is_loopback(host):
        raise DataError(
            f"--host {host} lets other machines connect, so a token is required; got none. Give "
            "--token, or DLST_TOKEN in the environment, or serve on 127.0.0.1."
        )
    if token is not None and (len(token) < LEAST_TOKEN or not token.isascii()):
        raise DataError(
            f"--token must have at least {LEAST_TOKEN} ASCII characters; got {len(token)}. "
            "Generate a random one: openssl rand -hex 16."
        )


class Guard:
    """Middleware: checks host and token, sets headers, counts requests.

    Parameters
    ----------
    app : ASGI application
    board : Board
    token : str, optional
        What clients must send as ``Authorization: Bearer``.
    hosts : collection of str, optional
        Host names that requests may use. Otherwise, on loopback without a token, a page of another
        site could reach the server by a name that resolves to this machine.
    """

    def __init__(
        self, app: ASGIApp, *, board: Board, token: str | None, hosts: Collection[str] | None
    ):
        self._app, self._board, self._hosts = app, board, hosts
        self._expected = None if token is None else f"Bearer {token}".encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope)
        except RequestError as refusal:
            response = JSONResponse(refusal.content, refusal.status, refusal.headers)
            await response(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)
        finally:
            self._board.request(scope["path"], status, time.perf_counter() - started)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if self._hosts is not None and _name(headers.get("host", "")) not in self._hosts:
            raise RequestError(
                421, f"expected to be called {' or '.join(sorted(self._hosts))}, got another name."
            )
        if self._expected is None or scope["path"] in OPEN:
            return
        given = headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._expected):
            raise RequestError(401, "expected Authorization: Bearer TOKEN with the server's token.")


def _name(host: str) -> str:
    """Return a host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
