"""The base of ensembles of classifiers: their estimator, its features, and fitting its copies."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.parallel import Parallel

from dlst._matrices import FeatureMatrix
from dlst._parameters import number, parameter, with_parameters
from dlst._seeds import give_seed
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.shared.convergence import warn_not_converged

_ITERATIONS = 1000


@with_parameters
class ClassifierEnsemble(MultiLabelClassifier):
    """Base of methods that fit copies of a classifier, by default of logistic regression.

    For the default features are scaled to rows with a mean squared length of C, which makes its
    penalty fit any data and its problem well conditioned.
    """

    _takes_unknown = False

    estimator: Any = None
    _: KW_ONLY
    C: float = parameter(default=10.0, must_be=number(above=0))
    n_jobs: int | None = None
    random_state: Any = None

    def _fit_lengths(self, X: FeatureMatrix) -> FeatureMatrix:
        """Learn how the base sees features; return them so."""
        X = self._fit_scaler(X)
        self.length_factor_ = length_factor(X, self.C) if self.estimator is None else 1.0
        return X * self.length_factor_

    def _lengthened(self, X: FeatureMatrix) -> FeatureMatrix:
        return self.scaler_.transform(X) * self.length_factor_

    def _unfitted(self, random: RandomState) -> Any:
        """Return a copy of the base with a seed of its own."""
        default = LogisticRegression(C=1.0, max_iter=_ITERATIONS)
        return give_seed(clone(default if self.estimator is None else self.estimator), random)

    def _run_all(self, fits: Iterable[Any]) -> list[Any]:
        """Run delayed fits, without the warnings that :func:`warn_of_unfinished` sums up."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return list(Parallel(n_jobs=self.n_jobs)(fits))


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


def warn_of_unfinished(fitted: Sequence[Any]) -> None:
    """Warn once of all classifiers that ran into their limit of iterations."""
    limits = [getattr(model, "max_iter", -1) for model in fitted]
    unfinished = sum(
        limit > 0 and bool(np.max(getattr(model, "n_iter_", 0)) >= limit)
        for model, limit in zip(fitted, limits, strict=True)
    )
    if unfinished:
        warn_not_converged(
            f"{unfinished} of {len(fitted)} classifiers did not converge in "
            f"max_iter={max(limits)}; raise max_iter of estimator, or lower C."
        )
