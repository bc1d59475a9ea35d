"""A hash of the bytes of a data set, so that changed files are noticed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dlst import __version__
from dlst._files import PathLike, sha256
from dlst.data import registry
from dlst.data.arff.labels_xml import find_labels_xml
from dlst.data.front_door import is_embedded
from dlst.errors import UnknownNameError


def fingerprint(data: PathLike, options: Mapping[str, Any] | None = None) -> str:
    r"""Name the bytes that :func:`~dlst.data.load` would read, without reading them as data.

    A file counts with the XML file of its labels, a folder with all that is in it, a name with its
    files in the data home.

    Parameters
    ----------
    data : str or path-like
        As for :func:`~dlst.data.load`.
    options : mapping, optional
        Those of :func:`~dlst.data.load`; files that they name count too.

    Returns
    -------
    str
        A sha256; nothing where there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "tags.csv")
    >>> _ = file.write_text("height,label:old\n1.9,0\n")
    >>> before = fingerprint(file)
    >>> _ = file.write_text("height,label:old\n1.9,1\n")
    >>> fingerprint(file) == before
    False
    >>> folder.cleanup()
    """
    path = Path(data).expanduser()
    if not path.exists() and is_embedded(str(data)):
        return hashlib.sha256(f"{data} of dlst {__version__}".encode()).hexdigest()
    named = (Path(value).expanduser() for value in (options or {}).values() if _is_path(value))
    files = [*_files(path, str(data)), *(file for file in named if file.is_file())]
    if not files:
        return ""
    # Names without folders: data that were moved are the same data.
    known = sorted((file.name, sha256(file)) for file in files)
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _files(path: Path, name: str) -> Iterable[Path]:
    if path.is_file():
        beside = find_labels_xml(path, any_name=True) if ".arff" in path.name.lower() else None
        return [path] if beside is None else [path, beside]
    if path.is_dir():
        return (file for file in path.rglob("*") if file.is_file())
    try:
        listed = [file for file in registry.files(name).values() if file.is_file()]
    except UnknownNameError:
        return []
    # The official archive may lie unpacked in place of the listed files.
    folder = registry.data_home() / registry.entry(name).name
    return listed or (file for file in folder.rglob("*") if file.is_file())


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)
