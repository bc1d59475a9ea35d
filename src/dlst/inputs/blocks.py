"""Encoded columns side by side, balanced, in one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix, as_dense
from dlst.inputs.notes import Tally
from dlst.inputs.part import Part


class Block(NamedTuple):
    """Columns and the part that encodes them; wide when one column becomes many features."""

    names: list[str]
    part: Part
    is_wide: bool = False


class Blocks:
    """Blocks of columns, the plain ones first.

    Without a wide block features are what the parts give. Beside one, all plain columns together
    have variance 1, and each wide block rows of mean square length 1: the many features of a
    text would else drown, or be drowned by, the few of the other columns.

    Parameters
    ----------
    blocks : sequence of Block
    """

    def __init__(self, blocks: Sequence[Block]):
        self.blocks = sorted(blocks, key=lambda block: block.is_wide)

    def fit_transform(self, frame: Any, tally: Tally) -> FeatureMatrix:
        """Fit the parts and their weights, and give the features of the same rows."""
        encoded = [block.part.fit_transform(frame[block.names], tally) for block in self.blocks]
        self.weights_ = self._weigh(encoded)
        X = self._joined(encoded)
        self.plain_means_ = as_dense(X[:, : len(self._owners())]).mean(axis=0)
        return X

    def transform(self, frame: Any, tally: Tally) -> FeatureMatrix:
        """Give the features of rows."""
        there = list(frame.columns)
        return self._joined(
            [
                block.part.transform(frame if there == block.names else frame[block.names], tally)
                for block in self.blocks
            ]
        )

    def parts(self) -> list[Part]:
        """Return the encoders."""
        return [block.part for block in self.blocks]

    def feature_names(self) -> list[str]:
        """Name the features."""
        return [name for block in self.blocks for name in block.part.feature_names()]

    def without_each_cell(self, X: FeatureMatrix) -> tuple[list[str], FeatureMatrix]:
        """Take one encoded row; give it with each plain column in turn at its training mean.

        Returns
        -------
        names : list of str
            The columns: numbers, categories and dates.
        rows : ndarray or CSR of shape (len(names), d)
        """
        owners = np.array(self._owners(), dtype=object)
        names = list(dict.fromkeys(owners))
        if not names:
            return names, X[:0]
        mine = owners == np.array(names, dtype=object)[:, None]
        cells = np.where(mine, self.plain_means_, as_dense(X[:, : len(owners)]))
        rest = X[:, len(owners) :]
        if sp.issparse(X):
            return names, sp.csr_array(sp.hstack([cells, sp.vstack([rest] * len(names))]))
        return names, np.hstack([cells, np.repeat(rest, len(names), axis=0)])

    def _owners(self) -> list[str]:
        """Name the column of each feature of the plain blocks."""
        return [
            block.names[owner]
            for block in self.blocks
            if not block.is_wide
            for owner in block.part.owners()
        ]

    def _weigh(self, encoded: list[FeatureMatrix]) -> list[float]:
        wide = [block.is_wide for block in self.blocks]
        if not any(wide):
            return [1.0] * len(encoded)
        plain = [float(X.var(axis=0).sum()) for X, w in zip(encoded, wide, strict=True) if not w]
        deviation = max(float(np.sqrt(sum(plain))), 1e-12)
        return [1 / (_length(X) if w else deviation) for X, w in zip(encoded, wide, strict=True)]

    def _joined(self, encoded: list[FeatureMatrix]) -> FeatureMatrix:
        weighed = [
            X if weight == 1.0 else X * weight
            for X, weight in zip(encoded, self.weights_, strict=True)
        ]
        if len(weighed) == 1:
            return weighed[0]
        if any(sp.issparse(X) for X in weighed):
            return sp.csr_array(sp.hstack(weighed, format="csr"))
        return np.hstack(weighed)


def _length(X: FeatureMatrix) -> float:
    """Root mean square of the lengths of the rows that hold anything."""
    squares: NDArray[np.float64] = np.asarray((X * X).sum(axis=1)).ravel()
    squares = squares[squares > 0]
    length = float(np.sqrt(squares.mean())) if squares.size else 1.0
    # Rows of length 1 up to rounding shall stay as they are.
    return 1.0 if abs(length - 1.0) < 1e-9 else length
