"""Which attributes of an ARFF file are its labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dlst._files import PathLike
from dlst.data.arff.header import Header
from dlst.data.arff.labels_xml import find_labels_xml, read_labels_xml
from dlst.data.column_choice import LabelChoice, label_columns
from dlst.data.dataset import Split
from dlst.errors import ReadError

_LABEL_COUNT = re.compile(r"(?<!\S)-C\s*(-?\d{1,9})(?!\S)")
_TRAIN_ROWS = re.compile(r"(?<!\S)-split-number\s+(\d{1,12})(?!\S)")


def choose_labels(
    path: Path,
    header: Header,
    xml: PathLike | None,
    labels: LabelChoice,
) -> tuple[list[int], list[int] | None, str]:
    """Return the label attributes in order, their parents, and how they were known."""
    how = "labels named by the caller"
    if labels is None:
        found = xml or find_labels_xml(path)
        labels = meka_label_count(header.relation) if found is None else None
        if found is None and labels is None:
            found = find_labels_xml(path, any_name=True)
        if found is not None:
            return _from_xml(path, header, Path(found))
        how = f"labels by MEKA's -C {labels}"
    if labels is None:
        raise ReadError(
            path,
            "expected the labels to be named, got no XML file beside it and no ': -C K' in "
            "@relation. Name them with labels=: names, a pattern, or a count: 6 = the first six, "
            "-6 = the last six.",
        )
    names = [attribute.name for attribute in header.attributes]
    chosen = set(label_columns(names, labels, lambda message: ReadError(path, message)))
    return [a for a, name in enumerate(names) if name in chosen], None, how


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
    """Return the K of MEKA's ``-C K``, if the relation has it where MEKA looks.

    Examples
    --------
    >>> meka_label_count("my-C2-data: -C -1 -split-number 20"), meka_label_count("my -C 2")
    (-1, None)
    """
    match = _LABEL_COUNT.search(_options(relation))
    return int(match[1]) if match else None


def meka_split(relation: str, n: int) -> Split | None:
    """Return the split of MEKA's ``-split-number``, if the relation has it."""
    match = _TRAIN_ROWS.search(_options(relation))
    if match is None or not 0 < int(match[1]) < n:
        return None
    return Split(np.arange(int(match[1])), np.arange(int(match[1]), n))


def _options(relation: str) -> str:
    """Return what MEKA reads as options: everything after the first colon."""
    return relation.partition(":")[2]
