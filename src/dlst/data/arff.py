"""Mulan and MEKA ARFF, dense and sparse.

The parser is our own: none of the kept packages reads sparse multi-label ARFF fast
(``benchmarks/readers.py`` shows them side by side).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from dlst._files import atomic_write, text_blocks
from dlst.data._origin import name_of, origin_of
from dlst.data.arff_columns import ColumnPlan, Nominal
from dlst.data.arff_header import Header, quote, read_header
from dlst.data.arff_rows import read_rows
from dlst.data.dataset import Dataset, Split
from dlst.data.mulan_xml import find_labels_xml, read_labels_xml, write_labels_xml
from dlst.data.numbers import dense_rows, sparse_rows
from dlst.errors import ReadError

_LABEL_COUNT = re.compile(r"-C\s*(-?\d{1,9})\b")
_TRAIN_ROWS = re.compile(r"-split-number\s+(\d{1,12})\b")


def read_arff(
    path: str | os.PathLike[str],
    *,
    xml: str | os.PathLike[str] | None = None,
    labels: Sequence[str] | int | None = None,
    nominal: Nominal = "auto",
) -> Dataset:
    """Read a multi-label ARFF file.

    Which attributes are labels is said by, in this order: ``labels``; the Mulan XML file ``xml``,
    or one found beside the ARFF by its name; MEKA's ``-C`` in the relation; the only XML file of
    the folder. Labels keep the order of the attributes, whatever the order in the XML.

    Parameters
    ----------
    path : path-like
        ``.arff`` or ``.arff.gz``.
    xml : path-like, optional
        Mulan's label file.
    labels : sequence of str or int, optional
        Names of the label attributes, or a count as in MEKA: positive for the first attributes,
        negative for the last.
    nominal : {"auto", "one-hot", "codes"}
        What becomes of nominal features. ``"codes"``: their position in the declaration, one
        column each. ``"one-hot"``: a column ``name=category`` for each category; an attribute with
        two stays one 0/1 column. ``"auto"``: as ``"one-hot"``, but categories that are all
        numbers keep them as values (``{0,1}``, ``{1,2,3,4,5}``).

    Returns
    -------
    Dataset
        Sparse rows give CSR features. ``?`` is NaN. Text and date attributes are left out, with a
        note in the provenance. MEKA's ``-split-number`` gives ``split``.

    Raises
    ------
    ReadError
        With file and line.
    """
    path = Path(path)
    blocks = text_blocks(path)
    header, rest = read_header(path, blocks)
    chosen, parents, how = _choose_labels(path, header, xml, labels)
    plan = ColumnPlan.of(path, header, chosen, nominal)
    X, Y = read_rows(path, chain([rest], blocks), plan)
    X = plan.expand(X)
    return Dataset(
        X,
        Y,
        plan.feature_names,
        [header.attributes[a].name for a in chosen],
        name=name_of(path),
        split=_meka_split(header.relation, Y.shape[0]),
        provenance=origin_of(path, how, *plan.notes),
        label_parents=parents,
    )


def read_mulan(
    path: str | os.PathLike[str],
    xml: str | os.PathLike[str] | None = None,
    *,
    nominal: Nominal = "auto",
) -> Dataset:
    """Read a Mulan ARFF with its XML label file; see :func:`read_arff`."""
    xml = find_labels_xml(path, any_name=True) if xml is None else xml
    if xml is None:
        raise ReadError(
            path,
            "expected Mulan's label file beside it, got none. "
            f"Put {name_of(path)}.xml there, or name it with xml=.",
        )
    return read_arff(path, xml=xml, nominal=nominal)


def read_meka(path: str | os.PathLike[str], *, nominal: Nominal = "auto") -> Dataset:
    """Read a MEKA ARFF, whose relation says ``-C K``; see :func:`read_arff`."""
    header, _ = read_header(path, text_blocks(path))
    count = _meka_label_count(header.relation)
    if count is None:
        raise ReadError(path, "expected -C and the number of labels in @relation, got neither.", 1)
    return read_arff(path, labels=count, nominal=nominal)


def write_arff(
    dataset: Dataset, path: str | os.PathLike[str], *, sparse: bool | Literal["auto"] = "auto"
) -> None:
    """Write an ARFF that Mulan and MEKA read, and Mulan's XML beside it.

    Labels come last and are ``{0,1}``; unknown entries are ``?``. ``sparse="auto"`` follows ``X``.
    """
    path = Path(path)
    if sparse == "auto":
        sparse = not isinstance(dataset.X, np.ndarray)
    K = dataset.n_labels
    relation = f"{dataset.name or name_of(path)}: -C -{K}"
    with atomic_write(path, text=True) as stream:
        stream.write(f"@relation {quote(relation)}\n\n")
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


def _choose_labels(
    path: Path,
    header: Header,
    xml: str | os.PathLike[str] | None,
    labels: Sequence[str] | int | None,
) -> tuple[list[int], list[int] | None, str]:
    """Return the label attributes in order, their parents, and how they were known."""
    if labels is not None and not isinstance(labels, int):
        names = [labels] if isinstance(labels, str) else list(labels)
        return _by_name(path, header, names, "labels="), None, "labels named by the caller"
    if labels is None:
        found = xml or find_labels_xml(path)
        labels = _meka_label_count(header.relation) if found is None else None
        if found is None and labels is None:
            found = find_labels_xml(path, any_name=True)
        if found is not None:
            return _from_xml(path, header, Path(found))
    if labels is None:
        raise ReadError(
            path,
            "expected to be told the labels, got no XML file beside it and no -C in @relation. "
            "Name them with labels= (names, or a count: 6 = the first six, -6 = the last six).",
        )
    n = len(header.attributes)
    if not 0 < abs(labels) <= n:
        raise ReadError(path, f"expected 1 to {n} labels of {n} attributes, got {labels}.")
    chosen = range(labels) if labels > 0 else range(n + labels, n)
    return list(chosen), None, f"labels by position: {labels}"


def _from_xml(path: Path, header: Header, xml: Path) -> tuple[list[int], list[int] | None, str]:
    tree = read_labels_xml(xml)
    chosen = _by_name(path, header, tree.names, xml.name)
    how = f"labels named by {xml.name}"
    if max(tree.parents) < 0:
        return chosen, None, how
    column = {header.attributes[a].name: j for j, a in enumerate(chosen)}
    parents = [-1] * len(chosen)
    for name, parent in zip(tree.names, tree.parents, strict=True):
        if parent >= 0:
            parents[column[name]] = column[tree.names[parent]]
    return chosen, parents, how


def _by_name(path: Path, header: Header, names: Sequence[str], origin: str) -> list[int]:
    position = {attribute.name: a for a, attribute in enumerate(header.attributes)}
    missing = [name for name in names if name not in position]
    if missing:
        raise ReadError(
            path,
            f"expected an attribute for each label of {origin}, got none for {missing[0]!r}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}. "
            "Do the two files belong together?",
        )
    return sorted({position[name] for name in names})


def _meka_label_count(relation: str) -> int | None:
    match = _LABEL_COUNT.search(relation)
    return int(match[1]) if match else None


def _meka_split(relation: str, n: int) -> Split | None:
    match = _TRAIN_ROWS.search(relation)
    if match is None or not 0 < int(match[1]) < n:
        return None
    return Split(np.arange(int(match[1])), np.arange(int(match[1]), n))
