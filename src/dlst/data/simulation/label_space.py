"""Planted data of any size: labels and features with a common low-dimensional cause."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, roots_gegenbauer

from dlst._matrices import FloatArray
from dlst.data._sampling import check_positive, generator_of, row_blocks
from dlst.data.dataset import Dataset, Provenance


def make_label_space(
    n_samples: int = 1000,
    n_features: int = 50,
    n_labels: int = 20,
    *,
    rank: int = 5,
    cardinality: float = 3.0,
    power: float = 0.0,
    strength: float = 4.0,
    noise: float = 0.5,
    sparse: bool = False,
    density: float = 0.05,
    random_state: Any = None,
) -> Dataset:
    """Draw data whose labels and features share a low-dimensional cause.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        n, d and K. Time and memory grow with n · cardinality and n · d (or the words), never
        with n · K.
    rank : int
        Dimension r of the cause.
    cardinality : float
        Expected number of labels of an instance, below K.
    power : float
        Label frequencies fall as ``(j + 1)^-power``; 0 makes them equal, 1 is Zipf's law.
    strength : float
        How much the cause decides the labels; 0 makes them independent of everything.
    noise : float
        Dense: standard deviation of the noise beside the signal's 1 in each feature. Sparse:
        background words per word that the cause chose.
    sparse : bool
        Make non-negative word counts (CSR) instead of a dense matrix.
    density : float
        Sparse only: expected words of an instance over d.
    random_state : None, int, RandomState or Generator
        Seed. Rows are drawn in blocks, each with a seed of its own; the block length follows
        from the other parameters, so the same call gives the same bytes.

    Returns
    -------
    Dataset

    Notes
    -----
    The cause ``z`` is uniform on the unit sphere of R^r; each label and each feature has a unit
    direction, ``u`` and ``a``, drawn likewise::

        P(y_j = 1 | z) = σ(strength · z·u_j + b_j)           independent given z
        x_f = √r z·a_f + noise · N(0, 1)                     dense; the signal has variance 1
        x_f ~ Poisson(μ (exp(2 z·a_f) / E exp(2 z·a_f) + noise) / (1 + noise))         sparse

    ``b_j`` solves ``E P(y_j = 1 | z) = frequency_j`` by quadrature, and ``μ = density``. Sparse
    events are drawn by thinning: as ``z·u ≤ 1`` bounds every rate, candidates are drawn at the
    bound and kept with the true rate over the bound, which is exact and needs no n × K array.

    Examples
    --------
    >>> make_label_space(500, 30, 8, cardinality=2.0, random_state=0)
    Dataset('planted', n=500, d=30, K=8, cardinality=1.948)
    >>> make_label_space(500, 30, 10_000, cardinality=2.0, sparse=True, random_state=0)
    Dataset('planted', n=500, d=30, K=10000, cardinality=1.962, sparse)
    """
    call = (
        f"make_label_space({n_samples}, {n_features}, {n_labels}, rank={rank}, "
        f"cardinality={cardinality}, power={power}, strength={strength}, noise={noise}, "
        f"sparse={sparse}, density={density}, random_state={random_state!r})"
    )
    check_positive(n_samples=n_samples, n_features=n_features, n_labels=n_labels, rank=rank)
    if not 0 < cardinality < n_labels:
        raise ValueError(
            f"cardinality must lie between 0 and n_labels; got cardinality={cardinality} with "
            f"n_labels={n_labels}."
        )
    if min(power, strength, noise, density) < 0:
        raise ValueError(
            f"power, strength, noise and density must be 0 or more; got {power}, {strength}, "
            f"{noise} and {density}."
        )
    rng = generator_of(random_state)
    label_directions = _sphere(n_labels, rank, rng)
    feature_directions = _sphere(n_features, rank, rng)
    biases = _biases(_frequencies(n_labels, cardinality, power), strength, rank)
    # The Poisson rate with which a label with the highest possible probability has an event.
    label_bounds = np.logaddexp(0, strength + biases)
    peak = np.exp(2.0) / _sphere_mean(np.exp, 2.0, rank)

    def kept_labels(z: FloatArray, rows: Any, labels: Any) -> FloatArray:
        logits = strength * _dots(z, rows, label_directions, labels) + biases[labels]
        return np.asarray(expit(logits) / expit(strength + biases[labels]))

    def kept_words(z: FloatArray, rows: Any, words: Any) -> FloatArray:
        intensity = peak * np.exp(2.0 * (_dots(z, rows, feature_directions, words) - 1))
        return np.asarray((intensity + noise) / (peak + noise))

    word_bounds = np.full(n_features, density * (peak + noise) / (1 + noise))
    # Thinning holds two vectors of length r and some keys for each candidate.
    candidates = label_bounds.sum() + (word_bounds.sum() if sparse else 0)
    numbers_per_row = candidates * (2 * rank + 8) + (0 if sparse else 3 * n_features)
    X_blocks, Y_blocks = [], []
    for block_rng, rows in row_blocks(n_samples, numbers_per_row, rng):
        z = _sphere(rows, rank, block_rng)
        labels = _thinned(z, label_bounds, kept_labels, block_rng, distinct=True)
        Y_blocks.append(labels)
        if sparse:
            X_blocks.append(_thinned(z, word_bounds, kept_words, block_rng, distinct=False))
        else:
            signal = np.sqrt(rank) * (z @ feature_directions.T)
            X_blocks.append(signal + noise * block_rng.standard_normal(signal.shape))
    return Dataset(
        sp.vstack(X_blocks, format="csr") if sparse else np.concatenate(X_blocks),
        sp.vstack(Y_blocks, format="csr"),
        name="planted",
        provenance=Provenance(source=call, notes=("planted label space",)),
    )


def _thinned(
    z: FloatArray,
    bounds: FloatArray,
    kept_share: Any,
    rng: np.random.Generator,
    *,
    distinct: bool,
) -> sp.csr_array:
    """Draw the events of a block: Poisson candidates at the bound, each kept with its share.

    With ``distinct`` several candidates of one cell count as one, so that a cell is a candidate
    with probability ``1 − exp(−bound)``.
    """
    cumulative = np.cumsum(bounds)
    n_rows, n_columns = len(z), bounds.size
    n_candidates = rng.poisson(n_rows * cumulative[-1])
    columns = np.searchsorted(cumulative, rng.random(n_candidates) * cumulative[-1], side="right")
    # Rounding may put the last candidate beyond the last column.
    columns = np.minimum(columns, n_columns - 1)
    keys = rng.integers(n_rows, size=n_candidates) * n_columns + columns
    if distinct:
        keys = np.unique(keys)
    rows, columns = np.divmod(keys, n_columns)
    kept = rng.random(keys.size) < kept_share(z, rows, columns)
    values = np.ones(np.count_nonzero(kept))
    events = sp.csr_array((values, (rows[kept], columns[kept])), shape=(n_rows, n_columns))
    events.sum_duplicates()
    return events


def _frequencies(n_labels: int, cardinality: float, power: float) -> FloatArray:
    """Return falling frequencies that add up to the cardinality, none close to one."""
    shape = np.arange(1, n_labels + 1, dtype=np.float64) ** -power
    cap = (1 + cardinality / n_labels) / 2
    low, high = 0.0, 2.0 * n_labels / shape[-1]
    for _ in range(200):
        middle = (low + high) / 2
        if np.minimum(middle * shape, cap).sum() < cardinality:
            low = middle
        else:
            high = middle
    return np.asarray(np.minimum(high * shape, cap))


def _biases(frequencies: FloatArray, strength: float, rank: int) -> FloatArray:
    """Find the bias with which a label has, over all causes, its frequency."""
    # The mean of a sigmoid rises smoothly with the bias: a fine table, read backwards.
    margin = strength + 10 - np.log(frequencies.min())
    table = np.linspace(-margin, margin, 4001)
    means = _sphere_mean(lambda t: expit(t[:, None] + table), strength, rank)
    return np.interp(_logit(frequencies), _logit(means), table)


def _logit(p: FloatArray) -> FloatArray:
    return np.asarray(np.log(p) - np.log1p(-p))


def _sphere_mean(function: Any, strength: float, rank: int) -> Any:
    """Average ``function(strength · t)`` over the projection t = z·u of the unit sphere."""
    if rank == 1:
        t, weights = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    elif rank == 2:
        # The density 1 / √(1 − t²): Chebyshev's nodes, all of one weight.
        t = np.cos(np.pi * (np.arange(64) + 0.5) / 64)
        weights = np.full(64, 1 / 64)
    else:
        t, weights = roots_gegenbauer(64, rank / 2 - 1)
        weights = weights / weights.sum()
    return weights @ function(strength * t)


def _sphere(count: int, rank: int, rng: np.random.Generator) -> FloatArray:
    directions = rng.standard_normal((count, rank))
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


def _dots(left: FloatArray, rows: Any, right: FloatArray, columns: Any) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", left[rows], right[columns]))
