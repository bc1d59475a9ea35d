"""The data home: files of known data sets, found and checked, or downloaded and checked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, NoReturn

import platformdirs

from dlst._files import atomic_write, sha256
from dlst._progress import progress_bar
from dlst.data.catalogue import DataFile, Entry
from dlst.errors import DataHomeError

TIMEOUT_SECONDS = 30.0
"""How long a server may stay silent."""


def data_home() -> Path:
    """Return the folder of the data sets: ``$DLST_DATA``, else the platform's cache folder.

    It is made when a download first needs it.

    Returns
    -------
    Path

    Examples
    --------
    >>> data_home().is_absolute()
    True
    """
    chosen = os.environ.get("DLST_DATA")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("dlst"))


def path_of(entry: Entry, file: DataFile) -> Path:
    """Return where a file of a data set is expected."""
    return data_home() / entry.name / file.name


def fetch(
    entry: Entry,
    file: DataFile,
    *,
    download: bool = True,
    timeout: float = TIMEOUT_SECONDS,
) -> Path:
    """Return the path of a file, checked against its sha256, after a download if need be.

    A file in the data home is used where it lies and never changed, so a read-only data home
    works. A download is written under a temporary name, checked, then renamed: other processes see
    no file or the whole right one.

    Parameters
    ----------
    entry : Entry
        The data set.
    file : DataFile
        One of its files.
    download : bool
        Whether a missing file may be downloaded.
    timeout : float
        Seconds that the server may stay silent.

    Returns
    -------
    Path

    Raises
    ------
    DataHomeError
        When the file is damaged, or missing and out of reach; it says which file to put where.

    Examples
    --------
    >>> from dlst.data import entry
    >>> unheard = DataFile("none.arff", "all")
    >>> fetch(entry("yeast"), unheard, download=False)
    Traceback (most recent call last):
        ...
    dlst.errors.DataHomeError: ...
    """
    path = path_of(entry, file)
    try:
        if path.exists():
            return _checked(entry, file, path)
    except DataHomeError:
        raise
    except OSError as error:
        raise DataHomeError(
            f"{path} cannot be read ({error.strerror}). {_remedy(entry, file, path)}"
        ) from error
    if file.url is None or not download:
        raise DataHomeError(f"{file.name} of {entry.name} is missing. {_remedy(entry, file, path)}")
    _download(entry, file, path, timeout=timeout)
    return path


def _checked(entry: Entry, file: DataFile, path: Path) -> Path:
    found = sha256(path)
    if file.sha256 is not None and found != file.sha256:
        again = "load it again to download it" if file.url else "put the right file in its place"
        raise DataHomeError(
            f"{path} is damaged, half-written or edited: expected sha256 {file.sha256[:12]}…, got "
            f"{found[:12]}…. Move it away and {again} (public source: {file.url or entry.source})."
        )
    return path


def _remedy(entry: Entry, file: DataFile, path: Path) -> str:
    """Say which file to put where."""
    where = f"Put it at {path} (public source: {file.url or entry.source})."
    return f"{where} {entry.instructions.replace('{folder}', str(path.parent))}".rstrip()


def _download(entry: Entry, file: DataFile, path: Path, *, timeout: float) -> None:
    # Imported here: it costs a tenth of a second, and most calls find their files.
    import requests

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            atomic_write(path) as stream,
            requests.get(str(file.url), stream=True, timeout=timeout) as response,
        ):
            response.raise_for_status()
            total = int(response.headers.get("Content-Length", 0)) or None
            digest = hashlib.sha256()
            with progress_bar(f"downloading {file.name}", total) as advance:
                for chunk in response.iter_content(2**16):
                    stream.write(chunk)
                    digest.update(chunk)
                    advance(len(chunk))
            _check_download(entry, file, path, digest.hexdigest())
    except requests.RequestException as error:
        _refuse(entry, file, path, _what_failed(error, timeout))
    except DataHomeError:
        raise
    except OSError as error:
        raise DataHomeError(
            f"{path} cannot be written ({error.strerror or error}). Set DLST_DATA to a folder that "
            f"you can write, or have the file put there (public source: {file.url})."
        ) from error


def _check_download(entry: Entry, file: DataFile, path: Path, got: str) -> None:
    if file.sha256 is not None and got != file.sha256:
        reason = f"other bytes came: expected sha256 {file.sha256[:12]}…, got {got[:12]}…"
        _refuse(entry, file, path, reason)


def _refuse(entry: Entry, file: DataFile, path: Path, reason: str) -> NoReturn:
    # From None: the four errors inside each other that a network library raises say no more.
    raise DataHomeError(
        f"{file.name} of {entry.name} could not be downloaded: {reason}. "
        f"{_remedy(entry, file, path)}"
    ) from None


def _what_failed(error: Any, timeout: float) -> str:
    import requests

    if error.response is not None:
        return f"the server answered {error.response.status_code}"
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"the server was silent for {timeout:g} seconds"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut before the end"
    if isinstance(error, requests.ConnectionError):
        return "the server could not be reached"
    return str(error).rstrip(".")
