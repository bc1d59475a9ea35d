"""Data that the tests of PLST, CPLST, FaIE and kernel ridge share."""

from __future__ import annotations

import numpy as np

from dlst.data.registry import load_registered


def planted(n=60, d=5, K=6, seed=0):
    """Labels that follow from features, in part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 1
    Y = (X @ rng.normal(size=(d, K)) + 2 * rng.normal(size=(n, K)) > 0.5).astype(float)
    return X, Y, rng.normal(size=(12, d)) * np.arange(1, d + 1) + 1


def with_unknown(Y, share=0.2, seed=1):
    """The same labels with some entries unknown, and each label's mean in their place."""
    unknown = np.where(np.random.default_rng(seed).random(Y.shape) < share, np.nan, Y)
    return unknown, np.where(np.isnan(unknown), np.nanmean(unknown, axis=0), unknown)


def ridge_scores(X, targets, X_new, alpha):
    """Ridge regression with a free intercept, written out."""
    X_mean, mean = X.mean(axis=0), targets.mean(axis=0)
    centred = X - X_mean
    W = np.linalg.solve(centred.T @ centred + alpha * np.eye(X.shape[1]), centred.T @ targets)
    return (X_new - X_mean) @ W + mean


def reference_data(name):
    """The rows that the reference program was given: raw features cast to float32 and back."""
    data = load_registered(name)
    X, X_test = (
        np.asarray(side.X).astype(np.float32).astype(np.float64) for side in (data.train, data.test)
    )
    return X, data.train.Y, X_test


# How the reference program regresses.
AS_REFERENCE = {"alpha": 0.1, "intercept": "penalised", "scaling": "none"}
