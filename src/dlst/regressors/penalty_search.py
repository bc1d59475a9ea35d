"""The paper's λ, by cross-validation on training rows as the paper chooses it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix, FloatArray

PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0)
SEARCH_ROWS = 1000
SEARCH_TARGETS = 50


def cross_validated_penalty(regressor: Any, X: FeatureMatrix, targets: FloatArray) -> float:
    """Choose the ``alpha`` of a regressor by squared error in three folds.

    At most 1000 rows and 50 targets, drawn by the regressor's seed, take part.
    """
    from sklearn.model_selection import GridSearchCV, KFold

    random = check_random_state(regressor.random_state)
    n, n_targets = targets.shape
    rows = random.permutation(n)[:SEARCH_ROWS]
    targets = targets[:, np.sort(random.permutation(n_targets)[:SEARCH_TARGETS])]
    folds = KFold(min(3, len(rows)), shuffle=True, random_state=0)
    search = GridSearchCV(
        regressor,
        {"alpha": PENALTIES},
        scoring="neg_mean_squared_error",
        cv=folds,
        error_score="raise",
    )
    return float(search.fit(X[rows], targets[rows]).best_params_["alpha"])
