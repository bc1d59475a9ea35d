"""Methods that weigh rows and labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst._weights import Weights
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.methods.elsewhere import also_on_a_cluster


class WeightedClassifier(MultiLabelClassifier):
    """Base of methods with a place for weights: they implement ``_fit_weighted``, not ``_fit``."""

    # The base class takes weights by any name, to refuse them in its own words.
    @also_on_a_cluster
    def fit(  # type: ignore[override]
        self, X: Any, y: Any, sample_weight: Any = None, label_weight: Any = None
    ) -> Any:
        """Fit to features and targets.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Features.
        y : array-like, sparse or frame of shape (n, K), or array-like of shape (n,)
            Label indicator of 0, 1 and NaN (unknown), or one class for each row.
        sample_weight : array-like of shape (n,), optional
            How often each row counts: 2 is two equal rows, which are left out together where
            something is chosen or calibrated by leaving rows out, and 0 none.
        label_weight : array-like of shape (K,), optional
            How often each label counts where labels are judged together: in choices of width and
            penalty, in slopes that they share, in the F1 that decisions aim at. What is learnt of
            one label alone does not depend on it.
        """
        self._fit_labels(X, y, sample_weight=sample_weight, label_weight=label_weight)
        return self

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater | None:
        return self._fit_weighted(X, Y, None)

    @abstractmethod
    def _fit_weighted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater | None:
        """Learn from rows and labels that count so often; as ``_fit`` of the base class."""
