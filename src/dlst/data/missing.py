"""Labels that are missing: positives dropped by the paper's rules, entries and rows unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._matrices import IntArray
from dlst.data._sampling import checked_rate, generator_of, labels_of, positives_of
from dlst.data._sampling_kernel import drop_entries
from dlst.errors import DataError

MAX_UNKNOWN_ENTRIES = 5 * 10**8
"""Unknown entries are stored one by one; more than this (about 6 GB) is refused."""


@dataclass(frozen=True, eq=False)
class DroppedLabels:
    """A label matrix that lost positives, and what it lost.

    Attributes
    ----------
    Y : csr_array of shape (n, K)
        The labels that are left; a dropped entry is 0, so zero now means "negative or missing".
    mask : csr_array of bool, shape (n, K)
        The dropped entries.
    requested_rate, effective_rate : float
        Share of the positives that should be and that were dropped; the second is smaller where
        the keep-rules stand in the way.

    Examples
    --------
    >>> lost = drop_labels([[1, 1], [1, 1]], 0.5, random_state=0)
    >>> lost.effective_rate, lost.Y.nnz, lost.mask.nnz
    (0.5, 2, 2)
    """

    Y: sp.csr_array
    mask: sp.csr_array
    requested_rate: float
    effective_rate: float

    def __repr__(self) -> str:
        return (
            f"DroppedLabels({self.mask.nnz} of {self.mask.nnz + int((self.Y.data == 1).sum())} "
            f"positives, requested_rate={self.requested_rate:g}, "
            f"effective_rate={self.effective_rate:.4f})"
        )


def drop_labels(
    Y: Any,
    rate: float,
    *,
    keep_per_instance: int = 1,
    keep_per_label: int = 1,
    random_state: Any = None,
) -> DroppedLabels:
    """Turn positives into zeros: the paper's missing-label protocol.

    All positives of the matrix are put in one random order and dropped in that order until
    ``round(rate · positives)`` are gone, skipping each that would leave its instance with fewer
    than ``keep_per_instance`` or its label with fewer than ``keep_per_label``. So the rate is a
    share of all positive entries and is met exactly as long as the rules leave enough of them;
    beyond that it saturates and ``effective_rate`` says where. Rows and labels that have no more
    than the minimum lose nothing. With one seed, the entries dropped at a lower rate are among
    those dropped at a higher one, so a curve over rates follows one history of loss.

    Parameters
    ----------
    Y : Dataset or label indicator of shape (n, K)
        Unknown (NaN) entries stay as they are and count as neither kept nor dropped.
    rate : float
        Share of the positives, in [0, 1].
    keep_per_instance, keep_per_label : int
        Positives that each row and each label keeps; 0 lifts the rule.
    random_state : None, int, RandomState or Generator
        Seed; use one mask for all methods that are compared.

    Returns
    -------
    DroppedLabels

    Notes
    -----
    The random order reaches a *maximal* loss. The greatest possible one leaves a minimum edge
    cover; the two differ only where rows keep several labels because each is the label's last.
    On yeast, delicious and the SUN labels they are equal.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> import numpy as np
    >>> dropped = drop_labels(np.ones((10, 4)), 0.6, random_state=0)
    >>> dropped
    DroppedLabels(24 of 40 positives, requested_rate=0.6, effective_rate=0.6000)
    >>> drop_labels(np.ones((10, 4)), 0.9, random_state=0).effective_rate
    0.75
    """
    rate = checked_rate(rate)
    for name, value in [
        ("keep_per_instance", keep_per_instance),
        ("keep_per_label", keep_per_label),
    ]:
        if value < 0:
            raise ValueError(f"{name} must be 0 or more; got {name}={value}.")
    labels = labels_of(Y)
    positives = positives_of(labels).tocoo()
    rows, columns = (axis.astype(np.int64) for axis in positives.coords)
    n, K = labels.shape
    dropped = drop_entries(
        rows,
        columns,
        generator_of(random_state).permutation(rows.size),
        np.maximum(np.bincount(rows, minlength=n) - keep_per_instance, 0),
        np.maximum(np.bincount(columns, minlength=K) - keep_per_label, 0),
        round(rate * rows.size),
    )
    mask = sp.csr_array(
        (np.ones(dropped.sum(), bool), (rows[dropped], columns[dropped])), shape=(n, K)
    )
    left = labels.copy()
    # The positives come in the order in which the matrix stores them.
    left.data[np.flatnonzero(labels.data == 1)[dropped]] = 0
    left.eliminate_zeros()
    effective = float(dropped.mean()) if rows.size else 0.0
    return DroppedLabels(left, mask, requested_rate=rate, effective_rate=effective)


def mask_entries(Y: Any, rate: float, *, random_state: Any = None) -> sp.csr_array:
    """Make a random share of all entries unknown, positives and negatives alike.

    Parameters
    ----------
    Y : Dataset or label indicator of shape (n, K)
        Entries that are unknown already stay so.
    rate : float
        Share of the n · K entries, in [0, 1]; exactly ``round(rate · n · K)`` are drawn.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    csr_array of shape (n, K)
        Ones and NaN stored.

    Examples
    --------
    >>> mask_entries([[1, 0], [0, 1]], 0.5, random_state=3).toarray()
    array([[nan,  0.],
           [nan,  1.]])
    """
    labels = labels_of(Y)
    n, K = labels.shape
    count = round(checked_rate(rate) * n * K)
    _check_size(count)
    return _with_unknown(labels, _distinct(n * K, count, generator_of(random_state)))


def mask_rows(
    Y: Any, rate: float | None = None, *, rows: Any = None, random_state: Any = None
) -> sp.csr_array:
    """Make whole rows unknown: unlabelled instances.

    Parameters
    ----------
    Y : Dataset or label indicator of shape (n, K)
        The labels.
    rate : float, optional
        Share of the rows, drawn at random; give this or ``rows``.
    rows : array-like of int or bool, optional
        The rows themselves.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    csr_array of shape (n, K)
        With NaN in the rows that are unknown.

    Examples
    --------
    >>> mask_rows([[1, 0], [0, 1]], rows=[1]).toarray()
    array([[ 1.,  0.],
           [nan, nan]])
    """
    labels = labels_of(Y)
    n, K = labels.shape
    if (rate is None) == (rows is None):
        raise ValueError("mask_rows needs either rate or rows; got both or neither.")
    if rate is not None:
        chosen = generator_of(random_state).permutation(n)[: round(checked_rate(rate) * n)]
    else:
        # Through arange, so that masks, negative numbers and bad rows act as in any index.
        chosen = np.unique(np.arange(n)[np.asarray(rows)])
    _check_size(chosen.size * K)
    keys = np.sort(chosen).astype(np.int64)[:, None] * K + np.arange(K)
    return _with_unknown(labels, keys.ravel())


def _with_unknown(labels: sp.csr_array, unknown: IntArray) -> sp.csr_array:
    """Return the labels with NaN at the given sorted keys (row · K + column)."""
    n, K = labels.shape
    stored = np.repeat(np.arange(n, dtype=np.int64), np.diff(labels.indptr)) * K + labels.indices
    kept = np.isin(stored, unknown, assume_unique=True, invert=True)
    keys = np.concatenate([stored[kept], unknown])
    values = np.concatenate([labels.data[kept], np.full(unknown.size, np.nan)])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    indptr = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * K)
    columns = keys % K if K else keys
    return sp.csr_array((values[order], columns, indptr), shape=(n, K))


def _distinct(population: int, count: int, rng: np.random.Generator) -> IntArray:
    """Draw distinct numbers below ``population``, sorted, in memory O(count)."""
    if count > population // 2:
        left_out = _distinct(population, population - count, rng)
        return np.delete(np.arange(population), left_out)
    drawn = np.empty(0, np.int64)
    # A few rounds: at most half of the numbers are taken, so a new one is new every second time.
    while drawn.size < count:
        fresh = rng.integers(population, size=2 * (count - drawn.size) + 16)
        drawn = np.unique(np.concatenate([drawn, fresh]))
    return np.sort(rng.permutation(drawn)[:count])


def _check_size(n_unknown: int) -> None:
    if n_unknown > MAX_UNKNOWN_ENTRIES:
        raise DataError(
            f"at most {MAX_UNKNOWN_ENTRIES:,} unknown entries can be stored; got {n_unknown:,}. "
            "Lower the rate, or mask a part of the rows or labels."
        )
