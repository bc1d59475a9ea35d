"""Training rows in short, kept in the model so that explanations can show who voted."""

from __future__ import annotations

import io
import os
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst.inputs.cells import texts_of
from dlst.inputs.images.reading import read_image
from dlst.inputs.strings import Strings
from dlst.inputs.table import USED, TableEncoder

SIGNS = 200
"""Of a long text the beginning is kept."""

THUMBNAIL_SIDE = 64
MOST_THUMBNAIL_BYTES = 32 * 2**20
"""Of more pictures only the paths are kept."""


class Examples:
    """What the training rows were, in short.

    Attributes
    ----------
    ids : Strings
        Their ids; empty without an id column.
    texts : Strings
        The beginning of their text, or their cells; empty when none are kept.
    tags : csr_array of shape (n, K)
        Their known tags.
    pictures : Pictures
        Thumbnails of their image; empty when there is none.
    """

    def __init__(self, frame: Any, encoder: TableEncoder, Y: sp.csr_array, *, keep: bool):
        ids = encoder.names_of("id")[:1]
        self.ids = Strings(texts_of(frame[ids[0]])) if ids else Strings()
        self.texts = Strings(summaries(frame, encoder)) if keep else Strings()
        known = Y.data == 1
        rows = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))[known]
        ones = np.ones(len(rows), dtype=np.int8)
        self.tags = sp.csr_array((ones, (rows, Y.indices[known])), shape=Y.shape)
        images = encoder.names_of("image")[:1]
        self.pictures = Pictures(frame[images[0]]) if images and keep else Pictures(())

    def about(self, row: int, label_names: Sequence[str]) -> dict[str, Any]:
        """Describe one training row by plain values."""
        start, end = self.tags.indptr[row], self.tags.indptr[row + 1]
        return {
            "row": row,
            "id": self.ids[row] if len(self.ids) else None,
            "text": self.texts[row] if len(self.texts) else None,
            "tags": [label_names[label] for label in np.sort(self.tags.indices[start:end])],
        }


class Pictures:
    """Small JPEG pictures in one array of bytes."""

    def __init__(self, sources: Any):
        parts: list[bytes] = []
        size = 0
        for source in sources:
            parts.append(thumbnail(source))
            size += len(parts[-1])
            if size > MOST_THUMBNAIL_BYTES:
                parts = []
                break
        self.ends: NDArray[np.int64] = np.cumsum([len(part) for part in parts], dtype=np.int64)
        self.content: NDArray[np.uint8] = np.frombuffer(b"".join(parts), dtype=np.uint8)

    def address(self, row: int) -> str | None:
        """Return a picture as a data address for a page."""
        if not len(self.ends):
            return None
        start = int(self.ends[row - 1]) if row else 0
        return picture_address(self.content[start : self.ends[row]].tobytes())


def thumbnail(source: Any) -> bytes:
    """Return a small JPEG of a picture."""
    stream = io.BytesIO()
    read_image(source, THUMBNAIL_SIDE).save(stream, "JPEG", quality=70)
    return stream.getvalue()


def picture_address(jpeg: bytes) -> str:
    """Return JPEG bytes as a data address for a page."""
    return f"data:image/jpeg;base64,{b64encode(jpeg).decode('ascii')}"


def summaries(frame: Any, encoder: TableEncoder) -> list[str]:
    """Return each row in short: its texts or, without any, its cells by name."""
    texts = encoder.names_of("text")
    shown = texts or [name for name in encoder.names_of(*USED) if name in frame.columns][:6]
    pictures = set(encoder.names_of("image"))
    columns = [
        [*map(_file_name, frame[name])] if name in pictures else texts_of(frame[name])
        for name in shown
    ]
    if texts:
        return [" · ".join(filter(None, cells))[:SIGNS] for cells in zip(*columns, strict=True)]
    return [
        ", ".join(f"{name} {cell}" for name, cell in zip(shown, cells, strict=True) if cell)[:SIGNS]
        for cells in zip(*columns, strict=True)
    ]


def _file_name(picture: Any) -> str:
    """Return the name of a picture's file: its folder is that of one machine."""
    return Path(picture).name if isinstance(picture, str | os.PathLike) else ""
