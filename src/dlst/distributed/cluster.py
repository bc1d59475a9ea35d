"""Connections to a cluster: a running one, or processes of this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from dlst.errors import DataError, RunError

CONNECT_SECONDS = 10.0


@contextmanager
def connected(address: str | None = None, n_workers: int | None = None) -> Iterator[Any]:
    """Yield a client of the scheduler at an address, or of a local cluster of processes.

    Parameters
    ----------
    address : str, optional
        Address of a scheduler, such as ``tcp://10.0.0.1:8786``.
    n_workers : int, optional
        Number of local processes, each with one thread; ended when the client is closed.

    Yields
    ------
    distributed.Client

    Raises
    ------
    DataError
        If Dask is not installed.
    RunError
        If no scheduler answers at the address.

    See Also
    --------
    dlst.methods.DLST.fit : takes Dask arrays.
    dlst.experiments.run : carries out a plan on a cluster.

    Examples
    --------
    >>> with connected(n_workers=2) as client:  # doctest: +SKIP
    ...     print(client.scheduler_info()["n_workers"])
    2
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise DataError(
            f"a cluster needs the package {error.name}. Install it: pip install 'dlst[dask]'."
        ) from error
    with ExitStack() as opened:
        if address is None:
            # A killed worker is noticed by its unfinished tasks, not by log lines.
            cluster = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
            opened.enter_context(cluster)
            yield opened.enter_context(Client(cluster))
            return
        try:
            client = Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise RunError(
                f"no Dask scheduler answers at {address}: {error}. Start one with "
                "`dask scheduler`, and give the address that it prints."
            ) from error
        yield opened.enter_context(client)
