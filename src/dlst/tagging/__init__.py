"""Tables in, tags with probabilities and reasons out."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.tagging.explanation import TagExplanation
    from dlst.tagging.tagger import Tagger
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = ["TagExplanation", "Tagger"]
