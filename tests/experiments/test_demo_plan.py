"""The demo is a plan like any other."""

from __future__ import annotations

from dlst.experiments import demo_plan, plan_of
from dlst.experiments.demo import METHODS


def test_the_demo_fits_all_methods_on_the_official_split_and_maps_the_first():
    plan = demo_plan(seed=3)
    assert [cell.method for cell in plan.cells()] == list(METHODS)
    assert {(cell.split, cell.seed) for cell in plan.cells()} == {("official", 3)}
    assert all(cell.protocol["per_row"] for cell in plan.cells())
    # The map is of the model that is measured: nothing is fitted twice.
    assert {cell.protocol["map"]["method"] for cell in plan.cells()} == {METHODS[0]}
    assert not plan.probes
    assert plan_of(plan.as_dict()) == plan
    assert demo_plan(rows=(20, 10)).cells()[0].protocol["rows"] == [20, 10]
