"""Plans and their runs: methods fitted and measured, a record for each cell."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.experiments.demo import demo_plan
    from dlst.experiments.plan import Cell, Plan, Source, Variant, plan_of, read_plan
    from dlst.experiments.probes import register_probe
    from dlst.experiments.records import RecordFolder
    from dlst.experiments.runner import run
    from dlst.experiments.tasks import Limits
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "Cell",
    "Limits",
    "Plan",
    "RecordFolder",
    "Source",
    "Variant",
    "demo_plan",
    "plan_of",
    "read_plan",
    "register_probe",
    "run",
]
