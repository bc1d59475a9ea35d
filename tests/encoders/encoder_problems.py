"""Label matrices that the tests of the encoders share."""

from __future__ import annotations

import numpy as np


def some_labels(n: int = 40, K: int = 6, seed: int = 0, missing: float = 0.0) -> np.ndarray:
    """Correlated labels with repeated rows, and NaN where asked for."""
    rng = np.random.default_rng(seed)
    prototypes = (rng.random((max(3, n // 4), K)) < 0.4).astype(float)
    Y = prototypes[rng.integers(0, len(prototypes), n)]
    flips = rng.random(Y.shape) < 0.04
    Y = np.where(flips, 1 - Y, Y)
    Y[rng.random(Y.shape) < missing] = np.nan
    return Y


def square_distances(Z: np.ndarray) -> np.ndarray:
    return ((Z[:, None] - Z) ** 2).sum(2)


def slow_kl(label_distance: np.ndarray, code_distance: np.ndarray) -> float:
    """KL divergence over all ordered pairs of different instances, as printed."""
    pairs = ~np.eye(len(label_distance), dtype=bool)
    q, u = 1 / (1 + label_distance[pairs]), 1 / (1 + code_distance[pairs])
    q, u = q / q.sum(), u / u.sum()
    return float((q * np.log(q / u)).sum())
