"""A table to features: kinds of columns found, reported, and kept for new rows."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix
from dlst._nearest import did_you_mean
from dlst._parameters import with_parameters
from dlst.data.column_choice import first_names
from dlst.errors import DataError
from dlst.inputs.blocks import Block, Blocks
from dlst.inputs.dates import DateColumn
from dlst.inputs.frames import TEXT, as_frame, is_texts
from dlst.inputs.images import ImageColumn
from dlst.inputs.kinds import GIVEN_AS, listed, recognise
from dlst.inputs.notes import InputNote, Tally
from dlst.inputs.plain import CategoryColumns, NumberColumns
from dlst.inputs.text import TextColumn

Names: TypeAlias = str | Sequence[str] | None

USED = ("number", "category", "date", "text", "image")
"""Kinds that become features."""


@with_parameters
class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table into features by what its columns are.

    Kinds are recognised in the training rows unless they are given; ``columns_`` and ``report()``
    tell them. Everything needed to read new rows is learnt here and nothing from those: they may
    have their columns in another order, other categories, empty cells.

    ========  ========================================================  ==========================
    kind      becomes                                                   an empty cell is
    ========  ========================================================  ==========================
    number    itself                                                    the training median
    category  a 0/1 feature for each value; unknown ones are all zero   no category
    text      words and word pairs, sublinear tf-idf                    a text without words
    date      trend, weekday, season, time of day                       the mean date
    image     a descriptor of the picture at this path                  an error
    id        nothing; predictions are written beside it
    ignored   nothing
    ========  ========================================================  ==========================

    Numbers alone are not scaled, as methods scale by what they find. Among other kinds, numbers and
    trends get mean 0 and deviation 1; beside a text or image column, which has length 1, all other
    columns together have variance 1.

    Parameters
    ----------
    number, category, text, image, id, drop : str or list of str, optional
        Columns of these kinds, whatever they look like.
    date : str, list of str or dict, optional
        Columns of dates; a dict says the format of each, such as ``{"day": "%d/%m/%Y"}``.
    text_encoder : transformer, optional
        For texts, in place of :class:`WordFeatures`.
    image_encoder : transformer, optional
        For images, in place of :class:`~dlst.inputs.images.ImageDescriptor`.

    Attributes
    ----------
    columns_ : list of Column
        Name, kind and reason of every column.
    blocks_ : Blocks
        Fitted encoders of the columns.
    is_scaled_ : bool
        Whether features are on a common scale already.

    Examples
    --------
    >>> rows = [{"size": 1.5, "colour": "red"}, {"size": 2.5, "colour": "blue"}]
    >>> encoder = TableEncoder().fit(rows)
    >>> print(encoder.report())
    size    number    numbers
    colour  category  2 values
    >>> encoder.transform([{"colour": "blue", "size": 2.5}]), list(encoder.get_feature_names_out())
    (array([[1., 1., 0.]]), ['size', 'colour=blue', 'colour=red'])
    """

    _: KW_ONLY
    number: Names = None
    category: Names = None
    text: Names = None
    date: Names | Mapping[str, str] = None
    image: Names = None
    id: Names = None
    drop: Names = None
    text_encoder: Any = None
    image_encoder: Any = None

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Find out kinds, categories, words and scales in the training rows."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> FeatureMatrix:
        """Fit, and give the features of the same rows.

        Returns
        -------
        ndarray or CSR of shape (n, d)
            Sparse where there is text.
        """
        frame = as_frame(X)
        self.columns_ = recognise(frame, self._given(is_texts(X)))
        if not any(column.kind in USED for column in self.columns_):
            raise DataError(
                "a method needs features; got no column to learn from"
                f"{''.join(f'; {c.name!r} is {c.kind} ({c.reason})' for c in self.columns_)}. "
                "Give a column its kind: number, category, text, date or image."
            )
        self.is_scaled_ = any(column.kind in USED[1:] for column in self.columns_)
        self.blocks_ = Blocks(list(self._blocks()))
        return self.blocks_.fit_transform(frame, Tally())

    def transform(self, X: Any) -> FeatureMatrix:
        """Give the features of rows, shape (n, d); unusual cells are counted in a warning."""
        tally = Tally()
        features = self.encode(X, tally)
        if notes := tally.notes():
            warnings.warn("; ".join(notes), InputNote, stacklevel=3)
        return features

    def encode(self, X: Any, tally: Tally) -> FeatureMatrix:
        """Do as :meth:`transform` and count unusual cells in ``tally``."""
        check_is_fitted(self, "blocks_")
        frame = self.framed(X)
        self.check_columns(list(frame.columns), tally)
        return self.blocks_.transform(frame, tally)

    def framed(self, X: Any) -> Any:
        """Return rows as a frame: texts are the one column, arrays have the order of the fit."""
        used = self.names_of(*USED)
        return as_frame(X, used if is_texts(X) else [column.name for column in self.columns_])

    def names_of(self, *kinds: str) -> list[str]:
        """Return the columns of these kinds."""
        return [column.name for column in self.columns_ if column.kind in kinds]

    def kept(self, frame: Any, *, everything: bool) -> dict[str, Any]:
        """Return the columns by which a person knows a row, ids or paths of pictures, or all."""
        known = self.names_of("id") or self.names_of("image")
        names = list(frame.columns) if everything else known
        return {name: frame[name].to_numpy() for name in names if name in frame.columns}

    def kinds(self) -> dict[str, list[str]]:
        """Return all columns by kind, in the words of the constructor."""
        found: dict[str, list[str]] = {}
        for column in self.columns_:
            found.setdefault("drop" if column.kind == "ignored" else column.kind, []).append(
                column.name
            )
        return found

    def known_values(self) -> dict[str, list[str]]:
        """Return the categories by column."""
        return {k: v for part in self.blocks_.parts() for k, v in part.known_values().items()}

    def notation(self) -> dict[str, str]:
        """Return how the cells of date columns are written."""
        return {k: v for part in self.blocks_.parts() for k, v in part.notation().items()}

    def without_each_cell(self, X: FeatureMatrix) -> tuple[list[str], FeatureMatrix]:
        """Take one encoded row; see :meth:`Blocks.without_each_cell`."""
        return self.blocks_.without_each_cell(X)

    def check_columns(self, found: list[str], tally: Tally) -> None:
        """Refuse rows that lack a column that is used; unknown ones are reported."""
        known = {column.name for column in self.columns_}
        strange = [name for name in found if name not in known]
        there = set(found)
        missing = [name for name in self.names_of(*USED) if name not in there]
        if missing:
            raise DataError(_misfit(missing, strange))
        for name in strange:
            tally.tell(name, "column is not known to the model and is not used")

    def report(self) -> str:
        """Say how the columns were read: name, kind and reason, a line each."""
        check_is_fitted(self, "columns_")
        wide = max(len(column.name) for column in self.columns_)
        kind = max(len(column.kind) for column in self.columns_)
        return "\n".join(f"{c.name:{wide}}  {c.kind:{kind}}  {c.reason}" for c in self.columns_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the features by column and value or word."""
        check_is_fitted(self, "blocks_")
        return np.array(self.blocks_.feature_names(), dtype=object)

    def _given(self, plain_texts: bool) -> dict[str, Any]:
        given = {kind: getattr(self, kind) for kind in GIVEN_AS}
        if plain_texts and not any(listed(names) for names in given.values()):
            given["text"] = TEXT
        return given

    def _blocks(self) -> Iterator[Block]:
        numbers, categories = self.names_of("number"), self.names_of("category")
        if numbers:
            yield Block(numbers, NumberColumns(scaled=self.is_scaled_))
        if categories:
            yield Block(categories, CategoryColumns())
        formats = self.date if isinstance(self.date, Mapping) else {}
        for name in self.names_of("date"):
            yield Block([name], DateColumn(formats.get(name)))
        for name in self.names_of("text"):
            yield Block([name], TextColumn(self.text_encoder), is_wide=True)
        for name in self.names_of("image"):
            yield Block([name], ImageColumn(self.image_encoder), is_wide=True)


def _misfit(missing: list[str], strange: list[str]) -> str:
    parts = []
    free = list(strange)
    for name in missing[:3]:
        plain = {other.casefold().strip(): other for other in free}
        alike = difflib.get_close_matches(name.casefold().strip(), plain, n=1, cutoff=0.5)
        near = [plain[other] for other in alike]
        near = near or [other for other in free if other in name or name in other][:1]
        if near:
            free.remove(near[0])
            parts.append(f"column {name!r} is missing; {near[0]!r} is not known, did you mean it?")
        else:
            parts.append(f"column {name!r} is missing; the model learnt from it, so add it.")
    if len(missing) > 3:
        parts.append(f"{len(missing) - 3} more {'is' if len(missing) == 4 else 'are'} missing.")
    if free:
        parts.append(f"Not known to the model: {first_names(free)}.")
    return " ".join(parts)


def encoder_of(columns: Any) -> TableEncoder:
    """Make an encoder of kinds as a user says them; a kind that there is not is named."""
    known = list(TableEncoder().get_params(deep=False))
    given = columns or {}
    for kind in given if isinstance(given, Mapping) else [given]:
        if kind not in known:
            raise DataError(
                "columns must be a mapping of kinds to names, such as {'text': ['title']}, with "
                f"kinds among {', '.join(known)}; got {kind!r}.{did_you_mean(kind, known)}"
            )
    return TableEncoder(**given)
