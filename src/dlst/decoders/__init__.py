"""Codes back to labels: each decoder turns codes into probabilities, and says why where it can."""

from dlst.decoders._inputs import clipped_logit
from dlst.decoders.decisions import Decision, DecisionRule
from dlst.decoders.evidence import EvidenceDecoder
from dlst.decoders.explanation import Explanation, NeighbourVotes
from dlst.decoders.linear import LinearDecoder
from dlst.decoders.mlknn import MLkNNDecoder
from dlst.decoders.neighbour_votes import CodeVote, FeatureVote
from dlst.decoders.readout import DirectReadout
from dlst.decoders.training import Evidence, Training
from dlst.decoders.vote import VoteDecoder

__all__ = [
    "CodeVote",
    "Decision",
    "DecisionRule",
    "DirectReadout",
    "Evidence",
    "EvidenceDecoder",
    "Explanation",
    "FeatureVote",
    "LinearDecoder",
    "MLkNNDecoder",
    "NeighbourVotes",
    "Training",
    "VoteDecoder",
    "clipped_logit",
]
