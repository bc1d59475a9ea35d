"""The signs of labels as their code: each label a coordinate of its own, -1 or 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin

from dlst._matrices import FloatArray, as_dense
from dlst._parameters import with_parameters
from dlst._unknown import impute, known_means
from dlst.encoders._base import LinearEncoder
from dlst.encoders._checks import new_labels, training_labels


@with_parameters
class SignCode(OneToOneFeatureMixin, LinearEncoder):  # type: ignore[misc]
    """Encode labels as -1 (absent) and 1.

    Parameters
    ----------
    keep_unknown : bool
        Whether an unknown entry stays NaN, for a regressor that leaves it out of its own label's
        problem (:class:`~dlst.regressors.LinearMachines`); else it takes the label's mean.

    Attributes
    ----------
    n_components_ : int
        Number of labels.
    decoding_ : csr_array of shape (K, K)
    offset_ : ndarray of shape (K,)
        Labels are offset_ + codes · decoding_.

    Examples
    --------
    >>> Y = [[1, 0], [1, np.nan], [0, 1]]
    >>> SignCode().fit_transform(Y)
    array([[ 1., -1.],
           [ 1.,  0.],
           [-1.,  1.]])
    >>> SignCode(keep_unknown=True).fit_transform(Y)[1]
    array([ 1., nan])
    """

    keep_unknown: bool = False

    def fit(self, Y: Any, X: Any = None, sample_weight: Any = None) -> SignCode:
        """Learn the labels' means; ``X`` is ignored."""
        labels = training_labels(self, Y)
        self.mean_ = known_means(labels, sample_weight)
        self.decoding_ = sp.csr_array(sp.diags_array(np.full(labels.shape[1], 0.5)))
        self.offset_ = np.full(labels.shape[1], 0.5)
        return self

    def fit_transform(self, Y: Any, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Return the codes of the rows, shape (n, K)."""
        return self.fit(Y, X, sample_weight).transform(Y)

    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of label sets, shape (n, K)."""
        labels = new_labels(self, Y)
        signs = as_dense(labels if self.keep_unknown else impute(labels, self.mean_))
        return signs * 2.0 - 1.0
