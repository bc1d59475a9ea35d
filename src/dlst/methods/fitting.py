"""Methods and data sets: fit with the labels' names, and bring other data in line with a model."""

from __future__ import annotations

from dataclasses import replace

import scipy.sparse as sp

from dlst.data import Dataset, NumberedNames
from dlst.errors import DataError
from dlst.methods.base import MultiLabelClassifier


def fit_dataset(model: MultiLabelClassifier, data: Dataset) -> MultiLabelClassifier:
    """Fit to all rows of a data set; the model keeps the names of its labels."""
    model.fit(data.X, data.Y)
    model.label_names_ = data.label_names
    return model


def in_line_with(model: MultiLabelClassifier, data: Dataset) -> Dataset:
    """Return the data with the model's features and labels, in the model's order.

    Labels are matched by name where both have names, by position otherwise. Sparse text shows only
    the columns that occur in it, so unnamed columns are widened to what the model knows. Data
    without labels pass.
    """
    data = _with_features(data, model.n_features_in_)
    if data.n_labels == 0:
        return data
    wanted = list(model.label_names_)
    if isinstance(data.label_names, NumberedNames) or isinstance(model.label_names_, NumberedNames):
        return replace(data, Y=_widened(data.Y, len(wanted), "labels"), label_names=wanted)
    if sorted(wanted) != sorted(data.label_names):
        strange = sorted(set(data.label_names) ^ set(wanted))
        raise DataError(
            f"the data must have the {len(wanted)} labels of the model; got a difference in "
            f"{', '.join(repr(name) for name in strange[:3])}."
        )
    position = {name: column for column, name in enumerate(data.label_names)}
    order = [position[name] for name in wanted]
    return replace(data, Y=data.Y[:, order], label_names=wanted, label_parents=None)


def _with_features(data: Dataset, n_features: int) -> Dataset:
    if data.n_features == n_features:
        return data
    if isinstance(data.feature_names, NumberedNames) and sp.issparse(data.X):
        return replace(data, X=_widened(data.X, n_features, "features"), feature_names=())
    raise DataError(
        f"the data must have the {n_features} features of the model; got {data.n_features}."
    )


def _widened(matrix: sp.csr_array, width: int, what: str) -> sp.csr_array:
    n, narrow = matrix.shape
    if narrow > width:
        raise DataError(f"the data must have the {width} {what} of the model; got {narrow}.")
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(n, width))
