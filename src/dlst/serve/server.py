"""Run the application: bind, load, warm up, and only then take requests."""

from __future__ import annotations

import errno
import gc
import logging
import socket
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from threadpoolctl import threadpool_limits

from dlst._files import PathLike
from dlst.errors import DataError
from dlst.serve.app import make_app
from dlst.serve.board import Board
from dlst.serve.guard import check_token, is_loopback
from dlst.serve.limits import Limits
from dlst.serve.models import load_subject
from dlst.serve.workers import run_workers

MOST_CONNECTIONS = 1000
IDLE_SECONDS = 30

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

log = logging.getLogger("uvicorn.error")


def serve(
    path: PathLike,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    limits: Limits | None = None,
    workers: int = 1,
) -> None:
    """Serve a model file until the process is stopped.

    Parameters
    ----------
    path : path-like
        Written by :func:`dlst.save_model`.
    host, port
        Where to listen.
    token : str, optional
        What clients must send; required if other machines can connect.
    limits : Limits, optional
        Limits of each request.
    workers : int
        Number of processes that answer, with one computing thread each; they share the model's
        memory.

    Examples
    --------
    >>> serve("tickets.skops", port=8000)  # doctest: +SKIP
    """
    check_token(host, token)
    # For one row, more threads cost more than they save, and workers would compete for them.
    threadpool_limits(1)
    with _bound(host, port) as listening:
        board = Board(workers)
        app = make_app(
            load_subject(path),
            name=Path(path).stem,
            limits=limits,
            token=token,
            hosts={*_LOOPBACK, host} if is_loopback(host) else None,
            board=board,
        )
        # Excluded from garbage collection, which would copy memory that the workers share.
        gc.collect()
        gc.freeze()
        config = uvicorn.Config(
            app,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
        )
        log.info("Serving at %s, with a page to try the model", address(listening))

        def answer(worker: int) -> None:
            board.take(worker)
            uvicorn.Server(config).run(sockets=[listening])

        if workers == 1:
            answer(0)
        else:
            run_workers(answer, workers)


def _bound(host: str, port: int) -> socket.socket:
    """Bind the address before the model is loaded, and refuse connections until it is."""
    taken = None
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(place)
    except OSError as error:
        if taken is not None:
            taken.close()
        of_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
        remedy = " Choose another --port; 0 takes a free one." if of_port else ""
        raise DataError(
            f"cannot listen on {host} port {port}: {error.strerror}.{remedy}"
        ) from error
    return taken


def address(listening: socket.socket) -> str:
    """Return the address of the page for a browser on this machine."""
    host, port = listening.getsockname()[:2]
    named = ip_address(host.partition("%")[0])
    if named.is_unspecified:
        return f"http://localhost:{port}/"
    return f"http://[{named}]:{port}/" if named.version == 6 else f"http://{named}:{port}/"
