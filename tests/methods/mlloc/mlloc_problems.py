"""Labels that follow from features, for the tests of ML-LOC."""

import numpy as np

N, D, K, GAMMA = 80, 4, 5, 0.2


def labelled_rows():
    """Features, labels that follow from them, and new rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    Y = (X @ rng.normal(size=(D, K)) + rng.normal(size=(N, K)) > 0.3).astype(float)
    return X, Y, rng.normal(size=(20, D))


def partly_known(Y):
    """The same labels, a fifth of them unknown."""
    return np.where(np.random.default_rng(1).random(Y.shape) < 0.2, np.nan, Y)
