"""NUS-WIDE: ``Groundtruth`` with one file per concept, or one list of label numbers per image."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._files import PathLike
from dlst._matrices import FeatureMatrix
from dlst.data.dataset import Dataset, Split
from dlst.data.layouts._common import first_existing, provenance_of, text_lines
from dlst.data.layouts.features import read_features
from dlst.data.text.number_lines import number_rows, read_columns
from dlst.errors import ReadError

N_IMAGES = 269_648

_LISTS = "mul_label_ids.txt"
_NAMES = "label_ids.txt"
_ALL = ("Groundtruth/AllLabels", "AllLabels", "Groundtruth/AllLabels81", "AllLabels81")
_SIDES = ("Groundtruth/TrainTestLabels", "TrainTestLabels")
_FEATURE_FOLDERS = (
    ".",
    "Low_Level_Features",
    "NUS_WID_Low_Level_Features",
    "NUS_WID_Low_Level_Features/Low_Level_Features",
)
_ALL_FEATURES = ("BoW_int.dat", "Normalized_BoW.dat")
_SIDE_FEATURES = ("BoW_Train_int.dat", "BoW_Test_int.dat")


class _Labels(NamedTuple):
    Y: sp.csr_array
    names: list[str]
    files: list[Path]
    split: Split | None
    note: str


def read_nuswide(
    folder: PathLike,
    *,
    features: PathLike | None = None,
    n_images: int = N_IMAGES,
) -> Dataset:
    r"""Read the concepts of NUS-WIDE, with features when there are some.

    The labels are the first of these that the folder has:

    1. ``mul_label_ids.txt``, lines of an image index and its label numbers (images without a line
       have no label), with ``label_ids.txt``, lines of a number and a name;
    2. ``AllLabels/Labels_<concept>.txt`` (also ``AllLabels81``, also below ``Groundtruth``), one
       line of 0 or 1 per image;
    3. ``TrainTestLabels/Labels_<concept>_Train.txt`` and ``_Test.txt``, the same for each side of
       the official split; training images come first.

    Parameters
    ----------
    folder : path-like
        The folder in which the official archives were unpacked.
    features : path-like, optional
        File of shape (n, d) in the order of the rows
        (see :func:`dlst.data.layouts.features.read_features`). Default: ``BoW_int.dat`` or
        ``Normalized_BoW.dat`` in the folder or in ``Low_Level_Features``, if any; for the third
        kind of labels ``BoW_Train_int.dat`` with ``BoW_Test_int.dat``.
    n_images : int
        Number of images for the first kind of labels, which does not list all of them.

    Returns
    -------
    Dataset
        Concepts in the order of ``label_ids.txt``, else by name. The official split comes from
        ``ImageList`` (``Imagelist.txt``, ``TrainImagelist.txt``, ``TestImagelist.txt``) or from
        the third kind of labels; without them there is none. The provenance says what was found.

    References
    ----------
    Chua, Tang, Hong, Li, Luo, Zheng (2009). NUS-WIDE: a real-world web image database from National
    University of Singapore.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "label_ids.txt").write_text("0\tsky\n1\tsea\n")
    >>> _ = (folder / "mul_label_ids.txt").write_text("0\t0 1\n2\t1\n")
    >>> read_nuswide(folder, n_images=3).label_names
    ('sky', 'sea')
    """
    folder = Path(folder)
    source = find_nuswide_labels(folder)
    if source is None:
        raise ReadError(
            folder,
            f"expected {_LISTS} or Groundtruth/AllLabels/Labels_<concept>.txt, got neither.",
        )
    by_side = source.name == "TrainTestLabels"
    if source.name == _LISTS:
        labels = _read_lists(source, n_images)
    elif by_side:
        labels = _read_sides(source)
    else:
        labels = _read_concepts(source)
    files, notes, split = labels.files, [labels.note], labels.split
    if not by_side:
        image_lists = _find_image_lists(folder)
        if image_lists:
            split = _official_split(image_lists, labels.Y.shape[0])
            files = [*files, *image_lists]
        else:
            notes.append("ImageList not found: no official split")
    found = [Path(features)] if features is not None else _find_features(folder, by_side)
    X: FeatureMatrix = np.empty((labels.Y.shape[0], 0))
    if found:
        X = _read_features(found, labels)
        files = [*files, *found]
        notes.append(f"features from {', '.join(path.name for path in found)}")
    return Dataset(
        X,
        labels.Y,
        label_names=labels.names,
        name="nus-wide",
        split=split,
        provenance=provenance_of(folder, files, *notes),
    )


def find_nuswide_labels(folder: Path) -> Path | None:
    """Return the label list or the folder of concept files, if this is a NUS-WIDE folder."""
    if (folder / _LISTS).exists():
        return folder / _LISTS
    for name in (*_ALL, *_SIDES):
        if next((folder / name).glob("Labels_*.txt"), None) is not None:
            return folder / name
    return None


def _read_lists(path: Path, n_images: int) -> _Labels:
    names_path = path.with_name(_NAMES)
    names = _read_names(names_path)
    images, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for rows in number_rows(path):
        starts = np.cumsum(rows.counts) - rows.counts
        is_label = np.ones(len(rows.values), bool)
        is_label[starts] = False
        limit = np.where(is_label, len(names), n_images)
        whole = np.floor(rows.values)
        right = (whole >= 0) & (whole < limit) & (whole == rows.values)
        if not right.all():
            wrong = int(np.argmin(right))
            what = "a label number" if is_label[wrong] else "an image index"
            raise ReadError(
                path,
                f"expected {what} from 0 to {limit[wrong] - 1}, got {rows.values[wrong]:g}.",
                int(np.repeat(rows.lines, rows.counts)[wrong]),
            )
        images.append(np.repeat(whole[starts].astype(np.int64), rows.counts - 1))
        columns.append(whole[is_label].astype(np.int64))
    entries = (np.concatenate(images), np.concatenate(columns))
    Y = sp.csr_array((np.ones(len(entries[0])), entries), shape=(n_images, len(names)))
    # A label listed twice for an image, on one line or two, is still one label.
    Y.sum_duplicates()
    Y.data[:] = 1
    return _Labels(Y, names, [path, names_path], None, f"labels from {_LISTS}")


def _read_names(path: Path) -> list[str]:
    names: dict[str, None] = {}
    for line, text in text_lines(path):
        number, *words = text.split(None, 1)
        if number != str(len(names)) or not words:
            raise ReadError(path, f"expected '{len(names)}' and a name, got {text[:40]!r}.", line)
        if words[0] in names:
            raise ReadError(path, f"expected distinct names, got {words[0][:40]!r} twice.", line)
        names[words[0]] = None
    if not names:
        raise ReadError(path, "expected lines of a number and a name, got none.")
    return list(names)


def _read_concepts(folder: Path) -> _Labels:
    paths = sorted(folder.glob("Labels_*.txt"))
    names = [path.stem.removeprefix("Labels_") for path in paths]
    Y = _stack_columns(paths)
    return _Labels(Y, names, paths, None, f"labels from {len(paths)} files in {folder.name}")


def _read_sides(folder: Path) -> _Labels:
    train_paths = sorted(folder.glob("Labels_*_Train.txt"))
    names = [path.stem.removeprefix("Labels_").removesuffix("_Train") for path in train_paths]
    test_paths = [folder / f"Labels_{name}_Test.txt" for name in names]
    train, test = _stack_columns(train_paths), _stack_columns(test_paths)
    n_train, n = train.shape[0], train.shape[0] + test.shape[0]
    return _Labels(
        sp.vstack([train, test], format="csr"),
        names,
        [*train_paths, *test_paths],
        Split(np.arange(n_train), np.arange(n_train, n)),
        f"labels from {2 * len(names)} files in {folder.name}, training images first",
    )


def _stack_columns(paths: list[Path]) -> sp.csr_array:
    """Make the columns of files that hold a 0 or 1 per line into one indicator."""
    n: int | None = None
    rows: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
    for path in paths:
        values, lines = read_columns(path, 1)
        column = values[:, 0]
        wrong = np.flatnonzero((column != 0) & (column != 1))
        if len(wrong):
            raise ReadError(
                path, f"expected 0 or 1, got {column[wrong[0]]:g}.", int(lines[wrong[0]])
            )
        n = len(column) if n is None else n
        if len(column) != n:
            raise ReadError(
                path, f"expected {n} lines as in {paths[0].name}, got {len(column)}. Is it whole?"
            )
        rows.append(np.flatnonzero(column))
    counts = [len(present) for present in rows[1:]]
    entries = (np.concatenate(rows), np.repeat(np.arange(len(paths)), counts))
    return sp.csr_array((np.ones(len(entries[0])), entries), shape=(n or 0, len(paths)))


def _find_image_lists(folder: Path) -> list[Path]:
    """Return the lists of all, training and test images, or nothing."""
    for parent in (folder / "ImageList", folder):
        paths = [
            parent / f"{side}.txt" for side in ("Imagelist", "TrainImagelist", "TestImagelist")
        ]
        if all(path.exists() for path in paths):
            return paths
    return []


def _official_split(paths: list[Path], n: int) -> Split:
    rows: dict[str, int] = {}
    for line, image in text_lines(paths[0]):
        if image in rows:
            raise ReadError(paths[0], f"expected distinct images, got {image[:60]!r} twice.", line)
        rows[image] = len(rows)
    if len(rows) != n:
        raise ReadError(paths[0], f"expected {n} images as in the labels, got {len(rows)}.")
    sides = []
    for path in paths[1:]:
        side = []
        for line, image in text_lines(path):
            if image not in rows:
                raise ReadError(
                    path, f"expected an image of {paths[0].name}, got {image[:60]!r}.", line
                )
            side.append(rows[image])
        sides.append(np.array(side, dtype=np.intp))
    train, test = sides
    return Split(train, test)


def _find_features(folder: Path, by_side: bool) -> list[Path]:
    if not by_side:
        candidates = [f"{parent}/{name}" for parent in _FEATURE_FOLDERS for name in _ALL_FEATURES]
        found = first_existing(folder, candidates)
        return [] if found is None else [found]
    for parent in _FEATURE_FOLDERS:
        paths = [folder / parent / name for name in _SIDE_FEATURES]
        if all(path.exists() for path in paths):
            return paths
    return []


def _read_features(paths: list[Path], labels: _Labels) -> FeatureMatrix:
    if len(paths) == 1:
        return read_features(paths[0], labels.Y.shape[0])
    assert labels.split is not None  # noqa: S101  # for the type checker: two files, two sides
    train = read_features(paths[0], len(labels.split.train))
    test = read_features(paths[1], len(labels.split.test))
    if train.shape[1] != test.shape[1]:
        raise ReadError(
            paths[1],
            f"expected {train.shape[1]} features as in {paths[0].name}, got {test.shape[1]}.",
        )
    if sp.issparse(train) or sp.issparse(test):
        return sp.vstack([train, test], format="csr")
    return np.vstack([train, test])
