"""Official folders as they are unpacked: Pascal VOC 2007, NUS-WIDE, SUN attribute.

The labels are needed; features are optional, and without them ``X`` has no columns.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlst._files import PathLike
from dlst.data._options import check_options, options_of
from dlst.data.dataset import Dataset
from dlst.data.layouts.nuswide import find_nuswide_labels, read_nuswide
from dlst.data.layouts.sun import find_sunattribute, read_sunattribute
from dlst.data.layouts.voc import find_voc2007, read_voc2007
from dlst.errors import ReadError

__all__ = ["detect_layout", "read_layout", "read_nuswide", "read_sunattribute", "read_voc2007"]

_LAYOUTS: dict[str, tuple[Callable[[Path], object | None], Callable[..., Dataset]]] = {
    "voc": (find_voc2007, read_voc2007),
    "nus-wide": (find_nuswide_labels, read_nuswide),
    "sun": (find_sunattribute, read_sunattribute),
}


def detect_layout(folder: PathLike) -> str | None:
    """Name the layout of a folder: ``"voc"``, ``"nus-wide"``, ``"sun"``, or None.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    str or None

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as empty:
    ...     print(detect_layout(empty))
    None
    """
    for name, (find, _) in _LAYOUTS.items():
        if find(Path(folder)) is not None:
            return name
    return None


def read_layout(folder: PathLike, layout: str | None = None, **options: Any) -> Dataset:
    r"""Read a folder in a known layout.

    Parameters
    ----------
    folder : path-like
        The unpacked folder.
    layout : {"voc", "nus-wide", "sun"}, optional
        Default: what :func:`detect_layout` finds.
    **options
        Passed to :func:`read_voc2007`, :func:`read_nuswide` or :func:`read_sunattribute`.

    Returns
    -------
    Dataset

    Raises
    ------
    ReadError
        When the folder has none of the layouts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "label_ids.txt").write_text("0\tsky\n1\tsea\n")
    >>> _ = (folder / "mul_label_ids.txt").write_text("0\t0 1\n2\t1\n")
    >>> read_layout(folder, n_images=3).Y.toarray().tolist()
    [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]]
    """
    layout = layout or detect_layout(folder)
    if layout is None:
        raise ReadError(
            folder,
            "expected the folder of Pascal VOC 2007 (ImageSets/Main), NUS-WIDE (Groundtruth or "
            "mul_label_ids.txt) or SUN attribute (attributeLabels_continuous.mat), got none of "
            "them. Give the folder in which the official archive was unpacked.",
        )
    if layout not in _LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(_LAYOUTS)}; got {layout!r}.")
    reader = _LAYOUTS[layout][1]
    check_options(layout, options_of(reader), options)
    return reader(folder, **options)
