"""What the tests of LEML share: the printed objective, and its loss entry by entry."""

from __future__ import annotations

import numpy as np
import pytest

from dlst.methods.leml.estimator import LEML
from dlst.methods.leml.half_problems import Inner

LOSSES = ("squared", "logistic", "squared_hinge")
INNER = Inner(5, 20, 0.1)
every_loss = pytest.mark.parametrize("loss", LOSSES)


def exact(**parameters):
    """The objective as it is printed, run to convergence."""
    given = {"intercept": "none", "scaling": "none", "penalty_scale": "absolute", "tol": 1e-8}
    given |= {"max_iter": 5000, "random_state": 0}
    return LEML(**(given | parameters))


def labels(n=25, K=4, unknown=0.0, seed=0):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, K)) < 0.4).astype(float)
    Y[rng.random((n, K)) < unknown] = np.nan
    return Y


def entry_loss(loss, y, s):
    """The loss of one entry, and its slope."""
    t = 2 * y - 1
    if loss == "squared":
        return 0.5 * (y - s) ** 2, s - y
    if loss == "logistic":
        return np.log1p(np.exp(-t * s)), -t / (1 + np.exp(t * s))
    return 0.5 * max(0.0, 1 - t * s) ** 2, -t * max(0.0, 1 - t * s)


def slow_loss(loss, Y, S, negative_weight=1.0):
    """Value and slope over known entries, one by one."""
    value, slope = 0.0, np.zeros(S.shape)
    for i, j in np.argwhere(~np.isnan(Y)):
        weight = 1.0 if Y[i, j] == 1 else negative_weight
        single, derivative = entry_loss(loss, Y[i, j], S[i, j])
        value += weight * single
        slope[i, j] = weight * derivative
    return value, slope


def labelled_rows():
    """Labels that follow from few features."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5))
    Y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(60, 4)) > 0.3).astype(float)
    return X, Y


def partly_labelled_rows():
    """The same rows, some of their labels unknown."""
    X, Y = labelled_rows()
    Y[np.random.default_rng(2).random(Y.shape) < 0.3] = np.nan
    return X, Y
