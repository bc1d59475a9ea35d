"""Small grey images as PNG data addresses, so that a page needs no other file."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def png_address(ink: NDArray[np.float64]) -> str:
    """Return an image of shape (height, width) as a ``data:`` address; 0 is paper, 1 is ink.

    Examples
    --------
    >>> png_address(np.eye(2))[:22]
    'data:image/png;base64,'
    """
    grey = np.rint(255 * (1 - np.clip(ink, 0, 1))).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


def sprite(images: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
    """Lay images of shape (n, height, width) side by side, ``n_columns`` to a line."""
    n, height, width = images.shape
    sheet = np.pad(images, [(0, -n % n_columns), (0, 0), (0, 0)])
    lines = sheet.reshape(-1, n_columns, height, width)
    return lines.swapaxes(1, 2).reshape(-1, n_columns * width)
