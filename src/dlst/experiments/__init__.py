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

__all__ = [
    "COLUMNS",
    "DEMO_METHODS",
    "Column",
    "DemoResult",
    "LatentMap",
    "Neighbour",
    "Reason",
    "Row",
    "ShownImage",
    "run_demo",
]
