"""A run as a document: what its item says, its latent maps, its failures, where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dlst.reports.document import Document, LatentMap, Section, Text
from dlst.reports.layouts import layout_of
from dlst.reports.provenance import failure_section, provenance_section, run_facts
from dlst.reports.run import Run

NOTHING_YET = "The run has no finished cell yet."


def build_document(
    records: Iterable[Mapping[str, Any]], plan: Mapping[str, Any] | None = None
) -> Document:
    """Return the report of a run; parameters are those of :class:`~dlst.reports.Run`.

    A plan's ``item`` says how it is laid out: see :func:`~dlst.reports.register_layout`.
    """
    run = Run(records, plan)
    layout = layout_of(str(run.plan.get("item", "")))
    has_ended = any(each["status"] == "done" for each in run.records if each["kind"] != "tune")
    return Document(
        title=str(run.plan.get("name") or "Comparison"),
        verdict=layout.verdict(run) if has_ended else NOTHING_YET,
        facts=run_facts(run),
        sections=[
            *(layout.sections(run) if has_ended else []),
            *_map_section(run),
            failure_section(run.records),
            provenance_section(run),
        ],
    )


def _map_section(run: Run) -> list[Section]:
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
    return [Section("latent-map", "Latent map", [Text(words), *maps])]
