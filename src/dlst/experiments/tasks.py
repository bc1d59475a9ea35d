"""Tasks of workers, their limits, and the keys of their records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from dlst._parameters import integer, number
from dlst.experiments.plan import Cell, stable_key
from dlst.experiments.probes import address_of

Kind = Literal["evaluate", "tune", "probe"]


@dataclass(frozen=True)
class Limits:
    """What a cell may take.

    Attributes
    ----------
    seconds : float
        Of wall time, tuning included.
    memory_mib : float or None
        Beyond what Python and the libraries take; where the system can limit it.
    jobs : int
        Cells at a time.
    threads : int, optional
        Of the numeric libraries in each cell; by default the cores divided among the jobs. On a
        busy machine one is faster than two: threads that wait for each other wait long.

    Raises
    ------
    ValueError
        For what is no positive number.

    Examples
    --------
    >>> Limits(seconds=600, jobs=2).memory_mib is None
    True
    """

    seconds: float = 3600.0
    memory_mib: float | None = None
    jobs: int = 1
    threads: int | None = None

    def __post_init__(self) -> None:
        number(above=0).check("seconds", self.seconds)
        integer(at_least=1).check("jobs", self.jobs)
        if self.memory_mib is not None:
            number(above=0).check("memory_mib", self.memory_mib)
        if self.threads is not None:
            integer(at_least=1).check("threads", self.threads)


@dataclass(frozen=True)
class Task:
    """A cell to evaluate, a cell to tune once for the cells like it, or a probe."""

    kind: Kind
    cell: Cell | None = None
    probe: Mapping[str, Any] = field(default_factory=dict)
    data_sha256: str = ""
    """:func:`~dlst.data.fingerprint` of its data."""
    chosen: Mapping[str, Any] | None = None
    """Parameters that were tuned before."""

    @property
    def key(self) -> str:
        """Key of the record: all that its numbers depend on, but for the code."""
        about = dict(self.probe) if self.cell is None else asdict(self.cell)
        name = stable_key([self.kind, about, self.data_sha256, self.chosen])
        return name if self.kind == "evaluate" else f"{self.kind}-{name}"

    @property
    def body(self) -> dict[str, Any]:
        """What the record says of the task."""
        about = {"probe": dict(self.probe)} if self.cell is None else {"cell": asdict(self.cell)}
        return {"kind": self.kind, **about, "data_sha256": self.data_sha256}

    @property
    def message(self) -> dict[str, Any]:
        """What the worker needs."""
        address = address_of(self.probe) if self.cell is None else None
        return {**self.body, "chosen": self.chosen, "address": address}


def source_of(about: Cell | Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the data of a cell or probe, and the options of their reader."""
    if isinstance(about, Cell):
        return about.data, about.protocol.get("options") or {}
    return about["data"], about.get("options") or {}
