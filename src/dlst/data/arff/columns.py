"""From declared attributes to columns of X and Y."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._files import PathLike
from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst.data.arff.header import Attribute, Header
from dlst.data.arff.rows_kernel import NOMINAL, TEXT, Schema
from dlst.data.column_choice import FEWEST_FOR_ID, MOST_CATEGORIES, Nominal, check_nominal
from dlst.errors import ReadError

_TRUTH = {"1": 1.0, "true": 1.0, "yes": 1.0, "0": 0.0, "-1": 0.0, "false": 0.0, "no": 0.0}


class Features(NamedTuple):
    """The columns of X, their names, and what was decided about them."""

    X: FeatureMatrix
    names: list[str]
    notes: list[str]


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """Which attribute goes to which column, and what its categories stand for.

    ``values[a]`` gives the number of each category of attribute ``a``. ``one_hot`` are the feature
    columns that :meth:`expand` turns into one column for each category; those ``named`` by the user
    for certain, the others unless they turn out to number the rows. An attribute that is left out
    is planned as text, whose cells are not read.
    """

    attributes: tuple[Attribute, ...]
    encoding: str
    target: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    one_hot: dict[int, tuple[str, ...]]
    named: frozenset[str]
    raw_names: tuple[str, ...]
    n_labels: int
    texts: tuple[str, ...]
    identifiers: tuple[str, ...]

    @classmethod
    def of(
        cls, path: PathLike, header: Header, chosen: Sequence[int], nominal: Nominal
    ) -> ColumnPlan:
        """Plan the columns of a file whose label attributes are ``chosen``."""
        every_name = [attribute.name for attribute in header.attributes]
        named = check_nominal(nominal, every_name, lambda message: ReadError(path, message))
        label_of = {attribute: j for j, attribute in enumerate(chosen)}
        attributes = list(header.attributes)
        target: list[int] = []
        values: list[tuple[float, ...]] = []
        one_hot: dict[int, tuple[str, ...]] = {}
        raw_names: list[str] = []
        identifiers: list[str] = []
        # Thousands of attributes share their categories, so each list is looked at once.
        values_of = cache(_feature_values)
        for a, attribute in enumerate(header.attributes):
            if a in label_of:
                target.append(-1 - label_of[a])
                values.append(_label_values(path, attribute))
                continue
            is_named = attribute.name in named
            category_values, expands = values_of(
                attribute.categories, is_named or nominal == "one-hot"
            )
            if expands and len(attribute.categories) > MOST_CATEGORIES and not is_named:
                identifiers.append(attribute.name)
                attributes[a] = replace(attribute, kind=TEXT, categories=())
            if attributes[a].kind == TEXT:
                target.append(0)
                values.append(())
                continue
            if expands:
                one_hot[len(raw_names)] = attribute.categories
            target.append(len(raw_names))
            values.append(category_values)
            raw_names.append(attribute.name)
        return cls(
            tuple(attributes),
            header.encoding,
            tuple(target),
            tuple(values),
            one_hot,
            named,
            tuple(raw_names),
            len(chosen),
            tuple(attribute.name for attribute in header.attributes if attribute.kind == TEXT),
            tuple(identifiers),
        )

    @cached_property
    def schema(self) -> Schema:
        """The plan as arrays for the kernels, the categories of each attribute sorted by bytes."""
        first, starts, texts, numbers = [0], [0], [], []
        default = np.zeros(len(self.attributes))
        sorted_categories = cache(
            lambda categories: sorted(
                (text.encode(self.encoding, "replace"), code)
                for code, text in enumerate(categories)
            )
        )
        for a, attribute in enumerate(self.attributes):
            for text, code in sorted_categories(attribute.categories):
                texts.append(text)
                starts.append(starts[-1] + len(text))
                numbers.append(self.values[a][code] if self.values[a] else 0.0)
            first.append(len(texts))
            if attribute.kind == NOMINAL:
                default[a] = self.values[a][0]
        return Schema(
            kind=np.array([attribute.kind for attribute in self.attributes], dtype=np.int8),
            target=np.array(self.target, dtype=np.int64),
            first_category=np.array(first, dtype=np.int64),
            category_start=np.array(starts, dtype=np.int64),
            category_bytes=np.frombuffer(b"".join(texts) or b"\0", dtype=np.uint8).copy(),
            category_value=np.array(numbers, dtype=np.float64),
            default=default,
        )

    @property
    def n_raw_features(self) -> int:
        """Feature columns before :meth:`expand`."""
        return len(self.raw_names)

    def expand(self, X: FeatureMatrix) -> Features:
        """Replace each column of category codes by one 0/1 column for each category."""
        pieces: list[FeatureMatrix] = []
        names: list[str] = []
        identifiers = list(self.identifiers)
        done = n_expanded = 0
        for column, categories in self.one_hot.items():
            pieces.append(X[:, done:column])
            names += self.raw_names[done:column]
            name, codes = self.raw_names[column], X[:, [column]]
            if name not in self.named and _numbers_the_rows(codes, len(categories)):
                identifiers.append(name)
            else:
                pieces.append(_indicator(codes, len(categories)))
                names += [f"{name}={text}" for text in categories]
                n_expanded += 1
            done = column + 1
        pieces.append(X[:, done:])
        names += self.raw_names[done:]
        notes = [
            f"{what} left out: {', '.join(left_out[:5])}{', …' if len(left_out) > 5 else ''}"
            for what, left_out in (
                ("text attributes", self.texts),
                ("attributes that are identifiers", identifiers),
            )
            if left_out
        ]
        if n_expanded:
            notes.insert(0, f"{n_expanded} nominal attributes one-hot")
        if not self.one_hot:
            return Features(X, names, notes)
        if isinstance(X, np.ndarray):
            return Features(np.hstack(pieces), names, notes)
        return Features(sp.csr_array(sp.hstack(pieces, format="csr")), names, notes)

    def category_value(self, attribute: int, text: str) -> float | None:
        """Look up one category by its text."""
        categories = self.attributes[attribute].categories
        return self.values[attribute][categories.index(text)] if text in categories else None


def _feature_values(categories: tuple[str, ...], one_hot: bool) -> tuple[tuple[float, ...], bool]:
    """Return the number of each category, and whether the column is to be made one-hot."""
    numbers = _as_numbers(categories)
    if numbers is not None and (not one_hot or set(numbers) <= {0.0, 1.0}):
        return numbers, False
    codes = tuple(float(code) for code in range(len(categories)))
    return codes, len(categories) > 2


def _numbers_the_rows(codes: FeatureMatrix, n_categories: int) -> bool:
    """Return whether every category occurs in exactly one row."""
    if codes.shape[0] != n_categories or n_categories < FEWEST_FOR_ID:
        return False
    return np.array_equal(np.sort(as_dense(codes)[:, 0]), np.arange(n_categories))


def _label_values(path: PathLike, attribute: Attribute) -> tuple[float, ...]:
    unknown = [text for text in attribute.categories if text.lower() not in _TRUTH]
    if unknown or attribute.kind == TEXT:
        got = f"the category {unknown[0]!r}" if unknown else "text"
        raise ReadError(
            path,
            f"expected label {attribute.name!r} to be numeric or {{0,1}}, got {got}. "
            "Is it a feature? Name the labels with labels= or xml=.",
        )
    return tuple(_TRUTH[text.lower()] for text in attribute.categories)


def _as_numbers(categories: tuple[str, ...]) -> tuple[float, ...] | None:
    try:
        numbers = tuple(float(text) for text in categories)
    except ValueError:
        return None
    return numbers if np.all(np.isfinite(numbers)) else None


def _indicator(codes: FeatureMatrix, n_categories: int) -> FeatureMatrix:
    column = as_dense(codes)
    indicator: FloatArray = (column == np.arange(n_categories)).astype(np.float64)
    indicator[np.isnan(column[:, 0])] = np.nan
    return sp.csr_array(indicator) if sp.issparse(codes) else indicator
