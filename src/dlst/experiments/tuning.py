"""Parameters chosen by cross-validation on training rows, over the registry's small grids."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import ParameterGrid

from dlst.data import Dataset, IterativeStratification
from dlst.methods import MultiLabelClassifier, make, method_info
from dlst.metrics import instance_average_precision

TUNING_ROWS = 1500
TUNING_FOLDS = 3


class Tuned(NamedTuple):
    """What was chosen, and the mean instance AP of everything that was tried."""

    parameters: dict[str, Any]
    tried: list[tuple[dict[str, Any], float]]


def tuned(name: str, train: Dataset, fixed: Mapping[str, Any], seed: int) -> Tuned:
    """Choose a method's parameters by instance AP in three stratified folds of training rows.

    At most 1500 rows, drawn by the seed, take part. Parameters in ``fixed`` are not tuned.
    Equal scores go to what comes first in the grid.
    """
    grid = {key: list(v) for key, v in method_info(name).param_grid.items() if key not in fixed}
    choices: list[dict[str, Any]] = list(ParameterGrid(grid)) if grid else [{}]
    if len(choices) == 1:
        return Tuned(choices[0], [])
    rows = np.random.default_rng(seed).permutation(train.n_samples)[:TUNING_ROWS]
    X, Y = train.X[np.sort(rows)], train.Y[np.sort(rows)]
    n_folds = min(TUNING_FOLDS, len(rows))
    folds = list(IterativeStratification(n_folds, random_state=seed).split(X, Y))
    tried = []
    for choice in choices:
        scores = []
        for inner, outer in folds:
            model = seeded(name, {**fixed, **choice}, seed)
            with warnings.catch_warnings():
                # Rare labels are constant in a fold, and a grid has its extremes.
                warnings.simplefilter("ignore")
                model.fit(X[inner], Y[inner])
                S = model.decision_function(X[outer])
            scores.append(float(instance_average_precision(Y[outer], S)))
        tried.append((choice, float(np.mean(scores))))
    best = max(score for _, score in tried)
    return Tuned(next(choice for choice, score in tried if score == best), tried)


def seeded(name: str, parameters: Mapping[str, Any], seed: int) -> MultiLabelClassifier:
    """Make a method with the seed, where it has something random and no seed of its own."""
    model = make(name, **parameters)
    if "random_state" in model.get_params() and "random_state" not in parameters:
        model.set_params(random_state=seed)
    return model
