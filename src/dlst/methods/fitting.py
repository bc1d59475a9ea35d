"""Methods and data sets: fit with the names of columns, and align other data with a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import scipy.sparse as sp

from dlst.data import Dataset, NumberedNames
from dlst.errors import DataError
from dlst.methods.base import MultiLabelClassifier


def fit_dataset(model: MultiLabelClassifier, data: Dataset) -> MultiLabelClassifier:
    """Fit to all rows of a data set; the model keeps the names of its features and labels."""
    model.fit(data.X, data.Y)
    # Not feature_names_in_, with which scikit-learn asks for a frame at every prediction.
    model.feature_names_ = data.feature_names
    model.label_names_ = data.label_names
    return model


def in_line_with(model: MultiLabelClassifier, data: Dataset) -> Dataset:
    """Return the data with the model's features and labels, in the model's order.

    Columns are matched by name where both have names, by position otherwise. Sparse text shows
    only the columns that occur in it, so unnamed columns are widened to what the model knows. Data
    without labels pass.
    """
    data = _with_features(data, model)
    if data.n_labels == 0:
        return data
    wanted = model.label_names_
    order = _order(data.label_names, wanted, "labels")
    if order is None:
        Y = _widened(data.Y, len(wanted), "labels")
        return replace(data, Y=Y, label_names=wanted)
    return replace(data, Y=data.Y[:, order], label_names=wanted, label_parents=None)


def _with_features(data: Dataset, model: MultiLabelClassifier) -> Dataset:
    wanted = getattr(model, "feature_names_", NumberedNames("x", model.n_features_in_))
    order = _order(data.feature_names, wanted, "features")
    if order is None:
        X = _widened(data.X, len(wanted), "features")
        return replace(data, X=X, feature_names=wanted)
    if order == list(range(len(order))):
        return data
    return replace(data, X=data.X[:, order], feature_names=wanted, image_shape=None)


def _order(names: Sequence[str], wanted: Sequence[str], what: str) -> list[int] | None:
    """Find the wanted columns by name; None when one side has no names."""
    if isinstance(names, NumberedNames) or isinstance(wanted, NumberedNames):
        return None
    if len(names) != len(wanted):
        raise _other_number(len(names), len(wanted), what)
    position = {name: column for column, name in enumerate(names)}
    strange = [name for name in wanted if name not in position]
    if strange:
        raise DataError(
            f"the data must have the {len(wanted)} {what} of the model; got none named "
            f"{', '.join(repr(name) for name in strange[:3])}. Rename the columns."
        )
    return [position[name] for name in wanted]


def _widened(matrix: Any, width: int, what: str) -> Any:
    n, narrow = matrix.shape
    if narrow == width:
        return matrix
    if narrow > width or not sp.issparse(matrix):
        raise _other_number(narrow, width, what)
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(n, width))


def _other_number(found: int, wanted: int, what: str) -> DataError:
    return DataError(f"the data must have the {wanted} {what} of the model; got {found}.")
