"""Feature columns of a table: numbers, or texts as one-hot columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from dlst._matrices import FloatArray
from dlst.data.column_choice import FEWEST_FOR_ID
from dlst.data.tables.cells import (
    MakeError,
    are_identifiers,
    are_numbers,
    is_missing,
    mend,
    numbers_of,
    shown,
    typed_numbers,
)
from dlst.errors import DataError

MAX_CATEGORIES = 1000
"""A text column with more distinct texts is no nominal feature."""

MAX_CELLS = 5 * 10**8
"""Tables are dense; larger ones are refused."""

_REMEDY = "Drop the column, or give the table to dlst.Tagger (dlst fit), which reads texts."


def features_of(
    columns: dict[str, Any],
    n: int,
    named: Collection[str],
    find_mistakes: bool,
    make_error: MakeError,
) -> tuple[FloatArray, list[str], list[str]]:
    """Return X, the names of its columns, and notes on what was decided.

    Parameters
    ----------
    columns : dict of Series
        By name.
    n : int
        Rows.
    named : collection of str
        Columns that are nominal whatever their cells look like.
    find_mistakes : bool
        Whether a text among numbers is an error.
    make_error : callable
    """
    blocks: list[FloatArray] = []
    names: list[str] = []
    nominal: list[str] = []
    identifiers: list[str] = []
    for name, column in columns.items():
        values = None if name in named else typed_numbers(column)
        if values is None:
            categories = _Categories(name, column, make_error)
            if name not in named:
                if find_mistakes and not isinstance(column.dtype, pd.CategoricalDtype):
                    values = categories.as_numbers()
                if values is None and categories.number_the_rows:
                    identifiers.append(name)
                    continue
        if values is not None:
            blocks.append(values.reshape(-1, 1))
            names.append(name)
            continue
        if name not in named:
            categories.check_that_they_repeat()
        nominal.append(name)
        names += [f"{name}={text}" for text in categories.texts]
        if n * len(names) > MAX_CELLS:
            raise make_error(
                f"a table may have at most {MAX_CELLS:,} cells; got more with column {name!r} as "
                f"{len(categories.texts)} kinds of text in {n:,} rows. Drop the column.",
                None,
            )
        blocks.append(categories.one_hot())
    notes = []
    if nominal:
        notes.append(f"nominal features as one-hot: {_listed(nominal)}")
    if identifiers:
        notes.append(f"columns that are identifiers left out: {_listed(identifiers)}")
    return (np.hstack(blocks) if blocks else np.empty((n, 0))), names, notes


class _Categories:
    """The distinct texts of a column, sorted, and which of them each cell is."""

    def __init__(self, name: str, column: Any, make_error: MakeError):
        self._name, self._column, self._make_error = name, column, make_error
        self._missing = is_missing(column)
        there = column[~self._missing]
        # One cell speaks for a typed column.
        for position, cell in enumerate(there if column.dtype == object else there.iloc[:1]):
            if not isinstance(cell, str | bool | int | float | np.number):
                raise make_error(
                    f"feature {name!r} must be numbers or text; got {shown(cell)}. "
                    "Convert or drop the column.",
                    int(np.flatnonzero(~self._missing)[position]),
                )
        # str() of a string is the same object, so long equal texts are not copied.
        objects = np.array([str(cell) for cell in there], dtype=object)
        numbers, found = pd.factorize(objects)
        texts = found.tolist()
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts), dtype=np.int64)
        rank[order] = np.arange(len(texts))
        self.texts = [texts[position] for position in order]
        self._codes = np.full(len(column), -1)
        self._codes[~self._missing] = rank[numbers]

    @property
    def number_the_rows(self) -> bool:
        """Whether they are identifiers."""
        return are_identifiers(self.texts, int(np.count_nonzero(~self._missing)))

    def check_that_they_repeat(self) -> None:
        """Refuse free text: a column of its own for each sentence tells nothing."""
        n_present = int(np.count_nonzero(~self._missing))
        if 2 * len(self.texts) > n_present >= FEWEST_FOR_ID:
            raise self._make_error(
                f"column {self._name!r}: expected texts that repeat, got {len(self.texts):,} "
                f"different ones in {n_present:,} rows, such as {shown(self.texts[0])}. {_REMEDY}",
                None,
            )

    def as_numbers(self) -> FloatArray | None:
        """Return the numbers of a column that mostly holds such; None for one of texts.

        Raises
        ------
        DataError
            When most cells are numbers and some are not, so that these are mistakes.
        """
        texts = pd.Series(self.texts, dtype=object)
        numbers, wrong = numbers_of(texts)
        often = np.bincount(self._codes[~self._missing], minlength=len(self.texts))
        if self.texts and not are_numbers(texts, wrong, often):
            return None
        if wrong.size:
            row = int(np.flatnonzero(np.isin(self._codes, wrong))[0])
            raise self._mistake(row, int(often.sum() - often[wrong].sum()))
        # The empty cell's code, -1, is the last of the array.
        return np.asarray(np.append(numbers, np.nan)[self._codes], dtype=np.float64)

    def one_hot(self) -> FloatArray:
        """Return a 0/1 column for each text, NaN in all of them where the cell is empty."""
        if len(self.texts) > MAX_CATEGORIES:
            raise self._make_error(
                f"feature {self._name!r} must be numbers, or text of at most {MAX_CATEGORIES} "
                f"kinds; got {len(self.texts)} kinds, such as {shown(self.texts[0])}. "
                f"{_REMEDY}",
                None,
            )
        same = self._codes[:, None] == np.arange(len(self.texts))
        columns: FloatArray = same.astype(np.float64)
        columns[self._missing] = np.nan
        return columns

    def _mistake(self, row: int, n_numbers: int) -> DataError:
        cell = self._column.iloc[row]
        as_in = f" as in {n_numbers:,} other cells" if n_numbers else ""
        return self._make_error(
            f"column {self._name!r}: expected a number{as_in}, got {shown(cell)}. {mend(cell)}, "
            f"or, if the column holds kinds of things, name it with nominal=[{self._name!r}].",
            row,
        )


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
