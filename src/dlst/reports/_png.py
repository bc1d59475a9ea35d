"""Small grey images as PNG data addresses, so that a page needs no other file."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def png_address(ink: NDArray[np.float64]) -> str:
    """Return an image as a ``data:`` address.

    Parameters
    ----------
    ink : ndarray of shape (height, width)
        0 is paper (white), 1 is ink (black).

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
    n_lines = -(-n // n_columns)
    sheet = np.zeros((n_lines * n_columns, height, width))
    sheet[:n] = images
    return (
        sheet.reshape(n_lines, n_columns, height, width)
        .swapaxes(1, 2)
        .reshape(n_lines * height, n_columns * width)
    )
