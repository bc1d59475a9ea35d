"""Data sets as ARFF that Mulan and MEKA read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from dlst._files import PathLike, atomic_write
from dlst.data._origin import name_of
from dlst.data.arff.header import meka_relation, quote
from dlst.data.arff.labels_xml import write_labels_xml
from dlst.data.dataset import Dataset
from dlst.data.text.number_writing import dense_rows, sparse_rows


def write_arff(
    dataset: Dataset, path: PathLike, *, sparse: bool | Literal["auto"] = "auto"
) -> None:
    """Write an ARFF that Mulan and MEKA read, and Mulan's XML beside it.

    Labels come last and are ``{0,1}``; unknown entries are ``?``. ``sparse="auto"`` follows ``X``.

    Parameters
    ----------
    dataset : Dataset
    path : path-like
    sparse : bool or "auto"
        Whether rows list their non-zeros alone.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits, read_arff
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.arff"
    >>> write_arff(load_multidigits().subset(slice(0, 3)), path)
    >>> read_arff(path).Y.shape
    (3, 10)
    """
    path = Path(path)
    if sparse == "auto":
        sparse = not isinstance(dataset.X, np.ndarray)
    relation = meka_relation(dataset.name or name_of(path), -dataset.n_labels)
    with atomic_write(path, text=True) as stream:
        stream.write(f"@relation {relation}\n\n")
        stream.writelines(f"@attribute {quote(name)} numeric\n" for name in dataset.feature_names)
        stream.writelines(f"@attribute {quote(name)} {{0,1}}\n" for name in dataset.label_names)
        stream.write("\n@data\n")
        stream.writelines(_sparse_lines(dataset) if sparse else _dense_lines(dataset))
    xml = path.with_name(f"{name_of(path)}.xml")
    write_labels_xml(xml, dataset.label_names, dataset.label_parents)


def _dense_lines(dataset: Dataset) -> Iterator[str]:
    rows = zip(dense_rows(dataset.X, "?"), dense_rows(dataset.Y, "?"), strict=True)
    for features, labels in rows:
        yield ",".join(chain(features, labels)) + "\n"


def _sparse_lines(dataset: Dataset) -> Iterator[str]:
    d = dataset.n_features
    rows = zip(sparse_rows(dataset.X, "?"), sparse_rows(dataset.Y, "?"), strict=True)
    for (columns, values), (labels, marks) in rows:
        cells = chain(
            zip(columns, values, strict=True),
            zip((d + label for label in labels), marks, strict=True),
        )
        yield "{" + ",".join(f"{column} {value}" for column, value in cells) + "}\n"
