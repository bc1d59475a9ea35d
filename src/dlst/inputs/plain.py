"""Columns of numbers and of categories, each kind in one block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.data.tables.cells import MISSING
from dlst.inputs.cells import checked_numbers, texts_of
from dlst.inputs.notes import Tally
from dlst.inputs.part import Part
from dlst.inputs.strings import Strings

MOST_CATEGORIES = 200
"""Of more values the commonest have a feature each; the rare ones share one."""

_REMEDY = ", or fit again with another kind for the column"


class NumberColumns(Part):
    """Numbers as they are, or on one scale; an empty cell is the median of the training rows.

    A column that had empty cells in training has a second feature that says "empty".

    Parameters
    ----------
    scaled : bool
        Whether each column gets mean 0 and deviation 1. Numbers alone are left to the method,
        which scales by what it finds.
    """

    def __init__(self, scaled: bool = True):
        self.scaled = scaled

    def fit(self, columns: Any, tally: Tally) -> NumberColumns:
        """Learn medians and scales."""
        X = _numbers(columns)
        missing = np.isnan(X)
        empty = missing.all(axis=0)
        filled = np.where(empty, 0.0, X)
        self.median_ = np.nanmedian(filled, axis=0)
        self.gaps_ = np.flatnonzero(missing.any(axis=0) & ~empty)
        filled = np.where(np.isnan(filled), self.median_, filled)
        deviation = filled.std(axis=0)
        self.centre_ = filled.mean(axis=0) if self.scaled else np.zeros(X.shape[1])
        ones = np.ones(X.shape[1])
        self.spread_ = np.where(deviation > 0, deviation, ones) if self.scaled else ones
        self.names_ = Strings(str(name) for name in columns.columns)
        return self

    def feature_names(self) -> list[str]:
        """Name the columns, then the marks."""
        return [*self.names_, *(f"{self.names_[gap]} empty" for gap in self.gaps_.tolist())]

    def owners(self) -> list[int]:
        """Say for each feature which column it comes from."""
        return [*range(len(self.names_)), *self.gaps_.tolist()]

    def transform(self, columns: Any, tally: Tally) -> NDArray[np.float64]:
        """Give the numbers, then the marks of empty cells."""
        X = _numbers(columns)
        missing = np.isnan(X)
        counts = missing.sum(axis=0)
        for column in np.flatnonzero(counts):
            what = "empty cell, read as the median of the training rows"
            tally.add(str(columns.columns[column]), what, int(counts[column]))
        X = (np.where(missing, self.median_, X) - self.centre_) / self.spread_
        return np.hstack([X, missing[:, self.gaps_].astype(np.float64)])


class CategoryColumns(Part):
    """Categories as one 0/1 feature for each value of the training rows.

    A value that training did not have is none of them: all zeros, like an empty cell. Of a column
    with more than ``MOST_CATEGORIES`` values the rare ones share a feature, which then also stands
    for unknown ones.
    """

    def fit(self, columns: Any, tally: Tally) -> CategoryColumns:
        """Learn the values of each column."""
        self.categories_: list[Strings] = []
        self.shared_: list[bool] = []
        self.names_ = Strings(str(name) for name in columns.columns)
        for name in columns.columns:
            counts = pd.Series(_values(columns[name]), dtype=object).value_counts()
            counts = counts.drop("", errors="ignore")
            shared = len(counts) > MOST_CATEGORIES
            kept = sorted(counts.index[: MOST_CATEGORIES - 1] if shared else counts.index)
            self.categories_.append(Strings(kept))
            self.shared_.append(shared)
        return self

    def feature_names(self) -> list[str]:
        """Name each feature by column and value."""
        found = []
        for name, values, shared in zip(self.names_, self.categories_, self.shared_, strict=True):
            found += [f"{name}={value}" for value in values]
            found += [f"{name}: rare"] if shared else []
        return found

    def owners(self) -> list[int]:
        """Say for each feature which column it comes from."""
        widths = [len(v) + shared for v, shared in zip(self.categories_, self.shared_, strict=True)]
        return [place for place, width in enumerate(widths) for _ in range(width)]

    def known_values(self) -> dict[str, list[str]]:
        """Give the categories of each column."""
        pairs = zip(self.names_, self.categories_, strict=True)
        return {name: list(values) for name, values in pairs}

    def transform(self, columns: Any, tally: Tally) -> NDArray[np.float64]:
        """Give the 0/1 features, column by column."""
        blocks = []
        for name, categories, shared in zip(
            columns.columns, self.categories_, self.shared_, strict=True
        ):
            values = np.array(_values(columns[name]), dtype=object)
            codes = pd.Index(list(categories), dtype=object).get_indexer(values)
            empty = values == ""
            unknown = (codes < 0) & ~empty
            tally.add(str(name), "empty cell, read as no category", int(empty.sum()))
            if shared:
                codes[unknown] = len(categories)
            else:
                what = "unknown category, read as none of the known"
                tally.add(str(name), what, int(unknown.sum()))
            width = len(categories) + shared
            blocks.append((codes[:, None] == np.arange(width)).astype(np.float64))
        return np.hstack(blocks)


def _numbers(columns: Any) -> NDArray[np.float64]:
    return np.column_stack(
        [checked_numbers(column, str(name), _REMEDY) for name, column in columns.items()]
    )


def _values(column: Any) -> list[str]:
    """Return categories as texts; what stands for no value is the empty text."""
    texts = (text.strip() for text in texts_of(column))
    return ["" if text in MISSING else text for text in texts]
