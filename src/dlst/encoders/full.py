"""The full code: the labels themselves, centred."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import validate_data

from dlst._matrices import FloatArray, as_dense
from dlst._unknown import impute, known_means
from dlst.encoders._base import CodeEncoder
from dlst.encoders._checks import counted_label_sets, new_labels
from dlst.encoders._objective import kl_divergence
from dlst.encoders._principal import principal_axes


class FullCode(OneToOneFeatureMixin, CodeEncoder):  # type: ignore[misc]
    """Encode labels as themselves, centred: one coordinate for each label.

    This is the optimum of :class:`DistributionEncoder` at full rank, up to rotation. Whatever comes
    after and does not depend on rotations gives the same result with either, and needs no
    principal axes here. Unknown (NaN) entries take the label's mean, which is 0 in the code.

    Attributes
    ----------
    mean_ : ndarray of shape (K,)
        Mean of each label over its known entries.
    label_sets_ : LabelSets
        The distinct label sets.
    codes_ : ndarray of shape (m, K)
        Codes of the distinct label sets, computed when asked for.
    n_components_ : int
        Rank of the centred labels: the dimensions that the K coordinates span.
    rank_ : int
        The same number.
    kl_divergence_ : float
        KL divergence of the code pairs from the label pairs: 0 when all entries are known.

    Examples
    --------
    >>> FullCode().fit_transform([[1, 0], [0, 0], [1, 1], [0, 1]])
    array([[ 0.5, -0.5],
           [-0.5, -0.5],
           [ 0.5,  0.5],
           [-0.5,  0.5]])
    """

    def fit(self, Y: Any, X: Any = None, sample_weight: Any = None) -> FullCode:
        """Learn the labels' means; ``X`` is ignored."""
        validate_data(self, Y, skip_check_array=True)
        self.label_sets_ = counted_label_sets(Y, sample_weight)
        sets = self.label_sets_.sets
        weights = self.label_sets_.counts.astype(np.float64)
        self.mean_ = known_means(sets, weights)
        self.rank_ = principal_axes(impute(sets, self.mean_), weights).rank
        self.n_components_ = self.rank_
        self.kl_divergence_ = 0.0
        if np.isnan(sets.data).any():
            self.kl_divergence_, _ = kl_divergence(sets, self.codes_, weights=weights)
        return self

    def fit_transform(self, Y: Any, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Learn the labels' means and return the codes of the rows, shape (n, K)."""
        return self.fit(Y, X, sample_weight).transform(Y)

    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of label sets, shape (n, K)."""
        return self._centred(new_labels(self, Y))

    @property
    def codes_(self) -> FloatArray:
        """Codes of the distinct label sets."""
        return self._centred(self.label_sets_.sets)

    def _centred(self, labels: Any) -> FloatArray:
        return np.asarray(as_dense(impute(labels, self.mean_)) - self.mean_)
