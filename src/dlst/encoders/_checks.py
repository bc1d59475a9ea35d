"""Input checks of encoders."""

from __future__ import annotations

import math
import numbers
from typing import Any

import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted, validate_data

from dlst._matrices import FeatureMatrix, as_features, as_indicator
from dlst._parameters import NONE, SHARE, integer, one_of
from dlst.encoders.labelsets import LabelSets, distinct_label_sets
from dlst.errors import DataError

HALF_CAP = 100
"""Longest code that "half" asks for."""

COMPONENTS = NONE | one_of("half") | integer(at_least=1) | SHARE
"""What ``n_components`` may be."""


def checked_labels(Y: Any) -> sp.csr_array:
    """Return labels as CSR of ones and NaN, at least one row and one column."""
    labels = as_indicator(Y)
    if 0 in labels.shape:
        raise DataError(
            f"Y must have at least one row and one label; got shape {labels.shape}. "
            "Check how the rows and labels were selected."
        )
    return labels


def training_labels(encoder: Any, Y: Any) -> sp.csr_array:
    """Return labels to fit an encoder to, which notes their number and names."""
    validate_data(encoder, Y, skip_check_array=True)
    return checked_labels(Y)


def new_labels(encoder: Any, Y: Any) -> sp.csr_array:
    """Return labels to encode, of the columns that a fitted encoder has seen."""
    check_is_fitted(encoder)
    validate_data(encoder, Y, skip_check_array=True, reset=False)
    return checked_labels(Y)


def counted_label_sets(Y: Any, sample_weight: Any = None) -> LabelSets:
    """Return the distinct label sets of labels, or those that were counted elsewhere."""
    return Y if isinstance(Y, LabelSets) else distinct_label_sets(checked_labels(Y), sample_weight)


def checked_features(X: Any, n_rows: int) -> FeatureMatrix:
    """Return the features that belong to the given number of label vectors."""
    features = as_features(X)
    if features.shape[0] != n_rows:
        raise DataError(
            f"X and Y must have the same rows; got {features.shape[0]} and {n_rows} rows."
        )
    return features


def components_wanted(n_components: Any, n_labels: int) -> int | None:
    """Turn ``n_components`` into a number; None stays None, for the rank."""
    if n_components is None:
        return None
    if n_components == "half":
        return min(math.ceil(n_labels / 2), HALF_CAP)
    if isinstance(n_components, numbers.Integral):
        return int(n_components)
    # A share such as 0.1 of 30 must not round up to 4 for its last binary digit.
    return max(1, math.ceil(float(n_components) * n_labels - 1e-9))
