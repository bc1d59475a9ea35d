"""A run as a document: its layout, its latent maps, its failures, its provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from dlst.reports import comparison
from dlst.reports.document import Document, Explained, LatentMap, Section, Text
from dlst.reports.frames import record_title
from dlst.reports.provenance import failure_section, provenance_section, run_facts
from dlst.reports.run import Run, short_name
from dlst.reports.words import listed

MOST_NAMED = 4
"""More methods or data sets than these are counted in a title, not named."""

N_EXPLAINED = 12
NOTHING_YET = "The run has no finished cell yet."


class Layout(Protocol):
    """What turns a run into sections, and into two sentences.

    Examples
    --------
    >>> from dlst.reports import comparison
    >>> [name for name in ("sections", "verdict") if callable(getattr(comparison, name))]
    ['sections', 'verdict']
    """

    def sections(self, run: Run, /) -> list[Section]:
        """Return what the report shows."""

    def verdict(self, run: Run, /) -> str:
        """Say what the records mean."""


_LAYOUTS: dict[str, Layout] = {}


def register_layout(item: str, layout: Layout) -> None:
    """Lay out every run whose plan has this ``item`` in one's own way.

    Parameters
    ----------
    item : str
        As in :class:`dlst.experiments.Plan`.
    layout : Layout
        Any object with ``sections`` and ``verdict``.

    Examples
    --------
    >>> register_layout("our-table", OurLayout())  # doctest: +SKIP
    """
    _LAYOUTS[item] = layout


def build_document(
    records: Iterable[Mapping[str, Any]], plan: Mapping[str, Any] | None = None
) -> Document:
    """Return the report of a run; parameters are those of :class:`~dlst.reports.Run`.

    A plan's ``item`` says how it is laid out: see :func:`~dlst.reports.register_layout`.

    Parameters
    ----------
    records, plan
        As in :class:`~dlst.reports.Run`.

    Returns
    -------
    Document

    Examples
    --------
    >>> build_document([]).verdict
    'The run has no finished cell yet.'
    """
    run = Run(records, plan)
    layout = _LAYOUTS.get(str(run.plan.get("item", "")), comparison)
    has_ended = any(each["status"] == "done" for each in run.records if each["kind"] != "tune")
    return Document(
        title=str(run.plan.get("name") or run_title(run)),
        verdict=layout.verdict(run) if has_ended else NOTHING_YET,
        facts=run_facts(run),
        sections=[
            *(layout.sections(run) if has_ended else []),
            *_map_sections(run),
            failure_section(run.records),
            provenance_section(run),
        ],
    )


def run_title(run: Run) -> str:
    """Name a run by its methods and its data."""
    titles = dict.fromkeys(record_title(record) for record in run.evaluated)
    data = dict.fromkeys(short_name(record["cell"]["data"]) for record in run.evaluated)
    if not titles:
        return "Probes"
    methods = listed(titles) if len(titles) <= MOST_NAMED else f"{len(titles)} methods"
    return f"{methods} on {listed(data) if len(data) <= MOST_NAMED else f'{len(data)} data sets'}"


def _map_sections(run: Run) -> list[Section]:
    maps = [
        LatentMap(name, f"{result['data']}: codes of {result['method']}", result)
        for name, result in run.probes("map").items()
    ]
    if not maps:
        return []
    words = (
        "Every test row has a predicted code; rows with like labels lie close. This is the plane "
        "in which the codes vary most. Choose a label to colour by it; click a row to see which "
        "training rows vote on it and how its labels come about."
    )
    pictured = [each for each in maps if each.result.get("images")]
    return [
        Section("latent-map", "Latent map", [Text(words), *maps]),
        *([_explained_section(pictured)] if pictured else []),
    ]


def _explained_section(maps: list[LatentMap]) -> Section:
    words = (
        "Test rows at even distances, which nobody picked, from pixels to labels: the training "
        "rows whose codes lie nearest, and the terms that add up to the logit of each label."
    )
    blocks = []
    for each in maps:
        n = len(each.result["test"])
        rows = list(range(0, n, max(1, n // N_EXPLAINED)))[:N_EXPLAINED]
        blocks.append(Explained(f"{each.name}-explained", each.title, each, rows))
    return Section("explained", "Rows explained", [Text(words), *blocks])
