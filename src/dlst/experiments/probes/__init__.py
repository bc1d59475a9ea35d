"""Questions about a data set that no score answers: a function each, plain values out.

A plan's ``probes`` are mappings with ``probe`` (a name below), ``data``, optionally ``options`` for
the reader, and the settings of the probe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from dlst.data import Dataset, load
from dlst.errors import PlanError

Probe = Callable[[Dataset, Mapping[str, Any]], dict[str, Any]]
"""Takes data and the settings of a plan, and returns plain values."""

_ADDRESSES = {
    "describe": "dlst.experiments.probes.describe:describe",
    "map": "dlst.experiments.probes.latent_map:latent_map",
}
"""Where each probe lives; imported when it is asked for."""


def register_probe(name: str, address: str) -> None:
    """Let plans ask for a probe of one's own.

    Parameters
    ----------
    name : str
        As plans call it.
    address : str
        ``package.module:function``; the process that carries the probe out imports it.

    Examples
    --------
    >>> register_probe("sizes", "mypackage.probes:sizes")  # doctest: +SKIP
    """
    _ADDRESSES[name] = address


def address_of(given: Mapping[str, Any]) -> str:
    """Say where the probe that a plan asks for lives."""
    check_probe(given)
    return _ADDRESSES[given["probe"]]


def check_probe(given: Mapping[str, Any]) -> None:
    """Refuse what names no probe or no data."""
    name = given.get("probe")
    if name not in _ADDRESSES:
        raise PlanError(f"probe must be among {', '.join(_ADDRESSES)}; got {name!r}.")
    if not given.get("data"):
        raise PlanError(f"the probe {name} must say its data.")


def answer(given: Mapping[str, Any], address: str) -> dict[str, Any]:
    """Carry a probe out; its address is given, for this process need not know all probes."""
    module, function = address.split(":")
    probe: Probe = getattr(import_module(module), function)
    data = load(given["data"], download=False, raw=True, **given.get("options", {}))
    settings = {key: given[key] for key in given if key not in ("probe", "data", "options")}
    return probe(data, settings)
