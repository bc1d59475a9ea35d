"""What speaks for and against labels: labels regressed directly, and votes of the nearest rows."""

from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.decoders.evidences.direct import DirectReadout
from dlst.decoders.evidences.nearest_rows import K_GRID, RHO_GRID, CodeVote, FeatureVote

__all__ = [
    "K_GRID",
    "RHO_GRID",
    "CodeVote",
    "DirectReadout",
    "Evidence",
    "FeatureVote",
    "TrainingRows",
]
