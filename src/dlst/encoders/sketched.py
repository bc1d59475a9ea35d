"""Few axes of very many labels, without an array of labels by labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from dlst._matrices import FloatArray
from dlst._parameters import check_parameters, integer, parameter, with_parameters
from dlst._unknown import impute, known_means
from dlst.encoders._base import LinearEncoder
from dlst.encoders._checks import new_labels, training_labels


@with_parameters
class SketchedCode(LinearEncoder):
    """Encode labels by their widest directions, found by random projection.

        Z = Ỹ V,   Ỹ ≈ Z Vᵀ,   Ỹ = Y with each label divided by the root of its frequency

    What :class:`PrincipalEncoder` does for hundreds of labels, for hundreds of thousands: labels
    stay sparse and uncentred, and the axes are those of Halko, Martinsson and Tropp (2011). Rare
    labels count as much as frequent ones, which would else take all axes.

    Parameters
    ----------
    n_components : int
        Length of a code at most; never more than rows or labels.
    random_state : int, RandomState or None
        Draws the projection; by default always the same.

    Attributes
    ----------
    components_ : ndarray of shape (K, r)
        V, each label's row divided by the root of its frequency.
    decoding_, offset_ : ndarray of shape (r, K) and (K,)
        Labels ≈ offset_ + codes @ decoding_.
    n_components_ : int

    Notes
    -----
    O(nnz(Y) r) time and O((n + K) r) memory. Unknown (NaN) entries take the label's mean.

    Examples
    --------
    >>> Y = sp.csr_array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    >>> encoder = SketchedCode(2, random_state=0)
    >>> (encoder.fit_transform(Y) @ encoder.decoding_ + encoder.offset_).round(6) + 0.0
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.],
           [0., 0., 1.]])
    """

    n_components: int = parameter(default=100, must_be=integer(at_least=1))
    random_state: Any = 0

    def fit(self, Y: Any, X: Any = None) -> SketchedCode:
        """Find the axes; ``X`` is ignored."""
        self.fit_transform(Y, X)
        return self

    def fit_transform(self, Y: Any, X: Any = None) -> FloatArray:
        """Find the axes and return the codes of the rows, shape (n, r)."""
        check_parameters(self)
        labels = training_labels(self, Y)
        self.mean_ = known_means(labels)
        labels = impute(labels, self.mean_)
        roots = np.sqrt(np.maximum(np.asarray(labels.sum(axis=0)).ravel(), 1.0))
        scaled = sp.csr_array(labels @ sp.diags_array(1.0 / roots))
        r = min(self.n_components, *labels.shape)
        V = randomized_svd(scaled, r, random_state=self.random_state)[2].T
        self.components_, self.decoding_ = V / roots[:, None], V.T * roots
        return self._project(labels)

    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of label sets, shape (n, r)."""
        return self._project(impute(new_labels(self, Y), self.mean_))

    @property
    def offset_(self) -> FloatArray:
        """Nothing: labels are not centred."""
        return np.zeros(self.decoding_.shape[1])

    def _project(self, labels: sp.csr_array) -> FloatArray:
        return np.asarray(labels @ self.components_)
