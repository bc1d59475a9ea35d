"""Anybody may lay out runs, and ask new questions of data, without a word in this package."""

from __future__ import annotations

import pytest
from run_records import scored

from dlst.errors import PlanError
from dlst.experiments import Plan, register_probe
from dlst.experiments.probes import _ADDRESSES, address_of
from dlst.reports import build_document, register_layout, report
from dlst.reports.document import Section, Text


class Second:
    """The layout of another paper."""

    def sections(self, run):
        return [Section("own", "Our own", [Text(f"{len(run.evaluated)} cells")])]

    def verdict(self, run):
        return f"{run.title('dlst')} is fine."


def test_a_registered_layout_tells_the_runs_of_its_item(monkeypatch):
    monkeypatch.setattr(report, "_LAYOUTS", {})
    register_layout("second-table", Second())
    document = build_document([scored("scene", "dlst", 0.7)], {"item": "second-table"})
    assert document.verdict == "DLST is fine."
    assert document.sections[0].blocks == [Text("1 cells")]
    plain = build_document([scored("scene", "dlst", 0.7)], {"item": "unknown"})
    assert plain.sections[0].name == "scores"


def test_a_registered_probe_may_be_asked_for(monkeypatch):
    asked = {"probe": "second", "data": "scene"}
    with pytest.raises(PlanError, match="probe must be among"):
        Plan(probes=[asked])
    monkeypatch.setitem(_ADDRESSES, "second", "")
    register_probe("second", "their.package:probe")
    assert address_of(Plan(probes=[asked]).probes[0]) == "their.package:probe"
