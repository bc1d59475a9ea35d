"""A training part and a test part, joined to one data set with its split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst.data.dataset import Dataset, Split
from dlst.data.names import NumberedNames
from dlst.data.tables.labels import Labels, in_order_of
from dlst.errors import DataError


def join_train_test(train: Dataset, test: Dataset, name: str = "") -> Dataset:
    """Stack an official pair into one data set with its split.

    The labels of ``test`` are matched to those of ``train`` by name, so a file that lists them in
    another order is no trap; features must agree in number and name. Sparse text without a header
    shows only the columns that occur in it: unnamed columns are widened to the wider part.

    Parameters
    ----------
    train, test : Dataset
    name : str
        Of the whole; default that of ``train``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> train, test = Dataset([[0.0], [1.0]], [[1], [0]]), Dataset([[2.0]], [[1]])
    >>> whole = join_train_test(train, test)
    >>> whole.X.shape, whole.split.test
    ((3, 1), array([2]))
    """
    d, K = max(train.n_features, test.n_features), max(train.n_labels, test.n_labels)
    if _unnamed(train.feature_names, test.feature_names):
        train, test = _widened(train, "X", d), _widened(test, "X", d)
    if _unnamed(train.label_names, test.label_names):
        train, test = _widened(train, "Y", K), _widened(test, "Y", K)
    if train.feature_names != test.feature_names:
        raise DataError(
            f"train and test must have the same features; got {train.n_features} and "
            f"{test.n_features}{_first_difference(train.feature_names, test.feature_names)}."
        )
    if train.table is not None and train.table.label_delimiter is not None:
        # Cells name the labels that they have: one that no test row has is not in the test file.
        names = sorted({*train.label_names, *test.label_names})
        train, test = _with_labels(train, names), _with_labels(test, names)
    Y_test = test.Y
    if train.label_names != test.label_names:
        if sorted(train.label_names) != sorted(test.label_names):
            raise DataError(
                f"train and test must have the same labels; got {train.n_labels} and "
                f"{test.n_labels}{_first_difference(train.label_names, test.label_names)}."
            )
        position = {label: column for column, label in enumerate(test.label_names)}
        Y_test = test.Y[:, [position[label] for label in train.label_names]]
    sparse = sp.issparse(train.X) or sp.issparse(test.X)
    X = sp.vstack([train.X, test.X], format="csr") if sparse else np.vstack([train.X, test.X])
    n_train, n = train.n_samples, train.n_samples + test.n_samples
    return replace(
        train,
        table=None if train.table is None else train.table.joined(test.table),
        X=X,
        Y=sp.vstack([train.Y, Y_test], format="csr"),
        name=name or train.name,
        split=Split(np.arange(n_train), np.arange(n_train, n)),
        provenance=replace(
            train.provenance, files={**train.provenance.files, **test.provenance.files}
        ),
    )


def _with_labels(part: Dataset, names: list[str]) -> Dataset:
    """Extend a part to the labels of all; all are unknown in a row of unknown labels."""
    own = Labels.of(part.Y, list(part.label_names), part.table.label_delimiter)
    return replace(part, Y=in_order_of(own, names)[0], label_names=names)


def _unnamed(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    return isinstance(ours, NumberedNames) and isinstance(theirs, NumberedNames)


def _widened(dataset: Dataset, matrix: Literal["X", "Y"], width: int) -> Dataset:
    narrow: FeatureMatrix = getattr(dataset, matrix)
    if isinstance(narrow, np.ndarray) or narrow.shape[1] == width:
        return dataset
    wide = sp.csr_array((narrow.data, narrow.indices, narrow.indptr), (narrow.shape[0], width))
    names = "feature_names" if matrix == "X" else "label_names"
    return replace(dataset, **{matrix: wide, names: ()})


def _first_difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    for ours_i, theirs_i in zip(ours, theirs, strict=False):
        if ours_i != theirs_i:
            return f", first difference {ours_i!r} and {theirs_i!r}"
    return ""
