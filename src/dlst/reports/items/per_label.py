"""What is told class by class: gains, precision and recall, and the paper's Table IV."""

from dlst.reports.items.class_gains import classes_sections, classes_verdict
from dlst.reports.items.class_precision import nuswide_sections, nuswide_verdict
from dlst.reports.items.voc_table import voc_sections, voc_verdict

__all__ = [
    "classes_sections",
    "classes_verdict",
    "nuswide_sections",
    "nuswide_verdict",
    "voc_sections",
    "voc_verdict",
]
