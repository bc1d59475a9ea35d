"""Plans carried out: methods fitted, measured and told as plain values."""

from dlst.experiments.demo import DEMO_METHODS, run_demo
from dlst.experiments.demo_result import (
    COLUMNS,
    Column,
    DemoResult,
    LatentMap,
    Neighbour,
    Reason,
    Row,
    ShownImage,
)
from dlst.experiments.plan import Cell, Plan, Source, Variant, plan_of, read_plan
from dlst.experiments.probes import register_probe
from dlst.experiments.records import RecordFolder
from dlst.experiments.runner import Limits, run

__all__ = [
    "COLUMNS",
    "DEMO_METHODS",
    "Cell",
    "Column",
    "DemoResult",
    "LatentMap",
    "Limits",
    "Neighbour",
    "Plan",
    "Reason",
    "RecordFolder",
    "Row",
    "ShownImage",
    "Source",
    "Variant",
    "plan_of",
    "read_plan",
    "register_probe",
    "run",
    "run_demo",
]
