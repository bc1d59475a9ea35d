"""Multi-label learning through label-space transformation."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from dlst.methods import (
        DLST,
        DLST1,
        DLST2,
        LabelSpaceClassifier,
        LiteralDLST,
        MLkNN,
        PaperDLST,
    )
    from dlst.persistence import load_model, save_model
    from dlst.tagging import Tagger
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "DLST",
    "DLST1",
    "DLST2",
    "LabelSpaceClassifier",
    "LiteralDLST",
    "MLkNN",
    "PaperDLST",
    "Tagger",
    "__version__",
    "load_model",
    "save_model",
]
