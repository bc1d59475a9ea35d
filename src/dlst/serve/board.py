"""Request counts in the format of Prometheus, added up over worker processes."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

PATHS = ("/", "/health", "/metrics", "/model", "/openapi.json", "/predict", "other")
STATUSES = (200, 400, 401, 404, 405, 408, 413, 415, 421, 422, 500, 503, 0)
"""Counted statuses; 0 stands for all others."""

BOUNDS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram's bins, in seconds."""

_REQUESTS = len(PATHS) * len(STATUSES)
_CLASSES = slice(_REQUESTS, _REQUESTS + len(BOUNDS) + 1)
_SECONDS, _ROWS, _SIZE = _CLASSES.stop, _CLASSES.stop + 1, _CLASSES.stop + 2


class Board:
    """Counts of each worker process, written only by itself and added up by any process.

    Parameters
    ----------
    workers : int
        Number of processes that will be forked from this one and share the board.
    """

    def __init__(self, workers: int = 1):
        memory = mmap.mmap(-1, workers * _SIZE * 8)
        self._counts = np.frombuffer(memory, dtype=np.float64).reshape(workers, _SIZE)
        self.take(0)

    def take(self, worker: int) -> None:
        """Write the counts of this worker; a replacement continues those of its predecessor."""
        self._mine = self._counts[worker]

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count one request, and the time of one for predictions."""
        path_place = PATHS.index(path if path in PATHS else "other")
        status_place = STATUSES.index(status if status in STATUSES else 0)
        self._mine[path_place * len(STATUSES) + status_place] += 1
        if path == "/predict":
            self._mine[_REQUESTS + int(np.searchsorted(BOUNDS, seconds))] += 1
            self._mine[_SECONDS] += seconds

    def rows(self, count: int) -> None:
        """Count rows that were answered."""
        self._mine[_ROWS] += count

    def exposition(self, about: Mapping[str, str]) -> str:
        """Return all counts in the text format of Prometheus."""
        return "\n".join(_lines(self._counts.sum(axis=0), about)) + "\n"


def _lines(counts: NDArray[np.float64], about: Mapping[str, str]) -> Iterator[str]:
    labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in about.items())
    yield "# HELP dlst_model_info The model that answers."
    yield "# TYPE dlst_model_info gauge"
    yield f"dlst_model_info{{{labels}}} 1"
    yield "# HELP dlst_requests_total Requests by path and HTTP status."
    yield "# TYPE dlst_requests_total counter"
    for place in np.flatnonzero(counts[:_REQUESTS]).tolist():
        path, status = PATHS[place // len(STATUSES)], STATUSES[place % len(STATUSES)]
        status_told = str(status) if status else "other"
        yield f'dlst_requests_total{{path="{path}",status="{status_told}"}} {counts[place]:.0f}'
    yield "# HELP dlst_rows_total Rows answered."
    yield "# TYPE dlst_rows_total counter"
    yield f"dlst_rows_total {counts[_ROWS]:.0f}"
    yield "# HELP dlst_predict_seconds From the arrival of a request for tags to its answer."
    yield "# TYPE dlst_predict_seconds histogram"
    below = np.cumsum(counts[_CLASSES])
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), below, strict=True):
        yield f'dlst_predict_seconds_bucket{{le="{bound}"}} {count:.0f}'
    yield f"dlst_predict_seconds_sum {counts[_SECONDS]:.6f}"
    yield f"dlst_predict_seconds_count {below[-1]:.0f}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
