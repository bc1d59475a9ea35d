"""Multi-label learning through label-space transformation."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0.dev0"

# Found on first use: `import dlst` and `dlst --help` need not wait for scikit-learn.
_HOMES = {
    "DLST": "dlst.methods",
    "DLST1": "dlst.methods",
    "DLST2": "dlst.methods",
    "LabelSpaceClassifier": "dlst.methods",
    "LiteralDLST": "dlst.methods",
    "MLkNN": "dlst.methods",
    "PaperDLST": "dlst.methods",
    "Tagger": "dlst.tagging",
    "load_model": "dlst.persistence",
    "save_model": "dlst.persistence",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dlst' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
