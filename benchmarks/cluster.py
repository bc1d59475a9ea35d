"""DLST on a local cluster of two processes beside the same fit in memory: time and traffic."""

from __future__ import annotations

import pickle
from typing import Any

import dask
import dask.array as da
import numpy as np
from _table import Case, keep, spent

from dlst import DLST
from dlst.distributed import connected

ROWS, FEATURES, LABELS, BASIS = (5_000, 20_000), 50, 30, 500


def problem(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    W = np.random.default_rng(0).normal(size=(FEATURES, LABELS))
    X = rng.normal(size=(n, FEATURES))
    return X, (X @ W + 4.0 * rng.normal(size=(n, LABELS)) > 9.0).astype(np.int8)


def dlst() -> Any:
    return DLST(random_state=0, n_jobs=1).set_params(regressor__n_basis=BASIS)


class Received:
    """Bytes of what ``dask.compute`` brings to the client."""

    def __init__(self) -> None:
        self.bytes, self._compute = 0, dask.compute

    def __enter__(self) -> Received:
        dask.compute = self._weighed
        return self

    def __exit__(self, *_: object) -> None:
        dask.compute = self._compute

    def _weighed(self, *asked: Any, **options: Any) -> Any:
        found = self._compute(*asked, **options)
        self.bytes += len(pickle.dumps(found))
        return found


def measured(n: int) -> Case:
    X, Y = problem(n, 1)
    new, _ = problem(1_000, 2)
    alone = spent(lambda: dlst().fit(X, Y))
    chunks = (n // 8, -1)
    lazy = da.from_array(X, chunks=chunks), da.from_array(Y, chunks=chunks)
    with Received() as received:
        there = spent(lambda: dlst().fit(*lazy))
    gap = np.abs(there.result.predict_proba(new) - alone.result.predict_proba(new)).max()
    dense = (X.nbytes + 8 * Y.size) / 2**20
    return Case(
        f"fit, n = {n:,}, d = {FEATURES}, K = {LABELS}, basis {BASIS}",
        target="equal to 1e-6",
        ours=f"{there.wall:.1f} s on two workers",
        peer=f"in memory, one thread: {alone.wall:.1f} s",
        ratio=there.wall / alone.wall,
        wall=there.wall,
        quality=f"largest difference of probabilities {gap:.0e}; {received.bytes / 2**20:.1f} MiB "
        f"came to the client, X and an n by K array have {dense:.1f}",
        met=bool(gap <= 1e-6),
    )


def main() -> None:
    with connected(n_workers=2):
        dlst().fit(*(da.from_array(each, chunks=(100, -1)) for each in problem(400, 3)))
        cases = [measured(n) for n in ROWS]
    note = (
        "Two worker processes with one thread each, compared with one process with one thread, on "
        "the same two cores. The rows come from the client's memory here, so the cost of sending "
        "them to the workers is included."
    )
    keep("cluster", "On a cluster", cases, note)


if __name__ == "__main__":
    main()
