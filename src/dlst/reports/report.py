"""A run as a document: what its item says, its latent maps, its failures, where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dlst.reports.document import Document, LatentMap, Section, Text
from dlst.reports.items import layout_of
from dlst.reports.provenance import failure_section, provenance_section, run_facts

NOTHING_YET = "The run has no finished cell yet."


def build_document(records: Sequence[Mapping[str, Any]], plan: Mapping[str, Any]) -> Document:
    """Return the report of a run.

    Parameters
    ----------
    records : sequence of mapping
        As :meth:`dlst.experiments.RecordFolder.read` gives them.
    plan : mapping
        As :meth:`dlst.experiments.RecordFolder.plan` gives it.
    """
    layout = layout_of(str(plan.get("item", "")))
    told = [record for record in records if record["status"] == "done"]
    own = [record for record in told if record.get("kind") != "tune"]
    sections = layout.sections(list(records), dict(plan)) if own else []
    return Document(
        title=str(plan.get("name") or "Comparison"),
        verdict=layout.verdict(list(records), dict(plan)) if own else NOTHING_YET,
        facts=run_facts(records, plan),
        sections=[
            *sections,
            *_map_section(told),
            failure_section(records),
            provenance_section(records, plan),
        ],
    )


def _map_section(records: Sequence[Mapping[str, Any]]) -> list[Section]:
    maps = [
        LatentMap(
            name=f"map-{record['probe']['data'].rsplit('/', 1)[-1].replace('.', '-').lower()}",
            title=f"{record['result']['data']}: codes of {record['result']['method']}",
            result=record["result"],
        )
        for record in records
        if record.get("kind") == "probe" and record["probe"]["probe"] == "map"
    ]
    if not maps:
        return []
    words = (
        "Every test row has a predicted code; rows with like labels lie close. This is the plane "
        "in which the codes vary most. Choose a label to colour by it; click a row to see which "
        "training rows vote on it and how its labels come about."
    )
    return [Section("latent-map", "Latent map", [Text(words), *maps])]
