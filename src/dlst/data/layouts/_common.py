"""Shared code of folder readers: finding files, reading lists, recording provenance."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from dlst._files import sha256, text_blocks
from dlst.data.dataset import Provenance
from dlst.errors import ReadError


def first_existing(folder: Path, candidates: Iterable[str]) -> Path | None:
    """Return the first of these relative names that exists below a folder."""
    return next((folder / name for name in candidates if (folder / name).exists()), None)


def provenance_of(folder: Path, files: Iterable[Path], *notes: str) -> Provenance:
    """Record files with their hashes, named relative to the folder where they lie in it."""
    hashes = {}
    for path in files:
        inside = path.is_relative_to(folder)
        hashes[path.relative_to(folder).as_posix() if inside else str(path)] = sha256(path)
    return Provenance(source=os.fspath(folder), files=hashes, notes=notes)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the filled lines of a text file, stripped, with their 1-based numbers."""
    for block in text_blocks(path):
        for offset, line in enumerate(block.text.split(b"\n")):
            try:
                text = line.decode("utf-8-sig").strip()
            except UnicodeDecodeError as error:
                raise ReadError(
                    path, "expected UTF-8 text, got other bytes.", block.first_line + offset
                ) from error
            if text:
                yield block.first_line + offset, text
