"""`dlst serve`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from dlst._threads import VARIABLES
from dlst.errors import DataError


def serve(
    model_file: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A file that `dlst fit` wrote.")
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond loopback a token is required.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="DLST_TOKEN",
            help="What clients must send as `Authorization: Bearer TOKEN`. Others on this machine "
            "see options, but not the environment.",
        ),
    ] = None,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows in one request.")] = 1000,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes in one request.")] = 8 * 2**20,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for one request.")] = 30.0,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes, each with the model in memory.")
    ] = 1,
) -> None:
    """Answer rows over HTTP with tags, probabilities and reasons; `/` is a page to try it on."""
    # More threads for one row cost more than they save, and workers would fight for processors.
    for variable in VARIABLES:
        os.environ[variable] = "1"
    try:
        from dlst.serve import Limits
        from dlst.serve import serve as serve_model
    except ModuleNotFoundError as error:
        raise DataError(
            f"serving needs the package {error.name}. Install it: pip install 'dlst[serve]'."
        ) from error
    limits = Limits(rows=max_rows, body=max_body, seconds=timeout)
    serve_model(model_file, host=host, port=port, token=token, limits=limits, workers=workers)
