"""Results of probes among the records of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dlst.reports.document import Section, Text
from dlst.reports.items._words import anchor

Records = Sequence[Mapping[str, Any]]
Result = Mapping[str, Any]


def probe_results(records: Records, probe: str) -> dict[str, Result]:
    """Give what a probe answered, each by a name for anchors and files.

    Examples
    --------
    >>> asked = {"probe": "codes", "data": "yeast"}
    >>> record = {"kind": "probe", "probe": asked, "status": "done", "result": {"data": "yeast"}}
    >>> list(probe_results([record, record], "codes"))
    ['codes-yeast', 'codes-yeast-2']
    """
    found: dict[str, Result] = {}
    for record in records:
        asked = record.get("probe", {}).get("probe")
        if asked == probe and record["status"] == "done":
            name = anchor(probe, record["result"]["data"])
            # The same data may have been probed with several settings.
            same = sum(other == name or other.startswith(f"{name}-") for other in found)
            found[f"{name}-{same + 1}" if same else name] = record["result"]
    return found


def nothing_probed(name: str, title: str) -> list[Section]:
    """Say that no probe has ended."""
    return [Section(name, title, [Text("No probe of this run has ended well, so far.")])]
