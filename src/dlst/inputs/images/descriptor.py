"""A classical description of a picture: colours, edges and textures, by place; no weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from dlst.inputs.images.reading import pixels, read_image

FloatArray = NDArray[np.float32]

SIDE = 128
LEVELS = (1, 2, 3)
"""Each histogram is taken over the whole picture, its quarters and its ninths."""

_HUES, _SATURATIONS, _VALUES, _GREYS = 9, 3, 3, 6
_DIRECTIONS = 9
_RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))


def _uniform_patterns() -> NDArray[np.intp]:
    """Give patterns of eight neighbours that change at most twice a number; the rest share one."""
    found = np.full(256, 58, dtype=np.intp)
    place = 0
    for pattern in range(256):
        turned = (pattern >> 1) | ((pattern & 1) << 7)
        if (pattern ^ turned).bit_count() <= 2:
            found[pattern] = place
            place += 1
    return found


_PATTERNS = _uniform_patterns()


class ImageDescriptor(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Histograms of colours, edge directions and local patterns in a spatial pyramid.

    Each histogram counts over the whole picture, its quarters and its ninths, and enters by its
    root, so that differences are Hellinger distances. Nothing is learnt from the training
    pictures, and no weights are needed.

    Parameters
    ----------
    side : int
        Length of the shorter side at which pictures are described.

    Examples
    --------
    >>> ImageDescriptor(side=64).get_params()
    {'side': 64}
    """

    def __init__(self, side: int = SIDE):
        self.side = side

    def fit(self, images: Sequence[Any], y: Any = None) -> ImageDescriptor:
        """Learn nothing."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, images: Sequence[Any]) -> NDArray[np.float64]:
        """Describe pictures, given as paths, bytes or PIL images; shape (n, d)."""
        described = [self.describe(pixels(read_image(image, self.side))) for image in images]
        return np.array(described, dtype=np.float64)

    def describe(self, picture: FloatArray) -> FloatArray:
        """Describe one picture of shape (height, width, 3)."""
        grey = picture @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
        strength, direction = _edges(grey)
        maps = (
            (_colours(picture), None, _HUES * _SATURATIONS * _VALUES + _GREYS),
            (direction, strength, _DIRECTIONS),
            (_patterns(grey), None, 59),
        )
        parts = [
            np.sqrt(shares / len(LEVELS) / len(maps))
            for bins, weights, n_bins in maps
            for shares in _pyramid(bins, weights, n_bins)
        ]
        return np.concatenate(parts).astype(np.float32)


def _pyramid(
    bins: NDArray[np.intp], weights: FloatArray | None, n_bins: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the histograms of each level, which add up to 1."""
    height, width = bins.shape
    for level in LEVELS:
        rows = np.arange(height) * level // height
        columns = np.arange(width) * level // width
        cells = rows[:, None] * level + columns[None, :]
        counts = np.bincount(
            (cells * n_bins + bins).ravel(),
            None if weights is None else weights.ravel(),
            minlength=level * level * n_bins,
        )
        yield counts / max(float(counts.sum()), 1e-12)


def _colours(picture: FloatArray) -> NDArray[np.intp]:
    """Give each pixel a number by hue, saturation and value; pale and dark ones by value alone."""
    value = picture.max(axis=2)
    chroma = value - picture.min(axis=2)
    safe = np.where(chroma > 0, chroma, 1)
    red, green, blue = (picture[:, :, channel] for channel in range(3))
    hue = np.where(
        value == red,
        (green - blue) / safe % 6,
        np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    saturation = chroma / np.maximum(value, 1e-6)
    by_hue = np.minimum((hue * (_HUES / 6)).astype(np.intp), _HUES - 1)
    by_saturation = np.minimum((saturation * _SATURATIONS).astype(np.intp), _SATURATIONS - 1)
    by_value = np.minimum((value * _VALUES).astype(np.intp), _VALUES - 1)
    coloured = (by_hue * _SATURATIONS + by_saturation) * _VALUES + by_value
    grey = np.minimum((value * _GREYS).astype(np.intp), _GREYS - 1)
    is_grey = (saturation < 0.12) | (value < 0.12)
    return np.asarray(np.where(is_grey, _HUES * _SATURATIONS * _VALUES + grey, coloured))


def _edges(grey: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    down, right = np.gradient(grey)
    angle = np.arctan2(down, right) % np.pi
    direction = np.minimum((angle / np.pi * _DIRECTIONS).astype(np.intp), _DIRECTIONS - 1)
    return np.hypot(down, right).astype(np.float32), direction


def _patterns(grey: FloatArray) -> NDArray[np.intp]:
    """Give each pixel a number by which of its neighbours are brighter."""
    padded = np.pad(grey, 1, mode="edge")
    height, width = grey.shape
    code = np.zeros(grey.shape, dtype=np.intp)
    for bit, (down, right) in enumerate(_RING):
        near = padded[1 + down : 1 + down + height, 1 + right : 1 + right + width]
        code |= (near > grey + np.float32(0.01)).astype(np.intp) << bit
    return _PATTERNS[code]
