"""Name, suffix and provenance of a file."""

from __future__ import annotations

from pathlib import Path

from dlst._files import PathLike
from dlst.data.dataset import Provenance


def name_of(path: PathLike) -> str:
    """Return the file's name without its suffix, ``.gz`` included.

    Examples
    --------
    >>> name_of("folder/yeast.svm.gz")
    'yeast'
    """
    path = Path(path)
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def suffix_of(path: PathLike) -> str:
    """Return the file's suffix in small letters, ``.gz`` aside.

    Examples
    --------
    >>> suffix_of("folder/Yeast.CSV.gz")
    '.csv'
    """
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix


def origin_of(path: PathLike, *notes: str) -> Provenance:
    """Return the provenance of data that come from one file; the front door adds its hash."""
    return Provenance(source=str(path), notes=notes)
