"""What each kind of run says: records to sections and a verdict, by the name of the item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlst.reports.document import Section
from dlst.reports.items import (
    codes,
    comparison,
    curves,
    data_table,
    examples,
    main_table,
    per_label,
    rank_table,
    variants,
)

Records = Sequence[Mapping[str, Any]]
PlanValues = Mapping[str, Any]


@dataclass(frozen=True)
class Layout:
    """How the records of an item become sections, and two sentences."""

    sections: Callable[[Any, Any], list[Section]]
    verdict: Callable[[Any, Any], str]


LAYOUTS = {
    "table-datasets": Layout(data_table.datasets_sections, data_table.datasets_verdict),
    "table-main": Layout(main_table.sections, main_table.verdict),
    "table-variants": Layout(variants.sections, variants.verdict),
    "table-voc": Layout(per_label.voc_sections, per_label.voc_verdict),
    "table-ranks": Layout(rank_table.sections, rank_table.verdict),
    "figure-codes": Layout(codes.sections, codes.verdict),
    "figure-examples": Layout(examples.sections, examples.verdict),
    "figure-nuswide": Layout(per_label.nuswide_sections, per_label.nuswide_verdict),
    "figure-missing": Layout(curves.missing_sections, curves.missing_verdict),
    "figure-training": Layout(curves.training_sections, curves.training_verdict),
    "figure-classes": Layout(per_label.classes_sections, per_label.classes_verdict),
    "figure-lambda": Layout(curves.lambda_sections, curves.lambda_verdict),
}
"""Items of :mod:`dlst.experiments.paper`."""

COMPARISON = Layout(comparison.sections, comparison.verdict)
"""Every other run."""


def layout_of(item: str) -> Layout:
    """Give the layout of an item, or that of a plain comparison."""
    return LAYOUTS.get(item, COMPARISON)
