"""Features drawn for real labels, where the real features cannot be had."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dlst._matrices import FloatArray
from dlst.data._sampling import check_positive, checked_rate, generator_of, labels_of, row_blocks
from dlst.data.dataset import Dataset
from dlst.data.names import NumberedNames


def simulate_features(
    Y: Any,
    n_features: int = 64,
    *,
    signal_to_noise: float = 1.0,
    nuisance_share: float = 0.5,
    n_nuisance: int = 10,
    random_state: Any = None,
) -> FloatArray:
    """Draw features for given labels, where the real features cannot be had.

    Parameters
    ----------
    Y : Dataset or label indicator of shape (n, K)
        Real labels; an unknown entry acts as its label's frequency.
    n_features : int
        d.
    signal_to_noise : float
        Variance of the part that the labels decide over the variance of the rest.
    nuisance_share : float
        Share of the rest that is common to many features (lighting, style), in [0, 1].
    n_nuisance : int
        Number q of such common factors.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    ndarray of shape (n, d)
        Dense features; the signal's variance, averaged over many features, is 1.

    Notes
    -----
    With label frequencies p::

        x = (y − p) W / s + √(ν / snr) f G / √q + √((1 − ν) / snr) e,    s² = Σ_j p_j (1 − p_j)

    where W (K × d), G (q × d), the factors f of a row (q) and e (d) are standard normal, ν is
    ``nuisance_share`` and snr ``signal_to_noise``. Labels add up; nothing interacts. Scores on
    such features say how methods use label structure, not how well real images are tagged.

    Examples
    --------
    >>> simulate_features([[1, 0], [0, 1], [1, 1]], 5, random_state=0).shape
    (3, 5)
    """
    check_positive(n_features=n_features, n_nuisance=n_nuisance, signal_to_noise=signal_to_noise)
    checked_rate(nuisance_share, "nuisance_share")
    labels = labels_of(Y).copy()
    n, K = labels.shape
    unknown = np.isnan(labels.data)
    n_known = n - np.bincount(labels.indices[unknown], minlength=K)
    n_present = np.bincount(labels.indices[~unknown], minlength=K)
    frequencies = n_present / np.maximum(n_known, 1)
    labels.data[unknown] = frequencies[labels.indices[unknown]]
    # Labels that never vary carry no signal; the floor only avoids dividing by zero.
    scale = np.sqrt(max(float((frequencies * (1 - frequencies)).sum()), 1e-12))

    rng = generator_of(random_state)
    W = rng.standard_normal((K, n_features)) / scale
    G = rng.standard_normal((n_nuisance, n_features)) * np.sqrt(nuisance_share / n_nuisance)
    centre = frequencies @ W
    X = np.empty((n, n_features))
    start = 0
    for block_rng, rows in row_blocks(n, 3 * n_features + n_nuisance, rng):
        block = slice(start, start + rows)
        rest = block_rng.standard_normal((rows, n_nuisance)) @ G
        rest += np.sqrt(1 - nuisance_share) * block_rng.standard_normal((rows, n_features))
        X[block] = labels[block] @ W - centre + rest / np.sqrt(signal_to_noise)
        start += rows
    return X


def with_simulated_features(data: Dataset, n_features: int = 64, **model: Any) -> Dataset:
    """Return the data set with features drawn by :func:`simulate_features`, and a note saying so.

    Parameters
    ----------
    data : Dataset
    n_features : int
        d.
    **model
        As in :func:`simulate_features`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> labels_only = Dataset([[], [], []], [[1, 0], [0, 1], [1, 1]])
    >>> drawn = with_simulated_features(labels_only, 5, random_state=0)
    >>> drawn.n_features, drawn.provenance.notes
    (5, ('simulated features',))
    """
    return replace(
        data,
        X=simulate_features(data, n_features, **model),
        feature_names=NumberedNames("simulated", n_features),
        image_shape=None,
        provenance=data.provenance.with_notes("simulated features"),
    )
