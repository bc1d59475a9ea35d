"""Statistics of a label matrix: the paper's Table I and more."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Statistics:
    """Numbers that describe a label space.

    Unknown (NaN) entries count neither as present nor as absent.

    Attributes
    ----------
    n_samples, n_features, n_labels : int
        n, d and K.
    cardinality : float
        Mean number of labels of an instance.
    density : float
        Cardinality over K.
    n_label_sets : int
        Distinct label sets, the empty one included when it occurs.
    n_without_label : int
        Instances with no label.
    samples_per_possible_set : float
        n / 2^K, how many instances there would be for each imaginable label set.
    label_frequencies : ndarray of shape (K,)
        Number of instances of each label.
    imbalance_ratios : ndarray of shape (K,)
        Frequency of the commonest label over this label's; infinite for a label that never occurs.
    mean_imbalance : float
        Mean of the finite imbalance ratios (MeanIR).
    n_unknown : int
        Unknown entries.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> describe(sp.csr_array([[1.0, 0.0], [1.0, 1.0]])).label_frequencies
    array([2, 1])
    """

    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    density: float
    n_label_sets: int
    n_without_label: int
    samples_per_possible_set: float
    label_frequencies: IntArray
    imbalance_ratios: FloatArray
    mean_imbalance: float
    n_unknown: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, ready for JSON (infinite ratios become None)."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["label_frequencies"] = self.label_frequencies.tolist()
        values["imbalance_ratios"] = [
            float(ratio) if np.isfinite(ratio) else None for ratio in self.imbalance_ratios
        ]
        return values


def describe(Y: sp.csr_array, n_features: int = 0) -> Statistics:
    """Compute the statistics of a canonical label matrix (ones and NaN stored).

    Parameters
    ----------
    Y : csr_array of shape (n, K)
    n_features : int
        d, passed on.

    Returns
    -------
    Statistics

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> found = describe(sp.csr_array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]))
    >>> found.cardinality, found.n_label_sets, found.label_frequencies.tolist()
    (1.0, 3, [3, 1])
    >>> found.imbalance_ratios.tolist()
    [1.0, 3.0]
    """
    n, K = Y.shape
    present = Y.data == 1
    frequencies = np.bincount(Y.indices[present], minlength=K).astype(np.int64)
    row_of_entry = np.repeat(np.arange(n), np.diff(Y.indptr))
    per_row = np.bincount(row_of_entry[present], minlength=n)
    n_unknown = int(Y.nnz - present.sum())
    cardinality = _ratio(float(frequencies.sum()), n)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(frequencies > 0, frequencies.max(initial=0) / frequencies, np.inf)
    finite = ratios[np.isfinite(ratios)]
    return Statistics(
        n_samples=n,
        n_features=n_features,
        n_labels=K,
        cardinality=cardinality,
        density=_ratio(cardinality, K),
        n_label_sets=count_label_sets(Y),
        n_without_label=int(np.count_nonzero(per_row == 0)),
        samples_per_possible_set=float(np.ldexp(float(n), -K)),
        label_frequencies=frequencies,
        imbalance_ratios=ratios,
        mean_imbalance=float(finite.mean()) if finite.size else float("nan"),
        n_unknown=n_unknown,
    )


def count_label_sets(Y: sp.csr_array) -> int:
    """Count the distinct rows of a canonical label matrix."""
    # The stored bytes of a canonical row are the row, so a set of them is exact and needs no
    # dense copy; values matter only where NaN may stand.
    bounds = pairwise(Y.indptr)
    if np.isnan(Y.data).any():
        return len({(Y.indices[a:b].tobytes(), Y.data[a:b].tobytes()) for a, b in bounds})
    return len({Y.indices[a:b].tobytes() for a, b in bounds})


def cooccurrence(Y: sp.csr_array) -> sp.csr_array:
    """Count, for each pair of labels, the instances that carry both; frequencies on the diagonal.

    Parameters
    ----------
    Y : csr_array of shape (n, K)

    Returns
    -------
    csr_array of shape (K, K)

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> cooccurrence(sp.csr_array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])).toarray()
    array([[2., 1., 0.],
           [1., 1., 0.],
           [0., 0., 0.]])
    """
    ones = sp.csr_array(((Y.data == 1).astype(np.float64), Y.indices, Y.indptr), shape=Y.shape)
    counts = sp.csr_array(ones.T @ ones)
    counts.eliminate_zeros()
    counts.sort_indices()
    return counts


def _ratio(numerator: float, denominator: int) -> float:
    return numerator / denominator if denominator else float("nan")
