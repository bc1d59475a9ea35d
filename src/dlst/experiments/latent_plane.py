"""The plane in which codes vary most, and how its rows are shown."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import BoolArray, FloatArray
from dlst.data import Dataset
from dlst.methods import CodeSpaceClassifier

IntArray = NDArray[np.intp]


class CodePlane(NamedTuple):
    """The plane in which some codes vary most, and its share of their variance.

    The mean training code is the origin, of shape (r,). The axes, of shape (r, 2), are orthonormal;
    the second is 0 where codes have one dimension.
    """

    origin: FloatArray
    axes: FloatArray
    variance_shown: float

    def place(self, codes: FloatArray) -> FloatArray:
        """Project codes, shape (n, 2)."""
        placed: FloatArray = (codes - self.origin) @ self.axes
        return placed


def plane_of(model: CodeSpaceClassifier, codes: FloatArray) -> CodePlane:
    """Find the plane in which predicted codes vary most; its axes have fixed signs."""
    _, lengths, directions = np.linalg.svd(codes - codes.mean(axis=0), full_matrices=False)
    axes = np.zeros((codes.shape[1], 2))
    axes[:, : len(directions[:2])] = directions[:2].T
    # An axis has no sign of its own; the largest loading points up or right.
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    variance = lengths**2
    shown = float(variance[:2].sum() / max(variance.sum(), 1e-300))
    return CodePlane(model.codes_.mean(axis=0), axes, shown)


def spread_rows(n: int, most: int) -> IntArray:
    """Choose at most so many of n rows, evenly spaced rather than picked."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def grey_pixels(data: Dataset) -> NDArray[np.int64] | None:
    """Return the rows as grey images of numbers from 0 to 255, when they are such images."""
    images = data.images
    if images is None or images.ndim != 3:
        return None
    top = max(float(images.max(initial=0.0)), 1.0)
    return np.clip(np.rint(255 * images / top), 0, 255).astype(np.int64)


def present_labels(Y: Any) -> BoolArray:
    """Return a label indicator as an array; an unknown entry is no label."""
    values = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    present: BoolArray = values == 1
    return present
