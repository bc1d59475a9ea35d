"""The bases of encoders, and the adapter for plain transformers."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import with_parameters
from dlst._weights import Weights, no_place
from dlst.parts import Encoder, Judge, LinearInverse


class CodeEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of encoders whose codes follow from labels and features alone.

    A subclass has ``fit_transform(Y, X)``, which gives the codes of the rows, with a parameter
    ``sample_weight`` if it can weigh rows.

    Examples
    --------
    >>> class Count(CodeEncoder):
    ...     def fit_transform(self, Y, X=None):
    ...         return np.asarray(Y.sum(axis=1), dtype=float).reshape(-1, 1)
    >>> Count().encode(sp.csr_array([[1.0, 1.0], [0.0, 1.0]]), None, None).tolist()
    [[2.0], [1.0]]
    """

    def encode(
        self, Y: sp.csr_array, X: FeatureMatrix, judge: Judge, weights: Weights | None = None
    ) -> FloatArray:
        """Fit and return the codes (n, r) of the rows; nothing is left to judge."""
        given = {}
        if weights is not None:
            if "sample_weight" not in signature(self.fit_transform).parameters:
                raise no_place(self)
            given = {"sample_weight": weights.rows}
        return np.asarray(self.fit_transform(Y, X, **given), dtype=np.float64)

    def linear_inverse(self) -> LinearInverse | None:
        """Return how codes give labels back; here it is not known."""
        return None


class LinearEncoder(ClassNamePrefixFeaturesOutMixin, CodeEncoder):  # type: ignore[misc]
    """Base of encoders with an inverse: labels ≈ offset_ (K,) + codes @ decoding_ (r, K)."""

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Return the labels, as real numbers, that codes stand for, shape (n, K)."""
        check_is_fitted(self)
        return np.asarray(self.offset_ + np.asarray(Z, dtype=np.float64) @ self.decoding_)

    def linear_inverse(self) -> LinearInverse:
        """Return the inverse as it is."""
        return LinearInverse(self.decoding_, self.offset_)

    @property
    def n_components_(self) -> int:
        """Length of a code."""
        return int(self.decoding_.shape[0])

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


@with_parameters
class PlainEncoder(CodeEncoder):
    """Any transformer of labels as the encoder of a composition.

    A composition does this wrapping; the class is public for inspection.

    Parameters
    ----------
    transformer : transformer
        ``fit_transform(Y, X)`` gives codes.

    Attributes
    ----------
    transformer_ : transformer
        Fitted.
    n_components_ : int
        Length of a code.

    Examples
    --------
    >>> from sklearn.decomposition import TruncatedSVD
    >>> encoder = PlainEncoder(TruncatedSVD(1, random_state=0))
    >>> encoder.fit_transform(np.eye(3)).shape, encoder.n_components_
    ((3, 1), 1)
    """

    transformer: Any

    def fit_transform(self, Y: Any, X: Any = None) -> FloatArray:
        """Fit a clone of the transformer and return the codes (n, r)."""
        self.transformer_ = clone(self.transformer)
        codes: FloatArray = np.asarray(self.transformer_.fit_transform(Y, X), dtype=np.float64)
        self.n_components_ = int(codes.shape[1])
        return codes


def as_encoder(part: Any) -> Encoder:
    """Return a part that keeps the contract as it is, and any other as :class:`PlainEncoder`.

    Parameters
    ----------
    part : encoder or transformer

    Returns
    -------
    Encoder

    Examples
    --------
    >>> from sklearn.decomposition import TruncatedSVD
    >>> as_encoder(TruncatedSVD(3))
    PlainEncoder(transformer=TruncatedSVD(n_components=3))
    """
    if hasattr(part, "encode") and not isinstance(part, str):  # A str encodes, too.
        return part  # type: ignore[no-any-return]
    if not hasattr(part, "fit_transform"):
        raise ValueError(f"encoder must be an encoder or a transformer of labels; got {part!r}.")
    return PlainEncoder(part)
