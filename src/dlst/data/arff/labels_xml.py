"""The XML file beside a Mulan ARFF: which attributes are labels, and their hierarchy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from dlst._files import PathLike, atomic_write, text_blocks
from dlst.errors import ReadError

NAMESPACE = "http://mulan.sourceforge.net/labels"
MAX_DEPTH = 100


class LabelTree(NamedTuple):
    """Label names in the file's order, and the position of each one's parent (-1 = root)."""

    names: tuple[str, ...]
    parents: tuple[int, ...]


def read_labels_xml(path: PathLike) -> LabelTree:
    """Read a Mulan label file.

    Only ``<labels>`` and nested ``<label name="…">`` have a meaning. Document types, and with them
    entities, are refused: no label file needs them and they are how XML bombs are made.
    """
    tree = _TreeBuilder(path)
    try:
        for block in text_blocks(path):
            tree.parser.Parse(block.text, False)
        tree.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ReadError(
            path,
            f"expected XML, got text that is not ({expat.ErrorString(error.code)}). "
            "Is this the label file of an ARFF?",
            error.lineno,
        ) from error
    except ReadError:  # what the handlers found wrong, as it is
        raise
    except (LookupError, ValueError) as error:
        # The declared encoding is unknown to Python, or is not one of bytes to text.
        raise ReadError(path, f"expected an encoding such as utf-8; got {error}.", 1) from error
    if not tree.names:
        raise ReadError(path, 'expected <label name="…"> elements, got none.')
    return LabelTree(tuple(tree.names), tuple(tree.parents))


class _TreeBuilder:
    def __init__(self, path: PathLike):
        self.names: list[str] = []
        self.parents: list[int] = []
        self._path = path
        self._known: set[str] = set()
        self._open: list[int] = []
        self._depth = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def _error(self, message: str) -> ReadError:
        return ReadError(self._path, message, self.parser.CurrentLineNumber)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("document types and entities are not read. Remove the DOCTYPE.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = tag.rpartition(" ")[2]
        if self._depth == 0 and element != "labels":
            raise self._error(f"expected <labels> as the first element, got <{element}>.")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"expected at most {MAX_DEPTH} nested elements.")
        if element != "label":
            return
        name = attributes.get("name", "").strip()
        if not name:
            raise self._error("expected a name in <label>, got none.")
        if name in self._known:
            raise self._error(f"label {name!r} is listed twice. Remove one.")
        self._known.add(name)
        self.parents.append(self._open[-1] if self._open else -1)
        self._open.append(len(self.names))
        self.names.append(name)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag.rpartition(" ")[2] == "label":
            self._open.pop()


def write_labels_xml(
    path: PathLike, names: Sequence[str], parents: Sequence[int] | None = None
) -> None:
    """Write a Mulan label file; children are nested in their parents."""
    parents = [-1] * len(names) if parents is None else parents
    children: dict[int, list[int]] = {}
    for label, parent in enumerate(parents):
        children.setdefault(parent, []).append(label)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<labels xmlns="{NAMESPACE}">']
    # An explicit stack: a deep hierarchy must not meet Python's recursion limit.
    pending: list[tuple[int, bool]] = [(label, True) for label in reversed(children.get(-1, []))]
    while pending:
        label, opening = pending.pop()
        if not opening:
            lines.append("</label>")
        elif label in children:
            lines.append(f"<label name={quoteattr(names[label])}>")
            pending.append((label, False))
            pending.extend((child, True) for child in reversed(children[label]))
        else:
            lines.append(f"<label name={quoteattr(names[label])}></label>")
    lines.append("</labels>")
    with atomic_write(path, text=True) as stream:
        stream.write("\n".join(lines) + "\n")


_PART = re.compile(r"[-_. ]?(train|test|trn|tst|sparse|dense|\d+)$", re.IGNORECASE)


def find_labels_xml(arff: PathLike, *, any_name: bool = False) -> Path | None:
    """Find the label file of an ARFF: the same stem, or the stem without ``-train`` and the like.

    ``Corel5k-train-sparse.arff`` finds ``Corel5k.xml``. With ``any_name`` the only XML file of the
    folder is found too.
    """
    arff = Path(arff)
    try:
        inside = sorted(arff.parent.iterdir())
    except OSError:
        return None
    present = {path.name.lower(): path for path in inside if path.suffix.lower() == ".xml"}
    stem = arff.name.lower().removesuffix(".gz").removesuffix(".arff")
    shorter = ""
    while stem and stem != shorter:
        if f"{stem}.xml" in present:
            return present[f"{stem}.xml"]
        stem, shorter = _PART.sub("", stem), stem
    return next(iter(present.values())) if any_name and len(present) == 1 else None
