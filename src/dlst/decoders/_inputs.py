"""Checked input of decoders: codes, labels with unknown entries, targets, features."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._matrices import (
    BoolArray,
    FeatureMatrix,
    FloatArray,
    IntArray,
    as_dense,
    as_features,
    as_indicator,
)
from dlst._weights import Weights
from dlst.errors import DataError
from dlst.parts import Encoder, LinearInverse, Smoother


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of the training rows, the unknown entries kept apart.

    Attributes
    ----------
    Y : csr_array of shape (n, K)
        Ones and NaN stored.
    weights : Weights or None
        How often rows and labels count; None: once.
    """

    Y: sp.csr_array
    weights: Weights | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of labels."""
        n, K = self.Y.shape
        return int(n), int(K)

    @cached_property
    def ones(self) -> sp.csr_array:
        """The known ones, shape (n, K)."""
        return self._where(self.Y.data == 1)

    @cached_property
    def unknown(self) -> sp.csr_array | None:
        """Ones at the unknown entries; None when everything is known."""
        missing = np.isnan(self.Y.data)
        return self._where(missing) if missing.any() else None

    @cached_property
    def n_positive(self) -> FloatArray:
        """Known ones of each label, rows by weight, shape (K,)."""
        if self.weights is not None:
            return np.asarray(self.weights.rows @ self.ones)
        return np.bincount(self.ones.indices, minlength=self.shape[1]).astype(np.float64)

    @cached_property
    def n_known(self) -> FloatArray:
        """Known entries of each label, rows by weight, shape (K,)."""
        n, K = self.shape
        total = float(n) if self.weights is None else float(self.weights.rows.sum())
        if self.unknown is None:
            return np.full(K, total)
        if self.weights is not None:
            return np.asarray(total - self.weights.rows @ self.unknown)
        return n - np.bincount(self.unknown.indices, minlength=K).astype(np.float64)

    @cached_property
    def labelled_rows(self) -> IntArray:
        """Rows with at least one known entry."""
        n, K = self.shape
        if self.unknown is None:
            return np.arange(n)
        return np.flatnonzero(np.diff(self.unknown.indptr) < K)

    @property
    def prevalence(self) -> FloatArray:
        """Share of ones among the known entries of each label; 0 where nothing is known."""
        return self.n_positive / np.maximum(self.n_known, 1.0)

    @property
    def prior(self) -> FloatArray:
        """Prevalence pulled off 0 and 1: (ones + 1/2) / (known + 1)."""
        return (self.n_positive + 0.5) / (self.n_known + 1.0)

    @property
    def constant(self) -> BoolArray:
        """Labels whose known entries are all equal, so that nothing can be learnt about them."""
        # Weights make no label constant, but rounding of their sums might.
        prevalence = self.prevalence if self.weights is None else Labels(self.Y).prevalence
        return np.isin(prevalence, (0.0, 1.0))

    def row_weights(self, rows: Any = slice(None)) -> FloatArray | None:
        """Return how often each of some rows counts; None where all count once."""
        return None if self.weights is None else self.weights.rows[rows]

    def dense(self, rows: IntArray | None = None) -> tuple[FloatArray, BoolArray | None]:
        """Return labels of some rows as an array, unknown = 0, and which are known (None: all)."""
        ones = self.ones if rows is None else self.ones[rows]
        if self.unknown is None:
            return ones.toarray(), None
        unknown = self.unknown if rows is None else self.unknown[rows]
        return ones.toarray(), unknown.toarray() == 0

    def _where(self, chosen: BoolArray) -> sp.csr_array:
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.Y.indptr))[chosen]
        columns = self.Y.indices[chosen]
        return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=self.shape)


class Given:
    """What a decoder is fitted to; targets and features are checked where they are used.

    Attributes
    ----------
    codes : ndarray or csr_array of shape (n, r)
    labels : Labels
        Of n rows, some of them with a known entry.
    """

    def __init__(
        self,
        codes: Any,
        Y: Any,
        targets: Any,
        X: Any,
        smoother: Smoother | None,
        encoder: Encoder | None,
        weights: Weights | None,
    ):
        self.codes = as_codes(codes)
        self.labels = as_labels(Y, self.codes.shape[0], weights)
        self.smoother, self.encoder = smoother, encoder
        self._targets, self._X = targets, X

    @cached_property
    def X(self) -> FeatureMatrix | None:  # noqa: N802 - the name of the parameter it comes from
        """Features (n, d)."""
        return as_aligned(self._X, "X", self.codes.shape[0])

    @cached_property
    def targets(self) -> FloatArray | None:
        """The codes (n, r) that the regressor was fitted to."""
        targets = as_aligned(self._targets, "targets", self.codes.shape[0])
        if targets is not None and targets.shape != self.codes.shape:
            raise DataError(
                f"codes and targets must have the same shape; got {self.codes.shape} and "
                f"{targets.shape}."
            )
        return None if targets is None else as_dense(targets)

    @property
    def inverse(self) -> LinearInverse | None:
        """The linear inverse of the encoder; None without an encoder, or if it is not linear."""
        return None if self.encoder is None else self.encoder.linear_inverse()

    def as_scores(self, scores: FloatArray) -> Given:
        """Return a copy with scores of labels (n, K) as codes, and no smoother or targets."""
        given = copy(self)
        given.codes, given.smoother, given._targets = scores, None, None
        return given


def as_codes(codes: Any, what: str = "codes", *, n_columns: int | None = None) -> FeatureMatrix:
    """Return finite codes as a float64 array, or CSR when they are sparse."""
    checked = as_features(codes)
    values = checked if isinstance(checked, np.ndarray) else checked.data
    if not np.isfinite(values).all():
        raise DataError(
            f"{what} must be finite; got NaN or infinity. Remove or impute those values."
        )
    if n_columns is not None and checked.shape[1] != n_columns:
        raise DataError(
            f"{what} must have the {n_columns} columns of the fit; got {checked.shape[1]}."
        )
    return checked


def as_labels(Y: Any, n_rows: int, weights: Weights | None = None) -> Labels:
    """Return checked labels that belong to the given number of codes."""
    indicator = as_indicator(Y)
    if indicator.shape[0] != n_rows:
        raise DataError(
            f"codes and Y must have the same rows; got {n_rows} codes and {indicator.shape[0]} "
            "label vectors."
        )
    labels = Labels(indicator, weights)
    if len(labels.labelled_rows) == 0:
        raise DataError("Y must have a known entry; got no rows or NaN only.")
    return labels


def as_aligned(matrix: Any, what: str, n_rows: int) -> FeatureMatrix | None:
    """Return targets or features that belong to the given number of codes; None stays None."""
    if matrix is None:
        return None
    checked = as_codes(matrix, what)
    if checked.shape[0] != n_rows:
        raise DataError(
            f"codes and {what} must have the same rows; got {n_rows} and {checked.shape[0]}."
        )
    return checked


def as_new(
    codes: Any, X: Any, n_codes: int, n_features: int | None
) -> tuple[FeatureMatrix, FeatureMatrix | None]:
    """Return codes and features of new rows, which have the columns of the fit."""
    checked = as_codes(codes, n_columns=n_codes)
    features = as_aligned(X, "X", checked.shape[0])
    if features is not None and n_features not in (None, features.shape[1]):
        raise DataError(
            f"X must have the {n_features} columns of the fit; got {features.shape[1]}."
        )
    return checked, features


def chosen_rows(rows: Any, n: int) -> IntArray:
    """Return the requested rows; all of n by default."""
    return np.arange(n) if rows is None else np.asarray(rows, dtype=np.int64)


def clipped_logit(probability: Any, margin: float = 1e-3) -> FloatArray:
    """Return log p/(1-p) of probabilities pulled into [margin, 1 - margin].

    Parameters
    ----------
    probability : array-like
    margin : float
        Least distance from 0 and 1.

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> clipped_logit([0.5, 0.0]).round(3)
    array([ 0.   , -6.907])
    """
    inside = np.clip(np.asarray(probability, dtype=np.float64), margin, 1.0 - margin)
    return np.log(inside) - np.log1p(-inside)
