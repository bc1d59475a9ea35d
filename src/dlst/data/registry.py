"""Known data sets by name: which there are, whether they are at hand, and reading them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dlst._files import sha256
from dlst.data._options import check_options, options_of
from dlst.data.catalogue import DataFile, Entry, available, entry
from dlst.data.dataset import Dataset, Provenance
from dlst.data.home import data_home, fetch, path_of
from dlst.data.joining import join_train_test

__all__ = [
    "DataFile",
    "Entry",
    "available",
    "data_home",
    "entry",
    "files",
    "is_cached",
    "load_registered",
]


def files(name: str) -> dict[str, Path]:
    """Return where the files of a data set are expected, whether they are there or not.

    Examples
    --------
    >>> list(files("cal500"))
    ['cal500.arff', 'cal500.xml']
    """
    known = entry(name)
    return {file.name: path_of(known, file) for file in known.files}


def is_cached(name: str) -> bool:
    """Return whether all needed files of a data set are in the data home.

    Only their presence is looked at; :func:`load_registered` checks their hashes.

    Parameters
    ----------
    name : str
        A name or alias from :func:`available`.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_cached("yeast") in (True, False)
    True
    """
    known = entry(name)
    needed = [file for file in known.files if not file.optional]
    return all(path_of(known, file).is_file() for file in needed) or _has_official_folder(known)


def load_registered(name: str, *, download: bool = True, **options: Any) -> Dataset:
    """Read a known data set from the data home, after a download if need be.

    Parameters
    ----------
    name : str
        A name or alias from :func:`available`, in any case.
    download : bool
        Whether missing files may be downloaded.
    **options
        Passed to the reader: ``nominal`` for Mulan sets, ``difficult`` for VOC 2007, ``votes`` for
        SUN attribute, ``features`` for these two and NUS-WIDE.

    Returns
    -------
    Dataset
        With the official split where there is one, and a provenance that names source, file
        hashes, citation and terms.

    Raises
    ------
    UnknownNameError
        For a name that is not known.
    DataHomeError
        When a file is missing and out of reach, or damaged; it says which file to put where.

    Examples
    --------
    >>> load_registered("yaest", download=False)
    Traceback (most recent call last):
        ...
    dlst.errors.UnknownNameError: ...
    """
    known = entry(name)
    if known.format == "mulan":
        return _load_mulan(known, download, options)
    return _load_folder(known, download, options)


def _load_mulan(known: Entry, download: bool, options: dict[str, Any]) -> Dataset:
    from dlst.data.arff import read_mulan

    check_options(known.name, options_of(read_mulan), options)
    paths = {file.role: fetch(known, file, download=download) for file in known.files}
    xml = paths["labels"]
    if "all" in paths:
        data = read_mulan(paths["all"], xml, **options)
    else:
        train, test = (read_mulan(paths[side], xml, **options) for side in ("train", "test"))
        data = join_train_test(train, test)
    hashes = {file.name: file.sha256 or sha256(paths[file.role]) for file in known.files}
    unknown = [file.name for file in known.files if file.sha256 is None]
    return _signed(known, data, hashes, unknown)


def _load_folder(known: Entry, download: bool, options: dict[str, Any]) -> Dataset:
    from dlst.data.layouts import read_layout

    if not _has_official_folder(known):
        for file in known.files:
            if not file.optional or path_of(known, file).exists():
                fetch(known, file, download=download)
    data = read_layout(data_home() / known.name, known.format, **options)
    hashes = data.provenance.files
    expected = {file.name: file.sha256 for file in known.files}
    unknown = [path for path, digest in hashes.items() if expected.get(Path(path).name) != digest]
    return _signed(known, data, hashes, unknown)


def _has_official_folder(known: Entry) -> bool:
    """Return whether the official archive lies unpacked in place of the listed files."""
    from dlst.data.layouts import detect_layout

    if known.format == "mulan":
        return False
    listed = any(path_of(known, file).exists() for file in known.files if not file.optional)
    return not listed and detect_layout(data_home() / known.name) == known.format


def _signed(known: Entry, data: Dataset, hashes: Any, unknown: list[str]) -> Dataset:
    """Set the registered name and provenance of the data."""
    notes = [*known.notes, *data.provenance.notes]
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        notes.append(f"hash not known: {unknown[0]}{more}")
    split = data.split
    return replace(
        data,
        name=known.name,
        split=split if split is None else replace(split, name=known.split_name),
        provenance=Provenance(
            source=known.source,
            files=dict(hashes),
            citation=known.citation,
            terms=known.terms,
            notes=tuple(notes),
        ),
    )
