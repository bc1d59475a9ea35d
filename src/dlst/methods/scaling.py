"""Scaling of features for distances and kernels."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.extmath import row_norms

from dlst._matrices import FeatureMatrix, as_dense
from dlst._parameters import check_parameters, one_of, parameter, with_parameters

Scaling: TypeAlias = Literal["auto", "standard", "tfidf", "hellinger", "maxabs", "none"]

TEXT_DENSITY = 0.25
"""Non-negative features with fewer non-zeros than this are taken for counts of words."""

HISTOGRAM_DENSITY = 0.5
HISTOGRAM_SPREAD = 0.1
"""Non-negative features with fewer non-zeros than that, whose rows have one sum but for such a
share, are taken for histograms."""


@with_parameters
class FeatureScaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Scale features by what they are, not by how they are stored.

    Parameters
    ----------
    scaling : {"auto", "standard", "tfidf", "hellinger", "maxabs", "none"}
        ``"standard"``: mean 0 and deviation 1, dense. ``"tfidf"``: log(1 + count) times the
        inverse document frequency, rows of length 1. ``"hellinger"``: root of the row's shares, for
        histograms. ``"maxabs"``: largest value 1, stays sparse. ``"auto"``: none for features of
        which less than a quarter are non-zero and whose rows all have length 1, such as tf-idf;
        hellinger for non-negative features of which less than half are non-zero and whose rows all
        have about the same sum; tfidf for other non-negative features of which less than a quarter
        are non-zero; maxabs for other features as thin as that; else standard.

    Attributes
    ----------
    scaling_ : str
        What was chosen.

    Examples
    --------
    >>> import numpy as np
    >>> scaler = FeatureScaler().fit(np.array([[1.0, -2.0], [3.0, 2.0]]))
    >>> scaler.scaling_, scaler.transform(np.array([[2.0, 2.0]])).tolist()
    ('standard', [[0.0, 1.0]])
    """

    scaling: Scaling = parameter(default="auto", must_be=one_of(*get_args(Scaling)))

    def fit(self, X: FeatureMatrix, y: Any = None, sample_weight: Any = None) -> FeatureScaler:
        """Learn the scale from training rows, by weight; their kind, from all alike."""
        check_parameters(self)
        self.scaling_ = _what_fits(X) if self.scaling == "auto" else self.scaling
        self.check(_smallest(X))
        self.scaler_ = self.unfitted()
        if self.scaler_ is not None:
            self._fit_scaler(self._prepared(X), sample_weight)
        return self

    def check(self, smallest: float) -> None:
        """Refuse features below 0 where the scaling has no place for them."""
        if self.scaling_ in ("tfidf", "hellinger") and smallest < 0:
            raise ValueError(
                f"scaling={self.scaling_!r} needs features of at least 0; got {smallest:g}. "
                "Use scaling='standard'."
            )

    def unfitted(self) -> Any:
        """Make what learns the scale; scikit-learn's modules are imported when they are needed."""
        if self.scaling_ == "none":
            return None
        if self.scaling_ == "tfidf":
            from sklearn.feature_extraction.text import TfidfTransformer

            return TfidfTransformer()
        from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler

        return {
            "standard": StandardScaler(),
            "hellinger": Normalizer("l1"),
            "maxabs": MaxAbsScaler(),
        }[self.scaling_]

    def _fit_scaler(self, X: Any, sample_weight: Any) -> None:
        if sample_weight is None:
            self.scaler_.fit(X)
        elif self.scaling_ == "standard":
            self.scaler_.fit(X, sample_weight=sample_weight)
        else:
            self.scaler_.fit(X)
            if self.scaling_ == "tfidf":
                # scikit-learn's inverse document frequency, of documents by weight.
                present = sp.csr_array((X.data != 0, X.indices, X.indptr), shape=X.shape)
                frequency = 1.0 + sample_weight @ present.astype(np.float64)
                self.scaler_.idf_ = np.log((1.0 + sample_weight.sum()) / frequency) + 1.0

    def transform(self, X: FeatureMatrix) -> FeatureMatrix:
        """Scale rows."""
        if self.scaler_ is None:
            return X
        if self.scaling_ == "standard":
            # As StandardScaler does it, but for one more look at rows that were checked.
            return np.asarray((as_dense(X) - self.scaler_.mean_) / self.scaler_.scale_)
        scaled = self.scaler_.transform(self._prepared(X))
        if self.scaling_ == "hellinger":
            scaled = np.sqrt(scaled)
        return sp.csr_array(scaled) if sp.issparse(scaled) else scaled

    def _prepared(self, X: FeatureMatrix) -> Any:
        if self.scaling_ == "standard":
            return as_dense(X)
        # New rows may hold what training rows did not; a count below 0 counts as none.
        if self.scaling_ == "hellinger":
            return np.maximum(X, 0.0) if isinstance(X, np.ndarray) else X.maximum(0.0)
        if self.scaling_ == "tfidf":
            counts = sp.csr_array(X)
            return sp.csr_array(
                (np.log1p(np.maximum(counts.data, 0.0)), counts.indices, counts.indptr),
                shape=counts.shape,
            )
        return X


def take_as_they_are(method: Any) -> None:
    """Let a method take features that are scaled already, unless a scaling was chosen for it."""
    if method.get_params(deep=False).get("scaling") == "auto":
        method.set_params(scaling="none")


def _what_fits(X: FeatureMatrix) -> Scaling:
    if are_thin(X) and _have_length_one(X):
        return "none"
    if _smallest(X) < 0:
        return "maxabs" if are_thin(X) else "standard"
    if _density(X) < HISTOGRAM_DENSITY and _have_one_sum(X):
        return "hellinger"
    return "tfidf" if are_thin(X) else "standard"


def are_thin(X: FeatureMatrix) -> bool:
    """Return whether less than a quarter of the features are non-zero, as in texts."""
    return _density(X) < TEXT_DENSITY


def _density(X: FeatureMatrix) -> float:
    return _count(X) / float(X.shape[0] * X.shape[1])


def _count(X: FeatureMatrix) -> int:
    return int(np.count_nonzero(X if isinstance(X, np.ndarray) else X.data))


def _have_one_sum(X: FeatureMatrix) -> bool:
    sums = np.asarray(X.sum(axis=1)).ravel()
    return bool(len(sums) > 1 and sums.mean() > 0 and sums.std() <= HISTOGRAM_SPREAD * sums.mean())


def _have_length_one(X: FeatureMatrix) -> bool:
    lengths = row_norms(X, squared=True)
    # A text without a known word has no length; one row alone, or one-hot rows, mean nothing.
    longer = lengths[lengths > 0]
    several = len(longer) > 1 and _count(X) > 1.5 * len(longer)
    return bool(several and np.allclose(longer, 1.0, atol=1e-5))


def _smallest(X: FeatureMatrix) -> float:
    values = X if isinstance(X, np.ndarray) else np.asarray(X.data)
    return float(values.min()) if values.size else 0.0
