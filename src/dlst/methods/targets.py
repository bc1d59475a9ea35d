"""Targets in the forms that scikit-learn takes, converted to one indicator and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _num_samples, assert_all_finite

from dlst._matrices import as_indicator, column_names
from dlst.errors import DataError

_LISTS = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True, eq=False)
class Targets:
    """What the target was, so that predictions can be given in the same form.

    Attributes
    ----------
    classes : ndarray, optional
        Classes of a 1-D target, sorted; None for an indicator.
    label_names : tuple of str
        Columns of a frame, else empty.
    dtype : str
        Name of the type of an indicator's values.
    sparse : bool
        Whether the indicator was sparse.
    """

    classes: NDArray[Any] | None
    label_names: tuple[str, ...]
    dtype: str
    sparse: bool

    @property
    def is_indicator(self) -> bool:
        """Whether the target had a column for each label."""
        return self.classes is None

    def decided(self, chosen: sp.csr_array) -> Any:
        """Return decisions in the form of the target: indicator, or one class for each row."""
        if self.classes is not None:
            raise TypeError("classes are decided by their probabilities")
        if self.sparse:
            return chosen.astype(self.dtype)
        return chosen.toarray().astype(self.dtype)


def read_targets(y: Any) -> tuple[sp.csr_array, Targets]:
    """Return the (n, K) indicator of a target, and what the target was.

    A 1-D target of C classes becomes C columns, of two classes one column (the second class is
    the positive one). A 2-D target of one column that holds other things than 0, 1 and NaN is
    read as if it were 1-D.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if hasattr(y, "columns") and not hasattr(y, "ndim"):  # polars and pyarrow
        from dlst.data.tables.frames import pandas_frame  # readers of tables are slow to import

        y = pandas_frame(y)
    if not sp.issparse(y) and not hasattr(y, "columns"):
        y = _as_array(y)
    if y.ndim == 2:
        if not _is_column_of_classes(y):
            return _read_indicator(y)
        y = np.asarray(y).ravel()
    y = column_or_1d(y)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    n = _num_samples(y)
    if len(classes) <= 2:
        Y = sp.csr_array((codes == len(classes) - 1).astype(np.float64).reshape(-1, 1))
        if len(classes) == 1:
            Y = sp.csr_array(np.ones((n, 1)))
    else:
        Y = sp.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, len(classes)))
    return Y, Targets(classes, (), classes.dtype.str, sparse=False)


def _as_array(y: Any) -> NDArray[Any]:
    """Convert lists of numbers and other array-likes to an array."""
    try:
        found = np.asarray(y)
        ragged = found.ndim == 1 and any(isinstance(each, _LISTS) for each in found.tolist())
    except ValueError:
        ragged = True
    if ragged:
        raise DataError(
            "y must have a column of 0 and 1 for each label, or one class for each row; got a list "
            "of labels for each row. Make columns of them with scikit-learn's MultiLabelBinarizer, "
            "or fit dlst.Tagger, which takes lists."
        )
    return found


def _read_indicator(y: Any) -> tuple[sp.csr_array, Targets]:
    if not y.shape[1]:
        raise DataError(f"y must have a column for each label; got none, in shape {y.shape}.")
    if isinstance(y, np.ndarray) and y.dtype.kind == "f":
        known = np.where(np.isfinite(y), y, 0)
        if type_of_target(known).startswith("continuous"):
            check_classification_targets(known)
    dtype = y.to_numpy().dtype if hasattr(y, "to_numpy") else y.dtype
    if dtype.kind not in "fiub":
        dtype = np.dtype(np.int64)
    return as_indicator(y), Targets(None, column_names(y), dtype.str, bool(sp.issparse(y)))


def _is_column_of_classes(y: Any) -> bool:
    if sp.issparse(y) or y.shape[1] != 1:
        return False
    values = np.asarray(y).ravel()
    if values.dtype.kind not in "fiub":
        return True
    known = values[~np.isnan(values.astype(np.float64))]
    return not np.isin(known, (0, 1)).all()


def labelled_rows(Y: sp.csr_array) -> NDArray[np.intp]:
    """Return the rows that have a known entry."""
    unknown = np.add.reduceat(
        np.append(np.isnan(Y.data), False).astype(np.intp), np.minimum(Y.indptr[:-1], Y.nnz)
    )
    unknown[np.diff(Y.indptr) == 0] = 0
    return np.flatnonzero(unknown < Y.shape[1])
