"""The registry of file formats: the front door, the command line and the tests read it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from dlst._files import PathLike, sha256
from dlst._parameters import one_of
from dlst.data._options import check_options
from dlst.data.arff import read_arff, write_arff
from dlst.data.dataset import Dataset
from dlst.data.mat import read_mat, write_mat
from dlst.data.sparse_text import read_svmlight, read_xc, write_svmlight, write_xc
from dlst.data.tables import read_raw, read_table, write_table
from dlst.errors import DataError


@dataclass(frozen=True)
class Format:
    """How files of one kind are known, read and written, and what they cannot hold.

    Attributes
    ----------
    name : str
    suffixes : tuple of str
        The first is the one that is written.
    meaning : str
        One line.
    read, write : callable
        Path to data set, and data set and path to file.
    options : frozenset of str
        What ``read`` takes beside the path.
    loses : str
        What does not come back.
    read_raw : callable, optional
        Path to data set with its columns as they are.

    Examples
    --------
    >>> next(known for known in FORMATS if known.name == "arff").suffixes
    ('.arff',)
    """

    name: str
    suffixes: tuple[str, ...]
    meaning: str
    read: Callable[..., Dataset]
    write: Callable[..., None]
    options: frozenset[str] = frozenset()
    loses: str = ""
    read_raw: Callable[..., Dataset] | None = None


FORMATS: tuple[Format, ...] = (
    Format(
        "arff",
        (".arff",),
        "Mulan ARFF with its XML, or MEKA ARFF with -C in the relation",
        read_arff,
        write_arff,
        frozenset({"xml", "labels", "nominal"}),
    ),
    Format(
        "xc",
        (".xc", ".txt"),
        "extreme-classification text: 'n d K', then 'l1,l2 f:v f:v' with indices from 0",
        read_xc,
        write_xc,
        frozenset({"n_features", "n_labels"}),
        loses="names",
    ),
    Format(
        "libsvm",
        (".svm", ".libsvm", ".svmlight"),
        "multi-label LIBSVM text: 'l1,l2 f:v f:v' with features from 1",
        read_svmlight,
        write_svmlight,
        frozenset({"n_features", "n_labels", "zero_based"}),
        loses="names",
    ),
    Format(
        "csv",
        (".csv", ".tsv"),
        "table with a header; labels are columns, or one column of delimited names",
        partial(read_table, format="csv"),
        partial(write_table, format="csv"),
        frozenset({"labels", "delimiter", "label_delimiter", "nominal", "encoding"}),
        read_raw=partial(read_raw, format="csv"),
    ),
    Format(
        "jsonl",
        (".jsonl", ".ndjson", ".json"),
        "table as in csv: a JSON object for each row, one a line or all in one array",
        partial(read_table, format="jsonl"),
        partial(write_table, format="jsonl"),
        frozenset({"labels", "label_delimiter", "nominal", "encoding"}),
        read_raw=partial(read_raw, format="jsonl"),
    ),
    Format(
        "parquet",
        (".parquet", ".pq"),
        "table as in csv, binary (needs the extra 'parquet')",
        partial(read_table, format="parquet"),
        partial(write_table, format="parquet"),
        frozenset({"labels", "label_delimiter", "nominal"}),
        read_raw=partial(read_raw, format="parquet"),
    ),
    Format(
        "mat",
        (".mat",),
        "MATLAB up to v7, in the layouts that the field uses",
        read_mat,
        write_mat,
        frozenset({"features", "labels"}),
    ),
)
"""How files are known, read and written."""

_SPREADSHEETS = (".xlsx", ".xls", ".ods")


def format_names() -> tuple[str, ...]:
    """Names of the formats.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "arff" in format_names()
    True
    """
    return tuple(row.name for row in FORMATS)


def format_of(path: PathLike, named: str | None = None) -> Format:
    """Return the format of a file, as named or, by default, by its suffix, ``.gz`` aside."""
    if named is not None:
        one_of(*format_names()).check("format", named.lower())
        return next(row for row in FORMATS if row.name == named.lower())
    name = Path(path).name.lower().removesuffix(".gz")
    for row in FORMATS:
        if name.endswith(row.suffixes):
            return row
    known = ", ".join(suffix for row in FORMATS for suffix in row.suffixes)
    remedy = "Rename the file, or say its format: format= in Python, --from or --to in the shell."
    if name.endswith(_SPREADSHEETS):
        remedy = "Save it as one of them, or give dlst.Tagger what pandas.read_excel makes of it."
    raise DataError(
        f"{os.fspath(path)}: expected a name that ends in one of {known} (or with .gz), got none "
        f"of them. {remedy}"
    )


def without_suffix(path: PathLike) -> tuple[str, str]:
    """Split a file's name into stem and known suffix, ``.gz`` included.

    Examples
    --------
    >>> without_suffix("data/yeast-train.arff.gz")
    ('yeast-train', '.arff.gz')
    """
    name = Path(path).name
    plain = name[:-3] if name.lower().endswith(".gz") else name
    for row in FORMATS:
        for suffix in row.suffixes:
            if plain.lower().endswith(suffix):
                stem = plain[: -len(suffix)]
                return stem, name[len(stem) :]
    return Path(plain).stem, name[len(Path(plain).stem) :]


def read(
    path: PathLike,
    format: str | None = None,  # noqa: A002
    *,
    raw: bool = False,
    **options: Any,
) -> Dataset:
    """Read one file and note its hash; options that its format does not know are refused.

    With ``raw`` the columns of a table stay as they are; other formats hold numbers anyway.
    """
    row = format_of(path, format)
    reader, known = row.read, row.options
    if raw and row.read_raw is not None:
        reader, known = row.read_raw, row.options - {"nominal"} | {"columns"}
    check_options(row.name, known, options)
    dataset = reader(path, **options)
    files = {Path(path).name: sha256(path)}
    return replace(dataset, provenance=replace(dataset.provenance, files=files))
