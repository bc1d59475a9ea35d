"""Implicit codes: chosen for rows, not for label sets, so that labels and features both fit."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dlst._kernels.feature_rows import FeatureRows, ridge_whitening
from dlst._matrices import FloatArray
from dlst._parameters import (
    check_parameters,
    number,
    one_of,
    parameter,
    with_parameters,
)
from dlst._unknown import impute, known_means
from dlst.encoders._base import LinearEncoder
from dlst.encoders._checks import (
    COMPONENTS,
    checked_features,
    components_wanted,
    new_labels,
    training_labels,
)
from dlst.encoders._principal import outward_signs

_EPS = float(np.finfo(np.float64).eps)

CODINGS = ("01", "pm1")
WEIGHTINGS = ("relative", "absolute")


@with_parameters
class ImplicitEncoder(LinearEncoder):
    """Encode rows so that labels follow from codes and codes from features, as FaIE does.

        max tr(Cᵀ (Y Yᵀ + w H) C)  over C of shape (n, r) with CᵀC = I,   H = X (XᵀX + αI)⁻¹ Xᵀ

    The first term is what a linear decoder D = Cᵀ Y recovers of the labels, ‖Y‖² − ‖Y − C D‖²; the
    second is how well a ridge regression predicts each code.

    Parameters
    ----------
    n_components : int, float, "half" or None
        Length r of a code. None: the number of labels K. "half": ⌈K/2⌉, at most 100. A float in
        (0, 1]: that share of K, rounded up. Never more than the rank of [Y, X], never less than 1.
    feature_weight : float
        w, the paper's α.
    weighting : {"relative", "absolute"}
        Whether ``feature_weight`` is a multiple of the largest eigenvalue of Y Yᵀ, which grows with
        n while those of H are at most 1, or w itself.
    alpha : float
        α of the hat matrix H, the paper's λ.
    centred : bool
        Whether H is of centred features or of the features as they are.
    coding : {"01", "pm1"}
        Labels as 0 and 1, or as −1 and +1; not centred, so that this changes the codes.

    Attributes
    ----------
    decoding_, offset_ : ndarray of shape (r, K) and (K,)
        0/1 labels ≈ offset_ + codes @ decoding_: D and 0, or D/2 and 1/2 with ``"pm1"``.
    eigenvalues_ : ndarray of shape (r,)
        Of Y Yᵀ + w H, descending; their sum is the objective.
    feature_weight_ : float
        w.
    label_weights_, feature_weights_ : ndarray of shape (K, r) and (d, r)
        C = Y label_weights_ + X feature_weights_, labels coded and features centred as in the fit.
    mean_, feature_mean_ : ndarray of shape (K,) and (d,)
        Mean of each label over its known entries, and what is subtracted from features.
    n_components_ : int
        r.
    n_features_in_, feature_names_in_
        Number of labels, and their names when ``Y`` is a frame.

    Notes
    -----
    C comes from the smaller of the matrices [Y, √w F]ᵀ[Y, √w F], where H = F Fᵀ, and Y Yᵀ + w H:
    O(n s² + s³) time with s = min(n, K + min(n, d)), and O(n r + s²) memory. Without features w H
    is 0 and C has the left singular vectors of Y. Unknown (NaN) entries take the label's mean.

    References
    ----------
    Lin, Ding, Hu, Wang (2014). Multi-label classification via feature-aware implicit label space
    encoding.

    Examples
    --------
    >>> X = [[0.0], [0.0], [1.0], [1.0]]
    >>> Y = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> encoder = ImplicitEncoder(n_components=2)
    >>> C = encoder.fit_transform(Y, X)
    >>> (C.T @ C).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    >>> (encoder.inverse_transform(C) > 0.5).astype(int)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]])
    """

    n_components: int | float | str | None = parameter(default=None, must_be=COMPONENTS)
    _: KW_ONLY
    feature_weight: float = parameter(default=1.0, must_be=number(at_least=0))
    weighting: str = parameter(default="relative", must_be=one_of(*WEIGHTINGS))
    alpha: float = parameter(default=1.0, must_be=number(at_least=0))
    centred: bool = True
    coding: str = parameter(default="01", must_be=one_of(*CODINGS))

    def fit(self, Y: Any, X: Any = None) -> ImplicitEncoder:
        """Learn the decoder of the codes, and the codes as a function of labels and features."""
        self.fit_transform(Y, X)
        return self

    def fit_transform(self, Y: Any, X: Any = None) -> FloatArray:
        """Learn the codes and return them, shape (n, r).

        Parameters
        ----------
        Y : array-like, sparse or frame of shape (n, K)
            0, 1, NaN for unknown.
        X : array-like or sparse of shape (n, d), optional
            Features of the same rows.
        """
        check_parameters(self)
        labels = training_labels(self, Y)
        self.mean_ = known_means(labels)
        coded = self._coded(impute(labels, self.mean_))
        rows, whitening = self._weighted_features(coded, X)
        wanted = components_wanted(self.n_components, labels.shape[1])
        joint = _LabelsAndFeatures(coded, rows, whitening)
        self.eigenvalues_, C = joint.leading(labels.shape[1] if wanted is None else wanted)
        return self._settle(joint, C)

    def transform(self, Y: Any, X: Any = None) -> FloatArray:
        """Return codes of rows, shape (n, r).

        With features, the function of both that gives the training rows their codes; from labels
        alone, the codes that decode to them with the least squared error.
        """
        labels = impute(new_labels(self, Y), self.mean_)
        coded = self._coded(labels)
        if X is None or not len(self.feature_weights_):
            return coded.times(np.asarray(scipy.linalg.pinv(self.decoding_ * self._step)))
        rows = FeatureRows(checked_features(X, labels.shape[0]), self.feature_mean_)
        return coded.times(self.label_weights_) + rows.times(self.feature_weights_)

    @property
    def _step(self) -> float:
        return 2.0 if self.coding == "pm1" else 1.0

    def _coded(self, labels: sp.csr_array) -> FeatureRows:
        """Return labels as 0 and 1, or as −1 and +1."""
        shift = np.ones(labels.shape[1]) if self.coding == "pm1" else None
        return FeatureRows(labels * self._step, shift)

    def _weighted_features(self, coded: FeatureRows, X: Any) -> tuple[FeatureRows, FloatArray]:
        """Return features and A, (d, q), such that w H = (X A)(X A)ᵀ; no columns for w = 0."""
        n = coded.shape[0]
        features = np.zeros((n, 0)) if X is None else checked_features(X, n)
        rows = FeatureRows.centred(features) if self.centred else FeatureRows(features)
        self.feature_mean_ = rows.shift
        self.feature_weight_ = float(self.feature_weight)
        if self.weighting == "relative":
            self.feature_weight_ *= coded.largest_eigenvalue()
        if rows.shape[1] == 0 or self.feature_weight_ == 0:
            return rows, np.zeros((rows.shape[1], 0))
        return rows, np.sqrt(self.feature_weight_) * ridge_whitening(rows, self.alpha)

    def _settle(self, joint: _LabelsAndFeatures, C: FloatArray) -> FloatArray:
        """Keep what decodes codes and what makes them; return them with their signs fixed."""
        C = C * outward_signs(C)
        decoding, projected = joint.transposed_times(C)
        self.decoding_ = decoding.T / self._step
        self.offset_ = joint.labels.shift / self._step
        # C = Ω C / eigenvalues, with Ω = Y Yᵀ + (X A)(X A)ᵀ.
        self.label_weights_ = decoding / self.eigenvalues_
        self.feature_weights_ = joint.whitening @ projected / self.eigenvalues_
        return C


class _LabelsAndFeatures(NamedTuple):
    """The matrix B = [Y, X A] of n rows and K + q columns, whose B Bᵀ is Y Yᵀ + w H."""

    labels: FeatureRows
    features: FeatureRows
    whitening: FloatArray

    def leading(self, r: int) -> tuple[FloatArray, FloatArray]:
        """Return the r largest eigenvalues of B Bᵀ, fewer where its rank is lower, and vectors."""
        n, columns = self.labels.shape[0], self.labels.shape[1] + self.whitening.shape[1]
        smaller = self._gram() if columns <= n else self._outer()
        size = len(smaller)
        eigenvalues, Q = scipy.linalg.eigh(smaller, subset_by_index=(max(size - r, 0), size - 1))
        eigenvalues, Q = eigenvalues[::-1], Q[:, ::-1]
        # At least one column, if of zeros, where there is nothing to encode.
        rank = max(1, int((eigenvalues > eigenvalues[0] * max(n, columns) * _EPS).sum()))
        eigenvalues, Q = np.maximum(eigenvalues[:rank], np.finfo(np.float64).tiny), Q[:, :rank]
        if columns > n:
            return eigenvalues, Q
        return eigenvalues, self._times(Q) / np.sqrt(eigenvalues)

    def transposed_times(self, C: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return Yᵀ C and (X A)ᵀ C."""
        projected = self.whitening.T @ self.features.transposed_times(C)
        return self.labels.transposed_times(C), projected

    def _times(self, Q: FloatArray) -> FloatArray:
        K = self.labels.shape[1]
        return self.labels.times(Q[:K]) + self.features.times(self.whitening @ Q[K:])

    def _gram(self) -> FloatArray:
        across = self.whitening.T @ self.features.cross(self.labels)
        within = self.whitening.T @ self.features.gram() @ self.whitening
        return np.block([[self.labels.gram(), across.T], [across, within]])

    def _outer(self) -> FloatArray:
        F = self.features.times(self.whitening)
        return self.labels.outer() + F @ F.T
