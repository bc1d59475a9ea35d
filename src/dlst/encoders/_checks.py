"""What an encoder accepts."""

from __future__ import annotations

import math
import numbers
from typing import Any

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, as_features, as_indicator
from dlst.encoders._objective import DISTANCES
from dlst.errors import DataError

HALF_CAP = 100
"""Longest code that "half" asks for."""


def checked_labels(Y: Any) -> sp.csr_array:
    """Return labels as CSR of ones and NaN, at least one row and one column."""
    labels = as_indicator(Y)
    if 0 in labels.shape:
        raise DataError(
            f"Y must have at least one row and one label; got shape {labels.shape}. "
            "Check how the rows and labels were selected."
        )
    return labels


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


def check_components(n_components: Any) -> None:
    """Raise ``ValueError`` for what is no code length."""
    _require(
        n_components is None
        or n_components == "half"
        or (_is_integer(n_components) and n_components >= 1)
        or (isinstance(n_components, float) and 0 < n_components <= 1),
        "n_components",
        "None, 'half', an integer above 0 or a share of the labels in (0, 1]",
        n_components,
    )


def check_not_negative(name: str, value: Any) -> None:
    """Raise ``ValueError`` for what is no finite number of at least 0."""
    _require(_is_real(value) and 0 <= value < math.inf, name, "a number of at least 0", value)


def check_one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise ``ValueError`` for a word that is not one of the choices."""
    _require(isinstance(value, str) and value in choices, name, f"one of {choices}", value)


def check_encoder_parameters(encoder: Any) -> None:
    """Raise ``ValueError`` for the first parameter out of range."""
    check_components(encoder.n_components)
    _require(
        encoder.distance in DISTANCES, "distance", f"one of {sorted(DISTANCES)}", encoder.distance
    )
    _require(
        encoder.solver in ("lbfgs", "momentum"), "solver", "'lbfgs' or 'momentum'", encoder.solver
    )
    for name in ("n_restarts", "max_iter", "momentum_switch"):
        value = getattr(encoder, name)
        _require(_is_integer(value) and value >= 0, name, "an integer, 0 or more", value)
    _require(_is_real(encoder.tol) and encoder.tol >= 0, "tol", "0 or more", encoder.tol)
    rate = encoder.learning_rate
    _require(
        rate == "auto" or (_is_real(rate) and rate > 0),
        "learning_rate",
        "'auto' or a number above 0",
        rate,
    )
    momentum = encoder.momentum
    _require(
        isinstance(momentum, (tuple, list))
        and len(momentum) == 2
        and all(_is_real(value) and 0 <= value < 1 for value in momentum),
        "momentum",
        "two numbers in [0, 1)",
        momentum,
    )


def _require(condition: bool, name: str, expected: str, got: Any) -> None:
    if not condition:
        raise ValueError(f"{name} must be {expected}; got {got!r}.")


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
