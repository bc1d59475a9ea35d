"""Principal codes: labels projected where they vary most, or where features predict them best."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dlst._kernels.feature_rows import FeatureRows, ridge_whitening
from dlst._matrices import FloatArray
from dlst._parameters import check_parameters, number, parameter, with_parameters
from dlst._unknown import impute, known_means
from dlst._weights import as_weights
from dlst.encoders._base import LinearEncoder
from dlst.encoders._checks import (
    COMPONENTS,
    checked_features,
    components_wanted,
    new_labels,
    training_labels,
)
from dlst.encoders._principal import (
    PrincipalAxes,
    outward_signs,
    principal_axes,
)


@with_parameters
class PrincipalEncoder(LinearEncoder):
    """Encode labels by their principal components, the code of PLST.

        min ‖Yc − Yc V Vᵀ‖²  over V of shape (K, r) with Vᵀ V = I,   Yc = Y − 1 ȳᵀ,   Z = Yc V

    Its own inverse z ↦ ȳ + z Vᵀ is also the least-squares decoder from the codes: Yc = A S Wᵀ gives
    Z = A_r S_r, and (ZᵀZ)⁻¹ ZᵀYc = S_r⁻² S_r A_rᵀ A S Wᵀ = W_rᵀ = Vᵀ.

    Parameters
    ----------
    n_components : int, float, "half" or None
        Length r of a code. None: the rank of the centred labels, which loses nothing. "half":
        ⌈K/2⌉, at most 100. A float in (0, 1]: that share of K, rounded up. Never more than the
        rank, never less than 1.

    Attributes
    ----------
    components_ : ndarray of shape (K, r)
        V; the row farthest out on each axis is positive. Zero where all rows are equal.
    mean_ : ndarray of shape (K,)
        ȳ, over known entries.
    scatter_ : ndarray of shape (rank,)
        Squared singular values of Yc, descending; what the code loses is the sum from r on.
    decoding_, offset_ : ndarray of shape (r, K) and (K,)
        The inverse: labels ≈ offset_ + codes @ decoding_.
    n_components_, rank_ : int
        r, and the rank of Yc.
    n_features_in_, feature_names_in_
        Number of labels, and their names when ``Y`` is a frame.

    Notes
    -----
    Labels stay sparse: O(nnz(Y) K + K³) time and O(K² + n r) memory, or O(n² K) when n < K.
    Unknown (NaN) entries take the label's mean.

    References
    ----------
    Tai, Lin (2012). Multilabel classification with principal label space transformation.

    Examples
    --------
    >>> Y = [[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]]
    >>> encoder = PrincipalEncoder(n_components=1).fit(Y)
    >>> encoder.inverse_transform(encoder.transform(Y)).round(6)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.],
           [0., 0., 1.]])
    """

    n_components: int | float | str | None = parameter(default=None, must_be=COMPONENTS)

    def fit(self, Y: Any, X: Any = None, sample_weight: Any = None) -> PrincipalEncoder:
        """Learn the projection.

        Parameters
        ----------
        Y : array-like, sparse or frame of shape (n, K)
            0, 1, NaN for unknown.
        X : array-like or sparse of shape (n, d), optional
            Features of the same rows, for the encoders that look at them.
        sample_weight : array-like of shape (n,), optional
            How often each row counts.
        """
        self.fit_transform(Y, X, sample_weight)
        return self

    def fit_transform(self, Y: Any, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Learn the projection and return the codes of the rows, shape (n, r)."""
        check_parameters(self)
        labels = training_labels(self, Y)
        given = as_weights(sample_weight, labels.shape[0], "sample_weight")
        self.mean_ = known_means(labels, given)
        labels = impute(labels, self.mean_)
        wanted = components_wanted(self.n_components, labels.shape[1])
        found = self._axes(labels, X, wanted, given)
        self.rank_, self.scatter_ = found.rank, found.scatter
        self.components_ = found.axes if found.rank else np.zeros((labels.shape[1], 1))
        return self._project(labels)

    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of label sets, shape (n, r)."""
        return self._project(impute(new_labels(self, Y), self.mean_))

    @property
    def decoding_(self) -> FloatArray:
        """Vᵀ."""
        return self.components_.T

    @property
    def offset_(self) -> FloatArray:
        """The mean of the labels."""
        return np.asarray(self.mean_)

    def _axes(
        self, labels: sp.csr_array, X: Any, n_axes: int | None, weights: FloatArray | None
    ) -> PrincipalAxes:
        counts = np.ones(labels.shape[0]) if weights is None else weights
        return principal_axes(labels, counts, n_axes)

    def _project(self, labels: sp.csr_array) -> FloatArray:
        return np.asarray(labels @ self.components_ - self.mean_ @ self.components_)


@with_parameters
class ConditionalPrincipalEncoder(PrincipalEncoder):
    """Encode labels by the principal components of what features predict of them, as CPLST does.

        max tr(Vᵀ Ycᵀ H Yc V)  with Vᵀ V = I,   H = X (XᵀX + αI)⁻¹ Xᵀ,   Z = Yc V

    Without penalty this V minimises ‖H Z − Z‖² + ‖Yc − Yc V Vᵀ‖², the error of predicting codes
    plus the error of coding; with one the same V is the definition.

    Parameters
    ----------
    n_components : int, float, "half" or None
        As in :class:`PrincipalEncoder`; None is the rank of the predicted labels.
    alpha : float
        α of the hat matrix H.
    centred : bool
        Whether H is that of a regression with an intercept (of centred features), or of the
        features as they are, as in the authors' program.

    Attributes
    ----------
    components_, mean_, decoding_, offset_, n_components_, rank_
        As in :class:`PrincipalEncoder`.
    scatter_ : ndarray of shape (rank,)
        Eigenvalues of Ycᵀ H Yc, descending.

    Notes
    -----
    With q = min(n, d) it takes O(n d q + q³ + nnz(Y) d + q K min(q, K)) time and O(q d + d K)
    memory. With n ≤ d and a small α, H is almost the identity and this is
    :class:`PrincipalEncoder`; so it is, by definition, where no features are given.

    References
    ----------
    Chen, Lin (2012). Feature-aware label space dimension reduction for multi-label classification.

    Examples
    --------
    The second label varies as much as the first, but only the first can be predicted:

    >>> X = [[0.0], [0.0], [1.0], [1.0]]
    >>> Y = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> ConditionalPrincipalEncoder(n_components=1).fit(Y, X).components_.round(6) + 0.0
    array([[1.],
           [0.]])
    """

    _: KW_ONLY
    alpha: float = parameter(default=1.0, must_be=number(at_least=0))
    centred: bool = True

    def _axes(
        self, labels: sp.csr_array, X: Any, n_axes: int | None, weights: FloatArray | None
    ) -> PrincipalAxes:
        if X is None:
            return super()._axes(labels, X, n_axes, weights)
        features = checked_features(X, labels.shape[0])
        root = None if weights is None else np.sqrt(weights)
        centred = FeatureRows.centred(features, weights) if self.centred else None
        rows = FeatureRows(features, root=root) if centred is None else centred
        centred_labels = FeatureRows(labels, shift=self.mean_, root=root)
        predicted = ridge_whitening(rows, self.alpha).T @ rows.cross(centred_labels)
        _, lengths, V = scipy.linalg.svd(predicted, full_matrices=False)
        size = float(labels.sum())
        kept = lengths**2 > size * max(labels.shape) * np.finfo(np.float64).eps
        axes = np.ascontiguousarray(V[kept][:n_axes].T)
        found = PrincipalAxes(self.mean_, axes, lengths[kept] ** 2)
        return found._replace(axes=axes * outward_signs(found.project(labels)))
