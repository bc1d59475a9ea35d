"""Questions about a data set that no score answers: a function each, plain values out.

A plan's ``probes`` are mappings with ``probe`` (a name below), ``data``, optionally ``options`` for
the reader, and the settings of the probe.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from dlst.data import Dataset, load
from dlst.errors import PlanError

PROBES = {
    "describe": "dlst.experiments.probes.describe:describe",
    "codes": "dlst.experiments.probes.codes:codes",
    "examples": "dlst.experiments.probes.examples:examples",
    "map": "dlst.experiments.probes.map:latent_map",
}
"""Where each probe lives; imported when it is asked for."""


class Probe(Protocol):
    """What a probe is."""

    def __call__(self, data: Dataset, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return plain values."""


def check_probe(given: Mapping[str, Any]) -> None:
    """Refuse what names no probe or no data."""
    name = given.get("probe")
    if name not in PROBES:
        raise PlanError(f"probe must be among {', '.join(PROBES)}; got {name!r}.")
    if not given.get("data"):
        raise PlanError(f"the probe {name} must say its data.")


def answer(given: Mapping[str, Any]) -> dict[str, Any]:
    """Carry a probe out."""
    check_probe(given)
    module, function = PROBES[given["probe"]].split(":")
    probe: Probe = getattr(import_module(module), function)
    data = load(given["data"], download=False, **given.get("options", {}))
    settings = {key: given[key] for key in given if key not in ("probe", "data", "options")}
    return probe(data, settings)
