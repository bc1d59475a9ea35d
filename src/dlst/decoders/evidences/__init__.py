"""Evidence for and against labels: regressed labels, votes of near rows, leaves, counts."""

from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.decoders.evidences.counts import CountPosterior
from dlst.decoders.evidences.direct import DirectReadout
from dlst.decoders.evidences.forests import ExtraTreesVote, RandomForestVote
from dlst.decoders.evidences.nearest_rows import K_GRID, RHO_GRID, CodeVote, FeatureVote

__all__ = [
    "K_GRID",
    "RHO_GRID",
    "CodeVote",
    "CountPosterior",
    "DirectReadout",
    "Evidence",
    "ExtraTreesVote",
    "FeatureVote",
    "RandomForestVote",
    "TrainingRows",
]
