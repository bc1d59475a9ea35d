"""What a worker is given, and the key by which its record is found again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dlst.experiments.plan import Cell, stable_key
from dlst.experiments.probes import address_of

Kind = Literal["evaluate", "tune", "probe"]


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
        about = dict(self.probe) if self.cell is None else self.cell.as_dict()
        name = stable_key([self.kind, about, self.data_sha256, self.chosen])
        return name if self.kind == "evaluate" else f"{self.kind}-{name}"

    @property
    def body(self) -> dict[str, Any]:
        """What the record says of the task."""
        about = {"probe": dict(self.probe)} if self.cell is None else {"cell": self.cell.as_dict()}
        return {"kind": self.kind, **about, "data_sha256": self.data_sha256}

    @property
    def message(self) -> dict[str, Any]:
        """What the worker needs."""
        address = address_of(self.probe) if self.cell is None else None
        return {**self.body, "chosen": self.chosen, "address": address}


def source_of(about: Cell | Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Give the data of a cell or probe, and the options of their reader."""
    if isinstance(about, Cell):
        return about.data, about.protocol.get("options") or {}
    return about["data"], about.get("options") or {}
