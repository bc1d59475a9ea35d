"""From declared attributes to columns of X and Y."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix, as_dense
from dlst.data.arff.header import Attribute, Header
from dlst.data.arff.rows_kernel import NOMINAL, TEXT, Schema
from dlst.errors import ReadError

Nominal: TypeAlias = Literal["auto", "one-hot", "codes"]

_TRUTH = {"1": 1.0, "true": 1.0, "yes": 1.0, "0": 0.0, "-1": 0.0, "false": 0.0, "no": 0.0}


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """Which attribute goes to which column, and what its categories stand for.

    ``values[a]`` gives the number of each category of attribute ``a``. ``one_hot`` are the feature
    columns that :meth:`expand` turns into one column for each category.
    """

    attributes: tuple[Attribute, ...]
    encoding: str
    target: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    one_hot: dict[int, tuple[str, ...]]
    raw_names: tuple[str, ...]
    n_labels: int
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, path: str | os.PathLike[str], header: Header, chosen: Sequence[int], nominal: Nominal
    ) -> ColumnPlan:
        """Plan the columns of a file whose label attributes are ``chosen``."""
        if nominal not in get_args(Nominal):
            raise ValueError(
                f"nominal must be one of {', '.join(get_args(Nominal))}; got {nominal!r}."
            )
        label_of = {attribute: j for j, attribute in enumerate(chosen)}
        target: list[int] = []
        values: list[tuple[float, ...]] = []
        one_hot: dict[int, tuple[str, ...]] = {}
        raw_names: list[str] = []
        left_out: list[str] = []
        # Thousands of attributes share their categories, so each list is looked at once.
        values_of = cache(lambda categories: _feature_values(categories, nominal))
        for a, attribute in enumerate(header.attributes):
            if a in label_of:
                target.append(-1 - label_of[a])
                values.append(_label_values(path, attribute))
            elif attribute.kind == TEXT:
                target.append(0)
                values.append(())
                left_out.append(attribute.name)
            else:
                category_values, expands = values_of(attribute.categories)
                if expands:
                    one_hot[len(raw_names)] = attribute.categories
                target.append(len(raw_names))
                values.append(category_values)
                raw_names.append(attribute.name)
        notes = []
        if one_hot:
            notes.append(f"{len(one_hot)} nominal attributes one-hot")
        if left_out:
            notes.append(f"text attributes left out: {', '.join(left_out[:5])}")
        return cls(
            header.attributes,
            header.encoding,
            tuple(target),
            tuple(values),
            one_hot,
            tuple(raw_names),
            len(chosen),
            tuple(notes),
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

    @property
    def feature_names(self) -> list[str]:
        """Names of the feature columns after :meth:`expand`."""
        names: list[str] = []
        for column, name in enumerate(self.raw_names):
            categories = self.one_hot.get(column)
            names += [name] if categories is None else [f"{name}={text}" for text in categories]
        return names

    def expand(self, X: FeatureMatrix) -> FeatureMatrix:
        """Replace each column of category codes by one 0/1 column for each category."""
        if not self.one_hot:
            return X
        pieces: list[FeatureMatrix] = []
        done = 0
        for column, categories in self.one_hot.items():
            pieces += [X[:, done:column], _indicator(X[:, [column]], len(categories))]
            done = column + 1
        pieces.append(X[:, done:])
        if isinstance(X, np.ndarray):
            return np.hstack(pieces)
        return sp.csr_array(sp.hstack(pieces, format="csr"))

    def category_value(self, attribute: int, text: str) -> float | None:
        """Look up one category by its text."""
        categories = self.attributes[attribute].categories
        return self.values[attribute][categories.index(text)] if text in categories else None


def _feature_values(
    categories: tuple[str, ...], nominal: Nominal
) -> tuple[tuple[float, ...], bool]:
    """Return the number of each category, and whether the column is to be made one-hot."""
    numbers = _as_numbers(categories)
    if numbers is not None and (nominal == "auto" or set(numbers) <= {0.0, 1.0}):
        return numbers, False
    codes = tuple(float(code) for code in range(len(categories)))
    return codes, nominal != "codes" and len(categories) > 2


def _label_values(path: str | os.PathLike[str], attribute: Attribute) -> tuple[float, ...]:
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
    indicator: NDArray[np.float64] = (column == np.arange(n_categories)).astype(np.float64)
    indicator[np.isnan(column[:, 0])] = np.nan
    return sp.csr_array(indicator) if sp.issparse(codes) else indicator
