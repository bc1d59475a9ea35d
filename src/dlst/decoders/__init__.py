"""Decoders: codes to probabilities of labels, explained where that is possible."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.decoders._base import CodeDecoder
    from dlst.decoders._inputs import clipped_logit
    from dlst.decoders.classifier import ClassifierDecoder, as_decoder
    from dlst.decoders.evidence import EvidenceDecoder
    from dlst.decoders.evidences import (
        CodeVote,
        CountPosterior,
        DirectReadout,
        Evidence,
        ExtraTreesVote,
        FeatureVote,
        RandomForestVote,
        TrainingRows,
    )
    from dlst.decoders.inverse import InverseDecoder
    from dlst.decoders.linear import LinearDecoder
    from dlst.decoders.mlknn import MLkNNDecoder
    from dlst.decoders.shortlist import ShortlistDecoder
    from dlst.decoders.staged import StagedDecoder
    from dlst.decoders.vote import VoteDecoder
    from dlst.explanation import Explanation, NeighbourVotes
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "ClassifierDecoder",
    "CodeDecoder",
    "CodeVote",
    "CountPosterior",
    "DirectReadout",
    "Evidence",
    "EvidenceDecoder",
    "Explanation",
    "ExtraTreesVote",
    "FeatureVote",
    "InverseDecoder",
    "LinearDecoder",
    "MLkNNDecoder",
    "NeighbourVotes",
    "RandomForestVote",
    "ShortlistDecoder",
    "StagedDecoder",
    "TrainingRows",
    "VoteDecoder",
    "as_decoder",
    "clipped_logit",
]
