"""Tables, texts and pictures to features: fitted on training rows, saved inside the model."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.inputs.cells import CellError
    from dlst.inputs.frames import as_frame
    from dlst.inputs.images import ImageDescriptor, ImageError, PretrainedImages
    from dlst.inputs.kinds import GIVEN_AS, Column
    from dlst.inputs.notes import InputNote, Tally
    from dlst.inputs.table import TableEncoder
    from dlst.inputs.text import WordFeatures
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "GIVEN_AS",
    "CellError",
    "Column",
    "ImageDescriptor",
    "ImageError",
    "InputNote",
    "PretrainedImages",
    "TableEncoder",
    "Tally",
    "WordFeatures",
    "as_frame",
]
