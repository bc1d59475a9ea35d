"""Pascal VOC 2007: ``VOCdevkit/VOC2007/ImageSets/Main/<class>_<trainval|test>.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dlst._files import PathLike
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.data.dataset import Dataset, Split
from dlst.data.layouts._common import first_existing, provenance_of
from dlst.data.layouts.features import SUFFIXES, read_features
from dlst.data.text.number_lines import read_columns
from dlst.errors import ReadError

CLASSES = (
    "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
    "diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train",
    "tvmonitor",
)  # fmt: skip

Difficult = Literal["present", "ignore", "absent"]

_VALUE_OF_DIFFICULT = {"present": 1.0, "ignore": np.nan, "absent": 0.0}
_MAIN = (".", "ImageSets/Main", "VOC2007/ImageSets/Main", "VOCdevkit/VOC2007/ImageSets/Main")


def read_voc2007(
    folder: PathLike,
    *,
    difficult: Difficult = "present",
    features: PathLike | None = None,
) -> Dataset:
    r"""Read the image-level labels of VOC 2007, with features when there are some.

    Parameters
    ----------
    folder : path-like
        ``VOCdevkit``, ``VOC2007``, the folder that holds either, or the folder of the class files.
    difficult : {"present", "ignore", "absent"}
        What an image counts as whose only objects of a class are marked difficult (0 in the
        files): ``"present"`` gives the paper's cardinality of 1.560; ``"ignore"`` makes the entry
        unknown, so that metrics do not judge it, as in the official evaluation.
    features : path-like, optional
        File of shape (n, d) in the order of the image numbers, or text keyed by an ``id`` column
        (see :func:`dlst.data.layouts.features.read_features`). Default: ``features.npy``,
        ``.mat``, ``.csv``, ``.tsv``, ``.txt`` or ``.dat`` in the folder, if any.

    Returns
    -------
    Dataset
        Rows in the order of the image numbers; the split is trainval against test. Without test
        files there is no split.

    References
    ----------
    Everingham, Van Gool, Williams, Winn, Zisserman (2010). The Pascal visual object classes
    (VOC) challenge.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in CLASSES:
    ...     _ = (folder / f"{name}_trainval.txt").write_text("000005 -1\n000007  1\n")
    >>> read_voc2007(folder).Y.shape
    (2, 20)
    """
    if difficult not in _VALUE_OF_DIFFICULT:
        raise ValueError(
            f"difficult must be one of {', '.join(_VALUE_OF_DIFFICULT)}; got {difficult!r}."
        )
    folder = Path(folder)
    main = find_voc2007(folder)
    if main is None:
        raise ReadError(
            folder,
            "expected class files such as ImageSets/Main/aeroplane_trainval.txt, got none.",
        )
    sides = ["trainval", "test"] if (main / "aeroplane_test.txt").exists() else ["trainval"]
    notes = [f"difficult objects count as {_describe(difficult)}"]
    if len(sides) == 1:
        notes.append("test files not found: trainval images only, no split")
    parts = [_read_side(main, side) for side in sides]
    ids = np.concatenate([ids for ids, _ in parts])
    marks = np.vstack([marks for _, marks in parts])
    order = np.argsort(ids, kind="stable")
    _check_distinct(main, ids[order])
    is_test = np.repeat(np.arange(len(parts)) == 1, [len(ids) for ids, _ in parts])[order]
    files = [main / f"{name}_{side}.txt" for side in sides for name in CLASSES]
    X: FeatureMatrix = np.empty((len(ids), 0))
    found = Path(features) if features is not None else _find_features(folder, main)
    if found is not None:
        X = read_features(found, len(ids), ids[order])
        files.append(found)
        notes.append(f"features from {found.name}")
    return Dataset(
        X,
        np.where(marks == 0, _VALUE_OF_DIFFICULT[difficult], marks == 1)[order],
        label_names=CLASSES,
        name="voc2007",
        split=Split(np.flatnonzero(~is_test), np.flatnonzero(is_test)) if len(sides) > 1 else None,
        provenance=provenance_of(folder, files, *notes),
    )


def find_voc2007(folder: Path) -> Path | None:
    """Return the folder of the class files, if this is a VOC 2007 folder."""
    found = first_existing(folder, (f"{main}/aeroplane_trainval.txt" for main in _MAIN))
    return None if found is None else found.parent


def _read_side(main: Path, side: str) -> tuple[IntArray, NDArray[np.int8]]:
    """Read image numbers and a (n, 20) table of -1 absent, 0 difficult, 1 present."""
    ids: FloatArray = np.empty(0)
    columns: list[NDArray[np.int8]] = []
    for name in CLASSES:
        path = main / f"{name}_{side}.txt"
        table, lines = read_columns(path, 2)
        _check_marks(path, table, lines)
        if not columns:
            ids = table[:, 0]
        elif not np.array_equal(table[:, 0], ids):
            shared = min(len(ids), len(table))
            differs = np.flatnonzero(table[:shared, 0] != ids[:shared])
            raise ReadError(
                path,
                f"expected the same {len(ids)} images in the same order as in "
                f"{CLASSES[0]}_{side}.txt, got {len(table)} images that differ.",
                int(lines[differs[0]]) if len(differs) else None,
            )
        columns.append(table[:, 1].astype(np.int8))
    return ids.astype(np.int64), np.column_stack(columns)


def _check_marks(path: Path, table: FloatArray, lines: IntArray) -> None:
    numbers, marks = table.T
    whole = (numbers >= 0) & (numbers < 1e6) & (numbers == np.floor(numbers))
    wrong = np.flatnonzero(~whole | ~np.isin(marks, (-1, 0, 1)))
    if len(wrong):
        number, mark = table[wrong[0]]
        raise ReadError(
            path,
            "expected an image number and -1 (absent), 0 (difficult) or 1 (present), "
            f"got {number:g} and {mark:g}.",
            int(lines[wrong[0]]),
        )


def _check_distinct(main: Path, ids: IntArray) -> None:
    twice = np.flatnonzero(ids[1:] == ids[:-1])
    if len(twice):
        raise ReadError(
            main, f"expected each image in one line of one side, got {ids[twice[0]]:06d} twice."
        )


def _find_features(folder: Path, main: Path) -> Path | None:
    names = [f"features{suffix}" for suffix in SUFFIXES]
    return first_existing(folder, names) or first_existing(main, names)


def _describe(difficult: Difficult) -> str:
    return {"present": "present", "absent": "absent", "ignore": "unknown (not judged)"}[difficult]
