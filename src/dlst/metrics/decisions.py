"""From scores to decisions: the paper's top-r rule and the threshold."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FloatArray, IntArray
from dlst.errors import DataError
from dlst.metrics._inputs import Pattern, as_scores, as_truth

FEW_LABELS = 4
"""Up to this r, repeated searches for the maximum cost less than a partition of each row."""


def top_r_decisions(
    scores: Any, r: int, *, ties: Literal["first", "last"] = "first", n_labels: int | None = None
) -> sp.csr_array:
    """Decide for the r best labels of each row (the paper's rule).

    Ties: of labels tied at the r-th place those with the lower index are taken (``ties="last"``:
    the higher), so each row gets exactly r.
    Empty rows: the truth plays no part; where sparse scores or top labels store fewer than r, only
    those are taken.

    Parameters
    ----------
    scores : array-like, sparse or frame of shape (n, K), or TopLabels
        Higher is more relevant.
    r : int
        Labels of each row, 1 to K; see :func:`labels_per_row`.
    ties : {"first", "last"}
        Which index wins among equal scores.
    n_labels : int, optional
        K, needed with TopLabels only.

    Returns
    -------
    csr_array of shape (n, K)
        Ones at the decisions.

    Examples
    --------
    >>> top_r_decisions([[0.1, 0.7, 0.7], [0.5, 0.2, 0.9]], r=1).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    checked = as_scores(scores, n_labels=n_labels)
    n, K = checked.shape
    check_r(r, K)
    if ties not in ("first", "last"):
        raise ValueError(f"ties must be 'first' or 'last'; got {ties!r}.")
    if checked.sparse:
        return _top_stored(checked.values, r, ties)
    columns = [_top_columns(block, r, ties) for _, block in checked.blocks()]
    return Pattern(np.arange(n + 1) * r, np.concatenate(columns)).matrix((n, K))


def threshold_decisions(scores: Any, threshold: Any = 0.5) -> sp.csr_array:
    """Decide for every label whose score reaches the threshold.

    Ties: a score equal to the threshold reaches it.
    Empty rows: the truth plays no part; a row may get no label.

    Parameters
    ----------
    scores : array-like, sparse or frame of shape (n, K)
        Entries that a sparse matrix does not store are 0.
    threshold : float or array-like of shape (K,)
        One for all labels, or one for each.

    Returns
    -------
    csr_array of shape (n, K)

    Examples
    --------
    >>> threshold_decisions([[0.1, 0.7], [0.5, 0.2]]).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    checked = as_scores(scores)
    limit = np.asarray(threshold, dtype=np.float64)
    if limit.shape not in ((), (checked.shape[1],)) or np.isnan(limit).any():
        raise ValueError(
            f"threshold must be a number, or one for each of the {checked.shape[1]} labels; "
            f"got {threshold!r}."
        )
    columns, counts = [], []
    for _, block in checked.blocks():
        reached = block >= limit
        columns.append(np.nonzero(reached)[1])
        counts.append(reached.sum(axis=1))
    ptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return Pattern(ptr, np.concatenate(columns)).matrix(checked.shape)


def labels_per_row(
    Y: Any = None,
    *,
    cardinality: float | None = None,
    rounding: Literal["ceil", "round"] = "ceil",
) -> int:
    """Return the r of the top-r rule: the cardinality of the labels, rounded, at least 1.

    Parameters
    ----------
    Y : array-like, sparse or frame of shape (n, K), optional
        Labels, those of training as a rule; rows with nothing judged are left out.
    cardinality : float, optional
        In place of ``Y``.
    rounding : {"ceil", "round"}
        Up (the paper's), or to the nearest integer, halves up.

    Returns
    -------
    int

    Examples
    --------
    >>> labels_per_row([[1, 1, 0], [1, 0, 0], [0, 0, 0]]), labels_per_row(cardinality=1.07)
    (1, 2)
    """
    if rounding not in ("ceil", "round"):
        raise ValueError(f"rounding must be 'ceil' or 'round'; got {rounding!r}.")
    if (Y is None) == (cardinality is None):
        raise ValueError("give either Y or cardinality; got both or neither.")
    if cardinality is None:
        truth = as_truth(Y)
        judged = int(np.count_nonzero(truth.n_judged))
        if judged == 0:
            raise DataError("Y must have a judged entry; got NaN only.")
        cardinality = len(truth.relevant.columns) / judged
    if not 0 <= cardinality < np.inf:
        raise ValueError(f"cardinality must be a number of at least 0; got {cardinality!r}.")
    rounded = np.ceil(cardinality) if rounding == "ceil" else np.floor(cardinality + 0.5)
    return max(1, int(rounded))


def check_r(r: Any, n_labels: int) -> None:
    """Refuse an r that is not a valid number of labels."""
    if isinstance(r, bool) or not isinstance(r, int | np.integer) or not 1 <= r <= n_labels:
        raise ValueError(
            f"r must be an integer from 1 to the number of labels; got r={r!r} with {n_labels} "
            "labels."
        )


def _top_columns(block: FloatArray, r: int, ties: str) -> IntArray:
    """Columns of the r best of each row, ascending, rows one after another."""
    n, K = block.shape
    if r <= FEW_LABELS and ties == "first" and np.isfinite(block).all():
        left, found = block.copy(), np.empty((n, r), np.int64)
        for place in range(r):
            found[:, place] = left.argmax(axis=1)
            left[np.arange(n), found[:, place]] = -np.inf
        return np.sort(found, axis=1).ravel()
    cut = np.partition(block, K - r, axis=1)[:, K - r, None]
    chosen = block > cut
    wanted = r - chosen.sum(axis=1)
    tied = block == cut
    contested = tied.sum(axis=1) > wanted
    chosen[~contested] |= tied[~contested]
    for row in np.flatnonzero(contested):
        places = np.flatnonzero(tied[row])
        chosen[row, places[: wanted[row]] if ties == "first" else places[-wanted[row] :]] = True
    return np.nonzero(chosen)[1]


def _top_stored(scores: sp.csr_array, r: int, ties: str) -> sp.csr_array:
    counts = np.diff(scores.indptr)
    rows = np.repeat(np.arange(scores.shape[0]), counts)
    index = scores.indices if ties == "first" else -scores.indices.astype(np.int64)
    order = np.lexsort((index, -scores.data.astype(np.float64), rows))
    place = np.arange(len(rows)) - scores.indptr[rows]
    columns = scores.indices[order[place < r]]
    ptr = np.concatenate([[0], np.cumsum(np.minimum(counts, r))])
    decisions = Pattern(ptr, columns).matrix(scores.shape)
    decisions.sort_indices()
    return decisions
