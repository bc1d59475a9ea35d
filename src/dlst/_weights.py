"""Weights of rows and labels: how often each counts, 2 as if it had been written twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dlst.errors import DataError

FloatArray = NDArray[np.float64]
_Callable = TypeVar("_Callable", bound=Callable[..., Any])


class Weights(NamedTuple):
    """How often each training row (n,) and each label (K,) counts, all above 0.

    A row of weight 2 stands for two equal rows, which are left out together: whatever is learnt by
    leaving rows out does not see the other copy. A label of weight 2 counts twice wherever labels
    are judged together: in a choice of width or penalty, in slopes that they share, in F1.
    """

    rows: FloatArray
    labels: FloatArray

    def of_rows(self, chosen: Any) -> Weights:
        """Return the weights for some of the rows."""
        return Weights(self.rows[chosen], self.labels)

    def of_labels(self, chosen: Any) -> Weights:
        """Return the weights for some of the labels."""
        return Weights(self.rows, self.labels[chosen])


def as_weights(weights: Any, size: int, what: str) -> FloatArray | None:
    """Check weights of rows or labels: numbers of at least 0, some above; None stays None."""
    if weights is None:
        return None
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} must be numbers; got others ({error}).") from error
    if checked.shape != (size,):
        raise DataError(
            f"{what} must have {size} numbers, one for each; got shape {checked.shape}."
        )
    wrong = ~(np.isfinite(checked) & (checked >= 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise DataError(f"{what} must be numbers of at least 0; got {checked[at]:g} at {at}.")
    if not checked.any():
        raise DataError(f"{what} must be above zero somewhere; got zeros only.")
    return checked


def read_weights(sample_weight: Any, label_weight: Any, shape: tuple[int, int]) -> Weights | None:
    """Check both kinds of weights; None where everything counts once.

    A label must count for something: it would be predicted all the same.
    """
    n, K = shape
    rows = as_weights(sample_weight, n, "sample_weight")
    labels = as_weights(label_weight, K, "label_weight")
    if labels is not None and not labels.all():
        raise DataError("label_weight must be above 0; got 0. Leave out the label's column.")
    given = [each for each in (rows, labels) if each is not None and (each != 1.0).any()]
    if not given:
        return None
    return Weights(np.ones(n) if rows is None else rows, np.ones(K) if labels is None else labels)


def with_weights(method: _Callable, weights: Weights | None) -> _Callable:
    """Give weights to a part's method, where there are any; a part without a place is refused."""
    if weights is None:
        return method
    if "weights" not in signature(method).parameters:
        raise no_place(getattr(method, "__self__", method))
    return partial(method, weights=weights)  # type: ignore[return-value]


def no_place(part: Any) -> DataError:
    """Return the error of a part that cannot weigh rows and labels."""
    return DataError(
        f"{type(part).__name__} must be fitted without sample_weight and label_weight, for which "
        "it has no place; got one. Leave them out, or take DLST's own parts."
    )
