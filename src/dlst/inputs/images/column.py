"""One column of pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dlst.data.tables.cells import is_missing
from dlst.inputs.cells import CellError
from dlst.inputs.notes import Tally
from dlst.inputs.part import Part


class ImageColumn(Part):
    """Paths (or bytes, or PIL images) by a transformer of pictures; an empty cell is an error.

    Parameters
    ----------
    encoder : transformer, optional
        Takes a list of pictures and gives an array; by default :class:`ImageDescriptor`.
    """

    def __init__(self, encoder: Any = None):
        self.encoder = encoder

    def fit(self, columns: Any, tally: Tally) -> ImageColumn:
        """Fit the transformer, and learn the mean and size of what it gives."""
        self.fit_transform(columns, tally)
        return self

    def fit_transform(self, columns: Any, tally: Tally) -> NDArray[np.float64]:
        """Fit, and give the features of the same pictures, each of which is read once."""
        from dlst.inputs.images.descriptor import ImageDescriptor

        (self.name_,) = columns.columns
        self.encoder_ = ImageDescriptor() if self.encoder is None else clone(self.encoder)
        X = np.asarray(self.encoder_.fit_transform(self._sources(columns)), dtype=np.float64)
        self.mean_ = X.mean(axis=0)
        return np.asarray(X - self.mean_)

    def transform(self, columns: Any, tally: Tally) -> NDArray[np.float64]:
        """Give the features of new pictures."""
        found = np.asarray(self.encoder_.transform(self._sources(columns)), dtype=np.float64)
        return np.asarray(found.reshape(len(columns), -1) - self.mean_)

    def feature_names(self) -> list[str]:
        """Give the features numbers."""
        return [f"{self.name_}: {place}" for place in range(len(self.mean_))]

    def _sources(self, columns: Any) -> list[Any]:
        column = columns[self.name_]
        empty = np.flatnonzero(is_missing(column))
        if empty.size:
            raise CellError(
                self.name_,
                int(empty[0]),
                "expected the path of a picture, got an empty cell. Leave the row out.",
            )
        return list(column)
