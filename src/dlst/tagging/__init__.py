"""Tables in, tags with probabilities and reasons out."""

from dlst.tagging.explanation import TagExplanation
from dlst.tagging.tagger import Tagger

__all__ = ["TagExplanation", "Tagger"]
