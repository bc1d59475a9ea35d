"""Loading data by a file, a folder or a name, and saving them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlst._files import PathLike
from dlst._nearest import did_you_mean
from dlst.data import registry
from dlst.data._options import check_options
from dlst.data._origin import suffix_of
from dlst.data.dataset import Dataset
from dlst.data.formats import FORMATS, format_of, read, without_suffix
from dlst.data.joining import join_train_test
from dlst.data.layouts import detect_layout, read_layout
from dlst.data.multidigits import load_multidigits
from dlst.data.tables import from_frame
from dlst.errors import DataError, UnknownNameError

EMBEDDED: dict[str, Callable[[], Dataset]] = {"multidigits": load_multidigits}
"""Data sets that come with the package and need no file."""

_TRAIN = re.compile(r"(^|[-_. ])(train|trn|tr)([-_. ]|$)", re.IGNORECASE)
_TEST = re.compile(r"(^|[-_. ])(test|tst|te)([-_. ]|$)", re.IGNORECASE)


def load(
    data: Any,
    *,
    test: PathLike | None = None,
    format: str | None = None,  # noqa: A002
    download: bool = True,
    raw: bool = False,
    **options: Any,
) -> Dataset:
    r"""Load data the way the command line takes its DATA.

    Parameters
    ----------
    data : str, path-like, Dataset or frame
        A file in a known format (:data:`dlst.data.FORMATS`), a folder in a known layout or with
        one file or one train/test pair in it, or the name of a registered data set. A
        :class:`Dataset` passes through; a frame (pandas, polars, pyarrow) needs ``labels=``.
    test : path-like, optional
        The test file that belongs to the training file ``data``; together they give ``split``.
    format : str, optional
        The format, where the suffix does not tell.
    download : bool
        Whether a registered data set may be fetched when it is not in the data home.
    raw : bool
        Keep the columns of a CSV, JSON or Parquet table as they are, in ``table``, for an encoder
        of :mod:`dlst.inputs`, which makes features of texts, categories and dates. By default
        categories become one-hot columns, and other texts are refused.
    **options
        What the format's reader takes, such as ``labels`` or ``nominal``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "tags.csv")
    >>> _ = file.write_text("height,label:old,label:tall\n1.9,0,1\n1.5,1,0\n")
    >>> load(file)
    Dataset('tags', n=2, d=1, K=2, cardinality=1.000)
    >>> folder.cleanup()
    """
    if isinstance(data, Dataset):
        return data
    if not isinstance(data, str | os.PathLike):
        return from_frame(data, **options)
    path, how = Path(data).expanduser(), {"format": format, "raw": raw, **options}
    if test is not None:
        return _load_pair(path, Path(test).expanduser(), how)
    if path.is_file():
        return read(path, **how)
    if path.is_dir():
        return read_layout(path, **options) if detect_layout(path) else _load_folder(path, how)
    given = options if format is None else {"format": format, **options}
    return _load_registered(str(data), download, given)


def holds_tables(data: Any, format: str | None = None) -> bool:  # noqa: A002
    """Return whether :func:`load` would read CSV, TSV, JSON or Parquet, in a folder too."""
    path = Path(data).expanduser()
    if path.is_dir():
        if detect_layout(path) is not None:
            return False
        files = _data_files(path)
        return bool(files) and all(holds_tables(file, format) for file in files)
    return path.is_file() and format_of(path, format).read_raw is not None


def is_at_hand(data: PathLike) -> bool:
    """Return whether :func:`load` finds a file, folder or name without a download.

    Parameters
    ----------
    data : str or path-like

    Returns
    -------
    bool

    Raises
    ------
    UnknownNameError
        When it is none of them.

    Examples
    --------
    >>> is_at_hand("multidigits")
    True
    """
    if Path(data).expanduser().exists() or is_embedded(str(data)):
        return True
    _check_known(str(data))
    return registry.is_cached(str(data))


def save(
    dataset: Dataset,
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002
) -> list[Path]:
    """Write a data set in the format of the file's suffix, and say which files were made.

    With a split two files are written, ``NAME-train`` and ``NAME-test``, which :func:`load` reads
    back as a pair from their folder or with ``test=``.

    Parameters
    ----------
    dataset : Dataset
    path : path-like
        Its suffix says the format.
    format : str, optional
        The format, where the suffix does not tell.

    Returns
    -------
    list of Path
        The files that were written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "digits.csv"
    >>> [file.name for file in save(load_multidigits(), path)]
    ['digits-train.csv', 'digits-test.csv']
    """
    path = Path(path)
    row = format_of(path, format)
    if not path.parent.is_dir():
        raise DataError(f"{path}: expected a folder {path.parent}, got none. Make it first.")
    parts = [dataset] if dataset.split is None else [dataset.train, dataset.test]
    files = files_to_write(dataset, path)
    for part, file in zip(parts, files, strict=True):
        row.write(part, file)
    return files


def files_to_write(dataset: Dataset, path: PathLike) -> list[Path]:
    """Say which files :func:`save` would write.

    Parameters
    ----------
    dataset : Dataset
    path : path-like

    Returns
    -------
    list of Path

    Examples
    --------
    >>> [file.name for file in files_to_write(load_multidigits(), "digits.xc")]
    ['digits-train.xc', 'digits-test.xc']
    """
    path = Path(path)
    if dataset.split is None:
        return [path]
    stem, suffix = without_suffix(path)
    return [path.with_name(f"{stem}-{side}{suffix}") for side in ("train", "test")]


def _load_pair(train: Path, test: Path, how: dict[str, Any]) -> Dataset:
    return join_train_test(read(train, **how), read(test, **how), name=_pair_name(train))


def _load_folder(folder: Path, how: dict[str, Any]) -> Dataset:
    files = _data_files(folder)
    train = [file for file in files if _TRAIN.search(without_suffix(file)[0])]
    test = [file for file in files if _TEST.search(without_suffix(file)[0])]
    if len(files) == 1:
        return read(files[0], **how)
    if len(train) == len(test) == 1:
        return _load_pair(train[0], test[0], how)
    found = ", ".join(file.name for file in files[:5]) or "no file in a known format"
    raise DataError(
        f"{folder}: expected one data file, one train/test pair, or the folders of VOC2007, "
        f"NUS-WIDE or SUN attribute; got {found}{', …' if len(files) > 5 else ''}. "
        "Name one file instead; pictures come with a table that has a column of their paths."
        f"{_namesake(folder)}"
    )


def _data_files(folder: Path) -> list[Path]:
    suffixes = tuple(suffix for row in FORMATS for suffix in row.suffixes)
    found = [
        file
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name.lower().removesuffix(".gz").endswith(suffixes)
    ]
    # Beside data a .json file mostly describes them.
    return [file for file in found if suffix_of(file) != ".json"] or found


def _namesake(folder: Path) -> str:
    """Say that a known data set has the name of a folder, which comes first."""
    name = str(folder)
    if not is_embedded(name) and name.strip().lower() not in registry.available():
        return ""
    return (
        f" There is a known data set {name!r} too, but a folder of that name comes first: rename "
        "the folder, or work in another one."
    )


def _load_registered(name: str, download: bool, options: dict[str, Any]) -> Dataset:
    if is_embedded(name):
        check_options(name, (), options)
        return EMBEDDED[name.strip().lower()]()
    _check_known(name)
    return registry.load_registered(name, download=download, **options)


def is_embedded(name: str) -> bool:
    """Return whether a name is that of data that come with the package."""
    return name.strip().lower() in EMBEDDED


def _check_known(name: str) -> None:
    try:
        registry.entry(name)
    except UnknownNameError as error:
        path = Path(name).expanduser()
        if os.path.lexists(path):
            got, remedy = (
                ("a pipe or a device", "Write what it gives to a file first.")
                if path.exists()
                else ("a link that leads nowhere", "Mend the link.")
            )
            raise UnknownNameError(
                f"{name}: expected a file or a folder, got {got}. {remedy}"
            ) from error
        beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        meant = did_you_mean(path.name, beside) if path.suffix else ""
        raise UnknownNameError(
            f"{name}: expected a file, a folder or a known name, got none of them."
            f"{meant or did_you_mean(name, EMBEDDED) or f' {error}'}"
        ) from error


def _pair_name(train: Path) -> str:
    stem = without_suffix(train)[0]
    return _TRAIN.sub(lambda match: match[3] and match[1], stem).strip("-_. ") or stem
