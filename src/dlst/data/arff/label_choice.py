"""Which attributes of an ARFF file are its labels."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dlst.data.arff.header import Header
from dlst.data.arff.labels_xml import find_labels_xml, read_labels_xml
from dlst.data.dataset import Split
from dlst.errors import ReadError

_LABEL_COUNT = re.compile(r"-C\s*(-?\d{1,9})\b")
_TRAIN_ROWS = re.compile(r"-split-number\s+(\d{1,12})\b")


def choose_labels(
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
        labels = meka_label_count(header.relation) if found is None else None
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


def meka_label_count(relation: str) -> int | None:
    """Return the K of MEKA's ``-C K``, if the relation has it."""
    match = _LABEL_COUNT.search(relation)
    return int(match[1]) if match else None


def meka_split(relation: str, n: int) -> Split | None:
    """Return the split of MEKA's ``-split-number``, if the relation has it."""
    match = _TRAIN_ROWS.search(relation)
    if match is None or not 0 < int(match[1]) < n:
        return None
    return Split(np.arange(int(match[1])), np.arange(int(match[1]), n))
