"""The container of data: features, labels, names, split and origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import (
    FeatureMatrix,
    FloatArray,
    as_dense,
    as_features,
    as_indicator,
    column_names,
)
from dlst.data.names import checked_names
from dlst.data.statistics import Statistics, describe
from dlst.errors import DataError


@dataclass(frozen=True, eq=False)
class Split:
    """Rows for training and rows for testing, disjoint.

    Parameters
    ----------
    train, test : ndarray of int
        Row numbers.
    name : str
        How the split came about, such as ``"official"`` or ``"random, seed 3"``.

    Examples
    --------
    >>> Split(np.array([0, 2]), np.array([1]), name="by hand").train
    array([0, 2])
    """

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    name: str = "official"

    def __post_init__(self) -> None:
        for side in ("train", "test"):
            rows = np.asarray(getattr(self, side))
            if rows.ndim != 1 or (rows.size and not np.issubdtype(rows.dtype, np.integer)):
                raise DataError(
                    f"Split.{side} must be a 1-D array of row numbers; got shape {rows.shape}, "
                    f"dtype {rows.dtype}. For a boolean mask use numpy.flatnonzero(mask)."
                )
            object.__setattr__(self, side, rows.astype(np.intp, copy=False))
        shared = np.intersect1d(self.train, self.test)
        if shared.size:
            raise DataError(
                f"train and test rows must be disjoint; got {shared.size} rows in both, "
                f"the first is row {shared[0]}."
            )

    def __repr__(self) -> str:
        return f"Split({self.name!r}, train={len(self.train)}, test={len(self.test)})"


@dataclass(frozen=True)
class Provenance:
    """Where data come from, and what was decided on the way.

    Parameters
    ----------
    source : str
        Public address, path, or the generator's call.
    files : mapping of str to str
        File name to sha256.
    citation, terms : str
        How to cite the data, and what one may do with them.
    notes : tuple of str
        Decisions that change the numbers: ``"nominal features one-hot"``, ``"simulated features"``.

    Examples
    --------
    >>> Provenance(source="our help desk", notes=("closed tickets only",)).notes
    ('closed tickets only',)
    """

    source: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    citation: str = ""
    terms: str = ""
    notes: tuple[str, ...] = ()

    def with_notes(self, *notes: str) -> Provenance:
        """Return a copy with more notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Multi-label data, checked once, here.

    Parameters
    ----------
    X : array-like or sparse of shape (n, d)
        Features; sparse input becomes CSR and stays sparse. ``d = 0`` means that only the labels
        are at hand.
    Y : array-like, sparse or frame of shape (n, K)
        Label indicator with values 0, 1 and NaN (unknown entry); becomes CSR, in which 1 and NaN
        are stored and 0 is not.
    feature_names, label_names : sequence of str, optional
        Default ``x0 …`` and ``label0 …``; the columns of a frame when ``X`` or ``Y`` is one.
    name : str
        Short name for tables.
    split : Split, optional
        The official split, when the data have one.
    provenance : Provenance
        Origin and decisions.
    label_parents : sequence of int, optional
        For labels in a hierarchy: the parent's column, -1 for a root.
    image_shape : tuple of int, optional
        When each row of ``X`` is an image, its shape, so that reports can show it.
    table : RawTable, optional
        Columns of a table as they were read (``load(..., raw=True)``); ``X`` is then empty until
        an encoder of :mod:`dlst.inputs`, fitted on training rows, makes features of them.

    Examples
    --------
    >>> data = Dataset([[0.0], [1.0], [2.0]], [[1, 0], [1, 1], [0, 0]], label_names=["a", "b"])
    >>> data
    Dataset(n=3, d=1, K=2, cardinality=1.000)
    >>> data.subset([0, 1]).Y.toarray()
    array([[1., 0.],
           [1., 1.]])
    """

    X: FeatureMatrix
    Y: sp.csr_array
    feature_names: Sequence[str] = ()
    label_names: Sequence[str] = ()
    name: str = ""
    split: Split | None = None
    provenance: Provenance = field(default_factory=Provenance)
    label_parents: Sequence[int] | None = None
    image_shape: tuple[int, ...] | None = None
    table: Any = None

    def __post_init__(self) -> None:
        # Frames name their columns; read the names before the values lose them.
        feature_names = self.feature_names or column_names(self.X)
        label_names = self.label_names or column_names(self.Y)
        X, Y = as_features(self.X), as_indicator(self.Y)
        if X.shape[0] != Y.shape[0]:
            raise DataError(
                f"X and Y must have the same number of rows; got {X.shape[0]} and {Y.shape[0]}."
            )
        set_field = object.__setattr__
        set_field(self, "X", X)
        set_field(self, "Y", Y)
        set_field(self, "feature_names", checked_names("feature", feature_names, X.shape[1], "x"))
        set_field(self, "label_names", checked_names("label", label_names, Y.shape[1], "label"))
        self._check_split()
        self._check_parents()

    def _check_split(self) -> None:
        if self.split is None:
            return
        rows = np.concatenate([self.split.train, self.split.test])
        if rows.size and (rows.min() < 0 or rows.max() >= self.n_samples):
            raise DataError(
                f"the split must name rows 0 to {self.n_samples - 1}; "
                f"got rows {rows.min()} to {rows.max()}."
            )

    def _check_parents(self) -> None:
        if self.label_parents is None:
            return
        parents = tuple(int(parent) for parent in self.label_parents)
        if len(parents) != self.n_labels or not all(-1 <= p < self.n_labels for p in parents):
            raise DataError(
                f"label_parents must give a column or -1 for each of the {self.n_labels} labels; "
                f"got {len(parents)} values."
            )
        object.__setattr__(self, "label_parents", parents)

    @property
    def n_samples(self) -> int:
        """Number of instances, n."""
        return int(self.Y.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, d; 0 when only the labels are at hand."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels, K."""
        return int(self.Y.shape[1])

    @property
    def cardinality(self) -> float:
        """Mean number of labels of an instance."""
        return int(np.count_nonzero(self.Y.data == 1)) / max(1, self.n_samples)

    def statistics(self) -> Statistics:
        """Describe the label space: the paper's Table I and more."""
        return describe(self.Y, n_features=self.n_features)

    @property
    def images(self) -> FloatArray | None:
        """The rows of ``X`` as images, when they are."""
        if self.image_shape is None:
            return None
        return as_dense(self.X).reshape(-1, *self.image_shape)

    @property
    def train(self) -> Dataset:
        """The training rows of the split."""
        return self.subset(self.official_split().train, name=f"{self.name} (train)")

    @property
    def test(self) -> Dataset:
        """The test rows of the split."""
        return self.subset(self.official_split().test, name=f"{self.name} (test)")

    def official_split(self) -> Split:
        """Return the split that the data came with, or say how to make one."""
        if self.split is None:
            raise DataError(
                f"data set {self.name!r} has no official split. Make one with "
                "dlst.data.random_split or dlst.data.stratified_split and data.with_split(split)."
            )
        return self.split

    def subset(self, rows: Any, name: str | None = None) -> Dataset:
        """Return these rows (numbers, slice or mask) as a data set of its own, without split."""
        if isinstance(rows, slice):
            rows = np.arange(self.n_samples)[rows]
        rows = np.asarray(rows)
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)
        rows = rows.astype(np.intp, copy=False)
        return replace(
            self,
            X=self.X[rows],
            Y=self.Y[rows],
            split=None,
            name=self.name if name is None else name,
            table=None if self.table is None else self.table.take(rows),
        )

    def with_split(self, split: Split) -> Dataset:
        """Return the same data with another split."""
        return replace(self, split=split)

    def __repr__(self) -> str:
        parts = [repr(self.name)] if self.name else []
        parts += [f"n={self.n_samples}", f"d={self.n_features}", f"K={self.n_labels}"]
        parts.append(f"cardinality={self.cardinality:.3f}")
        if sp.issparse(self.X):
            parts.append("sparse")
        if self.split is not None:
            parts.append(f"split={len(self.split.train)}/{len(self.split.test)}")
        return f"Dataset({', '.join(parts)})"
