"""What ensembles of classifiers share: the default base, and fitting its copies."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.parallel import Parallel

from dlst._matrices import FeatureMatrix

_ITERATIONS = 1000


def default_base() -> LogisticRegression:
    """Return the logistic regression that is used where no base is given.

    It is for features of :func:`length_factor`, which make its penalty fit any data and its
    problem well conditioned.
    """
    return LogisticRegression(C=1.0, max_iter=_ITERATIONS)


def length_factor(X: FeatureMatrix, squared_length: float) -> float:
    """Return what rows are multiplied by to have a mean squared length.

    Examples
    --------
    >>> length_factor(np.array([[3.0, 4.0], [0.0, 5.0]]), 100.0)
    2.0
    """
    values = X if isinstance(X, np.ndarray) else np.asarray(X.data)
    mean = float(np.square(values).sum()) / X.shape[0]
    return float(np.sqrt(squared_length / mean)) if mean > 0 else 1.0


def run_all(fits: Iterable[Any], n_jobs: int | None) -> list[Any]:
    """Run delayed fits, without the warnings that :func:`warn_of_unfinished` sums up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return list(Parallel(n_jobs=n_jobs)(fits))


def warn_of_unfinished(fitted: Sequence[Any]) -> None:
    """Warn once of all classifiers that ran into their limit of iterations."""
    limits = [getattr(model, "max_iter", -1) for model in fitted]
    unfinished = sum(
        limit > 0 and bool(np.max(getattr(model, "n_iter_", 0)) >= limit)
        for model, limit in zip(fitted, limits, strict=True)
    )
    if unfinished:
        warnings.warn(
            f"{unfinished} of {len(fitted)} classifiers did not converge in "
            f"max_iter={max(limits)}; raise max_iter of estimator, or lower C.",
            ConvergenceWarning,
            stacklevel=2,
        )
