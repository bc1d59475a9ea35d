"""Predictions of training rows by models that have not seen them, fold by fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDS = 5


def cross_fitted(
    predict: Callable[[NDArray[np.intp], NDArray[np.intp]], Any],
    n_rows: int,
    n_folds: int = FOLDS,
) -> NDArray[np.float64]:
    """Return predictions for all rows, (n, t), each from a model of the other folds.

    Parameters
    ----------
    predict : callable
        From the numbers of training rows and of held-out rows to predictions for the latter.
    n_rows : int
        At least 2; with fewer than folds, every row is a fold.
    n_folds : int

    Examples
    --------
    >>> values = np.array([[0.0], [6.0], [12.0]])
    >>> cross_fitted(lambda train, test: values[train].mean(axis=0)[None], 3)
    array([[9.],
           [6.],
           [3.]])
    """
    # As scikit-learn's KFold draws them, whose module takes longer to import than a small fit.
    drawn = np.random.RandomState(0).permutation(n_rows)
    found = []
    for fold in np.array_split(drawn, min(n_folds, n_rows)):
        held_out = np.sort(fold)
        train = np.setdiff1d(drawn, fold, assume_unique=True)
        found.append((held_out, predict(np.sort(train), held_out)))
    width = np.shape(found[0][1])[1]
    predictions = np.empty((n_rows, width))
    for held_out, values in found:
        predictions[held_out] = values
    return predictions
