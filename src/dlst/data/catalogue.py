"""The facts about known data sets, as ``registry.toml`` states them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files
from types import MappingProxyType
from typing import Any

from dlst._nearest import nearest
from dlst.errors import UnknownNameError


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Parameters
    ----------
    name : str
        Plain file name, below ``<data home>/<data set>/``.
    role : str
        ``"train"``, ``"test"``, ``"all"``, ``"labels"``, ``"names"``, ``"images"`` or
        ``"features"``.
    sha256 : str, optional
        Expected hash; None when it is not known.
    url : str, optional
        Public address of exactly this file.
    optional : bool
        Whether the set can be read without it.

    Examples
    --------
    >>> [file.role for file in entry("yeast").files]
    ['train', 'test', 'labels']
    """

    name: str
    role: str
    sha256: str | None = None
    url: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class Entry:
    """What is known about a data set.

    Parameters
    ----------
    name, title, domain : str
        Short name, name for tables, and what the instances are.
    format : {"mulan", "sun", "nus-wide", "voc"}
        How its files are read.
    n_samples, n_features, n_labels : int
        n, d and K; ``n_features`` of a set whose features are optional is that of the paper's.
    cardinality : float
        Mean number of labels, to three decimals.
    n_label_sets : int
        Distinct label sets.
    source : str
        Public page.
    citation, terms : str
        How to cite it; what is known of its terms of use.
    files : tuple of DataFile
        Its files.
    split : tuple of int, optional
        Numbers of training and test instances, when the set comes split.
    split_name : str
        Whose split it is.
    aliases : tuple of str
        Other names.
    instructions : str
        How to get files that have no address of their own; ``{folder}`` stands for
        ``<data home>/<name>``.
    notes : tuple of str
        What a careful reader should know.

    Examples
    --------
    >>> yeast = entry("yeast")
    >>> yeast.n_samples, yeast.n_features, yeast.n_labels, yeast.split
    (2417, 103, 14, (1500, 917))
    """

    name: str
    title: str
    domain: str
    format: str
    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    n_label_sets: int
    source: str
    citation: str
    terms: str
    files: tuple[DataFile, ...]
    split: tuple[int, int] | None = None
    split_name: str = "official"
    aliases: tuple[str, ...] = ()
    instructions: str = ""
    notes: tuple[str, ...] = ()

    @property
    def has_optional_features(self) -> bool:
        """Whether the set consists of labels, to which the user may add a features file."""
        return any(file.role == "features" for file in self.files)

    def file(self, role: str) -> DataFile | None:
        """Return the first file of a role, if there is one."""
        return next((file for file in self.files if file.role == role), None)


def available() -> tuple[str, ...]:
    """Return the names of all known data sets.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "yeast" in available()
    True
    """
    return tuple(_entries())


def entry(name: str) -> Entry:
    """Return what is known about a data set; case does not matter, and aliases work.

    Parameters
    ----------
    name : str

    Returns
    -------
    Entry

    Raises
    ------
    UnknownNameError
        With the nearest known names.

    Examples
    --------
    >>> entry("NUSWIDE").title
    'NUS-WIDE'
    >>> entry("yest")
    Traceback (most recent call last):
    dlst.errors.UnknownNameError: data set 'yest' is not known; the nearest names are: yeast.
    """
    names = _names()
    key = name.strip().casefold()
    if key in names:
        return _entries()[names[key]]
    near = sorted({names[match] for match in nearest(key, names)})
    which = "the nearest names are" if near else "known names are"
    listed = ", ".join(near or available())
    raise UnknownNameError(f"data set {name[:60]!r} is not known; {which}: {listed}.")


@cache
def _entries() -> Mapping[str, Entry]:
    text = package_files("dlst.data").joinpath("registry.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return MappingProxyType({name: _entry_of(name, table) for name, table in tables.items()})


@cache
def _names() -> Mapping[str, str]:
    """Map every name and alias to the name."""
    return MappingProxyType(
        {alias: name for name, known in _entries().items() for alias in (name, *known.aliases)}
    )


def _entry_of(name: str, table: dict[str, Any]) -> Entry:
    folder = table.pop("download", None)
    files = tuple(
        DataFile(url=None if folder is None else folder + row["name"], **row)
        for row in table.pop("files")
    )
    # TOML has lists, a frozen entry has tuples.
    facts: dict[str, Any] = {
        key: tuple(value) if type(value) is list else value for key, value in table.items()
    }
    return Entry(name=name, files=files, **facts)
